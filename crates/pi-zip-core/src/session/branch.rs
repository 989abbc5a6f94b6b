//! The active branch, root to leaf.

use std::collections::HashMap;

use super::entry::{Body, Call, Digest, Entry, ModelKey, Replacement};
use super::order::Order;

/// The entries of the active branch in order, with what can be asked of their order alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
	entries: Vec<Entry>,
	by_id: HashMap<Box<str>, usize>,
	edits: Vec<Edit>,
	/// Positions in `edits` whose target is not on the branch. Hardly ever any.
	dangling: Vec<usize>,
	order: Order,
}

/// A context edit with its target found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
	/// Index of the edit's own entry.
	pub entry: usize,
	/// Index of the entry it edits; `None` where that is not on the branch.
	pub target: Option<usize>,
	pub replacement: Replacement,
}

impl Branch {
	pub fn entries(&self) -> &[Entry] {
		&self.entries
	}

	pub fn find(&self, id: &str) -> Option<usize> {
		self.by_id.get(id).copied()
	}

	/// Whether the id of the entry at `index` leads to it: a context edit names its target by id.
	pub fn is_addressable(&self, index: usize) -> bool {
		let Some(entry) = self.entries.get(index) else { return false };
		let is_unique = self.by_id.len() == self.entries.len() || self.find(&entry.id) == Some(index);
		is_unique && !entry.id.is_empty()
	}

	/// Keeps the first `keep` entries: what two branches share before a tree move feeds the rest.
	pub fn truncate(&mut self, keep: usize) {
		if keep >= self.entries.len() {
			return;
		}
		self.entries.truncate(keep);
		self.by_id.retain(|_, index| *index < keep);
		self.edits.truncate(self.edits.partition_point(|edit| edit.entry < keep));
		for edit in &mut self.edits {
			edit.target = edit.target.filter(|target| *target < keep);
		}
		self.dangling = (0..self.edits.len()).filter(|&position| self.edits[position].target.is_none()).collect();
		self.order.truncate(&self.entries);
	}

	pub fn push(&mut self, mut entry: Entry) {
		if let Body::Assistant(answer) = &mut entry.body {
			// Answers of one model share its name, so that most comparisons need not look at it.
			if let Some(model) = self.newest_model().filter(|model| **model == answer.model) {
				answer.model = model.clone();
			}
		}
		// The first of an id counts, as in Pi's search for what a compaction keeps.
		let index = self.entries.len();
		if *self.by_id.entry(entry.id.clone()).or_insert(index) == index {
			self.resolve_dangling(&entry.id, index);
		}
		if let Body::ContextEdit { target, replacement } = &entry.body {
			let target = self.find(target);
			if target.is_none() {
				self.dangling.push(self.edits.len());
			}
			self.edits.push(Edit { entry: index, target, replacement: *replacement });
		}
		self.order.push(&entry);
		self.entries.push(entry);
		if let Some(Entry { body: Body::Steering(targets), .. }) = self.entries.last() {
			self.order.steer(targets, &self.entries);
		}
	}

	fn newest_model(&self) -> Option<&ModelKey> {
		self.entries.iter().rev().find_map(|entry| match &entry.body {
			Body::Assistant(answer) => Some(&answer.model),
			_ => None,
		})
	}

	/// Finds the target of edits that stood before it.
	fn resolve_dangling(&mut self, id: &str, index: usize) {
		let (entries, edits) = (&self.entries, &mut self.edits);
		self.dangling.retain(|&position| {
			let edit = &mut edits[position];
			let found = matches!(&entries[edit.entry].body, Body::ContextEdit { target, .. } if **target == *id);
			edit.target = found.then_some(index);
			!found
		});
	}

	/// The context edits in order.
	pub fn edits(&self) -> &[Edit] {
		&self.edits
	}

	/// Records what is kept of the output at `index`. No effect on an entry that is no tool result.
	pub fn set_digest(&mut self, index: usize, digest: Digest) {
		if let Some(Entry { body: Body::ToolResult(result), .. }) = self.entries.get_mut(index) {
			result.digest = Some(digest);
		}
	}

	/// The call that the tool result at `index` answers: the nearest one before it with the same id, since ids may
	/// repeat.
	pub fn call_of(&self, index: usize) -> Option<&Call> {
		let Body::ToolResult(result) = &self.entries.get(index)?.body else { return None };
		self.entries[..index].iter().rev().find_map(|entry| match &entry.body {
			Body::Assistant(assistant) => assistant.calls.iter().rev().find(|call| call.id == result.call_id),
			_ => None,
		})
	}

	/// For each entry the number of the user turn it stands in: zero before the first prompt. A steering or follow-up
	/// message starts no turn.
	pub fn turns(&self) -> &[u32] {
		self.order.turns()
	}

	/// Requests that were answered after the entry at `index`.
	pub fn age(&self, index: usize) -> u32 {
		self.answers() - self.order.answers(index)
	}

	/// Requests that were answered.
	pub fn answers(&self) -> u32 {
		self.order.all_answers()
	}
}
