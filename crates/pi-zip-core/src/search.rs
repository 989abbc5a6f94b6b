//! Finds the lines of a text that match a pattern, without regard to case.
//!
//! Time is linear in the text whatever the pattern: an [`expression`] is compiled to a [`program`] of bounded size and
//! run as an [`automaton`] of bounded work. A pattern that is no expression, or takes more than that, is searched as
//! plain text, and the answer says so. Matching is by line, without the line's terminator.

mod automaton;
mod expression;
mod program;
mod set;

use automaton::{Automaton, Exhausted};

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

/// The lines of `text` that match `pattern` anywhere, without regard to case.
pub fn grep(text: &str, pattern: &str) -> Matches {
	if let Some(lines) = search_expression(text, pattern) {
		return Matches { lines, literal: false };
	}
	let needle = fold(pattern);
	let found = lines(text).filter(|line| fold(line.text).contains(&needle)).map(LineMatch::from).collect();
	Matches { lines: found, literal: true }
}

/// `None` where `pattern` is no expression that can be taken, or its work is used up.
fn search_expression(text: &str, pattern: &str) -> Option<Vec<LineMatch>> {
	let program = program::compile(&expression::parse(pattern)?)?;
	let mut automaton = Automaton::new(program);
	let mut found = Vec::new();
	for line in lines(text) {
		match automaton.matches(line.text) {
			Ok(true) => found.push(line.into()),
			Ok(false) => (),
			Err(Exhausted) => return None,
		}
	}
	Some(found)
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
	use proptest::prelude::*;

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
	fn work_is_bounded_and_what_exceeds_it_is_searched_as_plain_text() {
		// The automaton would have 2^18 states.
		let pattern = "(a|b)*a(a|b){18}c";
		let mut seed = 7u32;
		let mut text: String = (0..400_000)
			.map(|_| {
				seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
				if seed & 0x10_0000 == 0 { 'a' } else { 'b' }
			})
			.collect();
		assert_eq!(found("a\nbabababababababababababac", pattern), "2");
		text.push_str("\n(A|b)*a(a|b){18}c");
		assert_eq!(found(&text, pattern), "literal 2");
		for pattern in ["a{1000}{1000}", "((((){1000}){1000}){1000}){1000}", "(a{500}){500}"] {
			assert_eq!(found(&format!("aaa\nx {pattern}"), pattern), "literal 2", "{pattern}");
		}
	}

	#[test]
	fn letters_of_other_scripts_match_either_case() {
		for (pattern, expected) in [("ÖL", "1 2"), ("[à-ö]l", "1 2"), ("[^ö]L", ""), (r"\x{f6}", "1 2"), ("Ж+", "3")]
		{
			assert_eq!(found("öl\nÖl\nжж\n", pattern), expected, "{pattern:?}");
		}
	}

	/// Expressions of the syntax that both engines share, nested a little.
	fn expressions() -> impl Strategy<Value = String> {
		let atom = proptest::sample::select(vec![
			"a",
			"B",
			"c",
			"1",
			" ",
			".",
			r"\d",
			r"\w",
			r"\s",
			r"\W",
			r"\b",
			r"\B",
			"^",
			"$",
			"[ab]",
			"[^a]",
			"[a-c1]",
			r"[\w-]",
			"[[:digit:]]",
			"",
			"é",
			"(?:)",
		])
		.prop_map(String::from);
		atom.prop_recursive(4, 24, 4, |inner| {
			prop_oneof![
				proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
				proptest::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
				(inner, proptest::sample::select(vec!["*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}"]))
					.prop_map(|(part, times)| format!("(?:{part}){times}")),
			]
		})
	}

	proptest! {
		#![proptest_config(ProptestConfig::with_cases(2_000))]
		#[test]
		fn agrees_with_another_engine(pattern in expressions(), text in "[aAbBc1 \u{e9}\u{1f600}\r\n_-]{0,40}") {
			let oracle = regex_lite::RegexBuilder::new(&pattern).case_insensitive(true).build();
			let oracle = oracle.map_err(|error| TestCaseError::reject(error.to_string()))?;
			let expected: Vec<u32> = lines(&text).filter(|line| oracle.is_match(line.text)).map(|line| line.number).collect();
			let matches = grep(&text, &pattern);
			prop_assert!(!matches.literal);
			let numbers: Vec<u32> = matches.lines.iter().map(|line| line.number).collect();
			prop_assert_eq!(numbers, expected);
		}
	}

	#[test]
	fn a_match_spans_its_line_with_the_terminator() {
		let spans: Vec<_> =
			grep("a\r\n😀b\nc", "b|c").lines.iter().map(|line| (line.span.start, line.span.end)).collect();
		assert_eq!(spans, [(3, 7), (7, 8)]);
	}
}
