//! How many tokens entries and whole requests hold: an estimate by characters, and its calibration.
//!
//! The estimate is a plain count, the same for every model, so that parts add up. What a provider makes of it is
//! learned from its reports by [`Calibration`]. Texts are not here: only sizes are.

mod calibration;

pub use calibration::Calibration;

use crate::session::{Body, Branch, Entry, Projection, Replacement, Size, Slot};

/// UTF-16 code units to an estimated token, as Pi counts.
const UNITS_PER_TOKEN: u64 = 4;

/// Estimated tokens of an image, whatever its pixels, as Pi counts (4,800 units). Providers scale images down.
const TOKENS_PER_IMAGE: u64 = 1_200;

/// What Pi writes around the summary of a compaction, in UTF-16 code units.
const COMPACTION_FRAME_UNITS: u32 = 107;

/// What Pi writes around the summary of a branch, in UTF-16 code units.
const BRANCH_SUMMARY_FRAME_UNITS: u32 = 99;

/// Estimated tokens: by characters, images priced, before calibration.
pub fn estimated(size: Size) -> u32 {
	let tokens = u64::from(size.units).div_ceil(UNITS_PER_TOKEN) + u64::from(size.images) * TOKENS_PER_IMAGE;
	u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Estimated tokens that the entry adds to a request that carries it unedited: zero for what Pi leaves out (failed and
/// aborted answers, `!!` commands, messages of unknown roles) and for what is no message.
pub fn estimated_entry(entry: &Entry) -> u32 {
	match &entry.body {
		Body::System(size) | Body::User(size) | Body::Custom(size) => estimated(*size),
		Body::UserBash { size, excluded } => u32::from(!excluded) * estimated(*size),
		Body::Assistant(assistant) if assistant.is_dropped() => 0,
		Body::Assistant(assistant) => estimated(with_units(assistant.size, assistant.thinking)),
		Body::ToolResult(result) => estimated(result.size),
		Body::BranchSummary(summary) => {
			summary.map_or(0, |size| estimated(with_units(size, BRANCH_SUMMARY_FRAME_UNITS)))
		}
		Body::Compaction { system, summary, .. } => {
			let summary = estimated(with_units(*summary, COMPACTION_FRAME_UNITS));
			summary.saturating_add(system.map_or(0, estimated))
		}
		Body::ContextEdit { .. } | Body::CacheTouch(_) | Body::Steering(_) | Body::UnknownMessage | Body::Inert => 0,
	}
}

/// Estimated tokens of the request that carries `projection`, edits applied.
pub fn estimated_context(branch: &Branch, projection: &Projection) -> u32 {
	let sum = |total: u32, slot: &Slot| total.saturating_add(estimated_slot(branch, slot));
	projection.slots().iter().fold(0, sum)
}

/// Estimated tokens of one projected entry, with what an edit put in its place.
pub fn estimated_slot(branch: &Branch, slot: &Slot) -> u32 {
	let entry = &branch.entries()[slot.entry];
	match (slot.messages, slot.edit) {
		(0, _) => 0,
		(_, Some(Replacement::Content { size, .. })) if takes_content(entry) => estimated(size),
		_ => estimated_entry(entry),
	}
}

/// Whether Pi puts an edit's content into the entry's message, and sends that message at all.
fn takes_content(entry: &Entry) -> bool {
	match &entry.body {
		Body::User(_) | Body::ToolResult(_) | Body::Custom(_) => true,
		Body::Assistant(assistant) => !assistant.is_dropped(),
		_ => false,
	}
}

fn with_units(size: Size, more: u32) -> Size {
	Size { units: size.units.saturating_add(more), ..size }
}
