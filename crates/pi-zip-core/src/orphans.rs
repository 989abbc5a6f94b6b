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

	/// An outline in words: `|` a boundary, `+id` a call, `-id` a result; `:tool` behind or instead of an id. Gives the
	/// orphans as they stand in the text.
	#[track_caller]
	fn check(outline: &str, expect: &str) {
		let words: Vec<&str> = outline.split_whitespace().collect();
		let found = orphans(words.iter().map(|word| item(word)));
		let found: Vec<&str> = found.into_iter().map(|index| words[index]).collect();
		assert_eq!(found.join(" "), expect, "{outline}");
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

	#[test]
	fn answered_calls_have_no_orphans() {
		check("", "");
		check("| +a -a | +b -b |", "");
		check("| +a +b -a -b", "");
	}

	#[test]
	fn order_of_answers_is_free() {
		check("| +a +b +c -c -a -b", "");
	}

	#[test]
	fn ids_may_repeat() {
		check("| +a -a | +a -a", "");
		check("| +a +a -a -a", "");
	}

	#[test]
	fn a_result_without_its_call_is_an_orphan() {
		check("-a", "-a");
		check("| -a | +b -b", "-a");
		check("| +b -x -b", "-x");
	}

	#[test]
	fn a_second_answer_is_an_orphan() {
		check("| +a -a -a", "-a");
		check("| +a +b -a -a -b", "-a");
	}

	#[test]
	fn a_call_cannot_be_answered_after_the_model_spoke_again() {
		check("| +a | -a", "-a");
		check("| +a | +a -a -a", "-a");
	}

	#[test]
	fn without_boundaries_a_call_stays_open() {
		check("+a +b -b -a", "");
		check("+a -a -a +a -a", "-a");
	}

	#[test]
	fn without_ids_names_decide_and_then_the_count() {
		check("| +:read +:bash -:bash -:read", "");
		check("| +:read -:bash", "");
		check("| +:read -:bash -:read", "-:bash");
		check("| +:read +:read -:read -:read -:read", "-:read");
		check("| -:read", "-:read");
	}

	#[test]
	fn an_id_on_one_side_only_is_no_fault() {
		check("| +:read -a:read", "");
		check("| +a:read -:read", "");
		check("| +a:read +:read -b:read -a:read", "");
	}

	#[test]
	fn a_missing_answer_is_not_filled_by_a_foreign_id() {
		check("| +a -b", "-b");
	}
}
