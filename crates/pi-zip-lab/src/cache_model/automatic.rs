//! A cache that holds every prefix that was sent, in whole steps.
//!
//! Nothing is declared about how long it lives, so a gap is survived with a chance, and what is read and written is an
//! expectation. Source of the steps: the provider's public documentation (128 tokens, from 1,024 on).

use pi_zip_core::session::Millis;

use super::{ByKey, CacheUse, Prompt, prefixes};

/// Tokens between two places where a cached prefix can end.
pub const STEP: f64 = 128.0;

/// Tokens below which nothing is cached.
const SMALLEST_PREFIX: f64 = 1_024.0;

/// The chance that a prefix is still there after a gap, falling with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
	/// Gap in milliseconds and chance, gaps ascending. One before the first, the last one's behind it; straight between.
	points: Vec<(Millis, f64)>,
}

impl Survival {
	/// Certain up to `lifetime` milliseconds, none from there on.
	pub fn until(lifetime: Millis) -> Self {
		Self { points: vec![(lifetime - 1, 1.0), (lifetime, 0.0)] }
	}

	/// What OpenAI documents for its automatic cache: 5 to 10 minutes without a request, at most an hour.
	pub fn documented() -> Self {
		Self { points: vec![(300_000, 1.0), (600_000, 0.3), (3_600_000, 0.0)] }
	}

	pub fn after(&self, gap: Millis) -> f64 {
		let behind = self.points.partition_point(|(at, _)| *at <= gap);
		match (behind.checked_sub(1).map(|before| self.points[before]), self.points.get(behind)) {
			(None, _) => 1.0,
			(Some((_, chance)), None) => chance,
			(Some((from, high)), Some((to, low))) => high + (low - high) * (gap - from) as f64 / (to - from) as f64,
		}
	}
}

#[derive(Clone, Debug)]
pub struct Automatic {
	/// When each prefix was last in a request, by its key, and whether it was the whole of a request.
	sent: ByKey<(Millis, bool)>,
	survival: Survival,
	step: f64,
	/// The cache also holds the answer that followed a request.
	holds_answers: bool,
}

impl Automatic {
	/// `step` is in tokens.
	pub fn new(survival: Survival, step: f64, holds_answers: bool) -> Self {
		Self { sent: ByKey::default(), survival, step: step.max(1.0), holds_answers }
	}

	pub fn send(&mut self, prompt: Prompt, (now, done): (Millis, Millis)) -> CacheUse {
		let keys: Vec<u64> = prefixes(prompt).collect();
		let (mut total, mut read) = (0.0, 0.0);
		let mut before: Option<(Millis, bool)> = None;
		for (part, key) in prompt.parts.iter().zip(&keys) {
			total += part.tokens;
			let own = self.sent.get(key).copied();
			// An answer right behind a whole request was made there, and is in the cache with it.
			let made_there = before.filter(|(_, whole)| *whole && self.holds_answers && part.is_answer);
			before = own.or(made_there.map(|(at, _)| (at, false)));
			if let Some((at, _)) = before {
				read = f64::max(read, self.steps(total) * self.survival.after(now - at));
			}
		}
		let last = keys.len().saturating_sub(1);
		for (at, key) in keys.into_iter().enumerate() {
			let whole = at == last || self.sent.get(&key).is_some_and(|(_, whole)| *whole);
			self.sent.insert(key, (done, whole));
		}
		let cacheable = self.steps(total).max(read);
		CacheUse { input: total - cacheable, read, write: cacheable - read, write_hour: 0.0 }
	}

	/// The longest prefix of `tokens` in whole steps that can be cached.
	fn steps(&self, tokens: f64) -> f64 {
		let steps = (tokens / self.step).floor() * self.step;
		if steps >= SMALLEST_PREFIX.min(self.step.max(SMALLEST_PREFIX)) { steps } else { 0.0 }
	}
}
