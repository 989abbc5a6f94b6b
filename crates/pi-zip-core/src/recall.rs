//! Decides which part of an original one answer of a recall holds.
//!
//! A [`Selection`] names lines of the original, a [`Window`] the units of that selection that this page may hold, and
//! [`page`] answers with spans of the original. The pages of one selection, joined in the order of their offsets, are
//! the selection unit by unit, wherever the cuts fall.
//!
//! It never returns text: what came in has lost its lone surrogates, so the caller slices the original. It knows no
//! handles and no sessions, and it does not share a page among several originals.

use crate::search::{self, LineMatch};
use crate::text::{Span, lines, units};

/// Lines by their one-based numbers, both ends included. A range beyond the end of a text selects nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
	pub first: u32,
	pub last: u32,
}

impl LineRange {
	fn holds(self, number: u32) -> bool {
		(self.first..=self.last).contains(&number)
	}
}

/// What of an original is asked for: the lines in `range` that match `grep`, each with its terminator; everything
/// where neither is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection<'a> {
	pub range: Option<LineRange>,
	/// A pattern as [`search::grep`] takes it.
	pub grep: Option<&'a str>,
}

/// The page wanted, in UTF-16 units of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
	pub offset: u32,
	/// Nought counts as one: a page that is not past the end makes progress.
	pub limit: u32,
}

/// One page of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
	/// Parts of the original in order; joined, they are the page. Neighbours are merged, none is empty.
	pub spans: Vec<Span>,
	/// The original's lines that the page touches, in runs of consecutive numbers.
	pub lines: Vec<LineRange>,
	/// Where the next page begins, in units of the selection; `None` at its end.
	pub next: Option<u32>,
	/// Units and lines of the whole selection.
	pub selected_units: u32,
	pub selected_lines: u32,
	/// Units and lines of the whole original.
	pub text_units: u32,
	pub text_lines: u32,
	/// The pattern was searched as plain text, because it is no expression that the search takes.
	pub literal: bool,
}

/// The page of `selection` in `text` that `window` asks for.
///
/// A page never ends inside a surrogate pair, unless it holds that one unit only.
pub fn page(text: &str, selection: Selection<'_>, window: Window) -> Page {
	let found = selection.grep.map(|pattern| search::grep(text, pattern));
	let wanted = |line: &LineMatch| selection.range.is_none_or(|range| range.holds(line.number));
	let fill = |limit| match &found {
		Some(found) => fill(found.lines.iter().copied().filter(wanted), window.offset, limit),
		None => fill(lines(text).map(LineMatch::from).filter(wanted), window.offset, limit),
	};
	let limit = window.limit.max(1);
	let mut page = fill(limit);
	if limit > 1 && page.next.is_some() && page.spans.last().is_some_and(|last| splits_pair(text, last.end)) {
		page = fill(limit - 1);
	}
	page.text_units = units(text);
	page.text_lines = u32::try_from(text.split_inclusive('\n').count()).unwrap_or(u32::MAX);
	page.literal = found.is_some_and(|found| found.literal);
	page
}

/// Counts the selected lines and takes what of them lies in the window, wherever that ends.
fn fill(selected: impl Iterator<Item = LineMatch>, offset: u32, limit: u32) -> Page {
	let mut page = Page::default();
	let end = offset.saturating_add(limit);
	for LineMatch { number, span } in selected {
		let before = page.selected_units;
		page.selected_units += span.len();
		page.selected_lines += 1;
		let (from, to) = (offset.max(before), end.min(page.selected_units));
		if from < to {
			page.take(number, Span::new(span.start + (from - before), span.start + (to - before)));
		}
	}
	page.next = (!page.spans.is_empty() && end < page.selected_units).then_some(end);
	page
}

impl Page {
	/// Adds a part of line `number`, which stands behind all that was taken before.
	fn take(&mut self, number: u32, part: Span) {
		match self.spans.last_mut() {
			Some(last) if last.end == part.start => last.end = part.end,
			_ => self.spans.push(part),
		}
		match self.lines.last_mut() {
			Some(last) if last.last + 1 >= number => last.last = number,
			_ => self.lines.push(LineRange { first: number, last: number }),
		}
	}
}

/// Whether a cut at `unit` falls between the halves of a surrogate pair.
fn splits_pair(text: &str, unit: u32) -> bool {
	if text.is_ascii() {
		return false;
	}
	let mut at = 0u32;
	for scalar in text.chars() {
		at += scalar.len_utf16() as u32;
		if at > unit {
			return scalar.len_utf16() == 2 && at - 1 == unit;
		}
	}
	false
}

#[cfg(test)]
mod tests {
	use proptest::prelude::*;

	use super::*;

	fn sliced(text: &str, spans: &[Span]) -> Vec<u16> {
		let all: Vec<u16> = text.encode_utf16().collect();
		spans.iter().flat_map(|span| all[span.start as usize..span.end as usize].to_vec()).collect()
	}

	/// One page as `text|lines|next`.
	fn show(text: &str, range: Option<(u32, u32)>, grep: Option<&str>, offset: u32, limit: u32) -> String {
		let range = range.map(|(first, last)| LineRange { first, last });
		let page = page(text, Selection { range, grep }, Window { offset, limit });
		let lines: Vec<_> = page.lines.iter().map(|run| format!("{}-{}", run.first, run.last)).collect();
		let next = page.next.map_or("end".to_string(), |next| next.to_string());
		format!("{}|{}|{next}", String::from_utf16_lossy(&sliced(text, &page.spans)), lines.join(","))
	}

	#[test]
	fn pages_by_selection() {
		let text = "one\ntwo\r\nthree\nfour";
		let cases = [
			(None, None, 0, 100, "one\ntwo\r\nthree\nfour|1-4|end"),
			(None, None, 2, 3, "e\nt|1-2|5"),
			(Some((2, 3)), None, 0, 100, "two\r\nthree\n|2-3|end"),
			(Some((2, 3)), None, 5, 3, "thr|3-3|8"),
			(None, Some("O"), 0, 100, "one\ntwo\r\nfour|1-2,4-4|end"),
			(Some((2, 9)), Some("o"), 0, 100, "two\r\nfour|2-2,4-4|end"),
			(None, Some("o$"), 0, 100, "two\r\n|2-2|end"),
			(Some((5, 9)), None, 0, 100, "||end"),
			(None, Some("five"), 0, 100, "||end"),
			(None, None, 18, 5, "r|4-4|end"),
			(None, None, 19, 5, "||end"),
		];
		for (range, grep, offset, limit, expected) in cases {
			assert_eq!(show(text, range, grep, offset, limit), expected, "{range:?} {grep:?} {offset} {limit}");
		}
	}

	#[test]
	fn a_pair_is_split_only_by_a_page_of_one_unit() {
		let text = "a\n😀b";
		assert_eq!(show(text, None, None, 0, 3), "a\n|1-1|2");
		assert_eq!(show(text, None, None, 0, 4), "a\n😀|1-2|4");
		assert_eq!(show(text, None, None, 2, 1), "\u{FFFD}|2-2|3");
		assert_eq!(show(text, None, None, 3, 9), "\u{FFFD}b|2-2|end");
	}

	#[test]
	fn an_offset_at_the_end_of_the_numbers_overflows_nothing() {
		assert_eq!(show("ab", None, None, u32::MAX, u32::MAX), "||end");
		assert_eq!(show("ab", None, None, 1, u32::MAX), "b|1-1|end");
		assert_eq!(show("ab", Some((0, u32::MAX)), None, 0, 0), "a|1-1|1");
	}

	proptest! {
		#[test]
		fn pages_joined_are_the_selection(
			text in "[ab\n\r😀é\u{2028}\0\u{FFFD}]{0,60}",
			first in 0u32..6,
			count in 0u32..6,
			by_line in any::<bool>(),
			grep in proptest::option::of("[ab😀.]"),
			limit in 1u32..20,
		) {
			let range = by_line.then_some(LineRange { first, last: first + count });
			let selection = Selection { range, grep: grep.as_deref() };
			let expected: String = text
				.split_inclusive('\n')
				.enumerate()
				.filter(|(index, _)| range.is_none_or(|range| range.holds(*index as u32 + 1)))
				.map(|(_, line)| line)
				.filter(|line| grep.as_deref().is_none_or(|wanted| {
					let body = line.trim_end_matches('\n');
					let body = body.strip_suffix('\r').filter(|_| line.ends_with('\n')).unwrap_or(body);
					if wanted == "." { !body.is_empty() } else { body.contains(wanted) }
				}))
				.collect();
			let expected: Vec<u16> = expected.encode_utf16().collect();

			let mut joined = Vec::new();
			let mut offset = 0;
			loop {
				let page = page(&text, selection, Window { offset, limit });
				let units = sliced(&text, &page.spans);
				prop_assert!(units.len() <= limit as usize);
				prop_assert_eq!(page.selected_units as usize, expected.len());
				joined.extend(units);
				let Some(next) = page.next else { break };
				prop_assert!(next > offset, "a page makes progress");
				prop_assert_eq!(next as usize, joined.len());
				offset = next;
			}
			prop_assert_eq!(joined, expected);
		}
	}
}
