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
use words::Source;

/// How each placeholder begins, those of version 0.2 too.
const OPENING: &str = "[folded by pi-zip";

/// What comes in front of the handle.
const HANDLE_LABEL: &str = "handle ";

/// Tokens of a placeholder, at most. What must be said stays within it; key lines never lead beyond the two below.
pub const MAX_TOKENS: u32 = 200;

/// Tokens up to which key lines are shown where the output tells of errors.
const TOKENS_OF_ERRORS: u32 = 150;

/// Tokens up to which key lines are shown otherwise.
const USUAL_TOKENS: u32 = 112;

/// UTF-16 units of a key line that tells of no error, at most: two short lines say more than one long one.
const PLAIN_LINE_UNITS: usize = 48;

/// UTF-16 units of a tool's name, at most.
const TOOL_UNITS: usize = 24;

/// UTF-16 units of an outcome, at most.
const OUTCOME_UNITS: usize = 48;

/// UTF-16 units of what its images are, at most.
const IMAGES_UNITS: usize = 80;

/// UTF-16 units of the command or path shown, at most.
const SUBJECT_UNITS: usize = 64;

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
	let source = Source::of(origin.tool);
	let (errors, plain): (Vec<&KeyLine>, Vec<&KeyLine>) =
		origin.digest.key_lines.iter().partition(|line| words::tells_error(&line.text, source));
	let most = if origin.is_error || !errors.is_empty() { TOKENS_OF_ERRORS } else { USUAL_TOKENS };
	let opening = opening(origin);
	let closing = closing(origin);
	let mut left = most.saturating_sub(tokens(&opening) + tokens(&closing));
	let mut shown: Vec<(u32, String)> = Vec::new();
	let errors = from_both_ends(&errors).map(|line| (line.number, visible(&line.text, KEY_LINE_UNITS)));
	let plain = from_both_ends(&plain).map(|line| (line.number, visible(&line.text, PLAIN_LINE_UNITS)));
	for (number, text) in errors.chain(plain) {
		let line = format!("{number}| {text}\n");
		if let Some(rest) = left.checked_sub(tokens(&line)) {
			left = rest;
			let place = shown.partition_point(|(before, _)| *before < number);
			shown.insert(place, (number, line));
		}
	}
	let lines: String = shown.into_iter().map(|(_, line)| line).collect();
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
	let names_us = text.as_bytes().contains(&b'z');
	names_us && (text.contains("folded by pi-zip") || text.contains("zip_recall"))
		|| text.match_indices(HANDLE_LABEL).any(|(at, label)| handle::leads(&text[at + label.len()..]))
}

fn opening(origin: &Origin) -> String {
	let Origin { turn, handle, digest, size, .. } = origin;
	let outcome = match &digest.outcome {
		Some(outcome) => format!(", {}", visible(outcome, OUTCOME_UNITS)),
		None if origin.is_error => ", error".to_owned(),
		None => String::new(),
	};
	let (lines, units) = (digest.lines, size.units);
	let mut images = visible(&digest.images, IMAGES_UNITS);
	if !images.is_empty() {
		images.insert_str(0, " and ");
	}
	let subject = subject(origin.tool, origin.call);
	format!(
		"{OPENING}, {HANDLE_LABEL}{handle}: turn {turn}{outcome}, {lines} lines, {units} chars{images} of {subject}]\n"
	)
}

fn closing(origin: &Origin) -> String {
	let way = match (origin.recallable, origin.tool) {
		(true, _) => "zip_recall returns the original",
		(false, "read") => "To see the text, read it again",
		(false, _) => "To see the output, run it again",
	};
	format!("[Not the output: never copy this into a file. {way}.]")
}

/// What produced the output: the tool, and the command or path. Safe to show: no control character, bounded length.
pub fn subject(tool: &str, call: Option<&Call>) -> String {
	let tool = visible(tool, TOOL_UNITS);
	let tool = if resembles(&tool) { "a tool".to_owned() } else { tool };
	let Some(call) = call else { return tool };
	let told: Vec<&str> = TELLING_ARGUMENTS.iter().filter_map(|name| call.arg(name)).map(without_cd).collect();
	let told = if told.is_empty() { first_text(call).unwrap_or_default().to_owned() } else { told.join(" ") };
	let told = visible_ends(&told, SUBJECT_UNITS);
	if told.is_empty() || resembles(&told) {
		return tool;
	}
	let part = |name: &str| call.arg(name).map(|value| format!(" {name} {}", visible(value, 10))).unwrap_or_default();
	let slice = if &*call.tool == "read" { part("offset") + &part("limit") } else { String::new() };
	format!("{tool}: {told}{slice}")
}

/// The first argument that is neither a number nor a boolean.
fn first_text(call: &Call) -> Option<&str> {
	let values = call.args.iter().map(|(_, value)| &**value);
	values.into_iter().find(|value| !is_number(value) && !matches!(*value, "true" | "false"))
}

/// A number as JavaScript writes it. Told by its characters: to parse one takes 20 KB of tables in the module.
fn is_number(text: &str) -> bool {
	let digits = text.strip_prefix('-').unwrap_or(text);
	let (digits, power) = digits.split_once('e').unwrap_or((digits, "0"));
	let power = power.strip_prefix(['+', '-']).unwrap_or(power);
	let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
	let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
	[whole, fraction, power].into_iter().all(is_digits)
}

/// A command without the change of folder in front, which says least of it.
fn without_cd(command: &str) -> &str {
	match command.split_once("&& ") {
		Some((first, rest)) if first.starts_with("cd ") && !first.contains(['\n', ';', '|']) => rest,
		_ => command,
	}
}

/// Arguments that say what a call was about, in the order in which they are shown.
const TELLING_ARGUMENTS: [&str; 7] = ["command", "pattern", "query", "url", "path", "file_path", "file"];

/// The last first, since there stands the result; then the first, then the rest from both ends.
fn from_both_ends<'a>(lines: &[&'a KeyLine]) -> impl Iterator<Item = &'a KeyLine> {
	let count = lines.len();
	(0..count).map(move |place| if place % 2 == 0 { lines[count - 1 - place / 2] } else { lines[place / 2] })
}
