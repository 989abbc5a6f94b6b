//! The active branch, root to leaf.

use std::collections::{HashMap, HashSet};

use super::entry::{Body, Call, Digest, Entry};

/// The entries of the active branch in order, with what can be asked of their order alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
	entries: Vec<Entry>,
	by_id: HashMap<Box<str>, usize>,
}

impl Branch {
	pub fn entries(&self) -> &[Entry] {
		&self.entries
	}

	pub fn find(&self, id: &str) -> Option<usize> {
		self.by_id.get(id).copied()
	}

	/// Keeps the first `keep` entries: what two branches share before a tree move feeds the rest.
	pub fn truncate(&mut self, keep: usize) {
		self.entries.truncate(keep);
		self.by_id.retain(|_, index| *index < keep);
	}

	pub fn push(&mut self, entry: Entry) {
		// The first of an id counts, as in Pi's search for what a compaction keeps.
		self.by_id.entry(entry.id.clone()).or_insert(self.entries.len());
		self.entries.push(entry);
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
	pub fn turns(&self) -> Vec<u32> {
		let steering: HashSet<&str> = self
			.entries
			.iter()
			.filter_map(|entry| match &entry.body {
				Body::Steering(targets) => Some(targets.iter().map(|id| &**id)),
				_ => None,
			})
			.flatten()
			.collect();
		let mut turn = 0;
		self.entries
			.iter()
			.map(|entry| {
				turn += u32::from(matches!(entry.body, Body::User(_)) && !steering.contains(&*entry.id));
				turn
			})
			.collect()
	}

	/// For each entry the number of requests answered after it.
	pub fn ages(&self) -> Vec<u32> {
		let mut ages = vec![0; self.entries.len()];
		let mut age = 0;
		for (index, entry) in self.entries.iter().enumerate().rev() {
			ages[index] = age;
			age += u32::from(matches!(entry.body, Body::Assistant(_)));
		}
		ages
	}
}
