//! A bound to measure against: it knows gaps, run lengths and needs.
//!
//! At a cold return, or where the view is changed by someone else, it folds for nothing every output whose fold is worth
//! it. While the cache is warm it knows how many requests are still to come before the next return, and folds the best
//! suffix where that pays. How much an edit must gain over its price before it is made, rather than waited with, is a
//! figure of the instance; [`bound`] takes the cheapest schedule for each session.

use pi_zip_core::session::Body;

use super::candidates::{Candidate, candidates};
use super::{Moment, Policy};
use crate::rates::RateBook;
use crate::recording::Recording;
use crate::replay::{ASKING, Replay, replay};
use crate::session_file::Change;
use crate::world::{Fold, World};

/// Real tokens of its placeholder: fewer than any that names a handle.
const PLACEHOLDER: f64 = 10.0;

/// Figures for what an edit must gain over its price, of which some are best for each session.
const EAGERNESS: [f64; 3] = [1.0, 1.5, 2.5];

/// The cheapest replay of a session that the clairvoyant has, given those of all other policies: whoever knows all can do
/// as they do.
pub fn bound(recording: &Recording, rates: &RateBook, others: &[&Replay]) -> Replay {
	bound_from_age(0, recording, rates, others)
}

/// The same where it leaves each output alone for as many requests as `youngest`.
pub fn bound_from_age(youngest: u32, recording: &Recording, rates: &RateBook, others: &[&Replay]) -> Replay {
	let future = Future::of(recording, rates);
	let own = EAGERNESS.map(|eagerness| replay(recording, &mut Clairvoyant::new(&future, eagerness, youngest), rates));
	let all = own.iter().chain(others.iter().copied());
	all.min_by(|one, other| one.cost.total_cmp(&other.cost)).cloned().unwrap_or_default()
}

/// What is to come, known for each request.
struct Future {
	/// How many requests, itself included, come before the cache is lost.
	left: Vec<usize>,
	/// Whether the cache is of no use to it.
	lost: Vec<bool>,
	/// Entries of the requests.
	answers: Vec<usize>,
}

impl Future {
	fn of(recording: &Recording, rates: &RateBook) -> Self {
		let requests = &recording.requests;
		let lost: Vec<bool> = (0..requests.len())
			.map(|index| {
				let Some(before) = index.checked_sub(1).map(|before| &requests[before]) else { return true };
				let between = &recording.entries[before.entry..requests[index].entry];
				let changed = between.iter().any(|recorded| {
					let is_compaction = matches!(recorded.entry.body, Body::Compaction { .. });
					is_compaction && rates.compaction.is_none() || recorded.change == Some(Change::Thinking)
				});
				changed
					|| requests[index].sent - before.done >= rates.of(&before.model).lifetime
					|| requests[index].model != before.model
			})
			.collect();
		let mut left = vec![1; requests.len()];
		for index in (0..requests.len().saturating_sub(1)).rev() {
			if !lost[index + 1] {
				left[index] = left[index + 1] + 1;
			}
		}
		Self { left, lost, answers: requests.iter().map(|request| request.entry).collect() }
	}

	/// How often the cache is lost between two requests.
	fn losses(&self, from: usize, to: usize) -> usize {
		self.lost[from..to].iter().filter(|lost| **lost).count()
	}
}

struct Clairvoyant<'a> {
	future: &'a Future,
	/// What an edit must gain over its price.
	eagerness: f64,
	/// Requests that it leaves an output alone after its call.
	youngest: u32,
	/// Size of the last request after its edits.
	last_size: f64,
}

/// A candidate, and what folding it saves apart from the price of the edit.
struct Valued {
	candidate: Candidate,
	worth: f64,
}

impl<'a> Clairvoyant<'a> {
	fn new(future: &'a Future, eagerness: f64, youngest: u32) -> Self {
		Self { future, eagerness, youngest, last_size: 0.0 }
	}
}

impl Policy for Clairvoyant<'_> {
	fn name(&self) -> &'static str {
		"clairvoyant"
	}

	fn edits(&mut self, world: &World, moment: &Moment) -> Vec<Fold> {
		let mut all = candidates(world, moment, 2.0 * PLACEHOLDER);
		if self.youngest > 0 {
			all.retain(|candidate| world.branch.age(candidate.entry) >= self.youngest);
		}
		let valued =
			all.into_iter().map(|candidate| Valued { worth: self.worth(world, moment, &candidate), candidate });
		let free: Vec<Valued> = valued.filter(|valued| valued.worth > 0.0).collect();
		let from = if self.future.lost[moment.request] { 0 } else { self.best_suffix(moment, &free) };
		let chosen = &free[from..];
		self.last_size = moment.size - chosen.iter().map(|valued| saved(&valued.candidate)).sum::<f64>();
		let fold = |valued: &Valued| Fold {
			entry: valued.candidate.entry,
			tokens: PLACEHOLDER,
			units: 3 * PLACEHOLDER as u32,
		};
		chosen.iter().map(fold).collect()
	}
}

fn saved(candidate: &Candidate) -> f64 {
	candidate.tokens - PLACEHOLDER
}

impl Clairvoyant<'_> {
	/// What is saved until the output is needed, less what fetching it then costs.
	fn worth(&self, world: &World, moment: &Moment, candidate: &Candidate) -> f64 {
		let prices = moment.prices.at(moment.size);
		let (read, write) = (prices.read, prices.write.max(prices.input));
		let answer = self.future.answers[moment.request];
		let Some(recorded) = world.recorded_at(candidate.entry) else { return 0.0 };
		let needed = world.recording.needs.next_of(recorded, answer);
		let Some(needed) = needed else { return read * saved(candidate) * self.future.left[moment.request] as f64 };
		let at = self.future.answers.partition_point(|answer| *answer < needed);
		let losses = self.future.losses((moment.request + 1).min(at), at) as f64;
		let until = (at - moment.request) as f64;
		let gain = saved(candidate) * (read * until + (write - read) * losses);
		gain - read * moment.size - write * (candidate.tokens + ASKING) - prices.output * ASKING
	}

	/// Where the suffix begins whose fold gains most; the end where none pays.
	fn best_suffix(&self, moment: &Moment, free: &[Valued]) -> usize {
		let prices = moment.prices.at(moment.size);
		let (read, write) = (prices.read, prices.write.max(prices.input));
		// What came since the last request is written in any case.
		let fresh = (moment.size - self.last_size).max(0.0);
		let (mut best, mut most) = (free.len(), 0.0);
		let (mut less, mut gain) = (0.0, 0.0);
		for (at, Valued { candidate, worth }) in free.iter().enumerate().rev() {
			less += saved(candidate);
			gain += worth;
			let rewritten = (moment.size - candidate.before - less - fresh).max(0.0);
			let price = (write - read) * rewritten;
			if gain - price > most && gain >= price * self.eagerness {
				(best, most) = (at, gain - price);
			}
		}
		best
	}
}
