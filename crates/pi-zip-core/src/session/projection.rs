//! What the model sees of a branch, by the same rules as Pi's `buildSessionProjection`.

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
		let window = Window::of(branch);
		let mut edits = vec![None; if branch.edits().is_empty() { 0 } else { entries.len() }];
		for edit in branch.edits().iter().filter(|edit| edit.entry >= window.start) {
			if let Some(target) = edit.target {
				edits[target] = Some(edit.replacement).filter(|replacement| *replacement != Replacement::Released);
			}
		}
		let mut messages = 0;
		let mut slots = Vec::with_capacity(entries.len() - window.start);
		for index in window.order(entries) {
			let edit = edits.get(index).copied().flatten();
			let own = match edit {
				Some(Replacement::Omitted) => 0,
				_ => contributed(&entries[index], window.compaction == Some(index)),
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

/// The entries that a request is made of.
struct Window {
	/// The newest compaction, which leads.
	compaction: Option<usize>,
	/// The oldest entry that it keeps, or itself; the first of all without a compaction.
	start: usize,
}

impl Window {
	fn of(branch: &Branch) -> Self {
		let newest = branch.entries().iter().enumerate().rev().find_map(|(index, entry)| match &entry.body {
			Body::Compaction { first_kept, .. } => Some((index, first_kept)),
			_ => None,
		});
		let Some((compaction, first_kept)) = newest else { return Self { compaction: None, start: 0 } };
		let first_kept = first_kept.as_ref().and_then(|id| branch.find(id));
		Self { compaction: Some(compaction), start: first_kept.unwrap_or(compaction).min(compaction) }
	}

	/// The compaction first, then what it keeps without its system messages, then everything behind it.
	fn order(&self, entries: &[Entry]) -> impl Iterator<Item = usize> {
		let kept = self.start..self.compaction.unwrap_or(self.start);
		let behind = self.compaction.map_or(self.start, |compaction| compaction + 1)..entries.len();
		let kept = kept.filter(|&index| !matches!(entries[index].body, Body::System(_)));
		self.compaction.into_iter().chain(kept).chain(behind)
	}
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
