//! One line of the file as an entry of the branch, with what the lab asks beyond the entry.

use pi_zip_core::placeholder::is_placeholder;
use pi_zip_core::session::{Body, Entry, Millis, ModelKey, Replacement, Size, Usage};
use pi_zip_core::text::units;
use serde_json::Value;

use super::message;

/// Custom type of the entries that keep which user messages were typed during a run.
const STEERING_ENTRY: &str = "pi-zip.steering";

/// Custom type of the entries that take a fold back.
const KEEP_ENTRY: &str = "pi-zip.keep";

/// A request that is recorded with more dollars is recorded with none: at the dearest prices that a model has, ten
/// million tokens cost a hundredth of it.
const MOST_DOLLARS: f64 = 1e6;

/// The last millisecond that JavaScript has a date for.
const LAST_MILLIS: f64 = 8.64e15;

/// An entry, and what the lab asks of it beyond what decisions need.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
	pub entry: Entry,
	/// When the line was written: for an answer, when it was complete.
	pub written: Millis,
	/// What a later answer could quote of it, or it of something earlier: text, and texts of call arguments.
	pub text: Box<str>,
	/// Blocks of content that it adds to a request.
	pub blocks: u32,
	/// The API that answered; empty where the file does not say.
	pub api: Box<str>,
	/// Tokens of a refresh of the cache; those of an answer stand in its entry.
	pub refreshed: Option<Usage>,
	/// Tokens of a call of its own that it tells of: the summary of a compaction or a branch, a tool that asked a model.
	pub aside: Option<Usage>,
	/// Dollars as recorded.
	pub cost: Option<Cost>,
	/// A setting that was changed here and may change the head of the next request.
	pub change: Option<Change>,
	/// The recall tool is declared here.
	pub declares_ours: bool,
}

impl Default for Recorded {
	fn default() -> Self {
		Self {
			entry: Entry { id: "".into(), at: 0, body: Body::Inert },
			written: 0,
			text: "".into(),
			blocks: 0,
			api: "".into(),
			refreshed: None,
			aside: None,
			cost: None,
			change: None,
			declares_ours: false,
		}
	}
}

/// What changes a request beside its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
	Model,
	Thinking,
	/// The active tools.
	Tools,
}

/// Dollars of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
	pub input: f64,
	pub output: f64,
	pub read: f64,
	pub write: f64,
	pub total: f64,
}

impl Cost {
	/// Of its parts.
	pub fn sum(&self) -> f64 {
		self.input + self.output + self.read + self.write
	}
}

/// Reads one parsed line.
pub(super) fn recorded(line: &Value) -> Recorded {
	let written = time(&line["timestamp"]).unwrap_or(0);
	let mut recorded = Recorded { written, ..Recorded::default() };
	recorded.entry.id = string(&line["id"]);
	recorded.entry.at = written;
	match line["type"].as_str().unwrap_or("") {
		"message" => message::fill(&mut recorded, &line["message"]),
		"custom_message" => {
			recorded.text = message::text_of(&line["content"]).into();
			recorded.blocks = message::blocks_of(&line["content"]);
			recorded.entry.body = Body::Custom(message::size_of(&line["content"]));
		}
		"branch_summary" => {
			let summary = line["summary"].as_str().filter(|summary| !summary.is_empty());
			recorded.text = summary.unwrap_or("").into();
			recorded.blocks = 1;
			recorded.entry.body = Body::BranchSummary(summary.map(text_size));
			fill_aside(&mut recorded, &line["usage"]);
		}
		"compaction" => {
			fill_aside(&mut recorded, &line["usage"]);
			recorded.text = string(&line["summary"]);
			recorded.blocks = 1;
			recorded.entry.body = Body::Compaction {
				first_kept: line["firstKeptEntryId"].as_str().map(Box::from),
				system: line["systemMessage"].is_object().then(|| message::system_size(&line["systemMessage"])),
				summary: text_size(line["summary"].as_str().unwrap_or("")),
			};
		}
		"context_edit" => fill_context_edit(&mut recorded, line),
		"usage" if line["kind"] == "cache_warm" => {
			let model = ModelKey { provider: string(&line["provider"]).into(), model: string(&line["model"]).into() };
			recorded.entry.body = Body::CacheTouch(model);
			recorded.refreshed = message::usage(&line["usage"]);
			recorded.cost = cost(&line["usage"]["cost"]);
		}
		"usage" => fill_aside(&mut recorded, &line["usage"]),
		"custom" if line["customType"] == STEERING_ENTRY => {
			let targets = line["data"]["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
			recorded.entry.body = Body::Steering(targets.iter().map(string).collect());
		}
		// From here on requests showed the output as it was.
		"custom" if line["customType"] == KEEP_ENTRY && line["data"]["released"] != true => {
			let target = string(&line["data"]["target"]);
			recorded.entry.body = Body::ContextEdit { target, replacement: Replacement::Released };
		}
		"model_change" => recorded.change = Some(Change::Model),
		"thinking_level_change" => recorded.change = Some(Change::Thinking),
		_ => {}
	}
	recorded
}

/// Lets a compaction keep everything from `first_kept` on; no effect on other entries or without an id.
pub(super) fn keep_from(recorded: &mut Recorded, first_kept: Option<Box<str>>) {
	if let (Body::Compaction { first_kept: kept, .. }, Some(id)) = (&mut recorded.entry.body, first_kept) {
		*kept = Some(id);
	}
}

/// What a call beside the conversation took.
pub(super) fn fill_aside(recorded: &mut Recorded, usage: &Value) {
	recorded.aside = message::usage(usage).filter(|usage| usage.request().is_some());
	recorded.cost = cost(&usage["cost"]);
}

fn fill_context_edit(recorded: &mut Recorded, line: &Value) {
	let target = string(&line["targetId"]);
	let replacement = match &line["replacement"] {
		Value::Null => Replacement::Omitted,
		Value::Object(fields) => {
			let content = fields.get("content").unwrap_or(&Value::Null);
			let text = message::text_of(content);
			Replacement::Content { size: message::size_of(content), placeholder: is_placeholder(&text) }
		}
		// Pi would throw on any other shape; an edit that cannot be is no edit.
		_ => return,
	};
	recorded.entry.body = Body::ContextEdit { target, replacement };
}

pub(super) fn string(value: &Value) -> Box<str> {
	value.as_str().unwrap_or("").into()
}

pub(super) fn text_size(text: &str) -> Size {
	Size { units: units(text), images: 0 }
}

pub(super) fn cost(value: &Value) -> Option<Cost> {
	let number = |name: &str| value[name].as_f64().filter(|dollars| (0.0..=MOST_DOLLARS).contains(dollars));
	let total = number("total").filter(|total| *total > 0.0)?;
	Some(Cost {
		input: number("input").unwrap_or(0.0),
		output: number("output").unwrap_or(0.0),
		read: number("cacheRead").unwrap_or(0.0),
		write: number("cacheWrite").unwrap_or(0.0),
		total,
	})
}

/// Milliseconds since the epoch, from a number or an ISO 8601 text in UTC as Pi writes it.
pub(super) fn time(value: &Value) -> Option<Millis> {
	match value {
		Value::Number(number) => number.as_f64().map(|millis| millis.clamp(-LAST_MILLIS, LAST_MILLIS) as Millis),
		Value::String(text) => iso_millis(text),
		_ => None,
	}
}

/// `YYYY-MM-DDThh:mm:ss[.fff]Z`; an offset other than UTC is not written by Pi.
fn iso_millis(text: &str) -> Option<Millis> {
	let bytes = text.as_bytes();
	let shaped = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
	if bytes.len() < 19 || shaped.iter().any(|(at, byte)| bytes[*at] != *byte) {
		return None;
	}
	let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
	let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
	let seconds = number(11..13)? * 3_600 + number(14..16)? * 60 + number(17..19)?;
	let fraction = text.get(20..).filter(|_| bytes.get(19) == Some(&b'.')).unwrap_or("");
	let digits: String = fraction.chars().take_while(char::is_ascii_digit).take(3).collect();
	let millis = if digits.is_empty() { 0 } else { format!("{digits:0<3}").parse().ok()? };
	Some((days_since_epoch(year, month, day) * 86_400 + seconds) * 1_000 + millis)
}

/// Days from 1970-01-01 in the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
	let year = if month <= 2 { year - 1 } else { year };
	let era = year.div_euclid(400);
	let year_of_era = year.rem_euclid(400);
	let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
	era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn times_are_read_as_javascript_reads_them() {
		for (text, expected) in [
			("1970-01-01T00:00:00.000Z", Some(0)),
			("2025-12-09T00:53:29.825Z", Some(1_765_241_609_825)),
			("2024-02-29T12:00:00Z", Some(1_709_208_000_000)),
			("2026-07-14T08:41:44.3Z", Some(1_784_018_504_300)),
			("yesterday", None),
		] {
			assert_eq!(time(&Value::from(text)), expected, "{text}");
		}
		assert_eq!(time(&Value::from(12.5)), Some(12));
	}
}
