//! Where each entry of a branch stands in time: in which user turn, and behind how many answers.
//!
//! Kept up to date with each entry: planning asks at every prompt, and a long session has thousands.

use std::collections::HashSet;

use super::entry::{Body, Entry};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
	turns: Vec<u32>,
	/// Answers up to each entry, itself among them.
	answers: Vec<u32>,
	/// Ids of user messages that start no turn.
	steering: HashSet<Box<str>>,
}

impl Order {
	/// See [`Branch::turns`](super::Branch::turns).
	pub fn turns(&self) -> &[u32] {
		&self.turns
	}

	pub fn answers(&self, index: usize) -> u32 {
		self.answers.get(index).copied().unwrap_or(0)
	}

	pub fn all_answers(&self) -> u32 {
		self.answers.last().copied().unwrap_or(0)
	}

	/// Follows an entry that was put behind the others.
	pub fn push(&mut self, entry: &Entry) {
		let starts_turn = matches!(entry.body, Body::User(_)) && !self.steering.contains(&entry.id);
		self.turns.push(self.turns.last().unwrap_or(&0) + u32::from(starts_turn));
		self.answers.push(self.all_answers() + u32::from(matches!(entry.body, Body::Assistant(_))));
	}

	/// Notes that user messages were typed during a run. Those in front of it are counted anew.
	pub fn steer(&mut self, targets: &[Box<str>], entries: &[Entry]) {
		let is_target = |entry: &Entry| matches!(entry.body, Body::User(_)) && targets.contains(&entry.id);
		self.steering.extend(targets.iter().cloned());
		if let Some(first) = entries.iter().position(is_target) {
			self.count_from(first, entries);
		}
	}

	/// Keeps what the entries that are left say.
	pub fn truncate(&mut self, entries: &[Entry]) {
		self.steering.clear();
		for entry in entries {
			if let Body::Steering(targets) = &entry.body {
				self.steering.extend(targets.iter().cloned());
			}
		}
		self.count_from(0, entries);
	}

	fn count_from(&mut self, first: usize, entries: &[Entry]) {
		self.turns.truncate(first);
		self.answers.truncate(first);
		entries[first..].iter().for_each(|entry| self.push(entry));
	}
}
