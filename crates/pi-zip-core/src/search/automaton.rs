//! Runs a program over lines, as a deterministic automaton whose states are made when a line first needs them.
//!
//! A known state costs one look into a table for each scalar. Making states is counted as work: an expression that
//! keeps making them is given up when its work is used up, so that no text and no expression takes long.

use std::collections::BTreeMap;

use super::expression::Assertion;
use super::order::ascending;
use super::program::{Program, State};

/// Visits of program states over one search, new states included: an everyday expression takes some thousands.
const MOST_WORK: usize = 1_000_000;
/// Table cells (4 bytes each) kept; with more, the table is begun anew.
const MOST_CELLS: usize = 1 << 18;

/// Cells of the table that are no state.
const UNKNOWN: u32 = u32::MAX;
const MATCHED: u32 = u32::MAX - 1;

/// The work is used up: nothing is known about the rest.
#[derive(Debug)]
pub struct Exhausted;

/// What stood before a place in a line, as far as assertions ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Before {
	LineStart,
	Word,
	Other,
}

/// Program states (sorted) that wait for the next scalar or assertion, and what stood before.
type Key = (Vec<usize>, Before);

pub struct Automaton {
	program: Program,
	keys: Vec<Key>,
	known: BTreeMap<Key, u32>,
	/// A row a state: where each class leads, and the line's end behind them.
	table: Vec<u32>,
	row: usize,
	work: usize,
	/// Scratch: program states reached, and those left to follow.
	reached: Vec<bool>,
	pending: Vec<usize>,
}

impl Automaton {
	pub fn new(program: Program) -> Self {
		let row = program.classes.count() + 1;
		let reached = vec![false; program.states.len()];
		let mut automaton = Self {
			program,
			keys: Vec::new(),
			known: BTreeMap::new(),
			table: Vec::new(),
			row,
			work: MOST_WORK,
			reached,
			pending: Vec::new(),
		};
		automaton.begin();
		automaton
	}

	/// Whether the expression matches anywhere in `line`.
	pub fn matches(&mut self, line: &str) -> Result<bool, Exhausted> {
		let mut state = 0;
		for scalar in line.chars() {
			let class = usize::from(self.program.classes.of(scalar));
			state = match self.table[state as usize * self.row + class] {
				UNKNOWN => self.follow(state, class)?,
				known => known,
			};
			if state == MATCHED {
				return Ok(true);
			}
		}
		let end = self.row - 1;
		let last = match self.table[state as usize * self.row + end] {
			UNKNOWN => self.follow(state, end)?,
			known => known,
		};
		Ok(last == MATCHED)
	}

	/// Empties the table but for the state at a line's start, which is number 0.
	fn begin(&mut self) {
		self.keys.clear();
		self.known.clear();
		self.table.clear();
		self.state((Vec::new(), Before::LineStart));
	}

	/// The number of a state, new or known.
	fn state(&mut self, key: Key) -> u32 {
		if let Some(state) = self.known.get(&key) {
			return *state;
		}
		let state = self.keys.len() as u32;
		self.table.resize(self.table.len() + self.row, UNKNOWN);
		self.keys.push(key.clone());
		self.known.insert(key, state);
		state
	}

	/// Works out where `column` (a class or the line's end) leads from `from`, and notes it.
	fn follow(&mut self, from: u32, column: usize) -> Result<u32, Exhausted> {
		let class = (column + 1 < self.row).then_some(column as u16);
		let Some(key) = self.step(from as usize, class)? else {
			self.table[from as usize * self.row + column] = MATCHED;
			return Ok(MATCHED);
		};
		let is_new = !self.known.contains_key(&key);
		if is_new {
			self.work = self.work.checked_sub(self.row).ok_or(Exhausted)?;
		}
		if is_new && self.table.len() + self.row > MOST_CELLS {
			// `from` goes with the rest, so where it leads cannot be noted.
			self.begin();
			return Ok(self.state(key));
		}
		let to = self.state(key);
		self.table[from as usize * self.row + column] = to;
		Ok(to)
	}

	/// The state behind `class` (`None` is the line's end); `None` where the expression has matched before it.
	fn step(&mut self, from: usize, class: Option<u16>) -> Result<Option<Key>, Exhausted> {
		let has_assertions = self.program.has_assertions;
		let is_word = class.is_some_and(|class| has_assertions && self.program.classes.is_word(class));
		let (waiting, before) = &self.keys[from];
		let before = *before;
		self.reached.fill(false);
		self.pending.clear();
		self.pending.extend(waiting);
		// A match may begin at any place.
		self.pending.push(self.program.start);
		self.work = self.work.checked_sub(self.reached.len() / 16 + 1).ok_or(Exhausted)?;
		let mut behind = Vec::new();
		while let Some(state) = self.pending.pop() {
			if std::mem::replace(&mut self.reached[state], true) {
				continue;
			}
			self.work = self.work.checked_sub(1).ok_or(Exhausted)?;
			match self.program.states[state] {
				State::Match => return Ok(None),
				State::Either(one, other) => self.pending.extend([one, other]),
				State::Assert { assertion, next } => {
					if holds(assertion, before, is_word, class.is_none()) {
						self.pending.push(next);
					}
				}
				State::Scalar { set, next } => {
					let ranges = &self.program.sets[set];
					let found = class.is_some_and(|class| {
						let at = ranges.partition_point(|(_, last)| *last < class);
						ranges.get(at).is_some_and(|(first, _)| *first <= class)
					});
					if found {
						behind.push(next);
					}
				}
			}
		}
		ascending(&mut behind);
		behind.dedup();
		let before = if is_word { Before::Word } else { Before::Other };
		Ok(Some((behind, before)))
	}
}

fn holds(assertion: Assertion, before: Before, is_word: bool, is_end: bool) -> bool {
	let is_boundary = (before == Before::Word) != is_word;
	match assertion {
		Assertion::Start => before == Before::LineStart,
		Assertion::End => is_end,
		Assertion::WordBoundary => is_boundary,
		Assertion::NoWordBoundary => !is_boundary,
	}
}
