//! The fixed part of a summary for JavaScript, as spans of texts that stay there.
//!
//! It crosses as one array of numbers, its own words as UTF-16 units: a struct would take more of the module than all it
//! does.

use pi_zip_core::summary::{self, Ask, Part, Source};
use pi_zip_core::text::units;
use wasm_bindgen::prelude::*;

use crate::Core;

const WORDS: u32 = 0;
const TEXT: u32 = 1;
/// The kinds of parts that are arguments are numbered from here, as in `summary::ARGUMENTS`.
const ARGUMENT: u32 = 2;

#[wasm_bindgen]
impl Core {
	/// The fixed part of a summary of the entries from `from` to `until`, which is not included. `own` are the positions
	/// of earlier summaries of ours, `most` is its length in UTF-16 units.
	///
	/// The answer begins with the numbers of outputs, of requests and of parts. Then come the parts, five numbers each:
	/// kind (0 words, 1 text of an entry, 2 and on an argument of a call), entry, call, and start and end in UTF-16 units.
	/// Behind them stand the words, joined.
	pub fn summary(&self, from: u32, until: u32, own: &[u32], most: u32) -> Vec<u32> {
		let own: Vec<usize> = own.iter().map(|&index| index as usize).collect();
		let ask = Ask { from: from as usize, until: until as usize, own: &own, units: most };
		let fixed = summary::fixed(&self.branch, &ask);
		let mut numbers = vec![fixed.outputs, fixed.requests, fixed.parts.len() as u32];
		let mut words = String::new();
		for part in fixed.parts {
			numbers.extend(match part {
				Part::Words(text) => {
					words.push_str(&text);
					[WORDS, 0, 0, 0, units(&text)]
				}
				Part::Quote(Source::Text(entry), span) => [TEXT, entry as u32, 0, span.start, span.end],
				Part::Quote(Source::Argument { entry, call, name }, span) => {
					[ARGUMENT + name as u32, entry as u32, call as u32, span.start, span.end]
				}
			});
		}
		numbers.extend(words.encode_utf16().map(u32::from));
		numbers
	}

	/// The first entry that a compaction may keep, at `wanted` or before it but behind `after`.
	pub fn cut(&self, after: u32, wanted: u32) -> Option<u32> {
		summary::cut(&self.branch, after as usize, wanted as usize).map(|entry| entry as u32)
	}
}
