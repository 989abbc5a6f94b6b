//! A line of JSON that may hold escaped lone surrogates.

use std::borrow::Cow;

use serde_json::Value;

/// How U+FFFD is written: one UTF-16 unit, as the surrogate was.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// Parses a line; `None` where it is no JSON. A lone surrogate becomes U+FFFD, bytes that are no UTF-8 as well.
pub fn parse(line: &[u8]) -> Option<Value> {
	let parsed = serde_json::from_slice(line);
	parsed.or_else(|_| serde_json::from_slice(String::from_utf8_lossy(&without_lone(line)).as_bytes())).ok()
}

fn without_lone(line: &[u8]) -> Cow<'_, [u8]> {
	let mut mended = Cow::Borrowed(line);
	let mut at = 0;
	while at < line.len() {
		if line[at] != b'\\' {
			at += 1;
			continue;
		}
		let step = match (surrogate(line, at), surrogate(line, at + 6)) {
			(Some(Half::High), Some(Half::Low)) => 12,
			(Some(_), _) => {
				mended.to_mut()[at..at + 6].copy_from_slice(REPLACEMENT);
				6
			}
			// The escaped character belongs to the backslash, even where it is one itself.
			(None, _) => 2,
		};
		at += step;
	}
	mended
}

enum Half {
	High,
	Low,
}

/// The surrogate that is written as an escape at `at`.
fn surrogate(line: &[u8], at: usize) -> Option<Half> {
	let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
	let unit = u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
	match unit {
		0xD800..=0xDBFF => Some(Half::High),
		0xDC00..=0xDFFF => Some(Half::Low),
		_ => None,
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[track_caller]
	fn check(line: &str, expected: Option<&str>) {
		let parsed = parse(line.as_bytes());
		assert_eq!(parsed.as_ref().and_then(Value::as_str), expected, "{line}");
	}

	#[test]
	fn a_lone_surrogate_costs_only_itself() {
		check(r#""a\ud83d\ude00b""#, Some("a😀b"));
		check(r#""a\ud83db""#, Some("a\u{FFFD}b"));
		check(r#""a\ude00\ud83d""#, Some("a\u{FFFD}\u{FFFD}"));
		check(r#""\ud83d\ud83d\ude00""#, Some("\u{FFFD}😀"));
		check(r#""\\ud83d""#, Some("\\ud83d"));
		check(r#""torn\ud83d"#, None);
	}
}
