//! The rule of a known implementation of the same idea.
//!
//! At a cold return it folds all outside the last two user turns; while the context is above the target, also what can be
//! read again of the previous turn, and what is many requests old. While the cache is warm it folds the same outputs only
//! where its law says that it pays, and never twice in a row.

use super::candidates::{Candidate, can_reread, candidates};
use super::{DECLARATION_TOKENS, Moment, Policy};
use crate::compaction::Compaction;
use crate::world::{Fold, World};

/// Real tokens that a return aims at.
const TARGET: f64 = 40_000.0;

/// Real tokens from which on an output is worth folding.
const SMALLEST: f64 = 500.0;

/// Requests after which an output of a protected turn may be folded.
const OLD_AGE: u32 = 60;

/// Real tokens of a placeholder. That implementation's are longer; as many as ours, so that the rules alone are compared.
const PLACEHOLDER: f64 = 110.0;

/// Real tokens of declarations, as ours for the same reason.
const DECLARED: f64 = DECLARATION_TOKENS;

/// UTF-16 units to a real token of a placeholder.
const UNITS_PER_TOKEN: f64 = 3.0;

#[derive(Default)]
pub struct KnownRule {
	/// The request that was edited last.
	edited: Option<usize>,
	/// What the prompt grew by since the first request, and over how many requests.
	grown: f64,
	requests: f64,
	last_size: f64,
}

impl KnownRule {
	/// Tokens by which the prompt grows in a request.
	fn growth(&self) -> f64 {
		if self.requests > 0.0 { (self.grown / self.requests).max(1.0) } else { 1_000.0 }
	}

	fn learn(&mut self, size: f64) {
		if self.last_size > 0.0 && size > self.last_size {
			self.grown += size - self.last_size;
			self.requests += 1.0;
		}
		self.last_size = size;
	}

	/// Whether folding `saved` tokens of a warm context pays by the rule's law.
	fn pays(&self, moment: &Moment, saved: f64) -> bool {
		let prices = moment.prices.at(moment.size);
		let (read, write) = (prices.read, prices.write);
		let rest = moment.size - saved;
		let gain = read * saved * saved / (2.0 * self.growth()) + Self::relief(moment) * saved;
		gain >= (write - read) * rest
	}

	/// What each folded token saves of a compaction that is due: zero below Pi's trigger.
	fn relief(moment: &Moment) -> f64 {
		let Some(Compaction { trigger, keep }) = moment.compaction else { return 0.0 };
		if moment.size < trigger || moment.size <= keep {
			return 0.0;
		}
		let prices = moment.prices.at(moment.size);
		let summary = (0.1 * (moment.size - keep)).clamp(1_000.0, 8_000.0);
		let after = keep + summary;
		let cost = prices.write * (moment.size - keep) + prices.output * summary + (prices.write - prices.read) * after;
		cost / (moment.size - after).max(1.0)
	}
}

impl Policy for KnownRule {
	fn name(&self) -> &'static str {
		"known-rule"
	}

	fn declared(&self) -> f64 {
		DECLARED
	}

	fn edits(&mut self, world: &World, moment: &Moment) -> Vec<Fold> {
		self.learn(moment.size);
		let cold = moment.idle >= moment.lifetime;
		let in_a_row = self.edited.is_some_and(|edited| edited + 1 == moment.request);
		if !cold && (moment.size <= TARGET || in_a_row) {
			return Vec::new();
		}
		let chosen = choose(world, moment);
		let saved: f64 = chosen.iter().map(|candidate| candidate.tokens - PLACEHOLDER).sum();
		if chosen.is_empty() || !cold && !self.pays(moment, saved) {
			return Vec::new();
		}
		self.edited = Some(moment.request);
		self.last_size = moment.size - saved;
		chosen.into_iter().map(fold).collect()
	}
}

fn fold(candidate: Candidate) -> Fold {
	Fold { entry: candidate.entry, tokens: PLACEHOLDER, units: (PLACEHOLDER * UNITS_PER_TOKEN) as u32 }
}

fn choose(world: &World, moment: &Moment) -> Vec<Candidate> {
	let turns = world.branch.turns();
	let current = turns.last().copied().unwrap_or(0);
	let all = candidates(world, moment, SMALLEST);
	let free = all.into_iter().filter(|candidate| !candidate.is_recall);
	let (mut chosen, protected): (Vec<_>, Vec<_>) = free.partition(|candidate| current - turns[candidate.entry] >= 2);
	let mut size = moment.size - chosen.iter().map(|candidate| candidate.tokens - PLACEHOLDER).sum::<f64>();
	let (mut previous, mut old) = (Vec::new(), Vec::new());
	for candidate in protected {
		if current - turns[candidate.entry] == 1 && can_reread(world, candidate.entry) {
			previous.push(candidate);
		} else if world.branch.age(candidate.entry) >= OLD_AGE {
			old.push(candidate);
		}
	}
	for mut group in [previous, old] {
		group.sort_by(|one, other| other.tokens.total_cmp(&one.tokens));
		for candidate in group {
			if size <= TARGET {
				return chosen;
			}
			size -= candidate.tokens - PLACEHOLDER;
			chosen.push(candidate);
		}
	}
	chosen
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::prices::Prices;

	/// Whether folding `saved` of `size` tokens pays where the prompt grows by 1,000 tokens a request.
	fn pays(size: f64, saved: f64, compaction: Option<Compaction>) -> bool {
		let rule = KnownRule { grown: 5_000.0, requests: 5.0, ..KnownRule::default() };
		let prices = Prices::ratios(0.1, 1.25);
		let moment = Moment {
			request: 9,
			slots: &[],
			size,
			head: 0.0,
			scale: 1.0,
			idle: 0,
			lifetime: 300_000,
			belief: None,
			opens_run: false,
			is_explicit: false,
			prices: &prices,
			compaction,
		};
		rule.pays(&moment, saved)
	}

	#[test]
	fn a_warm_edit_must_pay_back_what_it_writes_again() {
		// 0.1 * 40,000^2 / 2,000 = 80,000 against 1.15 * 69,000 = 79,350, or 1.15 * 70,000 = 80,500.
		assert!(pays(109_000.0, 40_000.0, None));
		assert!(!pays(110_000.0, 40_000.0, None));
	}

	#[test]
	fn above_the_trigger_it_saves_a_compaction_too() {
		// keep 20,000 and a summary of 8,000: (1.25 * 80,000 + 5 * 8,000 + 1.15 * 28,000) / 72,000 = 2.39 a token.
		// 10,000 folded tokens: 5,000 + 23,919 against 1.15 * 90,000 = 103,500; 35,000: 61,250 + 83,717 against 74,750.
		let compaction = Some(Compaction { trigger: 100_000.0, keep: 20_000.0 });
		assert!(!pays(100_000.0, 10_000.0, compaction));
		assert!(pays(100_000.0, 35_000.0, compaction));
		// One token below the trigger the same fold saves 61,250 only, against 74,748.
		assert!(!pays(99_999.0, 35_000.0, compaction));
	}
}
