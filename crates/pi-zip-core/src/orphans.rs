//! Which tool results of a conversation answer no call.
//!
//! Decides from an outline alone: calls and results in the order in which they are sent, and the places where a call can
//! no longer be answered. It knows no provider and no session; who builds the outline says where those places are, and
//! rewrites what is found. Calls that nobody answers are none of its business: Pi answers them itself.

use std::collections::VecDeque;

/// One element of the outline. `K` stands for a string: equal keys are equal strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<K> {
	/// Calls before it can no longer be answered: the model spoke again.
	Boundary,
	Call(Tag<K>),
	Result(Tag<K>),
}

/// What tells calls apart. Ids may repeat; where one side has none, the tool's name and then the order decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<K> {
	pub id: Option<K>,
	pub tool: Option<K>,
}

impl<K: PartialEq> Tag<K> {
	fn both_have_ids(&self, other: &Self) -> bool {
		self.id.is_some() && other.id.is_some()
	}
}

/// Indices of the orphan results in `items`, ascending.
///
/// Each result takes one open call: the first with its id; where an id is missing on either side, the first with its
/// tool's name. What is left at the boundary is paired in order as far as an id is missing, because providers without
/// ids count answers and do not compare names. A result that took no call is an orphan: its call is gone, or was
/// answered before.
pub fn orphans<K: Copy + PartialEq>(items: impl IntoIterator<Item = Item<K>>) -> Vec<usize> {
	let mut window = Window { open: VecDeque::new(), unmatched: Vec::new() };
	let mut orphans = Vec::new();
	for (index, item) in items.into_iter().enumerate() {
		match item {
			Item::Boundary => window.close(&mut orphans),
			Item::Call(call) => window.open.push_back(call),
			Item::Result(result) => window.answer(index, result),
		}
	}
	window.close(&mut orphans);
	orphans
}

/// The stretch between two boundaries.
struct Window<K> {
	/// Calls without an answer yet, oldest first.
	open: VecDeque<Tag<K>>,
	unmatched: Vec<(usize, Tag<K>)>,
}

impl<K: Copy + PartialEq> Window<K> {
	fn answer(&mut self, index: usize, result: Tag<K>) {
		let same_id = |call: &Tag<K>| call.both_have_ids(&result) && call.id == result.id;
		let same_tool = |call: &Tag<K>| !call.both_have_ids(&result) && call.tool == result.tool;
		let found = self.open.iter().position(same_id).or_else(|| self.open.iter().position(same_tool));
		match found {
			Some(call) => drop(self.open.remove(call)),
			None => self.unmatched.push((index, result)),
		}
	}

	fn close(&mut self, orphans: &mut Vec<usize>) {
		for (index, result) in self.unmatched.drain(..) {
			match self.open.iter().position(|call| !call.both_have_ids(&result)) {
				Some(call) => drop(self.open.remove(call)),
				None => orphans.push(index),
			}
		}
		self.open.clear();
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn finds_the_golden_orphans() {
		let mut cases = 0;
		for line in include_str!("../../../tests/golden/orphans.txt").lines() {
			let Some((outline, expected)) = line.split_once('=') else { continue };
			let words: Vec<&str> = outline.split_whitespace().collect();
			let found: Vec<&str> = orphans(words.iter().map(|word| item(word))).into_iter().map(|i| words[i]).collect();
			assert_eq!(found.join(" "), expected.trim(), "{line}");
			cases += 1;
		}
		assert!(cases > 20, "{cases} cases were read");
	}

	fn item(word: &str) -> Item<&str> {
		let rest = &word[1..];
		let (id, tool) = rest.split_once(':').map_or((rest, None), |(id, tool)| (id, Some(tool)));
		let tag = Tag { id: (!id.is_empty()).then_some(id), tool };
		match word.as_bytes()[0] {
			b'+' => Item::Call(tag),
			b'-' => Item::Result(tag),
			_ => Item::Boundary,
		}
	}
}
