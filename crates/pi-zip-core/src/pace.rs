//! How fast the session grows, whether its run goes on, and how many requests are still to come before the cache is lost.
//!
//! Learned from the branch: what recent requests added, how long its runs were, how many requests there were between two
//! gaps that no cache survives, and how many there have been since the last one; and from how long the user's other
//! sessions stayed warm. How long a warm stretch goes on is heavy-tailed: the longer it has lasted, the longer it will. It
//! decides nothing.

use crate::cache::Survival;
use crate::session::{Body, Branch, Millis};
use crate::tokens::{Calibration, estimated_entry};

/// Answers that the growth is taken from: what the agent is doing now, over more than one kind of step.
const RECENT: usize = 30;

/// Real tokens by which a request grows where nothing is known, and how many requests that counts for.
const USUAL_GROWTH: f64 = 1_000.0;
const USUAL_GROWTH_WEIGHT: f64 = 3.0;

/// Requests of a warm stretch where nothing is known, by the mean. On 119 stretches without a gap over five minutes the
/// median was 10 and the 90th percentile 52; after 5 requests 30 more came by the mean, after 20 48 and after 50 69. A
/// Lomax distribution of shape 2 with this scale says 10, 54, 30, 45 and 75.
const USUAL_STRETCH: f64 = 25.0;

/// Complete stretches that the usual length counts for.
const USUAL_STRETCH_WEIGHT: f64 = 1.0;

/// The chance that a run goes on where nothing is known, and the runs that it counts for.
const USUALLY_ON: f64 = 0.9;
const USUAL_RUNS: f64 = 2.0;

/// Entries of which the runs are looked at: a bound on the work.
const MOST_ENTRIES: usize = 2_000;

/// Answers that are looked at: a bound on the work.
const MOST_ANSWERS: usize = 1_000;

/// Stretches of the user's other sessions that count at most: what is done in this one says more.
const MOST_OTHERS: f64 = 5.0;

/// Warm stretches of the user's other sessions. Older ones fade, so these are no whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretches {
	pub count: f64,
	/// In all of them.
	pub requests: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
	/// Real tokens by which a request grows.
	pub growth: f64,
	/// Requests of the present warm stretch so far.
	pub behind: u32,
	/// Requests of it that are still to come, by the mean.
	pub ahead: f64,
}

impl Pace {
	/// `survival` tells which gaps ended a stretch; `returns` that the present request begins a new one; `others` how long
	/// those of the user's other sessions were.
	pub fn of(
		branch: &Branch,
		calibration: &Calibration,
		survival: &Survival,
		returns: bool,
		others: &Stretches,
	) -> Self {
		let (mut growth, mut answers) = (0.0, 0);
		// Complete stretches and their requests, and those of the present one.
		let (mut complete, mut requests, mut behind) = (0.0, 0.0, None);
		let mut length = 0u32;
		let mut newer: Option<Millis> = None;
		for entry in branch.entries().iter().rev() {
			if answers < RECENT {
				growth += f64::from(estimated_entry(entry));
			}
			if !matches!(entry.body, Body::Assistant(_) | Body::ToolResult(_)) {
				continue;
			}
			// The newest sign of life in front of an answer; what its request waited for is behind it.
			if newer.take().is_some_and(|newer| survival.chance(newer - entry.at) < 0.5) {
				if behind.is_some() || returns {
					complete += 1.0;
					requests += f64::from(length);
				}
				behind = behind.or(Some(length));
				length = 0;
			}
			if matches!(entry.body, Body::Assistant(_)) {
				newer = Some(entry.at);
				length += 1;
				answers += 1;
				if answers == MOST_ANSWERS {
					break;
				}
			}
		}
		if behind.is_some() || returns && length > 0 {
			complete += 1.0;
			requests += f64::from(length);
		}
		let behind = if returns { 0 } else { behind.unwrap_or(length) };
		let count = answers.min(RECENT) as f64;
		let growth = (calibration.factor * growth + USUAL_GROWTH * USUAL_GROWTH_WEIGHT) / (count + USUAL_GROWTH_WEIGHT);
		let weight = if others.count > MOST_OTHERS { MOST_OTHERS / others.count } else { 1.0 };
		let usual = (USUAL_STRETCH * USUAL_STRETCH_WEIGHT + weight * others.requests + requests)
			/ (USUAL_STRETCH_WEIGHT + weight * others.count + complete);
		Self { growth, behind, ahead: usual + f64::from(behind) }
	}

	/// How many of the next `requests` come before the cache is lost, by the mean.
	pub fn within(&self, requests: f64) -> f64 {
		let requests = requests.max(0.0);
		self.ahead * requests / (self.ahead + requests)
	}

	/// The chance that so many requests come before it is lost.
	pub fn reaches(&self, requests: f64) -> f64 {
		let left = self.ahead / (self.ahead + requests.max(0.0));
		left * left
	}
}

/// The chance that the present run sends one more behind the request that is asked for. By the lengths of the session's runs,
/// of those that were at least as long as the present one is: users give work of about the same size.
pub fn goes_on(branch: &Branch) -> f64 {
	let (mut turn, mut length, mut present) = (None, 0u32, None);
	let (mut longer, mut as_long) = (0.0, 0.0);
	let mut pass = |length: u32| match present {
		None => present = Some(length),
		Some(present) => {
			as_long += f64::from(u8::from(length > present));
			longer += f64::from(u8::from(length > present + 1));
		}
	};
	for (entry, number) in branch.entries().iter().zip(branch.turns()).rev().take(MOST_ENTRIES) {
		if turn.replace(*number).is_some_and(|newer| newer != *number) {
			pass(length);
			length = 0;
		}
		length += u32::from(matches!(entry.body, Body::Assistant(_)));
	}
	pass(length);
	(longer + USUALLY_ON * USUAL_RUNS) / (as_long + USUAL_RUNS)
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Assistant, Entry, ModelKey, Size, StopReason};

	const MINUTE: Millis = 60_000;

	fn answer() -> Body {
		Body::Assistant(Assistant {
			size: Size { units: 4_000, images: 0 },
			said: 0,
			thinking: 0,
			calls: Vec::new(),
			stop: StopReason::Completed,
			model: ModelKey { provider: "p".into(), model: "m".into() },
			usage: None,
		})
	}

	/// Answers of 1,000 estimated tokens at these minutes.
	fn pace(minutes: &[i64], returns: bool) -> Pace {
		among(&Stretches::default(), minutes, returns)
	}

	fn among(others: &Stretches, minutes: &[i64], returns: bool) -> Pace {
		let mut branch = Branch::default();
		for (index, at) in minutes.iter().enumerate() {
			branch.push(Entry { id: index.to_string().into(), at: at * MINUTE, body: answer() });
		}
		let calibration = Calibration { factor: 2.0, constant: 0.0, from_reports: true };
		Pace::of(&branch, &calibration, &Survival::declared(5 * MINUTE), returns, others)
	}

	#[test]
	fn a_stretch_is_expected_to_go_on_as_long_as_it_has_lasted_and_the_usual_length() {
		assert_eq!(pace(&[], false).ahead, USUAL_STRETCH);
		let pace = pace(&[0, 1, 2, 3, 4], false);
		assert_eq!((pace.behind, pace.ahead), (5, 30.0));
	}

	#[test]
	fn stretches_of_this_session_tell_the_usual_length() {
		// Two of one and four requests, the present one of two: (25 + 1 + 4) / 3.
		let pace = pace(&[0, 10, 11, 12, 13, 60, 61], false);
		assert_eq!((pace.behind, pace.ahead), (2, 10.0 + 2.0));
	}

	#[test]
	fn a_return_begins_a_stretch_of_its_own() {
		let pace = pace(&[0, 10, 11, 12, 13], true);
		assert_eq!((pace.behind, pace.ahead), (0, 10.0));
	}

	#[test]
	fn growth_is_drawn_towards_the_usual_while_little_is_known() {
		// Four answers of 2,000 real tokens, and the usual 1,000 three times.
		assert_eq!(pace(&[0, 1, 2, 3], false).growth, 11_000.0 / 7.0);
	}

	#[test]
	fn of_many_requests_not_all_come() {
		let pace = Pace { growth: 1_000.0, behind: 0, ahead: 30.0 };
		assert_eq!((pace.within(0.0), pace.within(30.0)), (0.0, 15.0));
		assert_eq!((pace.reaches(0.0), pace.reaches(30.0)), (1.0, 0.25));
	}

	#[test]
	fn the_users_other_sessions_tell_how_long_a_stretch_is_usually() {
		let short = Stretches { count: 30.0, requests: 90.0 };
		assert_eq!(among(&short, &[], false).ahead, (USUAL_STRETCH + 15.0) / 6.0, "five of them count");
		let one = Stretches { count: 1.0, requests: 5.0 };
		assert_eq!(among(&one, &[], false).ahead, 15.0);
	}

	/// A session of runs with so many answers each, the last one being the present.
	fn going_on(runs: &[u32]) -> f64 {
		let mut branch = Branch::default();
		let mut push = |body| {
			let id = branch.entries().len().to_string().into();
			branch.push(Entry { id, at: 0, body });
		};
		for answers in runs {
			push(Body::User(Size::default()));
			for _ in 0..*answers {
				push(answer());
			}
		}
		goes_on(&branch)
	}

	#[test]
	fn a_run_goes_on_as_those_did_that_were_as_long() {
		assert_eq!(going_on(&[0]), USUALLY_ON);
		assert!(going_on(&[5, 6, 5, 6, 5, 6, 2]) > 0.9);
		assert!(going_on(&[5, 6, 5, 6, 5, 6, 5]) < 0.5, "the sixth request was the last of each");
		assert_eq!(going_on(&[5, 6, 5, 6, 5, 6, 9]), USUALLY_ON, "none was as long");
		assert!(going_on(&[1, 40, 2, 30, 9, 3, 60, 9]) > 0.8);
	}
}
