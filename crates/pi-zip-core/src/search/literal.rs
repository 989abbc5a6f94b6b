//! A text that stands in every line which an expression matches, so that most texts need not be looked at.
//!
//! ASCII and lower case only: the caller looks for it in a lower-case copy of a text, and other scripts do not agree on
//! what that is.

use super::expression::Node;
use super::set::Set;

/// The longest literal that `node` needs; empty where it needs none.
pub fn literal(node: &Node) -> String {
	let mut literals = Literals::default();
	literals.read(node);
	literals.end();
	literals.longest
}

#[derive(Default)]
struct Literals {
	/// What has been read in one piece up to here.
	run: String,
	longest: String,
}

impl Literals {
	fn read(&mut self, node: &Node) {
		match node {
			Node::Scalar(set) => match letter(set) {
				Some(letter) => self.run.push(letter),
				None => self.end(),
			},
			Node::All(parts) => parts.iter().for_each(|part| self.read(part)),
			// An assertion takes no place between its neighbours.
			Node::Empty | Node::Assert(_) => {}
			Node::Repeat { node, least: 1.., .. } => {
				self.end();
				self.read(node);
				self.end();
			}
			Node::Repeat { .. } | Node::Any(_) => self.end(),
		}
	}

	fn end(&mut self) {
		if self.run.len() > self.longest.len() {
			self.longest.clone_from(&self.run);
		}
		self.run.clear();
	}
}

/// The one ASCII character of the set, its other case aside, in lower case.
fn letter(set: &Set) -> Option<char> {
	let one = |number: u32| char::from_u32(number).filter(char::is_ascii);
	match *set.ranges() {
		[(first, last)] if first == last => one(first).map(|letter| letter.to_ascii_lowercase()),
		[(upper, end), (lower, last)] if upper == end && lower == last => {
			one(lower).filter(|lower| one(upper).is_some_and(|upper| upper.to_ascii_lowercase() == *lower))
		}
		_ => None,
	}
}

#[cfg(test)]
mod tests {
	use super::super::expression::{Case, parse};
	use super::*;

	#[test]
	fn the_longest_piece_that_each_match_holds() {
		for (pattern, expected) in [
			("Error", "error"),
			(r"fn \w+_total\(", "_total("),
			("a|b", ""),
			("(foo)+bar", "foo"),
			("(foo)?bar", "bar"),
			("x*", ""),
			("é", ""),
			("[aA]b", "ab"),
			("[ab]cd", "cd"),
			(r"\bne?w\b", "n"),
			("^(one|two) three$", " three"),
			("", ""),
		] {
			for case in [Case::Either, Case::AsWritten] {
				let found = parse(pattern, case).map(|node| literal(&node));
				assert_eq!(found.as_deref(), Some(expected), "{pattern:?} {case:?}");
			}
		}
	}
}
