//! A plan in the making: what each candidate is worth, and which of them are folded.
//!
//! Knows the law (`payback`) and the floor; what the candidates are was found by `survey`. It writes the placeholders.

use super::survey::{Candidate, Survey};
use super::{Figures, PROTECTED_TURNS, Plan, Reason, in_order, is_left_alone, largest_first};
use crate::cache::{Kind, Readable};
use crate::classify::Rereadable;
use crate::edit::Edit;
use crate::need::chance;
use crate::pace::{Pace, goes_on};
use crate::payback::{Compaction, Offer, Payback, Terms};
use crate::placeholder::{render, subject};
use crate::session::{Branch, Size};
use crate::situation::{Settings, Situation};
use crate::text::units;
use crate::tokens::{Calibration, estimated};

/// A fold is made only where the placeholder is at most one part in this many of the original.
pub const CLEARLY_SMALLER: u32 = 3;

/// Estimated tokens that a placeholder has mostly.
const USUAL_PLACEHOLDER: u32 = 80;

/// Requests that are let go at most before a run is looked at again.
const LONGEST_WAIT: u32 = 8;

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
pub(super) struct Draft<'a> {
	settings: &'a Settings,
	situation: &'a Situation,
	calibration: &'a Calibration,
	terms: Terms,
	unchanged: &'a [usize],
	/// Real tokens of the context without an edit.
	before: u32,
	/// Estimated tokens of the context with the edits so far.
	estimate: u32,
	edits: Vec<Edit>,
	/// What the edits come to, and estimated tokens in front of the first of them.
	made: Offer,
	first: Option<u32>,
	reason: Reason,
	/// Real tokens by which the view must grow before there can be an edit.
	lacking: f64,
	figures: Figures,
}

/// Below this chance that the run sends another request a warm edit waits for the next prompt: until then the cache may be
/// lost and the edit be free, or nobody comes back.
const LEAST_GOING_ON: f64 = 0.5;

impl<'a> Draft<'a> {
	/// `estimate` is that of the whole context.
	pub fn new(
		branch: &Branch,
		calibration: &'a Calibration,
		settings: &'a Settings,
		situation: &'a Situation,
		unchanged: &'a [usize],
		estimate: u32,
	) -> Self {
		let before = calibration.context(estimate);
		let pace = Pace::of(branch, calibration, &situation.survival, !situation.is_warm(), &situation.stretches);
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
		let figures = Figures { growth: pace.growth, behind: pace.behind, ahead: pace.ahead, ..Figures::default() };
		Self {
			settings,
			situation,
			calibration,
			terms,
			unchanged,
			before,
			estimate,
			edits: Vec::new(),
			made: Offer::default(),
			first: None,
			reason: Reason::Nothing,
			lacking: 0.0,
			figures,
		}
	}

	/// The plan. `target` is what a cold return aims at, in real tokens.
	pub fn finish(self, target: u32) -> Plan {
		let figures = Figures { again: self.again(), ..self.figures };
		let (before, after) = (self.before, self.context());
		let edits = in_order(self.edits, |edit| edit.position.into());
		Plan { before, after, target, reason: self.reason, figures, edits }
	}

	/// Requests after which it is worth looking at the run again: what is missing grows by about the same each time.
	fn again(&self) -> u32 {
		let wait = match self.reason {
			// At four times the growth, since growth is uneven.
			_ if self.lacking > 0.0 => self.lacking / (4.0 * self.figures.growth),
			Reason::Waits => {
				let Payback { rewrite, .. } = self.figures.payback;
				let reached = self.figures.payback.gain() / (rewrite * self.eagerness()).max(1.0);
				f64::from(LONGEST_WAIT) * (1.0 - reached)
			}
			Reason::Nothing => f64::from(LONGEST_WAIT / 2),
			Reason::Ends => 1.0,
			_ => f64::from(self.settings.floor.age),
		};
		// A float that is too large or no number ends at a bound.
		(wait as u32).clamp(1, LONGEST_WAIT)
	}

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
		if !is_left_alone(candidate, self.settings, self.situation) {
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

	/// Real tokens that the view loses with it, about.
	fn saved(&self, candidate: &Candidate) -> f64 {
		let placeholder = USUAL_PLACEHOLDER.min(candidate.tokens / CLEARLY_SMALLER);
		self.calibration.factor * f64::from(candidate.tokens - placeholder)
	}

	/// The candidates that are worth folding, in projected order.
	fn valued<'s, 'b>(&self, survey: &'b Survey<'s>) -> Vec<Valued<'s, 'b>> {
		let allowed: Vec<_> = survey.candidates.iter().filter(|candidate| self.may_fold(candidate)).collect();
		let after = self.terms.context - allowed.iter().map(|candidate| self.saved(candidate)).sum::<f64>();
		let valued = allowed.into_iter().map(|candidate| {
			let saved = self.saved(candidate);
			let chance = chance(&candidate.trace, self.terms.pace.ahead);
			let recall = chance * self.terms.price_of_recall(saved, after);
			Valued { candidate, saved, chance, recall, worth: self.terms.worth_of_token() * saved - recall }
		});
		let likeliest = if self.situation.is_warm() { self.settings.law.likeliest } else { f64::INFINITY };
		valued.filter(|valued| valued.worth > 0.0 && valued.chance <= likeliest).collect()
	}

	/// What an edit must gain over its rewrite.
	fn eagerness(&self) -> f64 {
		let law = &self.settings.law;
		law.eagerness * self.terms.rewrite_in_reads(law.reads)
	}

	/// Folds what stands behind the place where that pays most.
	pub fn fold_warm(&mut self, branch: &Branch, survey: &Survey) {
		if self.before < self.settings.floor.warm {
			self.reason = Reason::Small;
			self.lacking = f64::from(self.settings.floor.warm - self.before);
			return;
		}
		if survey.just_edited {
			self.reason = Reason::JustEdited;
			return;
		}
		let valued = self.valued(survey);
		self.figures.candidates = valued.len() as u32;
		if valued.is_empty() {
			return;
		}
		self.reason = Reason::Waits;
		let least = self.settings.law.share * self.terms.context;
		// However old they grow, all outputs together are too little.
		self.lacking = least - survey.candidates.iter().map(|candidate| self.saved(candidate)).sum::<f64>();
		if self.lacking > 0.0 {
			return;
		}
		let &Situation { kind, now, lifetime, .. } = self.situation;
		let readable = Readable::of(branch, self.calibration, kind, now, lifetime);
		let eagerness = self.eagerness();
		let mut offer = Offer::default();
		let (mut from, mut best) = (valued.len(), f64::NEG_INFINITY);
		for (at, one) in valued.iter().enumerate().rev() {
			offer.add(one);
			let read = readable.up_to(one.candidate.entry, one.candidate.before, survey.head);
			offer.rewritten = self.rewritten(survey, read, &offer);
			let payback = self.terms.payback(&offer);
			let net = payback.gain() - payback.rewrite * eagerness;
			let net = if offer.saved >= least { net } else { net.min(0.0) };
			if net > best {
				(from, best) = (at, net);
				(self.figures.offer, self.figures.payback) = (offer, payback);
			}
		}
		if best > 0.0 && goes_on(branch) < LEAST_GOING_ON {
			self.reason = Reason::Ends;
		} else if best > 0.0 {
			for one in valued.iter().skip(from) {
				self.replace(one, Reason::Pays);
			}
		}
	}

	/// Folds what stands outside the last two user turns, and in them what leads to the target. Should the cache live after
	/// all, the rewrite must be worth it.
	pub fn fold_cold(&mut self, survey: &Survey, target: u32) {
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
		if tokens.saturating_mul(CLEARLY_SMALLER) > candidate.seen {
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
			subject: subject(origin.tool, origin.call),
			handle,
			placeholder,
		});
	}
}
