//! A message of the file: its body, its text, and how many blocks it adds.

use pi_zip_core::session::{Assistant, Body, Call, ModelKey, Size, StopReason, ToolResult, Usage};
use pi_zip_core::situation::RECALL_TOOL;
use pi_zip_core::text::units;
use serde_json::Value;

use super::entry::{Change, Recorded, cost, fill_aside, string, text_size, time};

/// Longest argument value that the planner gets to see, in UTF-16 units; commands and paths are far below it.
const LONGEST_ARGUMENT: u32 = 8_192;

/// Fills in what the message of a line holds.
pub(super) fn fill(recorded: &mut Recorded, message: &Value) {
	recorded.entry.at = time(&message["timestamp"]).unwrap_or(recorded.written);
	let content = &message["content"];
	recorded.blocks = blocks_of(content);
	recorded.entry.body = match message["role"].as_str().unwrap_or("") {
		"system" => {
			if !message["toolsAdded"].is_null() || !message["toolsRemoved"].is_null() {
				recorded.change = Some(Change::Tools);
			}
			let added = message["toolsAdded"].as_array().into_iter().flatten();
			recorded.declares_ours = added.map(|tool| &tool["name"]).any(|name| name == RECALL_TOOL);
			Body::System(system_size(message))
		}
		"user" => {
			recorded.text = text_of(content).into();
			Body::User(size_of(content))
		}
		"assistant" => {
			recorded.api = string(&message["api"]);
			recorded.cost = cost(&message["usage"]["cost"]);
			let (assistant, text) = assistant(message);
			recorded.text = text.into();
			Body::Assistant(assistant)
		}
		"toolResult" => {
			recorded.text = text_of(content).into();
			recorded.blocks = 1;
			fill_aside(recorded, &message["usage"]);
			Body::ToolResult(ToolResult {
				call_id: string(&message["toolCallId"]),
				tool: string(&message["toolName"]),
				is_error: message["isError"] == true,
				size: size_of(content),
				known_blocks: are_known(content),
				digest: None,
			})
		}
		"bashExecution" => {
			let (command, output) = (string(&message["command"]), string(&message["output"]));
			recorded.text = output.clone();
			recorded.blocks = 1;
			let size = Size { units: units(&command).saturating_add(units(&output)), images: 0 };
			Body::UserBash { size, excluded: message["excludeFromContext"] == true }
		}
		"custom" | "hookMessage" => {
			recorded.text = text_of(content).into();
			Body::Custom(size_of(content))
		}
		_ => Body::UnknownMessage,
	};
}

fn assistant(message: &Value) -> (Assistant, String) {
	let (mut said, mut thinking, mut called) = (0, 0, 0);
	let mut calls = Vec::new();
	let mut text = String::new();
	if let Some(plain) = message["content"].as_str() {
		said = units(plain);
		text.push_str(plain);
	}
	for block in blocks(&message["content"]) {
		match block["type"].as_str() {
			Some("text") => {
				let own = block["text"].as_str().unwrap_or("");
				said += units(own);
				push_line(&mut text, own);
			}
			Some("thinking") => thinking += units(block["thinking"].as_str().unwrap_or("")),
			Some("toolCall") => {
				let arguments = &block["arguments"];
				let json = if arguments.is_null() { 0 } else { units(&arguments.to_string()) };
				called += units(block["name"].as_str().unwrap_or("")) + json;
				push_strings(&mut text, arguments);
				calls.push(call(block));
			}
			_ => {}
		}
	}
	let stop = match message["stopReason"].as_str() {
		Some("error") => StopReason::Error,
		Some("aborted") => StopReason::Aborted,
		_ => StopReason::Completed,
	};
	let model = ModelKey { provider: string(&message["provider"]).into(), model: string(&message["model"]).into() };
	let size = Size { units: said + called, images: 0 };
	(Assistant { size, said, thinking, calls, stop, model, usage: usage(&message["usage"]) }, text)
}

fn call(block: &Value) -> Call {
	let mut call = Call { id: string(&block["id"]), tool: string(&block["name"]), args: Vec::new(), partial: false };
	for (name, value) in block["arguments"].as_object().into_iter().flatten() {
		let plain = match value {
			Value::String(text) => Some(text.clone()),
			Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
			_ => None,
		};
		match plain.filter(|text| units(text) <= LONGEST_ARGUMENT) {
			Some(text) => call.args.push((name.as_str().into(), text.into())),
			None => call.partial = true,
		}
	}
	call
}

/// Tokens as reported, or `None` where there is no report at all.
pub(super) fn usage(value: &Value) -> Option<Usage> {
	let fields = value.as_object()?;
	let number = |name: &str| fields.get(name).and_then(Value::as_f64);
	Some(Usage {
		input: number("input").unwrap_or(0.0),
		output: number("output").unwrap_or(0.0),
		cache_read: number("cacheRead").unwrap_or(0.0),
		cache_write: number("cacheWrite").unwrap_or(0.0),
		cache_write_1h: number("cacheWrite1h"),
	})
}

/// What a system message adds, declarations as JSON.
pub(super) fn system_size(message: &Value) -> Size {
	let mut size = size_of(&message["content"]);
	for part in ["sections", "toolsAdded"] {
		if !message[part].is_null() {
			size.units = size.units.saturating_add(units(&message[part].to_string()));
		}
	}
	size
}

pub(super) fn size_of(content: &Value) -> Size {
	if let Some(text) = content.as_str() {
		return text_size(text);
	}
	blocks(content).fold(Size::default(), |size, block| match block["type"].as_str() {
		Some("image") => Size { images: size.images + 1, ..size },
		_ => Size { units: size.units.saturating_add(units(block["text"].as_str().unwrap_or(""))), ..size },
	})
}

/// The text of a content, its blocks joined with nothing between them.
pub(super) fn text_of(content: &Value) -> String {
	match content.as_str() {
		Some(text) => text.to_owned(),
		None => blocks(content).filter_map(|block| block["text"].as_str()).collect(),
	}
}

pub(super) fn blocks_of(content: &Value) -> u32 {
	content.as_array().map_or(1, |blocks| u32::try_from(blocks.len()).unwrap_or(u32::MAX).max(1))
}

fn are_known(content: &Value) -> bool {
	let is_known = |block: &Value| match block["type"].as_str() {
		Some("text") => block["text"].is_string(),
		kind => kind == Some("image") && block["data"].is_string() && block["mimeType"].is_string(),
	};
	content.is_string() || blocks(content).all(is_known)
}

fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
	content.as_array().into_iter().flatten()
}

fn push_strings(text: &mut String, value: &Value) {
	match value {
		Value::String(own) => push_line(text, own),
		Value::Array(items) => items.iter().for_each(|item| push_strings(text, item)),
		Value::Object(fields) => fields.values().for_each(|item| push_strings(text, item)),
		_ => {}
	}
}

fn push_line(text: &mut String, own: &str) {
	if !text.is_empty() {
		text.push('\n');
	}
	text.push_str(own);
}
