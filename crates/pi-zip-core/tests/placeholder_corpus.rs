//! The size of placeholders over real sessions, where some lie beside the clone.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[allow(dead_code, reason = "only the list of files is used")]
mod session_file;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use pi_zip_core::placeholder::{
	self, KEY_LINES, MAX_TOKENS, Origin, digest, handle, handle_in, is_placeholder, render,
};
use pi_zip_core::session::{Call, Size};
use pi_zip_core::text::units;
use serde_json::Value;

/// Estimated tokens above which an output is folded; units to a token, and what real models make of such a token.
const FOLD_MIN: f64 = 500.0;
const UNITS_PER_TOKEN: f64 = 4.0;
const CALIBRATION: f64 = 1.3;

struct Output {
	tool: String,
	call: Option<Call>,
	turn: u32,
	is_error: bool,
	text: String,
}

#[test]
fn placeholders_of_real_outputs_are_short() {
	let Some(files) = session_file::shared("corpus") else { return };
	let mut sizes = Vec::new();
	let mut by_tool: HashMap<String, Vec<u32>> = HashMap::new();
	for output in files.iter().flat_map(|path| outputs(path)) {
		let size = Size { units: units(&output.text), images: 0 };
		if f64::from(size.units) / UNITS_PER_TOKEN * CALIBRATION <= FOLD_MIN {
			continue;
		}
		let kept = digest(&output.tool, output.is_error, &output.text, KEY_LINES);
		let name = handle("a1b2c3d4");
		for recallable in [true, false] {
			let call = output.call.as_ref();
			let Output { tool, turn, is_error, .. } = &output;
			let origin =
				Origin { tool, call, turn: *turn, is_error: *is_error, size, digest: &kept, handle: &name, recallable };
			let text = render(&origin);
			let tokens = placeholder::tokens(&text);
			assert!(tokens <= MAX_TOKENS, "{tokens} tokens: {text}");
			assert!(is_placeholder(&text) && handle_in(&text) == Some(&name));
			if recallable {
				sizes.push(tokens);
				by_tool.entry(output.tool.clone()).or_default().push(tokens);
			}
		}
	}
	assert!(sizes.len() > 400, "{} outputs", sizes.len());
	for (tool, mut sizes) in by_tool {
		println!("{tool}: {} outputs, median {} tokens", sizes.len(), median(&mut sizes));
	}
	let most = sizes.iter().max().copied().unwrap_or(0);
	let median = median(&mut sizes);
	println!("{} placeholders: median {median} tokens, at most {most}", sizes.len());
	assert!(median <= 120, "median {median}");
}

fn median(sizes: &mut [u32]) -> u32 {
	sizes.sort_unstable();
	sizes[sizes.len() / 2]
}

/// Every tool result of a session file, in file order.
fn outputs(path: &Path) -> Vec<Output> {
	let mut calls: HashMap<String, Call> = HashMap::new();
	let mut found = Vec::new();
	let mut turn = 0;
	let file = fs::read_to_string(path).expect("a session can be read");
	for line in file.lines() {
		let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
		let message = &entry["message"];
		let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
		match message["role"].as_str() {
			Some("user") => turn += 1,
			Some("assistant") => calls.extend(blocks.iter().filter_map(call).map(|call| (call.id.to_string(), call))),
			Some("toolResult") => {
				let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
				found.push(Output {
					tool: message["toolName"].as_str().unwrap_or_default().to_owned(),
					call: message["toolCallId"].as_str().and_then(|id| calls.get(id)).cloned(),
					turn,
					is_error: message["isError"].as_bool().unwrap_or(false),
					text: texts.join("\n"),
				});
			}
			_ => {}
		}
	}
	found
}

fn call(block: &Value) -> Option<Call> {
	let arguments = block["arguments"].as_object()?;
	let scalar = |value: &Value| match value {
		Value::String(text) => Some(text.as_str().into()),
		Value::Number(_) | Value::Bool(_) => Some(value.to_string().into()),
		_ => None,
	};
	let args: Vec<_> =
		arguments.iter().filter_map(|(name, value)| Some((name.as_str().into(), scalar(value)?))).collect();
	let partial = args.len() < arguments.len();
	Some(Call { id: block["id"].as_str()?.into(), tool: block["name"].as_str()?.into(), args, partial })
}
