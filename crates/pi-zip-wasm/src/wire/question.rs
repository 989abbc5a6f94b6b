//! What JavaScript asks with: settings once, the situation each time.

use pi_zip_core::cache::{Learned, Moment, Retention, carries_marks};
use pi_zip_core::pace::Stretches;
use pi_zip_core::plan::Settings;
use pi_zip_core::prices::{Prices, Tariff, Tier};
use pi_zip_core::session::{Millis, ModelKey};
use serde::Deserialize;
use tsify::Tsify;

use crate::learning::counts;

#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireSettings {
	/// Smallest output that is folded, in real tokens.
	#[serde(default)]
	pub fold_min: Option<u32>,
	/// Most key lines in a placeholder.
	#[serde(default)]
	pub key_lines: Option<u32>,
	/// Age in requests from which an output of a protected turn may be folded.
	#[serde(default)]
	pub in_turn_age: Option<u32>,
}

impl From<WireSettings> for Settings {
	fn from(wire: WireSettings) -> Self {
		let default = Self::default();
		Self {
			fold_min: wire.fold_min.unwrap_or(default.fold_min),
			key_lines: wire.key_lines.map_or(default.key_lines, |lines| lines as usize),
			in_turn_age: wire.in_turn_age.unwrap_or(default.in_turn_age),
			..default
		}
	}
}

/// The circumstances of one request. Times are milliseconds.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireSituation {
	/// Since the epoch.
	pub now: f64,
	/// When this process last touched the cache, since the epoch.
	#[serde(default)]
	pub touched: Option<f64>,
	/// The physical model about to be asked, where it is known.
	#[serde(default)]
	pub model: Option<WireModel>,
	/// Retention asked for: `short`, `long` or `none`.
	pub retention: String,
	#[serde(default)]
	pub declared_short: Option<f64>,
	#[serde(default)]
	pub declared_long: Option<f64>,
	/// Replaces every other source of the lifetime.
	#[serde(default)]
	pub lifetime: Option<f64>,
	/// The API that the model is asked by.
	#[serde(default)]
	pub api: String,
	/// Pi marks requests to this model for the cache, though the API is not known for it.
	#[serde(default)]
	pub marks: bool,
	/// What was learned of the model's cache in the short and in the long tier, as `observe` gives it.
	#[serde(default)]
	pub learned_short: Vec<f64>,
	#[serde(default)]
	pub learned_long: Vec<f64>,
	/// The model can call the recall tool.
	pub recallable: bool,
	/// The model gets no images.
	#[serde(default)]
	pub blind: bool,
	/// Real tokens at which Pi compacts by itself.
	#[serde(default)]
	pub trigger: Option<u32>,
	/// Real tokens that Pi's compaction keeps.
	#[serde(default)]
	pub keep: Option<u32>,
	/// Warm stretches of the user's other sessions: how many, and the requests in all of them.
	#[serde(default)]
	pub stretches: Vec<f64>,
	/// Declared prices of input, output, cache reads and cache writes, in dollars per million tokens; behind them, where
	/// the model declares dearer ones, the context size above which these hold, in real tokens, and the four of them.
	#[serde(default)]
	pub prices: Vec<f64>,
}

#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireModel {
	pub provider: String,
	pub model: String,
}

impl WireSituation {
	pub fn stretches(&self) -> Stretches {
		match self.stretches[..] {
			[count, requests] if count > 0.0 && requests > 0.0 => Stretches { count, requests },
			_ => Stretches::default(),
		}
	}

	fn learned(&self) -> Learned {
		Learned { short: counts(&self.learned_short), long: counts(&self.learned_long) }
	}

	/// The part that the state of the cache is judged by.
	pub fn moment(&self) -> Moment {
		Moment {
			now: self.now as Millis,
			touched: self.touched.map(|at| at as Millis),
			model: self
				.model
				.as_ref()
				.map(|key| ModelKey { provider: key.provider.as_str().into(), model: key.model.as_str().into() }),
			retention: match self.retention.as_str() {
				"none" => Retention::None,
				"long" => Retention::Long,
				_ => Retention::Short,
			},
			declared_short: self.declared_short.map(|millis| millis as Millis),
			declared_long: self.declared_long.map(|millis| millis as Millis),
			lifetime_override: self.lifetime.map(|millis| millis as Millis),
			learned: self.learned(),
			marks: self.marks || carries_marks(&self.api),
		}
	}

	/// The declared prices, sane or not.
	pub fn tariff(&self) -> Option<Tariff> {
		let prices = |from: usize| match self.prices.get(from..from + 4)? {
			&[input, output, read, write] => Some(Prices { input, output, read, write }),
			_ => None,
		};
		let tier = prices(5).map(|prices| Tier { above: self.prices[4], prices });
		Some(Tariff { base: prices(0)?, tier })
	}
}
