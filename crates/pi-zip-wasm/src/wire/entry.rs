//! Entries of the branch as JavaScript packs them: all numbers in one list, all texts in one string. An object for each
//! takes twice as long, since each of its fields is a call across the boundary.
//!
//! What each field means, and that an absent number is not a number, is said in `wire.ts`, which writes them.

use pi_zip_core::session::{
	Assistant, Body, Call, Entry, Millis, ModelKey, Replacement, Size, StopReason, ToolResult, Usage,
};

/// The packed entries; `None` where they do not read as they were packed.
pub fn entries(numbers: &[f64], texts: &str) -> Option<Vec<Entry>> {
	let mut reader = Reader { numbers: numbers.iter(), texts };
	let mut entries = Vec::new();
	while !reader.numbers.as_slice().is_empty() {
		let kind = reader.text()?;
		let id = reader.text()?.into();
		// A time that is not a number counts as the epoch: old, so that it never passes for a touch of the cache.
		let at = reader.number()? as Millis;
		entries.push(Entry { id, at, body: body(kind, &mut reader)? });
	}
	Some(entries)
}

fn body(kind: &str, reader: &mut Reader) -> Option<Body> {
	Some(match kind {
		"system" => Body::System(reader.size_of_text()?),
		"branchSummary" => Body::BranchSummary(Some(reader.size_of_text()?).filter(|size| size.units > 0)),
		"user" => Body::User(reader.size()?),
		"custom" => Body::Custom(reader.size()?),
		"assistant" => Body::Assistant(answer(reader)?),
		"toolResult" => Body::ToolResult(ToolResult {
			call_id: reader.text()?.into(),
			tool: reader.text()?.into(),
			is_error: reader.flag()?,
			known_blocks: reader.flag()?,
			size: reader.size()?,
			digest: None,
		}),
		"userBash" => Body::UserBash { size: reader.size_of_text()?, excluded: reader.flag()? },
		"compaction" => Body::Compaction {
			summary: reader.size_of_text()?,
			system: reader.maybe()?.map(|units| Size { units: units as u32, images: 0 }),
			first_kept: reader.list()?.pop(),
		},
		"contextEdit" => {
			let target = reader.text()?.into();
			let placeholder = reader.flag()?;
			Body::ContextEdit { target, replacement: Replacement::Content { size: reader.size()?, placeholder } }
		}
		"omission" => Body::ContextEdit { target: reader.text()?.into(), replacement: Replacement::Omitted },
		"release" => Body::ContextEdit { target: reader.text()?.into(), replacement: Replacement::Released },
		"cacheTouch" => Body::CacheTouch(reader.model()?),
		"steering" => Body::Steering(reader.list()?),
		"unknownMessage" => Body::UnknownMessage,
		_ => Body::Inert,
	})
}

fn answer(reader: &mut Reader) -> Option<Assistant> {
	let size = reader.size_of_text()?;
	let said = reader.count()?;
	let thinking = reader.count()?;
	let stop = match reader.text()? {
		"error" => StopReason::Error,
		"aborted" => StopReason::Aborted,
		_ => StopReason::Completed,
	};
	let model = reader.model()?;
	let usage = if reader.flag()? { Some(usage(reader)?) } else { None };
	let calls = (0..reader.count()?).map(|_| call(reader)).collect::<Option<_>>()?;
	Some(Assistant { size, said, thinking, calls, stop, model, usage })
}

fn usage(reader: &mut Reader) -> Option<Usage> {
	Some(Usage {
		input: reader.number()?,
		output: reader.number()?,
		cache_read: reader.number()?,
		cache_write: reader.number()?,
		cache_write_1h: reader.maybe()?,
	})
}

fn call(reader: &mut Reader) -> Option<Call> {
	let (id, tool, partial) = (reader.text()?.into(), reader.text()?.into(), reader.flag()?);
	let args =
		(0..reader.count()?).map(|_| Some((reader.text()?.into(), reader.text()?.into()))).collect::<Option<_>>()?;
	Some(Call { id, tool, args, partial })
}

struct Reader<'a> {
	numbers: std::slice::Iter<'a, f64>,
	/// Those that are left.
	texts: &'a str,
}

impl<'a> Reader<'a> {
	fn number(&mut self) -> Option<f64> {
		self.numbers.next().copied()
	}

	fn maybe(&mut self) -> Option<Option<f64>> {
		self.number().map(|number| (!number.is_nan()).then_some(number))
	}

	fn count(&mut self) -> Option<u32> {
		self.number().map(|number| number as u32)
	}

	fn flag(&mut self) -> Option<bool> {
		self.number().map(|number| number != 0.0)
	}

	/// A text of so many UTF-16 code units, and the mark behind it.
	fn text(&mut self) -> Option<&'a str> {
		let wanted = self.count()? as usize;
		let is_plain = self.texts.get(..wanted).is_some_and(str::is_ascii);
		let end = if is_plain { wanted } else { byte_at(self.texts, wanted)? };
		let (text, rest) = self.texts.split_at_checked(end)?;
		self.texts = rest.get(1..).unwrap_or_default();
		Some(text)
	}

	fn list(&mut self) -> Option<Vec<Box<str>>> {
		(0..self.count()?).map(|_| self.text().map(Box::from)).collect()
	}

	fn size(&mut self) -> Option<Size> {
		Some(Size { units: self.count()?, images: self.count()? })
	}

	fn size_of_text(&mut self) -> Option<Size> {
		Some(Size { units: self.count()?, images: 0 })
	}

	fn model(&mut self) -> Option<ModelKey> {
		Some(ModelKey { provider: self.text()?.into(), model: self.text()?.into() })
	}
}

/// Where so many UTF-16 code units end; `None` where they end inside of a pair.
fn byte_at(text: &str, mut units: usize) -> Option<usize> {
	let mut scalars = text.chars();
	while units > 0 {
		units = units.checked_sub(scalars.next()?.len_utf16())?;
	}
	Some(text.len() - scalars.as_str().len())
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn texts_end_where_their_units_do() {
		let mut reader = Reader { numbers: [2.0, 3.0, 0.0, 1.0].iter(), texts: "😀\0aä漢\0\0z\0" };
		let texts: Vec<_> = std::iter::from_fn(|| reader.text()).collect();
		assert_eq!(texts, ["😀", "aä漢", "", "z"]);
		let inside = Reader { numbers: [1.0].iter(), texts: "😀" }.text();
		assert_eq!(inside, None);
	}

	#[test]
	fn what_is_cut_short_is_no_entry() {
		let whole = ([7.0, 1.0, 5.0, 1.0], "release\0i\0t\0");
		assert_eq!(entries(&whole.0, whole.1).map(|entries| entries.len()), Some(1));
		for end in 1..4 {
			assert_eq!(entries(&whole.0[..end], whole.1), None, "{end} numbers");
		}
		assert_eq!(entries(&whole.0, "release\0i"), None);
	}
}
