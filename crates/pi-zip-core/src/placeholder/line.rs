//! A line of foreign text made fit to be shown inside a placeholder.
//!
//! Tool output may hold anything: escape sequences, controls, characters that turn the direction of what follows or are
//! not seen at all. What is shown has none of them, is one line, and is short. It is for reading, not for copying: runs of
//! white space become one space, and a cut is marked.

/// Marks where a line was cut. One UTF-16 unit.
const CUT: char = '…';

/// One visible line of at most `limit` UTF-16 units made of `text`, which may hold line breaks. Reads no further than needed.
pub(super) fn visible(text: &str, limit: usize) -> String {
	plain(text, limit).unwrap_or_else(|| visible_slowly(text, limit))
}

/// [`visible`] for a text that is plain already, as most are: printable ASCII, words one space apart.
fn plain(text: &str, limit: usize) -> Option<String> {
	let text = text.trim_matches([' ', '\t', '\r', '\n']);
	let looked_at = &text.as_bytes()[..text.len().min(limit)];
	let mut before = 0;
	for &byte in looked_at {
		if !matches!(byte, b' '..=b'~') || byte == b' ' && before == b' ' {
			return None;
		}
		before = byte;
	}
	if text.len() <= limit {
		return Some(text.to_owned());
	}
	// Behind the cut there may be nothing to see, which the quick look cannot tell.
	if !text.as_bytes()[limit].is_ascii_graphic() || limit == 0 {
		return None;
	}
	let mut shown = text[..limit - 1].trim_end().to_owned();
	shown.push(CUT);
	Some(shown)
}

fn visible_slowly(text: &str, limit: usize) -> String {
	let mut shown = String::new();
	let mut units = 0;
	let mut gap = false;
	for scalar in Visible::of(text) {
		if scalar == ' ' {
			gap = !shown.is_empty();
			continue;
		}
		let needed = usize::from(gap) + scalar.len_utf16();
		if units + needed > limit {
			return cut(shown, units, limit);
		}
		if gap {
			shown.push(' ');
			gap = false;
		}
		shown.push(scalar);
		units += needed;
	}
	shown
}

/// Like [`visible`], but a text that is too long loses its middle, which of a path or a command says least.
pub(super) fn visible_ends(text: &str, limit: usize) -> String {
	// One unit longer than the limit tells whether anything is lost; what is longer still is of no interest in front.
	let whole = visible(text, limit + 1);
	if units(&whole) <= limit {
		return whole;
	}
	let head = visible(text, limit / 2);
	let mut tail: Vec<char> = Vec::new();
	let mut room = limit - units(&head);
	let all: Vec<char> = Visible::of(text).collect();
	let mut gap = false;
	for &scalar in all.iter().rev() {
		if scalar == ' ' {
			gap = !tail.is_empty();
			continue;
		}
		let needed = usize::from(gap) + scalar.len_utf16();
		if needed > room {
			break;
		}
		if gap {
			tail.push(' ');
			gap = false;
		}
		tail.push(scalar);
		room -= needed;
	}
	head.chars().chain(tail.into_iter().rev()).collect()
}

fn cut(mut shown: String, mut units: usize, limit: usize) -> String {
	while units + CUT.len_utf16() > limit {
		match shown.pop() {
			Some(scalar) => units -= scalar.len_utf16(),
			None => return shown,
		}
	}
	shown.truncate(shown.trim_end().len());
	shown.push(CUT);
	shown
}

fn units(text: &str) -> usize {
	text.chars().map(char::len_utf16).sum()
}

/// The scalars of a text without escape sequences and what must not be shown; any white space is a space.
struct Visible<'a> {
	rest: std::str::Chars<'a>,
}

impl<'a> Visible<'a> {
	fn of(text: &'a str) -> Self {
		Self { rest: text.chars() }
	}

	/// Leaves out a control sequence behind its introducer: parameters, intermediates, one final byte.
	fn skip_control_sequence(&mut self) {
		let mut ahead = self.rest.clone();
		while let Some(scalar) = ahead.next() {
			match scalar {
				'\u{20}'..='\u{3F}' => self.rest = ahead.clone(),
				'\u{40}'..='\u{7E}' => {
					self.rest = ahead;
					return;
				}
				// Broken off: what follows is text again.
				_ => return,
			}
		}
	}

	/// Leaves out a string sequence (a title, a link): everything up to BEL or the string terminator.
	fn skip_string_sequence(&mut self) {
		while let Some(scalar) = self.rest.next() {
			match scalar {
				'\u{07}' | '\u{9C}' => return,
				'\u{1B}' => {
					if self.rest.clone().next() == Some('\\') {
						self.rest.next();
					}
					return;
				}
				_ => {}
			}
		}
	}

	fn skip_escape(&mut self) {
		let mut ahead = self.rest.clone();
		match ahead.next() {
			Some('[') => {
				self.rest = ahead;
				self.skip_control_sequence();
			}
			Some(']' | 'P' | 'X' | '^' | '_') => {
				self.rest = ahead;
				self.skip_string_sequence();
			}
			// Intermediates, then one final byte.
			Some('\u{20}'..='\u{2F}') => {
				self.rest = ahead.clone();
				while let Some(scalar) = ahead.next() {
					if !matches!(scalar, '\u{20}'..='\u{7E}') {
						return;
					}
					self.rest = ahead.clone();
					if scalar >= '\u{30}' {
						return;
					}
				}
			}
			Some('\u{30}'..='\u{7E}') => self.rest = ahead,
			_ => {}
		}
	}
}

impl Iterator for Visible<'_> {
	type Item = char;

	fn next(&mut self) -> Option<char> {
		loop {
			let scalar = self.rest.next()?;
			match scalar {
				' '..='~' => return Some(scalar),
				'\u{1B}' => self.skip_escape(),
				'\u{9B}' => self.skip_control_sequence(),
				'\u{90}' | '\u{98}' | '\u{9D}' | '\u{9E}' | '\u{9F}' => self.skip_string_sequence(),
				'\u{2028}' | '\u{2029}' | '\u{85}' | '\t' | '\n' | '\r' | '\u{0B}' | '\u{0C}' => return Some(' '),
				_ if scalar.is_whitespace() => return Some(' '),
				_ if scalar.is_control() || is_hidden(scalar) => {}
				_ => return Some(scalar),
			}
		}
	}
}

/// Characters that are not seen, or that change how their neighbours are seen.
fn is_hidden(scalar: char) -> bool {
	matches!(scalar,
		'\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}'
		| '\u{200B}'..='\u{200F}'
		| '\u{202A}'..='\u{202E}'
		| '\u{2060}'..='\u{206F}'
		| '\u{FE00}'..='\u{FE0F}'
		| '\u{FEFF}'
		| '\u{FFF9}'..='\u{FFFB}'
		| '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
	use proptest::prelude::*;

	use super::*;

	#[test]
	fn whole_sequences_are_left_out() {
		for (text, expected) in [
			("\x1B[1;31mred\x1B[0m", "red"),
			("\x1B]0;a title\x07text", "text"),
			("\x1B]8;;link\x1B\\text\x1B]8;;\x1B\\", "text"),
			("\x1BPq data\x1B\\text", "text"),
			("\x1B(Btext\x1B=", "text"),
			("\u{9B}31mtext\u{9D}title\u{9C}", "text"),
			("\x1B[31\u{7}text", "text"),
			("a\x1B", "a"),
			("a\x1B[", "a"),
			("a\x1B]never ended", "a"),
			("a\u{202E}b\u{2066}c\u{200B}d\u{E0041}e", "abcde"),
			("a\u{2028}b\u{2029}c\u{85}d\re\0f", "a b c d ef"),
			("\u{FFFD}\u{1F600}漢", "\u{FFFD}\u{1F600}漢"),
		] {
			assert_eq!(visible(text, 80), expected, "{text:?}");
		}
	}

	#[test]
	fn a_cut_is_marked_and_splits_no_pair() {
		assert_eq!(visible("abcdef", 5), "abcd…");
		assert_eq!(visible("abc def", 5), "abc…");
		assert_eq!(visible("ab\u{1F600}\u{1F600}", 5), "ab\u{1F600}…");
		assert_eq!(visible("ab\u{1F600}\u{1F600}", 4), "ab…");
		assert_eq!(visible("abc   ", 3), "abc");
		assert_eq!(visible_ends("/a/long/path/to/a/file.rs", 16), "/a/long…/file.rs");
		assert_eq!(visible_ends("/a/path.rs", 16), "/a/path.rs");
	}

	proptest! {
		#[test]
		fn the_quick_way_is_the_slow_way(text in "[ -~]{0,12}|[a-c ]{0,30}|[\\t\\r a-c]{0,9}|(?s).{0,30}", limit in 0..24usize) {
			if let Some(quick) = plain(&text, limit) {
				prop_assert_eq!(quick, visible_slowly(&text, limit));
			}
		}

		#[test]
		fn nothing_hidden_is_shown(text in "(?s)(.|\\x1B|[\\x1B\\x9B]\\[?[0-9;]{0,3}m?|[\\u{2000}-\\u{206F}]){0,40}", limit in 0..40usize) {
			for shown in [visible(&text, limit), visible_ends(&text, limit)] {
				prop_assert!(units(&shown) <= limit);
				prop_assert!(!shown.chars().any(|scalar| scalar.is_control() || is_hidden(scalar)), "{:?}", shown);
				prop_assert!(!shown.contains("  ") && shown.trim() == shown, "{:?}", shown);
			}
		}
	}
}
