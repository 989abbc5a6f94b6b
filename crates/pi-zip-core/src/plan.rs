//! Which tool outputs are folded out of the view, at one request.
//!
//! Asked at each request, from the session, the calibration and the circumstances. One estimate decides: what an edit saves
//! over the rest of the warm stretch, against what it writes again and what recalls will cost (`payback`).
//!
//! 1. Whatever it says, a floor is kept: see [`Floor`](crate::situation::Floor).
//! 2. While the cache is warm, the outputs behind the best place are folded if that pays.
//! 3. At a cold return nothing is written again for an edit, so each output outside the last two user turns is folded for
//!    which a recall is not too likely; while the context is above the target also such in them, largest first.
//!
//! Where the model cannot recall, only what it can read again is folded. This module does not judge whether the cache is
//! cold, reads no file and does not check its own result: see `cache`, [`checks`] and `guard`.

mod draft;
mod recalled;
mod subject;
mod survey;

use std::fmt;

pub use crate::edit::Edit;
pub use crate::situation::{Settings, Situation};
pub use draft::CLEARLY_SMALLER;

use crate::cache::Readable;
use crate::classify::{FileCheck, Rereadable};
use crate::payback::{Offer, Payback};
use crate::placeholder::MAX_TOKENS;
use crate::session::{Body, Branch, Projection};
use crate::tokens::{Calibration, estimated_context, estimated_slot};
use draft::Draft;
use survey::{Candidate, survey};

/// Real tokens that a return stays below Pi's compaction trigger, so that the run has room before Pi compacts: about the
/// growth of four tool rounds.
pub const TRIGGER_MARGIN: u32 = 8_000;

/// What is decided for a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
	/// In projected order.
	pub edits: Vec<Edit>,
	/// Real tokens of the context as it is.
	pub before: u32,
	/// Real tokens of the context with the edits.
	pub after: u32,
	/// Real tokens that were aimed at.
	pub target: u32,
	pub reason: Reason,
	pub figures: Figures,
}

/// What the decision was made from. Tokens are real ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
	/// Real tokens by which a request grows.
	pub growth: f64,
	/// Requests since the cache was last lost, and those that are expected to come before it is lost again.
	pub behind: u32,
	pub ahead: f64,
	/// Outputs that the floor lets be folded and that are worth it.
	pub candidates: u32,
	/// The best edit that was found, made or not,
	pub offer: Offer,
	/// and what it comes to.
	pub payback: Payback,
	/// Requests after which it is worth looking again, at least one.
	pub again: u32,
}

/// How a plan came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
	/// Warm, and the context is too small for an edit.
	Small,
	/// Warm, and the request before was edited.
	JustEdited,
	/// Warm, and no edit pays yet.
	Waits,
	/// Warm, and the edit would pay, but the run most likely ends with this request.
	Ends,
	/// Warm, and the edit pays.
	Pays,
	/// There is nothing that may be folded.
	Nothing,
	/// Cold: outputs outside the last two user turns.
	Old,
	/// Also outputs of the previous turn that can be read again.
	Rereadable,
	/// Also outputs of protected turns that are many requests old.
	Aged,
}

impl fmt::Display for Reason {
	fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
		out.write_str(match self {
			Self::Small => "small",
			Self::JustEdited => "justEdited",
			Self::Waits => "waits",
			Self::Ends => "ends",
			Self::Pays => "pays",
			Self::Nothing => "nothing",
			Self::Old => "old",
			Self::Rereadable => "rereadable",
			Self::Aged => "aged",
		})
	}
}

/// What a return aims at, in real tokens.
pub fn target(settings: &Settings, situation: &Situation) -> u32 {
	let below_trigger = situation.trigger.map_or(u32::MAX, |trigger| trigger.saturating_sub(TRIGGER_MARGIN));
	settings.target.min(below_trigger)
}

/// The files to look at before [`plan`] is asked, the most valuable first: for each the entry that showed it. Whoever
/// looks may stop at any point; an entry that was not confirmed counts as not re-readable. None while the cache is warm: a
/// look at files would hold up a run.
pub fn checks(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
	situation: &Situation,
) -> Vec<(usize, FileCheck)> {
	if situation.is_warm() {
		return Vec::new();
	}
	let mut candidates = survey(branch, projection, calibration, settings, situation).candidates;
	candidates.retain(|candidate| is_left_alone(candidate, settings, situation));
	let mut remaining = estimated_context(branch, projection);
	if situation.recallable {
		let old = candidates.iter().filter(|candidate| candidate.trace.turns >= PROTECTED_TURNS);
		remaining = old.fold(remaining, |rest, candidate| rest.saturating_sub(least_saved(candidate)));
		if calibration.context(remaining) <= target(settings, situation) {
			return Vec::new();
		}
		candidates
			.retain(|candidate| candidate.trace.turns < PROTECTED_TURNS && candidate.trace.age < settings.in_turn_age);
	}
	let is_protected = |candidate: &Candidate| u64::from(candidate.trace.turns < PROTECTED_TURNS) << u32::BITS;
	let candidates = in_order(candidates, |candidate| is_protected(candidate) | largest_first(candidate));
	let asked = candidates.iter().filter_map(|candidate| match candidate.rereadable() {
		Rereadable::IfUnchanged(check) => Some((candidate.entry, check)),
		Rereadable::Yes | Rereadable::No => None,
	});
	asked.collect()
}

/// The prompt's own user turn and the one before.
const PROTECTED_TURNS: u32 = 2;

/// Whether the output is old enough, and no file that is being worked on.
fn is_left_alone(candidate: &Candidate, settings: &Settings, situation: &Situation) -> bool {
	let floor = &settings.floor;
	// At a cold return two user turns are age enough.
	let is_past = !situation.is_warm() && candidate.trace.turns >= PROTECTED_TURNS;
	let age = if is_past { 0 } else { floor.age };
	let age = if candidate.trace.recalled { floor.recalled.max(age) } else { age };
	candidate.trace.age >= age && (candidate.left_alone >= floor.working_set || candidate.trace.superseded)
}

/// The plan of a request, given the entries of those [`checks`] whose file is unchanged.
pub fn plan(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
	situation: &Situation,
	unchanged: &[usize],
) -> Plan {
	let survey = survey(branch, projection, calibration, settings, situation);
	let target = target(settings, situation);
	let mut draft = Draft::new(branch, calibration, settings, situation, unchanged, survey.estimate);
	if situation.is_warm() {
		draft.fold_warm(branch, &survey);
	} else {
		draft.fold_cold(&survey, target);
	}
	draft.finish(target)
}

/// Real tokens that the next request reads of the cache, if it lives, where `changed` is the first entry that it shows
/// otherwise than the last one did.
pub fn read_up_to(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	situation: &Situation,
	changed: usize,
) -> f64 {
	let (mut before, mut head) = (0u32, None);
	for slot in projection.slots() {
		if head.is_none() && !matches!(branch.entries()[slot.entry].body, Body::System(_)) {
			head = Some(before);
		}
		if slot.entry == changed {
			break;
		}
		before = before.saturating_add(estimated_slot(branch, slot));
	}
	let &Situation { kind, now, lifetime, .. } = situation;
	Readable::of(branch, calibration, kind, now, lifetime).up_to(changed, before, head.unwrap_or(before))
}

/// Estimated tokens that folding this output saves at least, known without writing its placeholder.
fn least_saved(candidate: &Candidate) -> u32 {
	if MAX_TOKENS.saturating_mul(CLEARLY_SMALLER) > candidate.tokens { 0 } else { candidate.tokens - MAX_TOKENS }
}

/// A key that sorts the largest to the front.
fn largest_first(candidate: &Candidate) -> u64 {
	u64::from(u32::MAX - candidate.tokens)
}

/// The items by their keys, equal ones in the order in which they stand. Keys and places are sorted instead of items: a
/// sort for each kind of item would take a tenth of the module.
fn in_order<T>(items: Vec<T>, key: impl Fn(&T) -> u64) -> Vec<T> {
	let mut order: Vec<(u64, usize)> = items.iter().enumerate().map(|(at, item)| (key(item), at)).collect();
	order.sort_unstable();
	let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
	order.into_iter().filter_map(|(_, at)| items[at].take()).collect()
}
