//! Rules that decide edits, one request after another.
//!
//! A policy sees the world as it would be under itself and the circumstances of the request to come, and names the
//! outputs to fold before that request. It pays nothing and changes nothing: see `replay`.

mod candidates;
mod clairvoyant;
mod known_rule;
mod recorded;
mod shipped;

pub use clairvoyant::{bound, bound_from_age};
pub use known_rule::KnownRule;
pub use recorded::{AsRecorded, Plain};
pub use shipped::Shipped;

use pi_zip_core::session::{Millis, Slot};

use crate::compaction::Compaction;
use crate::learning::Belief;
use crate::prices::Prices;
use crate::recording::Recording;
use crate::world::{Fold, World};

/// Tokens that the declarations of the two tools add to each request, at most.
const DECLARATION_TOKENS: f64 = 450.0;

/// The circumstances of one request.
pub struct Moment<'a> {
	/// Index of the request.
	pub request: usize,
	pub slots: &'a [Slot],
	/// Real tokens of the request without further edits, and those in front of its entries.
	pub size: f64,
	pub head: f64,
	/// Real tokens to one of a recorded entry.
	pub scale: f64,
	/// Time since the last request was answered.
	pub idle: Millis,
	/// How long a cache is taken to live.
	pub lifetime: Millis,
	/// What is believed of that instead, where it has to be learned.
	pub belief: Option<Belief>,
	pub opens_run: bool,
	/// The cache is explicit: what stands far in front of its marks may not be found.
	pub is_explicit: bool,
	pub prices: &'a Prices,
	/// How Pi compacts, where it does by the size under the policy.
	pub compaction: Option<Compaction>,
}

/// A rule that decides edits.
pub trait Policy {
	/// What it is called in tables.
	fn name(&self) -> &'static str;

	/// Tokens that its declarations add to each request.
	fn declared(&self) -> f64 {
		0.0
	}

	/// Whether its requests carry pi-zip's cache mark.
	fn reaches_back(&self, _: &Recording) -> bool {
		false
	}

	/// Whether folds that were recorded stay.
	fn keeps_recorded(&self) -> bool {
		false
	}

	/// The outputs to fold before the request.
	fn edits(&mut self, world: &World, moment: &Moment) -> Vec<Fold>;
}
