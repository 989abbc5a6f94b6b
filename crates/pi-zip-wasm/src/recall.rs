//! Recall and search for JavaScript: handles, pages, and the lines that match a pattern.
//!
//! A text crosses for the call only. What goes back are numbers: the caller slices its own string by them.

use pi_zip_core::placeholder;
use pi_zip_core::recall::{self, LineRange, Selection, Window};
use pi_zip_core::search::{self, Case};
use serde::{Deserialize, Serialize};
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// What is asked of an original: see `Selection` and `Window` of the core.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RecallRequest {
	/// First and last line, one-based, both included; given together or not at all.
	#[tsify(optional)]
	first_line: Option<u32>,
	#[tsify(optional)]
	last_line: Option<u32>,
	#[tsify(optional)]
	grep: Option<String>,
	/// In UTF-16 units of the selection.
	offset: u32,
	limit: u32,
}

/// One page: see `Page` of the core. Pairs are flat, `[a, b, a, b, ...]`, since there may be thousands.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RecallPage {
	/// Starts and ends of spans of the original, in UTF-16 units.
	spans: Vec<u32>,
	/// First and last lines of runs.
	lines: Vec<u32>,
	/// Where the next page begins; absent at the end of the selection.
	#[tsify(optional)]
	next: Option<u32>,
	selected_units: u32,
	selected_lines: u32,
	text_units: u32,
	text_lines: u32,
	literal: bool,
}

impl From<recall::Page> for RecallPage {
	fn from(page: recall::Page) -> Self {
		Self {
			spans: page.spans.iter().flat_map(|span| [span.start, span.end]).collect(),
			lines: page.lines.iter().flat_map(|run| [run.first, run.last]).collect(),
			next: page.next,
			selected_units: page.selected_units,
			selected_lines: page.selected_lines,
			text_units: page.text_units,
			text_lines: page.text_lines,
			literal: page.literal,
		}
	}
}

/// The page of `text` that `request` asks for. Fails on a request of another shape.
#[wasm_bindgen(js_name = recallPage)]
pub fn recall_page(text: &str, request: Ts<RecallRequest>) -> Result<Ts<RecallPage>, JsError> {
	let request = request.to_rust()?;
	let range = request.first_line.zip(request.last_line).map(|(first, last)| LineRange { first, last });
	let selection = Selection { range, grep: request.grep.as_deref() };
	let page = recall::page(text, selection, Window { offset: request.offset, limit: request.limit });
	Ok(RecallPage::from(page).into_ts()?)
}

/// The handle of an entry: what a placeholder names.
#[wasm_bindgen(js_name = handleOf)]
pub fn handle_of(entry_id: &str) -> String {
	placeholder::handle(entry_id)
}

/// A pattern for many texts: see `search::Pattern` of the core.
#[wasm_bindgen]
pub struct Pattern(search::Pattern);

#[wasm_bindgen]
impl Pattern {
	#[wasm_bindgen(constructor)]
	pub fn new(pattern: &str, case_sensitive: bool) -> Self {
		Self(search::Pattern::new(pattern, if case_sensitive { Case::AsWritten } else { Case::Either }))
	}

	/// The pattern is searched as plain text.
	#[wasm_bindgen(js_name = isPlain)]
	pub fn is_plain(&self) -> bool {
		self.0.is_plain()
	}

	/// What a text must hold in lower case; empty where there is nothing.
	pub fn literal(&self) -> String {
		self.0.literal().to_string()
	}

	/// Three numbers for each line of the text (given as UTF-8) that matches: its one-based number, and its start and end
	/// with the terminator, in UTF-16 units.
	pub fn lines(&mut self, text: &[u8]) -> Result<Vec<u32>, JsError> {
		let found = self.0.lines(std::str::from_utf8(text)?);
		Ok(found.iter().flat_map(|line| [line.number, line.span.start, line.span.end]).collect())
	}
}
