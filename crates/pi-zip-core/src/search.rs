//! Finds the lines of a text that match a pattern, without regard to case.
//!
//! Time is linear in the text whatever the pattern: an expression that the engine refuses (its syntax, its size) is
//! searched as plain text, and the answer says so. Matching is by line, without the line's terminator.

use regex_lite::{Regex, RegexBuilder};

use crate::text::{Line, Span, lines};

/// A line that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMatch {
	/// One-based number in the text.
	pub number: u32,
	/// Where the line stands, its terminator included.
	pub span: Span,
}

impl From<Line<'_>> for LineMatch {
	fn from(line: Line<'_>) -> Self {
		Self { number: line.number, span: line.span }
	}
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
	/// In order.
	pub lines: Vec<LineMatch>,
	/// The pattern was searched as plain text.
	pub literal: bool,
}

/// Program size in bytes up to which an expression is taken; matching costs time in proportion to it.
const SIZE_LIMIT: usize = 1 << 14;

/// The lines of `text` that match `pattern` anywhere, without regard to case.
pub fn grep(text: &str, pattern: &str) -> Matches {
	let Some(expression) = compile(pattern) else {
		let needle = fold(pattern);
		return Matches { lines: select(text, |line| fold(line).contains(&needle)), literal: true };
	};
	Matches { lines: select(text, |line| expression.is_match(line)), literal: false }
}

fn select(text: &str, mut matches: impl FnMut(&str) -> bool) -> Vec<LineMatch> {
	lines(text).filter(|line| matches(line.text)).map(LineMatch::from).collect()
}

fn compile(pattern: &str) -> Option<Regex> {
	RegexBuilder::new(pattern).case_insensitive(true).size_limit(SIZE_LIMIT).build().ok()
}

/// Lower case, scalar by scalar: unlike `str::to_lowercase`, what a letter becomes does not depend on its neighbours.
fn fold(text: &str) -> String {
	if text.is_ascii() {
		return text.to_ascii_lowercase();
	}
	text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
	use super::*;

	/// Numbers of the lines found, with `literal` in front where the pattern was searched as plain text.
	fn found(text: &str, pattern: &str) -> String {
		let matches = grep(text, pattern);
		let numbers: Vec<_> = matches.lines.iter().map(|line| line.number.to_string()).collect();
		format!("{}{}", if matches.literal { "literal " } else { "" }, numbers.join(" "))
	}

	#[test]
	fn finds_lines_without_regard_to_case() {
		let text = "Error: one\r\nwarn two\n\nERROR three (x)\nö Ö\n";
		for (pattern, expected) in [
			("error", "1 4"),
			("^error", "1 4"),
			("one$", "1"),
			(r"w\w+ t", "2"),
			("^$", "3"),
			("", "1 2 3 4 5"),
			("(x", "literal 4"),
			(r"(?=error)", "literal "),
			("nothing", ""),
		] {
			assert_eq!(found(text, pattern), expected, "{pattern:?}");
		}
	}

	#[test]
	fn a_match_spans_its_line_with_the_terminator() {
		let spans: Vec<_> =
			grep("a\r\n😀b\nc", "b|c").lines.iter().map(|line| (line.span.start, line.span.end)).collect();
		assert_eq!(spans, [(3, 7), (7, 8)]);
	}
}
