//! Policies side by side over a set of sessions.

use crate::policy::{KnownRule, Plain, Shipped, bound};
use crate::rates::RateBook;
use crate::recording::{Kind, Recording};
use crate::replay::{Replay, replay};

/// The compared policies, in the order of the columns.
pub const POLICIES: [&str; 4] = ["plain", "known-rule", "shipped", "clairvoyant"];

const PLAIN: usize = 0;
const KNOWN: usize = 1;
const SHIPPED: usize = 2;
const CLAIRVOYANT: usize = 3;

/// One session under all policies.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
	pub name: String,
	pub requests: usize,
	/// Requests after a gap of at least the lifetime.
	pub returns: usize,
	/// By policy.
	pub outcomes: [Outcome; POLICIES.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
	pub cost: f64,
	pub folds: usize,
	pub misses: usize,
	pub recalled: f64,
	pub peak: f64,
	pub compactions: usize,
}

impl From<&Replay> for Outcome {
	fn from(replay: &Replay) -> Self {
		let Replay { cost, folds, misses, recalled, peak, compactions, .. } = *replay;
		Self { cost, folds, misses, recalled, peak, compactions }
	}
}

impl Row {
	/// Replays the session under all policies.
	pub fn of(name: &str, recording: &Recording, rates: &RateBook) -> Self {
		let plain = replay(recording, &mut Plain, rates);
		let known = replay(recording, &mut KnownRule::default(), rates);
		let shipped = replay(recording, &mut Shipped::default(), rates);
		let clairvoyant = bound(recording, rates, &[&plain, &known, &shipped]);
		let outcomes = [&plain, &known, &shipped, &clairvoyant].map(Outcome::from);
		let requests = recording.requests.iter().filter(|request| request.kind == Kind::Answer).count();
		Self { name: name.to_owned(), requests, returns: returns(recording, rates), outcomes }
	}

	/// Cost over that of plain Pi.
	pub fn ratio(&self, policy: usize) -> f64 {
		let plain = self.outcomes[PLAIN].cost;
		if plain > 0.0 { self.outcomes[policy].cost / plain } else { 1.0 }
	}

	pub fn misses_per_hundred(&self, policy: usize) -> f64 {
		per_hundred(self.outcomes[policy].misses, self.requests)
	}
}

/// Misses in a hundred requests.
pub fn per_hundred(misses: usize, requests: usize) -> f64 {
	100.0 * misses as f64 / requests.max(1) as f64
}

/// Requests after a gap of at least the lifetime.
pub fn returns(recording: &Recording, rates: &RateBook) -> usize {
	let answers = || recording.requests.iter().filter(|request| request.kind == Kind::Answer);
	let pairs = answers().zip(answers().skip(1));
	pairs.filter(|(before, request)| request.sent - before.done >= rates.of(&request.model).lifetime).count()
}

/// What a set of sessions comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
	/// By policy.
	pub mean_ratio: [f64; POLICIES.len()],
	pub total_ratio: [f64; POLICIES.len()],
	pub misses: [usize; POLICIES.len()],
	pub misses_per_hundred: [f64; POLICIES.len()],
	pub recalled: [f64; POLICIES.len()],
	pub compactions: [usize; POLICIES.len()],
	/// How much of the way from the known rule to the clairvoyant is gone, by the mean and by the total of ratios.
	pub closed: [f64; 2],
}

impl Summary {
	pub fn of(rows: &[Row]) -> Self {
		let count = rows.len().max(1) as f64;
		let requests: usize = rows.iter().map(|row| row.requests).sum();
		let sum = |policy: usize, part: fn(&Outcome) -> f64| -> f64 {
			rows.iter().map(|row| part(&row.outcomes[policy])).sum()
		};
		let policies: [usize; POLICIES.len()] = std::array::from_fn(|policy| policy);
		let plain = sum(PLAIN, |outcome| outcome.cost);
		let mean_ratio = policies.map(|policy| rows.iter().map(|row| row.ratio(policy)).sum::<f64>() / count);
		let total_ratio =
			policies.map(|policy| if plain > 0.0 { sum(policy, |outcome| outcome.cost) / plain } else { 1.0 });
		let misses = policies.map(|policy| rows.iter().map(|row| row.outcomes[policy].misses).sum::<usize>());
		let compactions = policies.map(|policy| rows.iter().map(|row| row.outcomes[policy].compactions).sum::<usize>());
		let misses_per_hundred = misses.map(|misses| 100.0 * misses as f64 / requests.max(1) as f64);
		let recalled = policies.map(|policy| sum(policy, |outcome| outcome.recalled));
		let closed = [mean_ratio, total_ratio].map(|ratio| {
			let way = ratio[KNOWN] - ratio[CLAIRVOYANT];
			if way > 0.0 { (ratio[KNOWN] - ratio[SHIPPED]) / way } else { 0.0 }
		});
		Self { mean_ratio, total_ratio, misses, misses_per_hundred, recalled, compactions, closed }
	}
}
