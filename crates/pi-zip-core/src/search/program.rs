//! Compiles the tree of an expression into a small program: states with one or two ways on.
//!
//! The scalars are put into classes that the expression does not tell apart, so that the automaton's tables are small.

use super::expression::{Assertion, Node};
use super::order::ascending;
use super::set::Set;

/// Steps of compiling, each at most one state. What needs more (nested counted repetitions) is refused.
const MOST_STEPS: usize = 4_000;

#[derive(Clone, Copy, Debug)]
pub enum State {
	/// Goes on over a scalar whose class is in the set.
	Scalar {
		set: usize,
		next: usize,
	},
	/// Goes on without a scalar where the assertion holds.
	Assert {
		assertion: Assertion,
		next: usize,
	},
	Either(usize, usize),
	Match,
}

pub struct Program {
	pub states: Vec<State>,
	pub start: usize,
	/// For each set, the ranges of classes in it.
	pub sets: Vec<Vec<(u16, u16)>>,
	pub classes: Classes,
	pub has_assertions: bool,
}

/// `None` where the program would be too large.
pub fn compile(node: &Node) -> Option<Program> {
	let mut compiler = Compiler { states: vec![State::Match], sets: Vec::new(), steps: 0 };
	let start = compiler.compile(node, 0)?;
	let has_assertions = compiler.states.iter().any(|state| matches!(state, State::Assert { .. }));
	let words = Set::words();
	// Word boundaries look at single scalars too, so words and the rest must not share a class.
	let classes = Classes::telling_apart(compiler.sets.iter().chain(has_assertions.then_some(&words)))?;
	let classes_of = |set: &Set| {
		set.ranges().iter().map(|&(first, last)| (classes.of_number(first), classes.of_number(last))).collect()
	};
	let sets = compiler.sets.iter().map(classes_of).collect();
	Some(Program { states: compiler.states, start, sets, classes, has_assertions })
}

struct Compiler {
	states: Vec<State>,
	/// Each once. An expression has at most a thousand, so they are looked through.
	sets: Vec<Set>,
	steps: usize,
}

impl Compiler {
	/// Adds states that match `node` and go on to `next`; answers the first of them.
	fn compile(&mut self, node: &Node, next: usize) -> Option<usize> {
		self.steps += 1;
		if self.steps > MOST_STEPS {
			return None;
		}
		Some(match node {
			Node::Empty => next,
			Node::Scalar(set) => {
				let known = self.sets.iter().position(|known| known == set);
				let set = known.unwrap_or_else(|| {
					self.sets.push(set.clone());
					self.sets.len() - 1
				});
				self.push(State::Scalar { set, next })
			}
			Node::Assert(assertion) => self.push(State::Assert { assertion: *assertion, next }),
			Node::All(parts) => {
				let mut next = next;
				for part in parts.iter().rev() {
					next = self.compile(part, next)?;
				}
				next
			}
			Node::Any(branches) => {
				let mut first = None;
				for branch in branches.iter().rev() {
					let branch = self.compile(branch, next)?;
					first = Some(first.map_or(branch, |others| self.push(State::Either(branch, others))));
				}
				first.unwrap_or(next)
			}
			Node::Repeat { node, least, most } => {
				let mut next = match most {
					None => {
						let again = self.push(State::Either(next, next));
						let body = self.compile(node, again)?;
						self.states[again] = State::Either(body, next);
						again
					}
					Some(most) => {
						let mut more = next;
						for _ in *least..*most {
							let body = self.compile(node, more)?;
							more = self.push(State::Either(body, next));
						}
						more
					}
				};
				for _ in 0..*least {
					next = self.compile(node, next)?;
				}
				next
			}
		})
	}

	fn push(&mut self, state: State) -> usize {
		self.states.push(state);
		self.states.len() - 1
	}
}

/// Numbers for scalars, the same for all scalars that no set of the expression tells apart.
pub struct Classes {
	ascii: [u16; 128],
	/// First scalar of each class' range, sorted; the class is the index.
	starts: Vec<u32>,
}

impl Classes {
	fn telling_apart<'a>(sets: impl Iterator<Item = &'a Set>) -> Option<Self> {
		let mut starts = vec![0];
		for set in sets {
			starts.extend(set.ranges().iter().flat_map(|&(first, last)| [first, last + 1]));
		}
		ascending(&mut starts);
		starts.dedup();
		u16::try_from(starts.len()).ok()?;
		let mut classes = Self { ascii: [0; 128], starts };
		for scalar in 0..128u8 {
			classes.ascii[usize::from(scalar)] = classes.of_number(u32::from(scalar));
		}
		Some(classes)
	}

	pub fn count(&self) -> usize {
		self.starts.len()
	}

	pub fn of(&self, scalar: char) -> u16 {
		match self.ascii.get(scalar as usize) {
			Some(class) => *class,
			None => self.of_number(scalar as u32),
		}
	}

	fn of_number(&self, scalar: u32) -> u16 {
		// At most 65,535 classes, and the first begins at nought.
		(self.starts.partition_point(|start| *start <= scalar) - 1) as u16
	}

	/// Whether the scalars of `class` are word characters, where the expression asks.
	pub fn is_word(&self, class: u16) -> bool {
		let first = self.starts[usize::from(class)];
		Set::words().ranges().iter().any(|&(from, to)| (from..=to).contains(&first))
	}
}
