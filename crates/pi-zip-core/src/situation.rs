//! What a decision is made from, besides the session: settings, and the moment's circumstances. Plain values, no rule.

use crate::cache::{Kind, Survival};
use crate::pace::Stretches;
use crate::prices::Tariff;
use crate::session::Millis;

/// The tool by which the model fetches what was folded.
pub const RECALL_TOOL: &str = "zip_recall";

/// Settings that hold for a process. The defaults are the rule that is documented for users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
	/// An output is worth folding from more than this many real tokens.
	pub fold_min: u32,
	/// While a cold return's context is above this many real tokens, outputs of the last two user turns are folded too.
	pub target: u32,
	/// Key lines kept of an output.
	pub key_lines: usize,
	/// Requests after which an output of the last two user turns may be folded though it cannot be had again by repeating
	/// its call.
	pub in_turn_age: u32,
	pub floor: Floor,
	pub law: Law,
}

impl Default for Settings {
	fn default() -> Self {
		Self {
			fold_min: 300,
			target: 40_000,
			key_lines: 8,
			in_turn_age: 4,
			floor: Floor::default(),
			law: Law::default(),
		}
	}
}

/// What is never edited, whatever an edit would save. The lab prints what each part prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
	/// A warm request of fewer real tokens is left alone.
	pub warm: u32,
	/// Requests that an output is left alone after its call; at a cold return only one of the last two user turns.
	pub age: u32,
	/// Requests that the outputs of a file are left alone after the agent last read or changed it.
	pub working_set: u32,
	/// Requests that a recalled text is left alone.
	pub recalled: u32,
	/// Real tokens at the beginning of a request that no edit changes on an automatic cache: enough for the next
	/// report to tell whether the cache lived.
	pub head: u32,
}

impl Default for Floor {
	fn default() -> Self {
		Self { warm: 20_000, age: 4, working_set: 6, recalled: 12, head: 8_192 }
	}
}

/// Figures of the law that cannot be read off a session. Chosen by the lab; see `lab/results.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
	/// What a warm edit must gain over what it writes again: the next one would take the same outputs along, with more.
	pub eagerness: f64,
	/// Requests that a warm edit is credited with at most: by then the next one would have taken the same outputs along.
	pub horizon: f64,
	/// What the request in which the model asks for an original counts over its money: it takes time as well.
	pub trouble: f64,
	/// An output that is likelier than this to be needed is not folded while the cache is warm.
	pub likeliest: f64,
	/// The part of the context that a warm edit takes away at least: smaller ones wait for more to gather, which is older
	/// by then, and seldom needed.
	pub share: f64,
	/// What a token that is written again counts at least, in reads of it. Where it costs less, edits would come sooner and
	/// take younger outputs, which are needed no more seldom for that.
	pub reads: f64,
}

impl Default for Law {
	fn default() -> Self {
		Self { eagerness: 4.0, horizon: 80.0, trouble: 2.5, likeliest: 0.35, share: 0.24, reads: 7.0 }
	}
}

/// The circumstances of one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
	/// The chance that the prompt cache is alive.
	pub warm: f64,
	/// The same after a gap to come.
	pub survival: Survival,
	/// How long the user's other sessions stayed warm.
	pub stretches: Stretches,
	/// When the request goes out, and how long an entry of an explicit cache lives; zero where nothing is kept.
	pub now: Millis,
	pub lifetime: Millis,
	pub kind: Kind,
	pub tariff: Tariff,
	/// The model can call the recall tool.
	pub recallable: bool,
	/// The model gets images; else Pi writes a few words in their place.
	pub sees_images: bool,
	/// Real tokens of context at which Pi compacts by itself; `None` where it does not.
	pub trigger: Option<u32>,
	/// Real tokens that Pi's compaction keeps.
	pub keep: u32,
}

/// From which chance on a cache counts as warm: below it the rewrite is likelier to come than not, edit or none.
const WARM: f64 = 0.5;

impl Situation {
	/// Whether an edit is judged as one of a warm cache; else the request is a cold return.
	pub fn is_warm(&self) -> bool {
		self.warm >= WARM
	}
}
