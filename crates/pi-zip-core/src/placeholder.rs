//! The text that stands in for a folded output.
//!
//! Written once from the session alone (the call, the user turn, what was kept of the output), so the same fold has the
//! same bytes in each request, after a restart and on another machine. It says what is missing and how to get it, shows
//! the few lines that say most, and reads as a note: every line of it is either in brackets or numbered. It does not
//! decide whether a fold is worth its price, and holds nothing with which an original could be restored.

mod digest;
mod handle;
mod line;
mod outcome;
mod words;

pub use digest::{KEY_LINE_UNITS, KEY_LINES, digest};
pub use handle::{HANDLE_LENGTH, handle};

use crate::session::{Call, Digest, KeyLine, Size};
use line::{visible, visible_ends};

/// How each placeholder begins, those of version 0.2 too.
const OPENING: &str = "[folded by pi-zip";

/// What comes in front of the handle.
const HANDLE_LABEL: &str = "handle ";

/// Tokens that a placeholder may have where its output tells of errors.
pub const MAX_TOKENS: u32 = 200;

/// Tokens that a placeholder may have otherwise.
pub const USUAL_TOKENS: u32 = 110;

/// UTF-16 units of a tool's name, at most.
const TOOL_UNITS: usize = 40;

/// UTF-16 units of the command or path shown, at most.
const SUBJECT_UNITS: usize = 72;

/// What a placeholder is written from.
pub struct Origin<'a> {
	pub tool: &'a str,
	/// The call that the output answers, where it is known.
	pub call: Option<&'a Call>,
	/// Number of the user turn in which the call was made.
	pub turn: u32,
	pub is_error: bool,
	pub size: Size,
	pub digest: &'a Digest,
	pub handle: &'a str,
	/// Whether the model has `zip_recall`.
	pub recallable: bool,
}

/// The placeholder of an output: at most [`MAX_TOKENS`] by [`tokens`], with as many key lines as fit.
pub fn render(origin: &Origin) -> String {
	let opening = opening(origin);
	let closing = closing(origin);
	let mut left = tokens_at_most(origin).saturating_sub(tokens(&opening) + tokens(&closing));
	let mut shown: Vec<&KeyLine> = Vec::new();
	for line in by_weight(&origin.digest.key_lines) {
		let cost = tokens(&numbered(line));
		if cost <= left {
			left -= cost;
			shown.push(line);
		}
	}
	shown.sort_by_key(|line| line.number);
	let lines: String = shown.into_iter().map(numbered).collect();
	format!("{opening}{lines}{closing}")
}

/// Whether a text is one of our placeholders.
pub fn is_placeholder(text: &str) -> bool {
	text.starts_with(OPENING)
}

/// The handle that a placeholder names. The first one counts: in front of it nothing foreign is written.
pub fn handle_in(text: &str) -> Option<&str> {
	let rest = text.strip_prefix(OPENING)?;
	rest.match_indices(HANDLE_LABEL)
		.map(|(at, label)| &rest[at + label.len()..])
		.find(|rest| handle::leads(rest))
		.map(|rest| &rest[..HANDLE_LENGTH])
}

/// An estimate of tokens that rather says too many: three UTF-16 units of ASCII a token (Pi's own four, times the 1.33
/// that real sessions show), and a token for each unit of any other script.
pub fn tokens(text: &str) -> u32 {
	let (mut ascii, mut other) = (0u32, 0u32);
	for scalar in text.chars() {
		if scalar.is_ascii() {
			ascii += 1;
		} else {
			other += scalar.len_utf16() as u32;
		}
	}
	ascii.div_ceil(3) + other
}

/// Whether a foreign text could be taken for a placeholder of ours, or for a part of one.
fn resembles(text: &str) -> bool {
	text.contains("folded by pi-zip")
		|| text.contains("zip_recall")
		|| text.match_indices(HANDLE_LABEL).any(|(at, label)| handle::leads(&text[at + label.len()..]))
}

fn opening(origin: &Origin) -> String {
	let Origin { turn, handle, digest, size, .. } = origin;
	let outcome = match &digest.outcome {
		Some(outcome) => format!(", {outcome}"),
		None if origin.is_error => ", error".to_owned(),
		None => String::new(),
	};
	let (lines, units) = (digest.lines, size.units);
	let subject = subject(origin);
	format!("{OPENING}, {HANDLE_LABEL}{handle}: turn {turn}{outcome}, {lines} lines, {units} chars of {subject}]\n")
}

fn closing(origin: &Origin) -> String {
	let way = match (origin.recallable, origin.tool) {
		(true, _) => "zip_recall returns the original",
		(false, "read") => "read the file again for its text",
		(false, _) => "run it again for its output",
	};
	format!("[A note in place of the output, never to be copied; {way}.]")
}

/// What produced the output: the tool, and the command or path.
fn subject(origin: &Origin) -> String {
	let tool = visible(origin.tool, TOOL_UNITS);
	let tool = if resembles(&tool) { "a tool".to_owned() } else { tool };
	let Some(call) = origin.call else { return tool };
	let told = TELLING_ARGUMENTS.iter().filter_map(|name| call.arg(name)).collect::<Vec<_>>().join(" ");
	let told =
		if told.is_empty() { call.args.first().map(|(_, value)| value.to_string()).unwrap_or_default() } else { told };
	let told = visible_ends(&told, SUBJECT_UNITS);
	let slice: String = ["offset", "limit"]
		.iter()
		.filter_map(|name| Some((name, call.arg(name)?)))
		.map(|(name, value)| format!(" {name} {}", visible(value, 10)))
		.collect();
	if told.is_empty() || resembles(&told) { tool } else { format!("{tool}: {told}{slice}") }
}

/// Arguments that say what a call was about, in the order in which they are shown.
const TELLING_ARGUMENTS: [&str; 7] = ["command", "pattern", "query", "url", "path", "file_path", "file"];

/// What an output may cost that tells of errors, or does not.
fn tokens_at_most(origin: &Origin) -> u32 {
	if origin.is_error { MAX_TOKENS } else { USUAL_TOKENS }
}

/// The last line first, since there stands the result; then the first, then the rest from both ends.
fn by_weight(lines: &[KeyLine]) -> impl Iterator<Item = &KeyLine> {
	let count = lines.len();
	(0..count).filter_map(move |place| {
		let index = if place % 2 == 0 { count - 1 - place / 2 } else { place / 2 };
		lines.get(index)
	})
}

fn numbered(line: &KeyLine) -> String {
	format!("{}| {}\n", line.number, line.text)
}
