//! The outputs that a plan may fold at all, each with what the rule asks of it.
//!
//! One walk over the projection. What the rule weighs (size against the target, phases) is not decided here, and no
//! placeholder is written.

use std::collections::HashSet;

use super::recalled;
use crate::classify::{Rereadable, rereadable};
use crate::placeholder::{Origin, handle};
use crate::session::{Body, Branch, Call, Digest, Projection, Slot, ToolResult};
use crate::situation::{RECALL_TOOL, Settings};
use crate::tokens::{Calibration, estimated};

/// Where an output stands as seen from the prompt that was just given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
	/// Before the last two user turns.
	Outside,
	/// In the turn before the prompt's own.
	Previous,
	/// In the prompt's own turn.
	Current,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
	pub entry: usize,
	pub position: u32,
	pub place: Place,
	/// Requests since its call.
	pub age: u32,
	/// Estimated tokens of the output.
	pub tokens: u32,
	id: &'a str,
	turn: u32,
	call: &'a Call,
	/// All calls of the message that made this one.
	siblings: &'a [Call],
	result: &'a ToolResult,
	digest: &'a Digest,
}

impl<'a> Candidate<'a> {
	pub fn handle(&self) -> String {
		handle(self.id)
	}

	/// A message that names two calls alike does not tell which of them the output is of.
	pub fn rereadable(&self) -> Rereadable {
		let mut namesakes = self.siblings.iter().filter(|sibling| sibling.id == self.call.id);
		if namesakes.nth(1).is_some() { Rereadable::No } else { rereadable(self.call, self.result.is_error) }
	}

	pub fn origin(&self, handle: &'a str, recallable: bool) -> Origin<'a> {
		Origin {
			tool: &self.result.tool,
			call: Some(self.call),
			turn: self.turn,
			is_error: self.result.is_error,
			size: self.result.size,
			digest: self.digest,
			handle,
			recallable,
		}
	}
}

/// All candidates in projected order: unedited, answered, text-only outputs that are large enough, whose text was seen
/// and which the model has not recalled.
pub(super) fn candidates<'a>(
	branch: &'a Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
) -> Vec<Candidate<'a>> {
	let entries = branch.entries();
	let turns = branch.turns();
	let ages = branch.ages();
	let current = turns.last().copied().unwrap_or(0);
	let recalled = recalled::handles(branch);
	let mut open = OpenCalls::default();
	let mut candidates = Vec::new();
	for slot in projection.slots() {
		let entry = &entries[slot.entry];
		open.pass(&entry.body, slot);
		let Body::ToolResult(result) = &entry.body else { continue };
		let call = open.answered_by(result);
		let tokens = estimated(result.size);
		if slot.edit.is_some() || !result.text_only || result.size.images > 0 || *result.tool == *RECALL_TOOL {
			continue;
		}
		if calibration.real(tokens) <= settings.fold_min {
			continue;
		}
		let (Some(call), Some(digest)) = (call, &result.digest) else { continue };
		if !branch.is_addressable(slot.entry) || is_recalled(&recalled, &entry.id) {
			continue;
		}
		let turn = turns[slot.entry];
		let place = match current - turn {
			0 => Place::Current,
			1 => Place::Previous,
			_ => Place::Outside,
		};
		candidates.push(Candidate {
			entry: slot.entry,
			position: slot.position,
			place,
			age: ages[slot.entry],
			tokens,
			id: &entry.id,
			turn,
			call,
			siblings: open.calls,
			result,
			digest,
		});
	}
	candidates
}

/// A handle costs a hash, so it is made only where something was recalled at all.
fn is_recalled(recalled: &HashSet<String>, id: &str) -> bool {
	!recalled.is_empty() && recalled.contains(&handle(id))
}

/// The calls that a result may answer at this place of the view: those of the message before, until someone else speaks.
/// A result that answers none goes out as plain text, and is left alone.
#[derive(Default)]
struct OpenCalls<'a> {
	calls: &'a [Call],
	answered: Vec<bool>,
	/// Where the next result's call is looked for first: results mostly come in the order of their calls.
	next: usize,
}

impl<'a> OpenCalls<'a> {
	fn pass(&mut self, body: &'a Body, slot: &Slot) {
		match body {
			_ if slot.messages == 0 => {}
			Body::Assistant(assistant) if slot.edit.is_none() && !assistant.is_dropped() => {
				let calls = &assistant.calls;
				*self = Self { calls, answered: vec![false; calls.len()], next: 0 };
			}
			Body::Assistant(_)
			| Body::User(_)
			| Body::Custom(_)
			| Body::BranchSummary(_)
			| Body::Compaction { .. }
			| Body::UserBash { excluded: false, .. } => *self = Self::default(),
			_ => {}
		}
	}

	fn answered_by(&mut self, result: &ToolResult) -> Option<&'a Call> {
		let count = self.calls.len();
		let is_open = |&at: &usize| !self.answered[at] && self.calls[at].id == result.call_id;
		let found = (0..count).map(|step| (self.next + step) % count).find(is_open)?;
		self.answered[found] = true;
		self.next = found + 1;
		Some(&self.calls[found])
	}
}
