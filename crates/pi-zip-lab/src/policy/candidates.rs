//! Outputs in view that a policy of the lab may fold.

use pi_zip_core::classify::{Rereadable, rereadable};
use pi_zip_core::session::{Body, ToolResult};
use pi_zip_core::situation::RECALL_TOOL;

use super::Moment;
use crate::world::World;

/// An output in view that is whole and only text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
	/// Place on the branch.
	pub entry: usize,
	/// Real tokens, as it is.
	pub tokens: f64,
	/// Real tokens of the request in front of it.
	pub before: f64,
	/// The model brought it back, or it is what a recall returned.
	pub is_recall: bool,
}

/// All candidates of at least `smallest` tokens, in projected order.
pub(super) fn candidates(world: &World, moment: &Moment, smallest: f64) -> Vec<Candidate> {
	let mut before = moment.head;
	let mut found = Vec::new();
	for slot in moment.slots {
		let tokens = world.tokens(slot, moment.scale);
		if let Some(result) = whole_output(world, slot.entry)
			&& slot.messages > 0
			&& slot.edit.is_none()
			&& tokens > smallest
		{
			let is_recall = &*result.tool == RECALL_TOOL || world.was_recalled(slot.entry);
			found.push(Candidate { entry: slot.entry, tokens, before, is_recall });
		}
		before += tokens;
	}
	found
}

fn whole_output<'a>(world: &'a World, entry: usize) -> Option<&'a ToolResult> {
	match &world.branch.entries()[entry].body {
		Body::ToolResult(result) if result.known_blocks && result.size.images == 0 && !world.is_folded(entry) => {
			Some(result)
		}
		_ => None,
	}
}

/// Whether the output can be had again by repeating its call. A file counts as unchanged until the session writes it.
pub(super) fn can_reread(world: &World, entry: usize) -> bool {
	let Body::ToolResult(result) = &world.branch.entries()[entry].body else { return false };
	match world.branch.call_of(entry).map(|call| rereadable(call, result.is_error)) {
		Some(Rereadable::Yes) => true,
		Some(Rereadable::IfUnchanged(check)) => world.is_unchanged(&check.path, entry),
		Some(Rereadable::No) | None => false,
	}
}
