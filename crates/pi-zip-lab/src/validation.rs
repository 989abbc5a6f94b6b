//! The simulation against what providers reported: the policy *as recorded*, request by request.
//!
//! The first request of a file is left out on both sides, since what was cached before it is not known; so are requests
//! without a report. What is off by more than a little is put down to a cause that the request shows.

use crate::cache_model::CacheUse;
use crate::policy::AsRecorded;
use crate::rates::RateBook;
use crate::recording::{Kind, Recording};
use crate::replay::replay;

/// Tokens by which a simulated read may be off before it is given a cause.
const TOLERATED: f64 = 2_048.0;

/// The two sides of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
	pub requests: usize,
	/// Tokens read from the cache.
	pub read: Sides,
	/// In the unit of the prices.
	pub cost: Sides,
	/// What the error of the cost comes from, the largest first.
	pub causes: Vec<(Cause, Share)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sides {
	pub reported: f64,
	pub simulated: f64,
}

impl Sides {
	/// The error of the simulation, as a share of what was reported.
	pub fn error(&self) -> f64 {
		if self.reported > 0.0 { self.simulated / self.reported - 1.0 } else { 0.0 }
	}
}

/// Why a request was served otherwise than simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
	/// Nothing that was sent before was read, although it should still have been there.
	LostEarly,
	/// A part was read, although more should have been there.
	ReadInPart,
	/// It was read although it had most likely expired.
	Outlived,
	/// The model changed, and what it had of an earlier turn is not known.
	Switched,
}

impl Cause {
	pub fn name(self) -> &'static str {
		match self {
			Self::LostEarly => "lost before its time",
			Self::ReadInPart => "read in part",
			Self::Outlived => "outlived its lifetime",
			Self::Switched => "after a change of model",
		}
	}
}

/// How much of a session a cause explains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
	pub requests: usize,
	/// Of the reported cost; below zero where the simulation is too cheap by it.
	pub cost: f64,
}

/// Compares a session; `None` where no use of a cache is reported.
pub fn validate(recording: &Recording) -> Option<Validation> {
	let rates = RateBook::observed(recording);
	let simulated = replay(recording, &mut AsRecorded, &rates);
	let mut validation = Validation::default();
	let mut causes: Vec<(Cause, Share)> = Vec::new();
	for (index, request) in recording.requests.iter().enumerate().skip(1) {
		let (Kind::Answer, Some(usage)) = (request.kind, request.usage) else { continue };
		let own = rates.of(&request.model);
		let prices = own.prices.at(usage.request().unwrap_or(0.0));
		let served = simulated.requests[index].served;
		let reported =
			request.cost.map_or_else(|| prices.cost(&CacheUse::from(&usage), usage.output), |cost| cost.total);
		validation.requests += 1;
		validation.read.reported += usage.cache_read;
		validation.read.simulated += served.read;
		validation.cost.reported += reported;
		validation.cost.simulated += prices.cost(&served, usage.output);
		let off = served.read - usage.cache_read;
		if off.abs() > TOLERATED {
			let before = &recording.requests[index - 1];
			let cause = match off {
				_ if before.model != request.model => Cause::Switched,
				off if off < 0.0 => Cause::Outlived,
				off if off > served.read / 2.0 => Cause::LostEarly,
				_ => Cause::ReadInPart,
			};
			let anew = if own.is_explicit() { prices.write } else { prices.input };
			let place = causes.iter().position(|(known, _)| *known == cause).unwrap_or_else(|| {
				causes.push((cause, Share::default()));
				causes.len() - 1
			});
			causes[place].1.requests += 1;
			causes[place].1.cost -= off * (anew - prices.read);
		}
	}
	if validation.read.reported <= 0.0 {
		return None;
	}
	for (_, share) in &mut causes {
		share.cost /= validation.cost.reported;
	}
	causes.sort_by(|one, other| other.1.cost.abs().total_cmp(&one.1.cost.abs()));
	Some(Validation { causes, ..validation })
}

/// The middle of some errors, by size; zero where there are none.
pub fn median(errors: impl Iterator<Item = f64>) -> f64 {
	let mut sizes: Vec<f64> = errors.map(f64::abs).collect();
	sizes.sort_by(f64::total_cmp);
	match sizes.len() {
		0 => 0.0,
		count if count % 2 == 1 => sizes[count / 2],
		count => (sizes[count / 2 - 1] + sizes[count / 2]) / 2.0,
	}
}
