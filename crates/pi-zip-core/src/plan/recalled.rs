//! What the model has asked for by the recall tool. What it needed once stays in view: it is not folded again.

use std::collections::HashSet;

use crate::session::{Body, Branch};
use crate::situation::RECALL_TOOL;

/// Handles named by the recall calls of the branch, whether or not they led to an entry.
pub(super) fn handles(branch: &Branch) -> HashSet<&str> {
	let mut handles = HashSet::new();
	for entry in branch.entries() {
		let Body::Assistant(assistant) = &entry.body else { continue };
		for call in assistant.calls.iter().filter(|call| *call.tool == *RECALL_TOOL) {
			let named = ["handle", "handles"].into_iter().filter_map(|name| call.arg(name));
			handles.extend(named.flat_map(str::split_whitespace));
		}
	}
	handles
}
