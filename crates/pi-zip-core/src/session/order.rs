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

#[cfg(test)]
mod tests {
	use super::super::{Branch, Size};
	use super::*;

	/// A branch as words: `p` a prompt and `s` a message typed during a run, both named by their place; `tN` says that the
	/// one at `N` was; anything else is another entry.
	fn branch(words: &str) -> Branch {
		let mut branch = Branch::default();
		for (place, word) in words.split_whitespace().enumerate() {
			let body = match word.split_at(1) {
				("p" | "s", _) => Body::User(Size::default()),
				("t", target) => Body::Steering(vec![target.into()]),
				_ => Body::Inert,
			};
			branch.push(Entry { id: place.to_string().into(), at: 0, body });
		}
		branch
	}

	#[test]
	fn what_was_typed_during_a_run_starts_no_turn() {
		assert_eq!(branch("x p x s x p").turns(), [0, 1, 1, 2, 2, 3]);
		assert_eq!(branch("x p x s x t3 p").turns(), [0, 1, 1, 1, 1, 1, 2]);
		assert_eq!(branch("x t3 p s p").turns(), [0, 0, 1, 1, 2], "said before it came");
	}

	#[test]
	fn what_was_said_behind_a_cut_does_not_hold() {
		let mut branch = branch("p x s x t2 p");
		branch.truncate(4);
		assert_eq!(branch.turns(), [1, 1, 2, 2]);
	}
}
