//! The outputs that a plan may fold at all, each with what the law asks of it.
//!
//! One walk over the projection. What the law weighs (price, chance, moment) is not decided here, and no placeholder is
//! written.

use std::collections::HashSet;

use super::recalled;
use super::subject::Subjects;
use crate::classify::{Rereadable, is_read_only_command, rereadable};
use crate::need::{EARLY, Source, Trace};
use crate::placeholder::{Origin, handle};
use crate::session::{Body, Branch, Call, Digest, Projection, Size, Slot, ToolResult};
use crate::situation::{RECALL_TOOL, Settings, Situation};
use crate::tokens::{Calibration, estimated, estimated_slot};

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
	pub entry: usize,
	pub position: u32,
	pub trace: Trace,
	/// Requests since the agent last read or changed its file; where it is of none, `u32::MAX`.
	pub left_alone: u32,
	/// Estimated tokens of the output, by which it counts in the view.
	pub tokens: u32,
	/// The same without images where the model does not get them.
	pub seen: u32,
	/// Estimated tokens of the view in front of it.
	pub before: u32,
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

	/// The calls that the output may be of: a message that names two alike does not tell which of them.
	fn namesakes(&self) -> impl Iterator<Item = &'a Call> {
		let id = &self.call.id;
		self.siblings.iter().filter(move |sibling| sibling.id == *id)
	}

	pub fn rereadable(&self) -> Rereadable {
		// An image was scaled before the model saw it, so its file does not tell whether it would be the same.
		let is_unsure = self.result.size.images > 0 || self.namesakes().nth(1).is_some();
		if is_unsure { Rereadable::No } else { rereadable(self.call, self.result.is_error) }
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

/// What a walk over the view found.
pub(super) struct Survey<'a> {
	/// In projected order.
	pub candidates: Vec<Candidate<'a>>,
	/// Estimated tokens of the whole view.
	pub estimate: u32,
	/// Estimated tokens in front of the newest answer: what the last request sent.
	pub sent: u32,
	/// Estimated tokens of the system text in front of everything else.
	pub head: u32,
	/// The newest answer's request carried an edit for the first time.
	pub just_edited: bool,
}

/// Candidates are unedited, answered outputs of text and images that are large enough and whose text was seen.
pub(super) fn survey<'a>(
	branch: &'a Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
	situation: &Situation,
) -> Survey<'a> {
	let entries = branch.entries();
	let turns = branch.turns();
	let answers = branch.answers();
	let current = turns.last().copied().unwrap_or(0);
	let recalled = recalled::handles(branch, projection);
	let mut open = OpenCalls::default();
	let mut subjects = Subjects::default();
	let mut candidates = Vec::new();
	let (mut before, mut sent, mut head) = (0u32, 0, None);
	for slot in projection.slots() {
		let entry = &entries[slot.entry];
		let position = before;
		before = before.saturating_add(estimated_slot(branch, slot));
		open.pass(&entry.body, slot);
		if head.is_none() && !matches!(entry.body, Body::System(_)) {
			head = Some(position);
		}
		if let Body::Assistant(assistant) = &entry.body {
			sent = position;
			assistant.calls.iter().for_each(|call| subjects.pass(call, slot.entry));
		}
		let Body::ToolResult(result) = &entry.body else { continue };
		let call = open.answered_by(result);
		let tokens = estimated(result.size);
		let images = if situation.sees_images { result.size.images } else { 0 };
		let seen = estimated(Size { images, ..result.size });
		if slot.edit.is_some() || !result.known_blocks {
			continue;
		}
		if calibration.real(seen) <= settings.fold_min {
			continue;
		}
		let (Some(call), Some(digest)) = (call, &result.digest) else { continue };
		if !branch.is_addressable(slot.entry) {
			continue;
		}
		let turn = turns[slot.entry];
		let age = branch.age(slot.entry);
		candidates.push(Candidate {
			entry: slot.entry,
			position: slot.position,
			trace: Trace {
				source: source_of(call, answers - age),
				age,
				turns: current - turn,
				tokens: f64::from(calibration.real(tokens)),
				touched: false,
				superseded: false,
				recalled: *result.tool == *RECALL_TOOL || is_recalled(&recalled, &entry.id),
			},
			left_alone: u32::MAX,
			tokens,
			seen,
			before: position,
			id: &entry.id,
			turn,
			call,
			siblings: open.calls,
			result,
			digest,
		});
	}
	for candidate in &mut candidates {
		// The call stands in front of its result; a newer one behind it.
		let is_superseded = candidate.namesakes().all(|call| subjects.is_superseded(call, candidate.entry));
		candidate.trace.superseded = is_superseded;
		let touched = candidate.namesakes().filter_map(|call| subjects.touched(call)).max();
		if let Some(touched) = touched {
			candidate.left_alone = branch.age(touched);
			candidate.trace.touched = touched > candidate.entry;
		}
	}
	let newest = branch.edits().last().map_or(0, |edit| edit.entry);
	let last_answer = entries.iter().rposition(|entry| matches!(entry.body, Body::Assistant(_)));
	let just_edited = last_answer.is_some_and(|answer| newest > answer);
	Survey { candidates, estimate: before, sent, head: head.unwrap_or(before), just_edited }
}

fn source_of(call: &Call, request: u32) -> Source {
	match &*call.tool {
		"read" if request < EARLY => Source::Early,
		"read" if call.arg("offset").is_some() || call.arg("limit").is_some() => Source::Part,
		"read" => Source::Read,
		"bash" if call.arg("command").is_some_and(is_read_only_command) => Source::Look,
		"bash" => Source::Run,
		_ => Source::Other,
	}
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
