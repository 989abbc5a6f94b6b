//! What the model sees of a branch, by the same rules as Pi's `buildSessionProjection`.

use std::collections::HashMap;

use super::branch::Branch;
use super::entry::{Body, Entry, Replacement};

/// The entries that contribute to a request, in projected order.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
	slots: Vec<Slot>,
	messages: u32,
}

/// One entry's part of the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
	/// Index of the entry on the branch.
	pub entry: usize,
	/// Index of its first message among all projected messages.
	pub position: u32,
	/// Messages it contributes: none where it was omitted.
	pub messages: u32,
	/// What the latest context edit of this entry put in its place.
	pub edit: Option<Replacement>,
}

impl Projection {
	pub fn of(branch: &Branch) -> Self {
		let entries = branch.entries();
		let order = projected_order(branch);
		let mut edits = HashMap::new();
		for &index in &order {
			if let Body::ContextEdit { target, replacement } = &entries[index].body {
				edits.insert(&**target, *replacement);
			}
		}
		let mut messages = 0;
		let mut slots = Vec::with_capacity(order.len());
		for (place, &index) in order.iter().enumerate() {
			let edit = edits.get(&*entries[index].id).copied();
			let own = match edit {
				Some(Replacement::Omitted) => 0,
				_ => contributed(&entries[index], place == 0),
			};
			if own > 0 || edit.is_some() {
				slots.push(Slot { entry: index, position: messages, messages: own, edit });
			}
			messages += own;
		}
		Self { slots, messages }
	}

	/// Entries with a message in the projection, or that had one and were omitted, in order.
	pub fn slots(&self) -> &[Slot] {
		&self.slots
	}

	/// Number of projected messages.
	pub fn messages(&self) -> u32 {
		self.messages
	}
}

/// The newest compaction first, then what it keeps without its system messages, then everything behind it.
fn projected_order(branch: &Branch) -> Vec<usize> {
	let entries = branch.entries();
	let compaction = entries.iter().rposition(|entry| matches!(entry.body, Body::Compaction { .. }));
	let Some(compaction) = compaction else { return (0..entries.len()).collect() };
	let Body::Compaction { first_kept, .. } = &entries[compaction].body else { return Vec::new() };
	let first_kept = first_kept.as_ref().and_then(|id| branch.find(id)).unwrap_or(compaction).min(compaction);
	let kept = (first_kept..compaction).filter(|&index| !matches!(entries[index].body, Body::System(_)));
	std::iter::once(compaction).chain(kept).chain(compaction + 1..entries.len()).collect()
}

/// Messages that an entry puts into the projection. Only the newest compaction, which leads, counts.
fn contributed(entry: &Entry, leads: bool) -> u32 {
	match &entry.body {
		Body::System(_)
		| Body::User(_)
		| Body::Assistant(_)
		| Body::ToolResult(_)
		| Body::UserBash { .. }
		| Body::Custom(_)
		| Body::UnknownMessage => 1,
		Body::BranchSummary(summary) => u32::from(summary.is_some()),
		Body::Compaction { system, .. } if leads => 1 + u32::from(system.is_some()),
		Body::Compaction { .. } | Body::ContextEdit { .. } | Body::CacheTouch(_) | Body::Steering(_) | Body::Inert => 0,
	}
}
