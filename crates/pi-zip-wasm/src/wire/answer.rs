//! What the core answers with.

use pi_zip_core::cache::{ColdReason, Kind, Outlook, Retention, Source, State};
use serde::Serialize;
use tsify::Tsify;

/// A file that a `read` showed: does it still hold what the tool returned?
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireFileCheck {
	/// Position of the tool result on the branch.
	pub entry: u32,
	pub path: String,
	pub offset: Option<u32>,
	pub limit: Option<u32>,
}

/// What is decided for a run.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WirePlan {
	pub cache: WireCache,
	/// Not edited, warm: `small` (the request is below the floor), `justEdited`, `waits` (no edit pays yet), `ends` (one
	/// would, but the run most likely ends with this request). Edited, warm:
	/// `pays`. Cold: `old` (outputs outside the last two user turns), `rereadable` (and such of the previous turn that can
	/// be had again), `aged` (and old ones of the last two turns). Either: `nothing` (nothing may be folded, or nothing is
	/// worth it), or why the guard refused.
	pub reason: String,
	/// Real tokens of the context as it is.
	pub before: u32,
	/// Real tokens of the context with the edits.
	pub after: u32,
	/// Real tokens that were aimed at.
	pub target: u32,
	/// Messages of the projection that the positions count.
	pub messages: u32,
	/// Real tokens over estimated ones.
	pub factor: f64,
}

/// The state of the prompt cache, and what it was judged by.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireCache {
	/// `first` (no request yet), `warm` or `cold`.
	pub state: &'static str,
	/// The chance that it is alive.
	pub warm: f64,
	/// `explicit` or `automatic`.
	pub kind: &'static str,
	/// Where cold: `expired`, `modelChanged` or `noCache`.
	pub because: Option<&'static str>,
	/// Where expired: milliseconds since the newest touch.
	pub idle: Option<f64>,
	/// Where warm: when it goes cold, in milliseconds since the epoch.
	pub cold_at: Option<f64>,
	/// Milliseconds; absent where the provider keeps no cache.
	pub lifetime: Option<f64>,
	/// `override`, `declared`, `assumed`, `observed` (of the tier that the provider writes) or `learned`.
	pub source: &'static str,
	/// The tier in use: `short`, `long` or `none`.
	pub retention: &'static str,
}

impl From<Outlook> for WireCache {
	fn from(Outlook { state, lifetime, kind, warm, .. }: Outlook) -> Self {
		let (name, because, idle, cold_at) = match state {
			State::First => ("first", None, None, None),
			State::Warm { cold_at } => ("warm", None, None, Some(cold_at as f64)),
			State::Cold { because: ColdReason::Expired { idle } } => ("cold", Some("expired"), Some(idle as f64), None),
			State::Cold { because: ColdReason::ModelChanged } => ("cold", Some("modelChanged"), None, None),
			State::Cold { because: ColdReason::NoCache } => ("cold", Some("noCache"), None, None),
		};
		Self {
			state: name,
			warm,
			kind: match kind {
				Kind::Explicit => "explicit",
				Kind::Automatic => "automatic",
			},
			because,
			idle,
			cold_at,
			lifetime: lifetime.millis.map(|millis| millis as f64),
			source: match lifetime.source {
				Source::Override => "override",
				Source::Declared => "declared",
				Source::Assumed => "assumed",
				Source::Observed => "observed",
				Source::Learned => "learned",
			},
			retention: match lifetime.retention {
				Retention::None => "none",
				Retention::Short => "short",
				Retention::Long => "long",
			},
		}
	}
}

/// A number of outputs, and what they hold in real tokens.
#[derive(Serialize, Tsify, Clone, Copy, Default)]
#[serde(rename_all = "camelCase")]
pub struct WireSizes {
	pub count: u32,
	pub tokens: u32,
}

/// What `/zip` shows.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireStatus {
	pub cache: WireCache,
	/// Real tokens of the next request.
	pub context: u32,
	/// Real tokens over estimated ones.
	pub factor: f64,
	/// The factor comes from what the provider reported.
	pub from_reports: bool,
	/// Outputs that are folded in the present view, and the tokens it lacks for it.
	pub folded: WireSizes,
	/// Outputs that were folded at any time on the branch.
	pub folded_ever: WireSizes,
	/// Outputs that the next cold return would fold at least, and the id of the first of them.
	pub foldable: WireSizes,
	#[tsify(optional)]
	pub first_foldable: Option<String>,
	/// Outputs that the model has recalled.
	pub recalls: u32,
	/// Why the newest decision of this process was taken (see [`WirePlan::reason`]); absent before the first.
	pub reason: Option<String>,
}
