//! What the model has asked for by the recall tool. What it needed once stays in view: it is not folded again.

use std::collections::HashSet;

use crate::placeholder::HANDLE_LENGTH;
use crate::session::{Body, Branch, Projection};
use crate::situation::RECALL_TOOL;

/// Handles named by recall calls, whether or not they led to an entry: those behind the first entry in view, since what is
/// in view was not recalled before it was there. The tool takes them with the words, quotes and capitals that models write
/// around them, so they are looked for in the same way.
pub(super) fn handles(branch: &Branch, projection: &Projection) -> HashSet<String> {
	let mut handles = HashSet::new();
	let first = projection.slots().iter().map(|slot| slot.entry).min().unwrap_or(0);
	for entry in branch.entries().iter().skip(first) {
		let Body::Assistant(assistant) = &entry.body else { continue };
		for call in assistant.calls.iter().filter(|call| *call.tool == *RECALL_TOOL) {
			let named = ["handle", "handles"].into_iter().filter_map(|name| call.arg(name));
			let words = named.flat_map(|value| value.split(|scalar: char| !scalar.is_ascii_alphanumeric()));
			handles.extend(words.filter(|word| word.len() == HANDLE_LENGTH).map(str::to_ascii_lowercase));
		}
	}
	handles
}
