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

mod recalled;
mod subject;
mod survey;

use std::fmt;

pub use crate::edit::Edit;
pub use crate::situation::{Settings, Situation};

use crate::cache::{Kind, Reach};
use crate::classify::{FileCheck, Rereadable};
use crate::need::chance;
use crate::pace::Pace;
use crate::payback::{Compaction, Offer, Payback, Terms};
use crate::placeholder::{MAX_TOKENS, render, subject as subject_of};
use crate::session::{Branch, Projection, Size};
use crate::text::units;
use crate::tokens::{Calibration, estimated, estimated_context};
use survey::{Candidate, Survey, survey};

/// A fold is made only where the placeholder is at most one part in this many of the original.
pub const CLEARLY_SMALLER: u32 = 3;

/// Real tokens that a return stays below Pi's compaction trigger, so that the run has room before Pi compacts: about the
/// growth of four tool rounds.
pub const TRIGGER_MARGIN: u32 = 8_000;

/// Estimated tokens that a placeholder has mostly.
const USUAL_PLACEHOLDER: u32 = 80;

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
	let mut candidates = survey(branch, projection, calibration, settings).candidates;
	candidates.retain(|candidate| is_left_alone(candidate, settings));
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
fn is_left_alone(candidate: &Candidate, settings: &Settings) -> bool {
	let floor = &settings.floor;
	let age = if candidate.trace.recalled { floor.recalled.max(floor.age) } else { floor.age };
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
	let survey = survey(branch, projection, calibration, settings);
	let before = calibration.context(survey.estimate);
	let pace = Pace::of(branch, calibration, &situation.survival, !situation.is_warm());
	let credited = if situation.is_warm() { pace.within(settings.law.horizon) } else { pace.ahead };
	let compaction = |trigger| Compaction { trigger: f64::from(trigger), keep: f64::from(situation.keep) };
	let terms = Terms {
		warm: situation.warm,
		tariff: situation.tariff,
		context: f64::from(before),
		pace,
		credited,
		compaction: situation.trigger.map(compaction),
		trouble: settings.law.trouble,
	};
	let target = target(settings, situation);
	let mut draft = Draft {
		settings,
		situation,
		calibration,
		terms,
		unchanged,
		estimate: survey.estimate,
		edits: Vec::new(),
		made: Offer::default(),
		first: None,
		reason: Reason::Nothing,
		figures: Figures { growth: pace.growth, behind: pace.behind, ahead: pace.ahead, ..Figures::default() },
	};
	if !situation.is_warm() {
		draft.fold_cold(&survey, target);
	} else if before < settings.floor.warm {
		draft.reason = Reason::Small;
	} else if survey.just_edited {
		draft.reason = Reason::JustEdited;
	} else {
		draft.fold_warm(branch, &survey);
	}
	let figures = Figures { again: again(&draft, before), ..draft.figures };
	Plan {
		before,
		after: draft.context(),
		target,
		reason: draft.reason,
		figures,
		edits: in_order(draft.edits, |edit| edit.position.into()),
	}
}

/// Requests that are let go at most before a run is looked at again.
const LONGEST_WAIT: u32 = 8;

/// Requests after which it is worth looking at the run again: what is missing grows by about the same each time.
fn again(draft: &Draft, before: u32) -> u32 {
	let wait = match draft.reason {
		// At twice the growth, since growth is uneven.
		Reason::Small => f64::from(draft.settings.floor.warm - before) / (2.0 * draft.figures.growth),
		Reason::Waits => {
			let Payback { rewrite, .. } = draft.figures.payback;
			let reached = draft.figures.payback.gain() / (rewrite * draft.settings.law.eagerness).max(1.0);
			f64::from(LONGEST_WAIT) * (1.0 - reached)
		}
		Reason::Nothing => f64::from(LONGEST_WAIT / 2),
		_ => f64::from(draft.settings.floor.age),
	};
	// A float that is too large or no number ends at a bound.
	(wait as u32).clamp(1, LONGEST_WAIT)
}

/// A candidate that the floor lets be folded, and what folding it is worth apart from any rewrite.
struct Valued<'a, 'b> {
	candidate: &'b Candidate<'a>,
	/// Real tokens that the view loses.
	saved: f64,
	/// The chance that it is needed again, and what that costs by the mean.
	chance: f64,
	recall: f64,
	worth: f64,
}

impl Offer {
	fn add(&mut self, one: &Valued) {
		self.saved += one.saved;
		self.recalls += one.chance;
		self.price_of_recalls += one.recall;
	}
}

/// A plan in the making.
struct Draft<'a> {
	settings: &'a Settings,
	situation: &'a Situation,
	calibration: &'a Calibration,
	terms: Terms,
	unchanged: &'a [usize],
	/// Estimated tokens of the context with the edits so far.
	estimate: u32,
	edits: Vec<Edit>,
	/// What the edits come to, and estimated tokens in front of the first of them.
	made: Offer,
	first: Option<u32>,
	reason: Reason,
	figures: Figures,
}

impl Draft<'_> {
	fn context(&self) -> u32 {
		self.calibration.context(self.estimate)
	}

	fn can_reread(&self, candidate: &Candidate) -> bool {
		match candidate.rereadable() {
			Rereadable::Yes => true,
			Rereadable::IfUnchanged(_) => self.unchanged.contains(&candidate.entry),
			Rereadable::No => false,
		}
	}

	fn may_fold(&self, candidate: &Candidate) -> bool {
		if !is_left_alone(candidate, self.settings) {
			return false;
		}
		// Whether an automatic cache lived shows in what was read of the head: cold as it may seem, that stays.
		let is_head = self.calibration.context(candidate.before) < self.settings.floor.head;
		if is_head && self.situation.kind == Kind::Automatic {
			return false;
		}
		let is_old = candidate.trace.turns >= PROTECTED_TURNS || candidate.trace.age >= self.settings.in_turn_age;
		is_old && self.situation.recallable || self.can_reread(candidate)
	}

	/// The candidates that are worth folding, in projected order.
	fn valued<'a, 'b>(&self, survey: &'b Survey<'a>) -> Vec<Valued<'a, 'b>> {
		let allowed: Vec<_> = survey.candidates.iter().filter(|candidate| self.may_fold(candidate)).collect();
		let saved = |candidate: &Candidate| {
			let placeholder = USUAL_PLACEHOLDER.min(candidate.tokens / CLEARLY_SMALLER);
			self.calibration.factor * f64::from(candidate.tokens - placeholder)
		};
		let after = self.terms.context - allowed.iter().map(|candidate| saved(candidate)).sum::<f64>();
		let valued = allowed.into_iter().map(|candidate| {
			let saved = saved(candidate);
			let chance = chance(&candidate.trace, self.terms.pace.ahead);
			let recall = chance * self.terms.price_of_recall(saved, after);
			Valued { candidate, saved, chance, recall, worth: self.terms.worth_of_token() * saved - recall }
		});
		let likeliest = if self.situation.is_warm() { self.settings.law.likeliest } else { f64::INFINITY };
		valued.filter(|valued| valued.worth > 0.0 && valued.chance <= likeliest).collect()
	}

	/// Folds what stands behind the place where that pays most.
	fn fold_warm(&mut self, branch: &Branch, survey: &Survey) {
		let valued = self.valued(survey);
		self.figures.candidates = valued.len() as u32;
		if valued.is_empty() {
			return;
		}
		self.reason = Reason::Waits;
		let is_explicit = self.situation.kind == Kind::Explicit;
		let reach = is_explicit.then(|| Reach::of(branch, self.calibration, self.situation.lifetime));
		let mut offer = Offer::default();
		let (mut from, mut best) = (valued.len(), f64::NEG_INFINITY);
		for (at, one) in valued.iter().enumerate().rev() {
			offer.add(one);
			// Of an explicit cache what stands at the newest entry in front that is sure to live; else tools and system text.
			let read = match &reach {
				Some(reach) => reach
					.readable(one.candidate.entry, self.situation.now, self.situation.lifetime)
					.unwrap_or(f64::from(self.calibration.context(survey.head))),
				None => f64::from(self.calibration.context(one.candidate.before)),
			};
			offer.rewritten = self.rewritten(survey, read, &offer);
			let payback = self.terms.payback(&offer);
			let net = payback.gain() - payback.rewrite * self.settings.law.eagerness;
			if net > best {
				(from, best) = (at, net);
				(self.figures.offer, self.figures.payback) = (offer, payback);
			}
		}
		if best > 0.0 {
			for one in valued.iter().skip(from) {
				self.replace(one, Reason::Pays);
			}
		}
	}

	/// Folds what stands outside the last two user turns, and in them what leads to the target. Should the cache live after
	/// all, the rewrite must be worth it.
	fn fold_cold(&mut self, survey: &Survey, target: u32) {
		let valued = self.valued(survey);
		self.figures.candidates = valued.len() as u32;
		let estimate = self.estimate;
		let (mut previous, mut aged) = (Vec::new(), Vec::new());
		for one in &valued {
			if one.candidate.trace.turns >= PROTECTED_TURNS {
				self.replace(one, Reason::Old);
			} else if self.can_reread(one.candidate) {
				previous.push(one);
			} else {
				aged.push(one);
			}
		}
		self.fold_to(target, previous, Reason::Rereadable);
		self.fold_to(target, aged, Reason::Aged);
		let mut offer = self.made;
		let read = self.calibration.context(self.first.unwrap_or(survey.sent));
		offer.rewritten = self.rewritten(survey, f64::from(read), &offer);
		(self.figures.offer, self.figures.payback) = (offer, self.terms.payback(&offer));
		if self.figures.payback.gain() < self.figures.payback.rewrite {
			self.edits.clear();
			(self.estimate, self.reason) = (estimate, Reason::Waits);
		}
	}

	/// Real tokens that the last request sent behind those that are read from the cache, less what is folded.
	fn rewritten(&self, survey: &Survey, read: f64, offer: &Offer) -> f64 {
		(f64::from(self.calibration.context(survey.sent)) - offer.saved - read).max(0.0)
	}

	/// Folds the largest first, and only while the context is above the target.
	fn fold_to(&mut self, target: u32, valued: Vec<&Valued>, reason: Reason) {
		for one in in_order(valued, |one| largest_first(one.candidate)) {
			if self.context() <= target {
				return;
			}
			self.replace(one, reason);
		}
	}

	fn replace(&mut self, one: &Valued, reason: Reason) {
		let candidate = one.candidate;
		let handle = candidate.handle();
		let origin = candidate.origin(&handle, self.situation.recallable);
		let placeholder = render(&origin);
		let tokens = estimated(Size { units: units(&placeholder), images: 0 });
		if tokens.saturating_mul(CLEARLY_SMALLER) > candidate.tokens {
			return;
		}
		let saved = candidate.tokens - tokens;
		self.made.add(one);
		self.first = Some(self.first.map_or(candidate.before, |first| first.min(candidate.before)));
		self.estimate = self.estimate.saturating_sub(saved);
		self.reason = reason;
		self.edits.push(Edit {
			entry: candidate.entry,
			position: candidate.position,
			tokens: self.calibration.real(saved),
			subject: subject_of(origin.tool, origin.call),
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
