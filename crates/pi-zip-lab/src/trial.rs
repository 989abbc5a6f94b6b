//! What the figures of the shipped rule are worth: the floor without each of its parts, and the law with other figures,
//! chosen by all sessions but the one that they are judged on.

use std::fmt::Write;

use pi_zip_core::plan::Settings;
use pi_zip_core::situation::{Floor, Law};

use crate::comparison::per_hundred;
use crate::policy::{KnownRule, Plain, Shipped, bound_from_age};
use crate::rates::RateBook;
use crate::recording::{Kind, Recording};
use crate::replay::{Replay, replay};

/// A session, by its name.
pub type Named = (String, Recording);

/// Misses in a hundred requests that no session may exceed.
const MOST_MISSES: f64 = 3.0;

/// A session under one setting.
#[derive(Clone, Copy, Debug)]
struct Trial {
	ratio: f64,
	cost: f64,
	misses: usize,
	requests: usize,
}

/// A session's cost under plain Pi, and its misses under the known rule.
struct Footing<'a> {
	recording: &'a Recording,
	rates: &'a RateBook,
	plain: f64,
	known: usize,
}

impl<'a> Footing<'a> {
	fn new(recording: &'a Recording, rates: &'a RateBook) -> Self {
		let plain = replay(recording, &mut Plain, rates).cost;
		let known = replay(recording, &mut KnownRule::default(), rates).misses;
		Self { recording, rates, plain, known }
	}

	fn trial(&self, settings: Settings) -> Trial {
		self.of(&replay(self.recording, &mut Shipped::new(settings), self.rates))
	}

	fn clairvoyant(&self, youngest: u32) -> Trial {
		self.of(&bound_from_age(youngest, self.recording, self.rates, &[]))
	}

	fn of(&self, found: &Replay) -> Trial {
		let requests = self.recording.requests.iter().filter(|request| request.kind == Kind::Answer).count();
		Trial {
			ratio: found.cost / self.plain.max(f64::MIN_POSITIVE),
			cost: found.cost,
			misses: found.misses,
			requests,
		}
	}
}

fn footings<'a>(sessions: &'a [Named], rates: &'a RateBook) -> Vec<Footing<'a>> {
	sessions.iter().map(|(_, recording)| Footing::new(recording, rates)).collect()
}

/// Each part of the floor left out, one at a time: what it prevents.
pub fn floors(sessions: &[Named], rates: &RateBook) -> String {
	let whole = Settings::default();
	let without = |floor: Floor| Settings { floor, ..whole };
	let parts = [
		("the whole floor", whole),
		("no warm floor of 20,000 tokens", without(Floor { warm: 0, ..whole.floor })),
		("no least age", without(Floor { age: 0, ..whole.floor })),
		("no working set", without(Floor { working_set: 0, ..whole.floor })),
		("recalled texts at once", without(Floor { recalled: 0, ..whole.floor })),
		("no head of 8,192 tokens", without(Floor { head: 0, ..whole.floor })),
		("the last two turns from 12 requests on", Settings { in_turn_age: 12, ..whole }),
		("no floor at all", {
			let floor = Floor { warm: 0, age: 0, working_set: 0, recalled: 0, head: 0 };
			Settings { floor, in_turn_age: 0, ..whole }
		}),
	];
	let footings = footings(sessions, rates);
	let plain: f64 = footings.iter().map(|footing| footing.plain).sum();
	let mut table =
		"| | mean of ratios | total ratio | misses | dearest session |\n|---|---:|---:|---:|---:|\n".to_owned();
	let shipped = parts.map(|(name, settings)| {
		let trials: Vec<Trial> = footings.iter().map(|footing| footing.trial(settings)).collect();
		(name.to_owned(), trials)
	});
	let youngest = whole.floor.age;
	let clairvoyant = footings.iter().map(|footing| footing.clairvoyant(youngest)).collect();
	let bound = (format!("clairvoyant, from an age of {youngest} requests on"), clairvoyant);
	for (name, trials) in shipped.into_iter().chain([bound]) {
		let count = trials.len().max(1) as f64;
		let mean = trials.iter().map(|trial| trial.ratio).sum::<f64>() / count;
		let total = trials.iter().map(|trial| trial.cost).sum::<f64>() / plain;
		let misses: usize = trials.iter().map(|trial| trial.misses).sum();
		let dearest = trials.iter().map(|trial| trial.ratio).fold(0.0, f64::max);
		let _ = writeln!(table, "| {name} | {mean:.3} | {total:.3} | {misses} | {dearest:.3} |");
	}
	table
}

/// Figures of the law that are tried.
fn grid() -> Vec<Settings> {
	let mut all = Vec::new();
	for eagerness in [3.0, 4.0] {
		for horizon in [60.0, 80.0, 120.0] {
			for likeliest in [0.15, 0.25] {
				for in_turn_age in [6, 8, 12] {
					let law = Law { eagerness, horizon, likeliest, ..Law::default() };
					all.push(Settings { law, in_turn_age, ..Settings::default() });
				}
			}
		}
	}
	all
}

/// For each session the figures that are best on the others, and what they come to on it.
pub fn leave_one_out(sessions: &[Named], rates: &RateBook) -> String {
	let footings = footings(sessions, rates);
	let grid = grid();
	let trials: Vec<Vec<Trial>> =
		grid.iter().map(|settings| footings.iter().map(|footing| footing.trial(*settings)).collect()).collect();
	let mut table =
		"| session | eagerness | horizon | likeliest | age in the last turns | ratio | misses | per 100 |\n\
		|---|---:|---:|---:|---:|---:|---:|---:|\n"
			.to_owned();
	let (mut ratios, mut cost, mut misses) = (0.0, 0.0, 0);
	for (held, (name, _)) in sessions.iter().enumerate() {
		let score = |at: &usize| score(&trials[*at], &footings, held);
		let Some(best) = (0..grid.len()).min_by(|one, other| score(one).total_cmp(&score(other))) else { continue };
		let (Settings { law, in_turn_age, .. }, trial) = (grid[best], trials[best][held]);
		let Law { eagerness, horizon, likeliest, .. } = law;
		let rate = per_hundred(trial.misses, trial.requests);
		let _ = writeln!(
			table,
			"| {name} | {eagerness} | {horizon} | {likeliest} | {in_turn_age} | {:.3} | {} | {rate:.1} |",
			trial.ratio, trial.misses
		);
		ratios += trial.ratio;
		cost += trial.cost;
		misses += trial.misses;
	}
	let plain: f64 = footings.iter().map(|footing| footing.plain).sum();
	let known: usize = footings.iter().map(|footing| footing.known).sum();
	let mean = ratios / sessions.len().max(1) as f64;
	let _ = writeln!(
		table,
		"\nMean of ratios {mean:.3}, total ratio {:.3}, {misses} misses (known-rule {known}).",
		cost / plain
	);
	table
}

/// Lower is better: the mean of ratios and the total, and much for each bound that is exceeded, over all sessions but one.
fn score(trials: &[Trial], footings: &[Footing], held: usize) -> f64 {
	let others = || trials.iter().zip(footings).enumerate().filter(|(at, _)| *at != held).map(|(_, pair)| pair);
	let count = others().count().max(1) as f64;
	let mean = others().map(|(trial, _)| trial.ratio).sum::<f64>() / count;
	let plain: f64 = others().map(|(_, footing)| footing.plain).sum();
	let total = others().map(|(trial, _)| trial.cost).sum::<f64>() / plain;
	let misses: usize = others().map(|(trial, _)| trial.misses).sum();
	let known: usize = others().map(|(_, footing)| footing.known).sum();
	let often = others().filter(|(trial, _)| per_hundred(trial.misses, trial.requests) > MOST_MISSES).count();
	// What the declarations alone cost stays below this.
	let dear: f64 = others().map(|(trial, _)| (trial.ratio - 1.015).max(0.0)).sum();
	mean + total + 0.02 * misses.saturating_sub(known) as f64 + 0.05 * often as f64 + dear
}
