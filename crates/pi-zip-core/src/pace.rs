//! How fast the session grows, and how many requests are still to come before the cache is lost.
//!
//! Learned from the branch alone: what recent requests added, how many there were between two gaps that no cache
//! survives, and how many there have been since the last one. How long a warm stretch goes on is heavy-tailed: the longer
//! it has lasted, the longer it will. It decides nothing.

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
const USUAL_STRETCH_WEIGHT: f64 = 3.0;

/// Answers that are looked at: a bound on the work.
const MOST_ANSWERS: usize = 1_000;

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
	/// `survival` tells which gaps ended a stretch; `returns` that the present request begins a new one.
	pub fn of(branch: &Branch, calibration: &Calibration, survival: &Survival, returns: bool) -> Self {
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
		let usual = (USUAL_STRETCH * USUAL_STRETCH_WEIGHT + requests) / (USUAL_STRETCH_WEIGHT + complete);
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
