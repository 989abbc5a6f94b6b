//! How likely the prompt cache is to live through a gap.
//!
//! A [`Survival`] answers for one model and retention tier. Knows no session and no time of day: see
//! [`state`](super::state) for the cache of a request.

use crate::session::Millis;

/// The chance that a cached prompt is still there after a gap; it never rises with the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survival {
	/// `None` where nothing is cached.
	lifetime: Option<Millis>,
}

impl Survival {
	/// Nothing is kept between two requests.
	pub const NONE: Self = Self { lifetime: None };

	/// What is believed before any evidence: the cache lives for `lifetime` milliseconds.
	pub fn declared(lifetime: Millis) -> Self {
		Self { lifetime: Some(lifetime) }
	}

	/// The chance that the cache lives `gap` milliseconds after its last touch.
	pub fn chance(&self, gap: Millis) -> f64 {
		if self.lifetime.is_some_and(|lifetime| gap < lifetime) { 1.0 } else { 0.0 }
	}
}
