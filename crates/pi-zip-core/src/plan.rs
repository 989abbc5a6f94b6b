//! Which tool outputs are folded out of the view of a run.
//!
//! Decided once, before the run's first request, from the session, the calibration and the circumstances:
//!
//! 1. At a cold return, outputs outside the last two user turns are folded.
//! 2. While the context is still above the target, so are outputs of the previous turn that can be read again, largest
//!    first.
//! 3. While it still is, so are outputs in a protected turn that are many requests old, largest first.
//!
//! A warm request is not edited. Where the model cannot recall, only what it can read again is folded. This module does
//! not judge whether the cache is cold, reads no file and does not check its own result: see `cache`, [`checks`] and
//! `guard`.

mod recalled;
mod survey;

use std::fmt;

pub use crate::edit::Edit;
pub use crate::situation::{Settings, Situation};

use crate::classify::{FileCheck, Rereadable};
use crate::placeholder::{MAX_TOKENS, render, subject};
use crate::session::{Branch, Projection, Size};
use crate::text::units;
use crate::tokens::{Calibration, estimated, estimated_context};
use survey::{Candidate, Place, candidates};

/// A fold is made only where the placeholder is at most one part in this many of the original.
pub const CLEARLY_SMALLER: u32 = 3;

/// Real tokens that a return stays below Pi's compaction trigger, so that the run has room before Pi compacts: about the
/// growth of four tool rounds.
pub const TRIGGER_MARGIN: u32 = 8_000;

/// What is decided for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// How a plan came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
	/// The cache is warm, and an edit would make the provider write it again.
	Warm,
	/// Cold, and there is nothing that may be folded.
	Nothing,
	/// Outputs outside the last two user turns.
	Old,
	/// Also outputs of the previous turn that can be read again.
	Rereadable,
	/// Also outputs of protected turns that are many requests old.
	Aged,
}

impl fmt::Display for Reason {
	fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
		out.write_str(match self {
			Self::Warm => "warm",
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
/// looks may stop at any point; an entry that was not confirmed counts as not re-readable.
pub fn checks(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
	situation: &Situation,
) -> Vec<(usize, FileCheck)> {
	if !situation.cold {
		return Vec::new();
	}
	let mut candidates = candidates(branch, projection, calibration, settings);
	let mut remaining = estimated_context(branch, projection);
	if situation.recallable {
		let old = candidates.iter().filter(|candidate| candidate.place == Place::Outside);
		remaining = old.fold(remaining, |rest, candidate| rest.saturating_sub(least_saved(candidate)));
		if calibration.context(remaining) <= target(settings, situation) {
			return Vec::new();
		}
		candidates.retain(|candidate| candidate.place == Place::Previous);
	}
	let is_protected = |candidate: &Candidate| u64::from(candidate.place != Place::Outside) << u32::BITS;
	let candidates = in_order(candidates, |candidate| is_protected(candidate) | largest_first(candidate));
	let asked = candidates.iter().filter_map(|candidate| match candidate.rereadable() {
		Rereadable::IfUnchanged(check) => Some((candidate.entry, check)),
		Rereadable::Yes | Rereadable::No => None,
	});
	asked.collect()
}

/// The plan of a run, given the entries of those [`checks`] whose file is unchanged.
pub fn plan(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	settings: &Settings,
	situation: &Situation,
	unchanged: &[usize],
) -> Plan {
	let estimate = estimated_context(branch, projection);
	let mut draft = Draft { estimate, edits: Vec::new(), calibration, situation, reason: Reason::Nothing };
	let target = target(settings, situation);
	if situation.cold {
		draft.fold(&candidates(branch, projection, calibration, settings), settings, target, unchanged);
	} else {
		// An edit of a warm context has to pay back the rewrite that it causes; none is made without that account.
		draft.reason = Reason::Warm;
	}
	Plan {
		before: calibration.context(estimate),
		after: draft.context(),
		target,
		reason: draft.reason,
		edits: in_order(draft.edits, |edit| edit.position.into()),
	}
}

/// A plan in the making.
struct Draft<'a> {
	/// Estimated tokens of the context with the edits so far.
	estimate: u32,
	edits: Vec<Edit>,
	calibration: &'a Calibration,
	situation: &'a Situation,
	reason: Reason,
}

impl Draft<'_> {
	fn context(&self) -> u32 {
		self.calibration.context(self.estimate)
	}

	fn fold(&mut self, candidates: &[Candidate], settings: &Settings, target: u32, unchanged: &[usize]) {
		let can_reread = |candidate: &Candidate| match candidate.rereadable() {
			Rereadable::Yes => true,
			Rereadable::IfUnchanged(_) => unchanged.contains(&candidate.entry),
			Rereadable::No => false,
		};
		let may_fold = |candidate: &Candidate| self.situation.recallable || can_reread(candidate);
		let old: Vec<_> = candidates.iter().filter(|one| one.place == Place::Outside && may_fold(one)).collect();
		let mut previous = Vec::new();
		let mut aged = Vec::new();
		for candidate in candidates.iter().filter(|one| one.place != Place::Outside) {
			if candidate.place == Place::Previous && can_reread(candidate) {
				previous.push(candidate);
			} else if candidate.age >= settings.in_turn_age && may_fold(candidate) {
				aged.push(candidate);
			}
		}
		for candidate in old {
			self.replace(candidate, Reason::Old);
		}
		self.fold_to(target, previous, Reason::Rereadable);
		self.fold_to(target, aged, Reason::Aged);
	}

	/// Folds the largest first, and only while the context is above the target.
	fn fold_to(&mut self, target: u32, candidates: Vec<&Candidate>, reason: Reason) {
		for candidate in in_order(candidates, |candidate| largest_first(candidate)) {
			if self.context() <= target {
				return;
			}
			self.replace(candidate, reason);
		}
	}

	fn replace(&mut self, candidate: &Candidate, reason: Reason) {
		let handle = candidate.handle();
		let origin = candidate.origin(&handle, self.situation.recallable);
		let placeholder = render(&origin);
		let tokens = estimated(Size { units: units(&placeholder), images: 0 });
		if tokens.saturating_mul(CLEARLY_SMALLER) > candidate.tokens {
			return;
		}
		let saved = candidate.tokens - tokens;
		self.estimate = self.estimate.saturating_sub(saved);
		self.reason = reason;
		self.edits.push(Edit {
			entry: candidate.entry,
			position: candidate.position,
			tokens: self.calibration.real(saved),
			subject: subject(origin.tool, origin.call),
			handle,
			placeholder,
		});
	}
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
