//! Where the view may be cut: in front of which entry a compaction can end so that no result loses its call.
//!
//! The wish comes from the caller, who knows how much is to be kept; an earlier cut is taken where the wish would part a
//! pair. What is kept stands in the order of the branch, whatever the view's order is now, so that order is looked at.

use super::survey::call_of;
use crate::session::{Body, Branch};

/// The first entry to keep, at `wanted` or before it but behind `after`; `None` where there is no such cut.
pub fn cut(branch: &Branch, after: usize, wanted: usize) -> Option<usize> {
	let entries = branch.entries();
	let mut place = wanted;
	// The earliest call of a result that is looked at.
	let mut earliest = usize::MAX;
	let mut looked_at = entries.len();
	loop {
		while looked_at > place {
			looked_at -= 1;
			if let Body::ToolResult(result) = &entries[looked_at].body
				&& let Some((call, ..)) = call_of(branch, looked_at, result)
			{
				earliest = earliest.min(call);
			}
		}
		if place <= after || place >= entries.len() {
			return None;
		}
		if earliest >= place && can_lead(branch, place) {
			return Some(place);
		}
		place = if earliest < place { earliest } else { place - 1 };
	}
}

/// A result cannot lead, and what has no id of its own cannot be named.
fn can_lead(branch: &Branch, entry: usize) -> bool {
	branch.is_addressable(entry) && !matches!(branch.entries()[entry].body, Body::ToolResult(_))
}
