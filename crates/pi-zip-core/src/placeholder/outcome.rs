//! How a command ended, as its output tells: exit status, and the counts of common test runners.
//!
//! The exit status is what Pi's shell tools write behind the output. Counts are read from the runners' own summary lines
//! near the end; cargo and go, which report for each part, are summed over the whole. Anything else is left unsaid.

use std::ops::Range;

use super::line::visible;

/// Of the lines that speak of passing or failing, how many of the last are looked at for a summary.
const SUMMARY_LINES: usize = 8;

/// UTF-16 units of a summary line that are read.
const SUMMARY_UNITS: usize = 200;

/// Test results that runners report in pieces.
#[derive(Default)]
pub(super) struct Counts {
	cargo_passed: u32,
	cargo_failed: u32,
	cargo_seen: bool,
	/// Packages.
	pub(super) go_passed: u32,
	pub(super) go_failed: u32,
	/// Where the last lines begin that may speak of passing or failing, the newest at `mentions - 1`, going around. Bytes.
	mentioning: [usize; SUMMARY_LINES],
	mentions: usize,
}

impl Counts {
	/// Notes that the line beginning at `start` may speak of passing or failing.
	pub(super) fn mention(&mut self, start: usize) {
		let newest = self.mentions.checked_sub(1).map(|index| self.mentioning[index % SUMMARY_LINES]);
		if newest != Some(start) {
			self.mentioning[self.mentions % SUMMARY_LINES] = start;
			self.mentions += 1;
		}
	}

	/// The lines of `text` that were noted last, the newest first.
	fn mentioning<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
		let oldest = self.mentions.saturating_sub(SUMMARY_LINES);
		(oldest..self.mentions).rev().map(|index| {
			let rest = &text[self.mentioning[index % SUMMARY_LINES]..];
			rest.lines().next().unwrap_or_default()
		})
	}

	/// Reads `test result: ok. 12 passed; 0 failed; ...`.
	pub(super) fn cargo(&mut self, line: &[u8]) {
		let Some(rest) = line.strip_prefix(b"test result: ") else { return };
		let end =
			rest.iter().take(SUMMARY_UNITS).position(|&byte| byte == b'\n').unwrap_or(rest.len().min(SUMMARY_UNITS));
		let Ok(rest) = std::str::from_utf8(&rest[..end]) else { return };
		if let Some(passed) = counted(rest, &["passed"]) {
			self.cargo_seen = true;
			self.cargo_passed = self.cargo_passed.saturating_add(passed);
			self.cargo_failed = self.cargo_failed.saturating_add(counted(rest, &["failed"]).unwrap_or(0));
		}
	}
}

/// What is to be said of how the call ended, in a few words.
pub(super) fn outcome(tool: &str, is_error: bool, text: &str, counts: &Counts) -> Option<Box<str>> {
	if !is_shell(tool) {
		return is_error.then(|| "error".into());
	}
	let status = match status(text) {
		Some((status, _)) => status,
		None if is_error => "error".to_owned(),
		None => "exit 0".to_owned(),
	};
	Some(match tests(text, counts) {
		Some(tests) => format!("{status}, {tests}").into(),
		None => status.into(),
	})
}

/// The output without what Pi's tools write behind it: a shell's status, the notice of `read` that more follows.
pub(super) fn body<'a>(tool: &str, text: &'a str) -> &'a str {
	if is_shell(tool) {
		return status(text).map_or(text, |(_, range)| &text[..range.start]);
	}
	let start = text.rfind('\n').map_or(0, |feed| feed + 1);
	let last = &text[start..];
	let is_notice = last.starts_with('[') && last.contains(" to continue");
	if tool == "read" && is_notice { &text[..start] } else { text }
}

fn is_shell(tool: &str) -> bool {
	matches!(tool, "bash" | "powershell")
}

/// The status on the last line, and where that line stands.
fn status(text: &str) -> Option<(String, Range<usize>)> {
	let trimmed = text.trim_end();
	let start = trimmed.rfind('\n').map_or(0, |feed| feed + 1);
	let line = &trimmed[start..];
	let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).take(10).collect::<String>();
	let said = if let Some(rest) = line.strip_prefix("Command exited with code ") {
		format!("exit {}", number(rest))
	} else if let Some(rest) = line.strip_prefix("Command timed out after ") {
		format!("timed out after {} s", number(rest))
	} else if line == "Command aborted" {
		"aborted".to_owned()
	} else if line == "Command terminated without an exit code" {
		"killed".to_owned()
	} else {
		return None;
	};
	Some((said, start..trimmed.len()))
}

/// Passed and failed tests.
fn tests(text: &str, counts: &Counts) -> Option<String> {
	if counts.cargo_seen {
		return Some(said(Some(counts.cargo_passed), Some(counts.cargo_failed), ""));
	}
	if let Some((passed, failed)) = summary(text, counts) {
		return Some(said(passed, failed, ""));
	}
	let go = counts.go_passed + counts.go_failed;
	(go > 0).then(|| {
		said(
			Some(counts.go_passed),
			Some(counts.go_failed),
			if counts.go_passed == 1 { " package" } else { " packages" },
		)
	})
}

fn said(passed: Option<u32>, failed: Option<u32>, unit: &str) -> String {
	match (passed, failed) {
		(Some(passed), Some(failed)) => format!("{passed}{unit} passed, {failed} failed"),
		(Some(passed), None) => format!("{passed}{unit} passed"),
		(None, failed) => format!("{}{unit} failed", failed.unwrap_or(0)),
	}
}

/// The last summary that names passed or failed tests: on one line (jest, vitest, pytest), or on lines of their own
/// (node, mocha, bun).
fn summary(text: &str, counts: &Counts) -> Option<(Option<u32>, Option<u32>)> {
	let (mut passed, mut failed) = (None, None);
	for raw in counts.mentioning(text) {
		let line = visible(raw, SUMMARY_UNITS);
		if let Some(rest) = line.strip_prefix("Tests:").or_else(|| line.strip_prefix("Tests ")) {
			let found = (counted(rest, &["passed"]), counted(rest, &["failed"]));
			if found != (None, None) {
				return Some(found);
			}
		}
		if is_pytest(&line) {
			return Some((counted(&line, &["passed"]), counted(&line, &["failed"])));
		}
		let bare = line.strip_prefix(['#', 'ℹ']).map(str::trim_start);
		let field =
			|name: &str| bare.and_then(|bare| bare.strip_prefix(name)).and_then(|rest| rest.trim().parse().ok());
		failed = failed.or_else(|| field("fail ")).or_else(|| alone(&line, &["failing", "fail"]));
		passed = passed.or_else(|| field("pass ")).or_else(|| alone(&line, &["passing", "pass"]));
		if passed.is_some() {
			return Some((passed, failed));
		}
	}
	None
}

/// `12 passed, 1 failed in 0.12s`, with or without a frame.
fn is_pytest(line: &str) -> bool {
	let line = line.trim_matches(['=', ' ']);
	let timed = line.rsplit_once(" in ").is_some_and(|(_, time)| {
		time.starts_with(|first: char| first.is_ascii_digit())
			&& time.split(' ').next().is_some_and(|time| time.ends_with('s'))
	});
	let counts = line.starts_with(|first: char| first.is_ascii_digit());
	timed && counts && (counted(line, &["passed"]).is_some() || counted(line, &["failed"]).is_some())
}

/// The number of a line that holds a number and one of `words` first (`12 passing (3s)`).
fn alone(line: &str, words: &[&str]) -> Option<u32> {
	let (number, rest) = line.split_once(' ')?;
	let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
	(words.contains(&word) && (behind.is_empty() || behind.starts_with('('))).then(|| number.parse().ok())?
}

/// The number directly in front of one of `words`.
fn counted(line: &str, words: &[&str]) -> Option<u32> {
	let mut before = "";
	for word in line.split([' ', ',', ';', '(', ')', '|']).filter(|word| !word.is_empty()) {
		if words.contains(&word)
			&& let Ok(number) = before.parse()
		{
			return Some(number);
		}
		before = word;
	}
	None
}
