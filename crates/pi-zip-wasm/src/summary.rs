//! The fixed part of a summary for JavaScript, as spans of texts that stay there.

use pi_zip_core::summary::{self, Ask, Part, Source};
use pi_zip_core::text::units;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::Core;

/// See `Fixed` of the core.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireSummary {
	/// Six numbers a part: its kind (0 words, 1 text of an entry, 2 argument of a call), the entry, the call, the number
	/// of the argument's name in `names`, and where the part starts and ends in its text, in UTF-16 units.
	parts: Vec<u32>,
	/// The parts that are words, joined.
	words: String,
	names: Vec<&'static str>,
	outputs: u32,
	requests: u32,
}

#[wasm_bindgen]
impl Core {
	/// The fixed part of a summary of the entries from `from` to `until`, which is not included. `own` are the positions
	/// of earlier summaries of ours, `most` is its length in UTF-16 units.
	pub fn summary(&self, from: u32, until: u32, own: &[u32], most: u32) -> Result<Ts<WireSummary>, JsError> {
		let own: Vec<usize> = own.iter().map(|&index| index as usize).collect();
		let ask = Ask { from: from as usize, until: until as usize, own: &own, units: most };
		let fixed = summary::fixed(&self.branch, &ask);
		let mut summary = WireSummary {
			parts: Vec::new(),
			words: String::new(),
			names: Vec::new(),
			outputs: fixed.outputs,
			requests: fixed.requests,
		};
		for part in fixed.parts {
			let numbers = match part {
				Part::Words(words) => {
					summary.words.push_str(&words);
					[0, 0, 0, 0, 0, units(&words)]
				}
				Part::Quote(Source::Text(entry), span) => [1, entry as u32, 0, 0, span.start, span.end],
				Part::Quote(Source::Argument { entry, call, name }, span) => {
					let known = summary.names.iter().position(|known| *known == name);
					let name_number = known.unwrap_or_else(|| {
						summary.names.push(name);
						summary.names.len() - 1
					});
					[2, entry as u32, call as u32, name_number as u32, span.start, span.end]
				}
			};
			summary.parts.extend(numbers);
		}
		Ok(summary.into_ts()?)
	}

	/// The first entry that a compaction may keep, at `wanted` or before it but behind `after`.
	pub fn cut(&self, after: u32, wanted: u32) -> Option<u32> {
		summary::cut(&self.branch, after as usize, wanted as usize).map(|entry| entry as u32)
	}
}
