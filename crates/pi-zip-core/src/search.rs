//! Finds the lines of a text that match a pattern.
//!
//! Time is linear in the text whatever the pattern: an [`expression`] is compiled to a [`program`] of bounded size and
//! run as an [`automaton`] of bounded work. A pattern that is no expression, or takes more than that, is searched as
//! plain text, and the answer says so. Matching is by line, without the line's terminator. A [`Pattern`] is made once for
//! many texts, and names a [`literal`] that each line must hold; whether a text holds it at all the caller may see before.

mod automaton;
mod expression;
mod literal;
mod order;
mod program;
mod set;

use automaton::{Automaton, Exhausted};
pub use expression::Case;

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
	let mut pattern = Pattern::new(pattern, Case::Either);
	let lines = pattern.lines(text);
	Matches { lines, literal: pattern.is_plain() }
}

/// A pattern, made ready for any number of texts.
pub struct Pattern {
	/// `None` where the pattern is searched as plain text.
	automaton: Option<Automaton>,
	needle: String,
	case: Case,
	literal: String,
}

impl Pattern {
	pub fn new(pattern: &str, case: Case) -> Self {
		let node = expression::parse(pattern, case);
		let program = node.as_ref().and_then(program::compile);
		let literal = node.filter(|_| program.is_some()).map(|node| literal::literal(&node));
		let mut made = Self {
			automaton: program.map(Automaton::new),
			needle: if case == Case::Either { fold(pattern) } else { pattern.to_string() },
			case,
			literal: literal.unwrap_or_default(),
		};
		if made.is_plain() {
			made.search_plain();
		}
		made
	}

	/// The pattern is searched as plain text: it is no expression, or the work for it was used up by a text. What was
	/// found before that was found as an expression.
	pub fn is_plain(&self) -> bool {
		self.automaton.is_none()
	}

	/// ASCII in lower case that the lower-case form of each matching text holds; empty where there is none.
	pub fn literal(&self) -> &str {
		&self.literal
	}

	/// The lines of `text` that match anywhere, in order.
	pub fn lines(&mut self, text: &str) -> Vec<LineMatch> {
		if let Some(found) = self.search_expression(text) {
			return found;
		}
		self.search_plain();
		let holds = |line: &Line<'_>| match self.case {
			Case::Either => fold(line.text).contains(&self.needle),
			Case::AsWritten => line.text.contains(&self.needle),
		};
		lines(text).filter(holds).map(LineMatch::from).collect()
	}

	fn search_plain(&mut self) {
		self.automaton = None;
		self.literal = if self.needle.is_ascii() { self.needle.to_ascii_lowercase() } else { String::new() };
	}

	/// `None` where there is no expression, or its work is used up.
	fn search_expression(&mut self, text: &str) -> Option<Vec<LineMatch>> {
		let automaton = self.automaton.as_mut()?;
		let mut found = Vec::new();
		let literal = self.literal.as_bytes();
		for line in lines(text) {
			if line.text.is_ascii() && !holds_literal(line.text.as_bytes(), literal) {
				continue;
			}
			match automaton.matches(line.text) {
				Ok(true) => found.push(line.into()),
				Ok(false) => (),
				Err(Exhausted) => return None,
			}
		}
		Some(found)
	}
}

/// Whether ASCII holds a literal in lower case; an empty one stands everywhere.
fn holds_literal(text: &[u8], literal: &[u8]) -> bool {
	let Some(&first) = literal.first() else { return true };
	let end = (text.len() + 1).saturating_sub(literal.len());
	(0..end)
		.any(|at| text[at].to_ascii_lowercase() == first && text[at..][..literal.len()].eq_ignore_ascii_case(literal))
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
	fn case_counts_where_it_is_asked_to() {
		let text = "Error\nerror\nERROR\n";
		for (pattern, expected) in [
			("Error", "1"),
			("[e]rror", "2"),
			(r"\x45RR", "3"),
			("(?i)eRror", "1 2 3"),
			("(?i:E)r+or", "1 2"),
			("(Er", ""),
		] {
			let found = Pattern::new(pattern, Case::AsWritten).lines(text);
			let numbers: Vec<_> = found.iter().map(|line| line.number.to_string()).collect();
			assert_eq!(numbers.join(" "), expected, "{pattern:?}");
		}
		assert_eq!(Pattern::new("(Er", Case::AsWritten).lines("a (er\nb (Er").len(), 1);
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
		// The line holds all that the pattern needs.
		text.insert(0, 'c');
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
			let literal = Pattern::new(&pattern, Case::Either).literal().to_string();
			prop_assert!(matches.lines.is_empty() || text.to_lowercase().contains(&literal), "{}", literal);

			let cased = regex_lite::Regex::new(&pattern).map_err(|error| TestCaseError::reject(error.to_string()))?;
			let expected: Vec<u32> = lines(&text).filter(|line| cased.is_match(line.text)).map(|line| line.number).collect();
			let numbers: Vec<u32> =
				Pattern::new(&pattern, Case::AsWritten).lines(&text).iter().map(|line| line.number).collect();
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
