//! Reads a session file into a branch, for tests: what the TypeScript feed does with Pi's entries, done natively.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pi_zip_core::session::{
	Assistant, Body, Branch, Call, Entry, Millis, ModelKey, Replacement, Size, StopReason, ToolResult, Usage,
};
use pi_zip_core::text::units;
use serde_json::Value;

/// Real and hostile session files lie beside the clone, where they are present.
#[allow(dead_code, reason = "each test binary uses its part of this module")]
pub fn shared(folder: &str) -> Option<Vec<PathBuf>> {
	let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
	let folder = root.map(|parent| parent.join("shared").join(folder)).find(|folder| folder.is_dir());
	let Some(folder) = folder else {
		eprintln!("skipped: no folder shared beside the clone");
		return None;
	};
	let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
	let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
	files.sort();
	Some(files)
}

/// The branch that ends in the file's last entry. Broken lines are skipped.
pub fn branch(text: &str) -> Branch {
	let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(&well_formed(line)).ok()).collect();
	let chained = lines.first().is_some_and(|header| header["version"].as_u64().unwrap_or(1) < 2);
	let mut entries: Vec<Value> = lines;
	if chained {
		chain(&mut entries);
	}
	let entries: Vec<&Value> = entries.iter().filter(|line| line["type"] != "session").collect();
	let index: HashMap<&str, usize> =
		entries.iter().enumerate().filter_map(|(index, entry)| Some((entry["id"].as_str()?, index))).collect();
	let mut path = Vec::new();
	let mut next = entries.len().checked_sub(1);
	while let Some(current) = next {
		path.push(current);
		next = entries[current]["parentId"].as_str().and_then(|parent| index.get(parent).copied());
	}
	let mut branch = Branch::default();
	for current in path.into_iter().rev() {
		branch.push(entry(entries[current]));
	}
	branch
}

/// The first format has no ids: entries follow each other, and a compaction names the line that it keeps.
fn chain(lines: &mut [Value]) {
	for (index, line) in lines.iter_mut().enumerate().skip(1) {
		let kept = line["firstKeptEntryIndex"].as_u64().filter(|kept| *kept > 0);
		line["id"] = format!("line-{index}").into();
		line["parentId"] = if index > 1 { format!("line-{}", index - 1).into() } else { Value::Null };
		if let Some(kept) = kept {
			line["firstKeptEntryId"] = format!("line-{kept}").into();
		}
	}
}

/// JSON with escapes of lone surrogates, which the parser refuses, replaced by U+FFFD.
fn well_formed(line: &str) -> String {
	let mut out = String::with_capacity(line.len());
	let mut rest = line;
	while let Some(at) = rest.find('\\') {
		out.push_str(&rest[..at]);
		rest = &rest[at..];
		let length = match (surrogate(rest), surrogate(rest.get(6..).unwrap_or(""))) {
			(Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
			(Some(_), _) => {
				out.push_str("\\ufffd");
				rest = &rest[6..];
				continue;
			}
			(None, _) => 2.min(rest.len()),
		};
		let length = (length..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
		out.push_str(&rest[..length]);
		rest = &rest[length..];
	}
	out + rest
}

fn surrogate(text: &str) -> Option<u32> {
	let digits = text.strip_prefix("\\u")?.get(..4)?;
	u32::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

fn entry(line: &Value) -> Entry {
	let id = line["id"].as_str().unwrap_or("").into();
	let at = time(&line["timestamp"]);
	let (at, body) = match text(&line["type"]) {
		"message" => message(&line["message"], at),
		"custom_message" => (at, Body::Custom(size(&line["content"]))),
		"branch_summary" => {
			let length = line["summary"].as_str().map_or(0, units);
			(at, Body::BranchSummary((length > 0).then_some(Size { units: length, images: 0 })))
		}
		"compaction" => (
			at,
			Body::Compaction {
				first_kept: line["firstKeptEntryId"].as_str().map(Into::into),
				system: line["systemMessage"].is_object().then(|| system(&line["systemMessage"])),
				summary: Size { units: units(text(&line["summary"])), images: 0 },
			},
		),
		"context_edit" => (at, context_edit(line)),
		"usage" if line["kind"] == "cache_warm" => (at, Body::CacheTouch(model(line))),
		_ => (at, Body::Inert),
	};
	Entry { id, at, body }
}

fn message(message: &Value, at: Millis) -> (Millis, Body) {
	let at = message["timestamp"].as_i64().unwrap_or(at);
	let body = match text(&message["role"]) {
		"system" => Body::System(system(message)),
		"user" => Body::User(size(&message["content"])),
		"assistant" => Body::Assistant(assistant(message)),
		"toolResult" => Body::ToolResult(ToolResult {
			call_id: text(&message["toolCallId"]).into(),
			tool: text(&message["toolName"]).into(),
			is_error: message["isError"] == true,
			size: size(&message["content"]),
			known_blocks: known_blocks(&message["content"]),
			digest: None,
		}),
		"bashExecution" => {
			let units = units(text(&message["command"])) + units(text(&message["output"]));
			Body::UserBash { size: Size { units, images: 0 }, excluded: message["excludeFromContext"] == true }
		}
		"custom" | "hookMessage" => Body::Custom(size(&message["content"])),
		_ => Body::UnknownMessage,
	};
	(at, body)
}

fn assistant(message: &Value) -> Assistant {
	let mut said = message["content"].as_str().map_or(0, units);
	let (mut thinking, mut called) = (0, 0);
	let mut calls = Vec::new();
	for block in blocks(&message["content"]) {
		match text(&block["type"]) {
			"text" => said += units(text(&block["text"])),
			"thinking" => thinking += units(text(&block["thinking"])),
			"toolCall" => {
				let arguments = &block["arguments"];
				called +=
					units(text(&block["name"])) + if arguments.is_null() { 0 } else { units(&arguments.to_string()) };
				let scalars = arguments.as_object().into_iter().flatten();
				let args = scalars.filter_map(|(name, value)| Some((name.as_str().into(), value.as_str()?.into())));
				calls.push(Call {
					id: text(&block["id"]).into(),
					tool: text(&block["name"]).into(),
					args: args.collect(),
					partial: false,
				});
			}
			_ => {}
		}
	}
	let stop = match text(&message["stopReason"]) {
		"error" => StopReason::Error,
		"aborted" => StopReason::Aborted,
		_ => StopReason::Completed,
	};
	let size = Size { units: said + called, images: 0 };
	Assistant { size, said, thinking, calls, stop, model: model(message), usage: usage(&message["usage"]) }
}

fn usage(usage: &Value) -> Option<Usage> {
	usage.is_object().then(|| {
		let tokens = |name: &str| usage[name].as_f64().unwrap_or(f64::NAN);
		Usage {
			input: tokens("input"),
			output: tokens("output"),
			cache_read: tokens("cacheRead"),
			cache_write: tokens("cacheWrite"),
			cache_write_1h: (!usage["cacheWrite1h"].is_null()).then(|| tokens("cacheWrite1h")),
		}
	})
}

fn context_edit(line: &Value) -> Body {
	let replacement = match &line["replacement"] {
		Value::Null => Replacement::Omitted,
		Value::Object(content) => {
			let content = content.get("content").unwrap_or(&Value::Null);
			let first = content.as_str().or_else(|| blocks(content).first()?["text"].as_str()).unwrap_or("");
			let placeholder = first.starts_with("[folded by pi-zip") && known_blocks(content);
			Replacement::Content { size: size(content), placeholder }
		}
		_ => return Body::Inert,
	};
	Body::ContextEdit { target: text(&line["targetId"]).into(), replacement }
}

fn model(of: &Value) -> ModelKey {
	ModelKey { provider: text(&of["provider"]).into(), model: text(&of["model"]).into() }
}

fn size(content: &Value) -> Size {
	let mut size = Size { units: content.as_str().map_or(0, units), images: 0 };
	for block in blocks(content) {
		match text(&block["type"]) {
			"image" => size.images += 1,
			_ => size.units += units(text(&block["text"])),
		}
	}
	size
}

fn known_blocks(content: &Value) -> bool {
	blocks(content).iter().all(|block| match text(&block["type"]) {
		"text" => block["text"].is_string(),
		kind => kind == "image" && block["data"].is_string() && block["mimeType"].is_string(),
	})
}

fn system(message: &Value) -> Size {
	let mut size = size(&message["content"]);
	size.units +=
		message["sections"].as_object().into_iter().flatten().map(|(_, text)| units(self::text(text))).sum::<u32>();
	if message["toolsAdded"].is_array() {
		size.units += units(&message["toolsAdded"].to_string());
	}
	size
}

fn blocks(content: &Value) -> &[Value] {
	content.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
	value.as_str().unwrap_or("")
}

/// Milliseconds of an ISO date in UTC, as Pi writes them; zero for anything else.
fn time(timestamp: &Value) -> Millis {
	let Some(text) = timestamp.as_str() else { return timestamp.as_i64().unwrap_or(0) };
	let numbers: Vec<i64> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
	let [year, month, day, hour, minute, second, millis] = numbers[..] else { return 0 };
	// Days since the epoch in the Gregorian calendar, with years that begin in March.
	let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
	let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) - 719_468
		+ (153 * month + 2) / 5
		+ day - 1;
	((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + millis
}
