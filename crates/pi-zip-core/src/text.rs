//! Text measured as JavaScript measures it.
//!
//! Everything outside this crate counts text in UTF-16 code units and slices the original on the JavaScript side,
//! because a lone surrogate does not survive the way into a Rust string (it becomes U+FFFD, one unit for one unit).
//! So positions that leave this crate are [`Span`]s in UTF-16 units, and no text that came in is handed back as an
//! original.

/// A half-open range `[start, end)` of UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
	pub start: u32,
	pub end: u32,
}

impl Span {
	pub fn new(start: u32, end: u32) -> Self {
		debug_assert!(start <= end, "a span does not run backwards");
		Self { start, end }
	}

	pub fn len(self) -> u32 {
		self.end - self.start
	}

	pub fn is_empty(self) -> bool {
		self.start == self.end
	}
}

/// Length of `text` in UTF-16 code units.
pub fn units(text: &str) -> u32 {
	if text.is_ascii() {
		return saturate(text.len());
	}
	// Each scalar starts with one byte that is no continuation byte; those of four bytes take two units.
	let mut units = 0usize;
	for byte in text.bytes() {
		units += usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0);
	}
	saturate(units)
}

/// A line of a text: everything up to and including its `\n`. A `\r` before it belongs to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
	/// One-based number in the original.
	pub number: u32,
	/// Where the line stands, its line feed included.
	pub span: Span,
	/// The line without its terminator (`\n` or `\r\n`).
	pub text: &'a str,
}

/// The lines of `text`, in order. A text that ends in `\n` has no empty line behind it; an empty text has none at all.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
	let mut start = 0u32;
	text.split_inclusive('\n').enumerate().map(move |(index, raw)| {
		let span = Span::new(start, start + units(raw));
		start = span.end;
		let text = raw.strip_suffix("\r\n").or_else(|| raw.strip_suffix('\n')).unwrap_or(raw);
		Line { number: saturate(index + 1), span, text }
	})
}

fn saturate(length: usize) -> u32 {
	u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn units_count_like_javascript() {
		for (text, expected) in [("", 0), ("abc", 3), ("é", 1), ("漢字", 2), ("😀", 2), ("a😀\u{FFFD}b", 5)] {
			assert_eq!(units(text), expected, "{text:?}");
			assert_eq!(units(text) as usize, text.encode_utf16().count(), "{text:?}");
		}
	}

	#[test]
	fn lines_keep_terminators_in_their_span() {
		let all: Vec<_> = lines("a\r\n\n😀b").map(|l| (l.number, l.span.start, l.span.end, l.text)).collect();
		assert_eq!(all, [(1, 0, 3, "a"), (2, 3, 4, ""), (3, 4, 7, "😀b")]);
		assert_eq!(lines("").count(), 0);
		assert_eq!(lines("a\n").count(), 1);
	}
}
