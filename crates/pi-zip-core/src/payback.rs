//! The law: what an edit of the view saves against what it costs, on plain numbers.
//!
//! Expected over the rest of the warm stretch, in the unit of the prices. At the next cold return the same outputs can be
//! folded without a rewrite, so nothing behind it counts. It knows no session and chooses nothing.

use crate::pace::Pace;
use crate::prices::{Prices, Tariff};

/// Tokens of an answer that only asks for an original: a call with a handle.
const ASKING: f64 = 80.0;

/// Tokens of the summary that Pi's compaction writes over those that it stands for, and its bounds.
const SUMMARY_SHARE: f64 = 0.1;
const LEAST_SUMMARY: f64 = 1_000.0;
const MOST_SUMMARY: f64 = 8_000.0;

/// The circumstances of a request that may be edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
	/// The chance that the cache is alive.
	pub warm: f64,
	pub tariff: Tariff,
	/// Real tokens of the request without the edit.
	pub context: f64,
	pub pace: Pace,
	/// Later requests that an edit is credited with, by the mean.
	pub credited: f64,
	/// Pi's own compaction, where it is on.
	pub compaction: Option<Compaction>,
	/// What the request in which the model asks for an original counts over its money.
	pub trouble: f64,
}

/// Pi's own compaction, in real tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compaction {
	pub trigger: f64,
	pub keep: f64,
}

/// An edit, in real tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offer {
	/// What the view loses.
	pub saved: f64,
	/// What stands behind the first change and would be read if the cache lives.
	pub rewritten: f64,
	/// Recalls that it leads to, by the mean, and what they cost.
	pub recalls: f64,
	pub price_of_recalls: f64,
}

/// What an edit comes to, in money.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Payback {
	/// Saved in this request,
	pub now: f64,
	/// in those after it,
	pub later: f64,
	/// by a compaction that comes later or not at all,
	pub compaction: f64,
	/// and by a dearer price tier that is reached later.
	pub tier: f64,
	pub recalls: f64,
	/// What is written again for it.
	pub rewrite: f64,
}

impl Payback {
	/// What is saved, recalls paid.
	pub fn gain(&self) -> f64 {
		self.now + self.later + self.compaction + self.tier - self.recalls
	}
}

impl Terms {
	fn prices(&self) -> &Prices {
		self.tariff.at(self.context)
	}

	/// What the edit saves and costs.
	pub fn payback(&self, offer: &Offer) -> Payback {
		let prices = self.prices();
		let after = self.context - offer.saved;
		Payback {
			now: self.now() * offer.saved,
			later: prices.read * self.credited * offer.saved,
			compaction: self.cost_of_compaction(self.context) - self.cost_of_compaction(after),
			tier: self.cost_of_tier(self.context) - self.cost_of_tier(after),
			recalls: offer.price_of_recalls,
			rewrite: self.warm * prices.again() * offer.rewritten.max(0.0),
		}
	}

	/// What each token that the view loses saves for certain: in this request and in those after it.
	pub fn worth_of_token(&self) -> f64 {
		self.now() + self.prices().read * self.credited
	}

	/// How often the price of writing a token again goes into that of so many reads, at least once.
	pub fn rewrite_in_reads(&self, reads: f64) -> f64 {
		let prices = self.prices();
		// Where nothing is paid for it there is no ratio, and `max` passes over what is no number.
		(reads * prices.read / prices.again()).min(reads).max(1.0)
	}

	/// What a token costs in this request.
	fn now(&self) -> f64 {
		let prices = self.prices();
		self.warm * prices.read + (1.0 - self.warm) * prices.anew()
	}

	/// What a recall of `tokens` costs once the view has `context` tokens: a request that asks, and the tokens, which are
	/// written and then read again, on average over half of what is to come.
	pub fn price_of_recall(&self, tokens: f64, context: f64) -> f64 {
		let prices = self.tariff.at(context);
		let asking = prices.read * context + (prices.output + prices.anew()) * ASKING;
		self.trouble * asking + (prices.anew() + prices.read * self.credited / 2.0) * tokens
	}

	/// What Pi's compaction costs, times the chance that a view of `context` tokens reaches it.
	fn cost_of_compaction(&self, context: f64) -> f64 {
		let Some(Compaction { trigger, keep }) = self.compaction else { return 0.0 };
		let summary = (SUMMARY_SHARE * (trigger - keep)).clamp(LEAST_SUMMARY, MOST_SUMMARY);
		let prices = self.prices();
		let cost =
			prices.input * (trigger - keep).max(0.0) + prices.output * summary + prices.again() * (keep + summary);
		self.pace.reaches(self.requests_until(trigger, context)) * cost
	}

	/// What requests beyond the tier's size cost over what they would at the usual price, by the mean.
	fn cost_of_tier(&self, context: f64) -> f64 {
		let Some(tier) = &self.tariff.tier else { return 0.0 };
		let dearer = (tier.prices.read - self.tariff.base.read).max(0.0) * tier.above;
		dearer * (self.pace.ahead - self.pace.within(self.requests_until(tier.above, context)))
	}

	fn requests_until(&self, size: f64, context: f64) -> f64 {
		((size - context) / self.pace.growth).max(0.0)
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::prices::Tier;

	const PRICES: Prices = Prices { input: 1.0, output: 5.0, read: 0.1, write: 1.25 };

	/// A view of 90,000 tokens that grows by 1,000 a request, 30 of which are expected.
	fn terms(warm: f64) -> Terms {
		let pace = Pace { growth: 1_000.0, behind: 5, ahead: 30.0 };
		let tariff = Tariff { base: PRICES, tier: None };
		Terms { warm, tariff, context: 90_000.0, pace, credited: 30.0, compaction: None, trouble: 1.0 }
	}

	const OFFER: Offer = Offer { saved: 10_000.0, rewritten: 8_000.0, recalls: 0.0, price_of_recalls: 0.0 };

	#[track_caller]
	fn check(name: &str, is: f64, expected: f64) {
		assert!((is - expected).abs() < 1e-6, "{name}: {is}, not {expected}");
	}

	#[test]
	fn cold_a_token_that_is_left_out_is_not_written_and_not_read_later() {
		let payback = terms(0.0).payback(&OFFER);
		check("now", payback.now, 12_500.0);
		check("later", payback.later, 30_000.0);
		check("rewrite", payback.rewrite, 0.0);
		check("gain", payback.gain(), 42_500.0);
	}

	#[test]
	fn warm_what_stands_behind_is_written_again() {
		let payback = Terms { credited: 15.0, ..terms(1.0) }.payback(&OFFER);
		check("now", payback.now, 1_000.0);
		check("later", payback.later, 15_000.0);
		check("rewrite", payback.rewrite, 9_200.0);
	}

	#[test]
	fn half_warm_is_half_of_each() {
		let payback = terms(0.5).payback(&OFFER);
		check("now", payback.now, 500.0 + 6_250.0);
		check("rewrite", payback.rewrite, 4_600.0);
	}

	#[test]
	fn a_dearer_tier_that_is_reached_later_saves_what_it_adds_to_each_request() {
		// Without the edit 10 requests until 200,000, of which 7.5 come, so 22.5 beyond it at 20,000 more each; with it 30
		// requests, of which 15 come.
		let prices = Prices { read: 0.2, ..PRICES };
		let tariff = Tariff { base: PRICES, tier: Some(Tier { above: 200_000.0, prices }) };
		let terms = Terms { tariff, context: 190_000.0, ..terms(1.0) };
		check("tier", terms.payback(&Offer { saved: 20_000.0, ..OFFER }).tier, 20_000.0 * (22.5 - 15.0));
		let far = Terms { context: 90_000.0, ..terms };
		assert!(far.payback(&OFFER).tier < 20_000.0);
	}

	#[test]
	fn a_compaction_that_is_less_likely_saves_its_share() {
		// Reached after 10 requests by 0.75² or after 30 by 0.5². It reads 80,000, puts out 8,000 and writes 28,000 again.
		let terms = Terms { compaction: Some(Compaction { trigger: 100_000.0, keep: 20_000.0 }), ..terms(1.0) };
		let cost = 80_000.0 + 5.0 * 8_000.0 + 1.15 * 28_000.0;
		check("compaction", terms.payback(&Offer { saved: 20_000.0, ..OFFER }).compaction, cost * (0.5625 - 0.25));
	}

	#[test]
	fn a_recall_costs_a_request_and_its_tokens() {
		// 5,000 for the request, 500 for the asking, 1,250 for the tokens and 1,500 for reading them half of the rest.
		check("recall", terms(0.0).price_of_recall(1_000.0, 50_000.0), 8_250.0);
		check("trouble", Terms { trouble: 2.0, ..terms(0.0) }.price_of_recall(1_000.0, 50_000.0), 13_750.0);
	}

	#[test]
	fn where_reading_costs_nothing_there_is_nothing_to_gain() {
		let tariff = Tariff { base: Prices { read: 0.0, ..PRICES }, tier: None };
		let payback = Terms { tariff, ..terms(1.0) }.payback(&OFFER);
		check("gain", payback.gain(), 0.0);
		assert!(payback.rewrite > 0.0);
	}
}
