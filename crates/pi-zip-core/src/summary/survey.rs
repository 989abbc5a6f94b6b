//! The tool results of the entries that are summed up, each with its call and its turn.

use std::ops::Range;

use super::{ARGUMENTS, Ask, Source};
use crate::session::{Body, Branch, Call, Entry, ToolResult};
use crate::situation::RECALL_TOOL;
use crate::text::units;

/// Entries looked through for the call of a result. Parallel results stand close behind their call.
const CALL_DISTANCE: usize = 64;

/// UTF-16 units at which an argument counts that did not reach this crate because it is too long: it is quoted from its
/// head then.
const LONG_ARGUMENT: u32 = 8_192;

/// A tool result, with the call that it answers.
#[derive(Clone, Copy)]
pub(super) struct Done<'a> {
	pub entry: usize,
	pub id: &'a str,
	pub turn: u32,
	pub result: &'a ToolResult,
	/// The answer that made the call, the call's number in it, and the call.
	pub call: Option<(usize, usize, &'a Call)>,
}

impl<'a> Done<'a> {
	/// The first of the named arguments (places in [`ARGUMENTS`]) that the call has: where it stands, and its length.
	pub fn argument(&self, names: Range<usize>) -> Option<(Source, &'a str, u32)> {
		let (entry, number, call) = self.call?;
		let first = names.start;
		let found = names.into_iter().find_map(|name| call.arg(ARGUMENTS[name]).map(|value| (name, value)));
		let source = |name| Source::Argument { entry, call: number, name };
		match found {
			Some((name, value)) => Some((source(name), value, units(value))),
			None if call.partial => Some((source(first), "", LONG_ARGUMENT)),
			None => None,
		}
	}
}

pub(super) struct Survey<'a> {
	branch: &'a Branch,
	range: Range<usize>,
	pub turns: &'a [u32],
	/// Oldest first.
	pub done: Vec<Done<'a>>,
	/// Entries whose handle is named already.
	named: Vec<bool>,
}

impl<'a> Survey<'a> {
	pub fn of(branch: &'a Branch, ask: &Ask) -> Self {
		let entries = branch.entries();
		let until = ask.until.min(entries.len());
		let range = ask.from.min(until)..until;
		let turns = branch.turns();
		let mut done = Vec::new();
		for entry in range.clone() {
			let Entry { id, body: Body::ToolResult(result), .. } = &entries[entry] else { continue };
			if *result.tool != *RECALL_TOOL {
				let call = call_of(branch, entry, result);
				done.push(Done { entry, id, turn: turns[entry], result, call });
			}
		}
		Self { branch, range, turns, done, named: vec![false; until] }
	}

	pub fn range(&self) -> Range<usize> {
		self.range.clone()
	}

	pub fn body(&self, entry: usize) -> &'a Body {
		&self.branch.entries()[entry].body
	}

	/// Outputs that can be recalled.
	pub fn outputs(&self) -> u32 {
		self.done.iter().filter(|done| done.result.known_blocks).count() as u32
	}

	pub fn name(&mut self, done: &Done) {
		self.named[done.entry] = true;
	}

	/// Results of a kind whose handle stands nowhere yet, newest first.
	pub fn unnamed(&self, is_meant: fn(&Done) -> bool) -> Vec<Done<'a>> {
		let mut unnamed = Vec::new();
		for done in self.done.iter().rev() {
			if !self.named[done.entry] && is_meant(done) {
				unnamed.push(*done);
			}
		}
		unnamed
	}
}

/// The answer that made the call of a result, the call's number in it, and the call.
pub(super) fn call_of<'a>(branch: &'a Branch, index: usize, result: &ToolResult) -> Option<(usize, usize, &'a Call)> {
	let first = index.saturating_sub(CALL_DISTANCE);
	(first..index).rev().find_map(|entry| {
		let Body::Assistant(assistant) = &branch.entries()[entry].body else { return None };
		let number = assistant.calls.iter().rposition(|call| call.id == result.call_id)?;
		Some((entry, number, &assistant.calls[number]))
	})
}
