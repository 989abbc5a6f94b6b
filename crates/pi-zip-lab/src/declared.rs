//! What models declare of their prices, as Pi's catalogue does.
//!
//! Read from an object in JSON: `provider/model` to a cost as it stands in Pi's `models.json`, dollars for a million tokens
//! with dearer tiers above sizes of the request. What is no sane price is left to the cache's class.

use std::collections::HashMap;

use pi_zip_core::session::ModelKey;
use serde_json::Value;

use crate::prices::{HOUR_RATIO, Prices, Tier};

/// Tokens that a declared price is for.
const MILLION: f64 = 1e6;

/// Declared prices by model.
#[derive(Clone, Debug, Default)]
pub struct Declared {
	by_model: HashMap<String, Value>,
}

impl Declared {
	/// Reads the object; anything else declares nothing.
	pub fn read(json: &str) -> Self {
		Self { by_model: serde_json::from_str(json).unwrap_or_default() }
	}

	/// Dollars a token, or `None` where the model declares no price. What it declares without sense has the ratio of `class`.
	pub fn of(&self, model: &ModelKey, class: &Prices) -> Option<Prices> {
		let cost = self.by_model.get(&format!("{}/{}", model.provider, model.model))?;
		let base = prices(cost, class)?;
		let tiers = cost["tiers"].as_array().map(Vec::as_slice).unwrap_or_default();
		let mut tiers: Vec<Tier> = tiers
			.iter()
			.filter_map(|tier| Some(Tier { size: sane(&tier["inputTokensAbove"])?, prices: prices(tier, class)? }))
			.collect();
		tiers.sort_by(|one, other| other.size.total_cmp(&one.size));
		let above = tiers.into_iter().fold(None, |above, tier| {
			let prices = Prices { above, ..tier.prices };
			Some(Box::new(Tier { prices, ..tier }))
		});
		Some(Prices { above, ..base })
	}
}

/// The prices of one tier.
fn prices(cost: &Value, class: &Prices) -> Option<Prices> {
	let declared = |name: &str| sane(&cost[name]).map(|dollars| dollars / MILLION);
	let input = declared("input")?;
	Some(Prices {
		input,
		read: declared("cacheRead").filter(|read| *read <= input).unwrap_or(class.read * input),
		write: declared("cacheWrite").unwrap_or(class.write * input),
		write_hour: HOUR_RATIO * input,
		output: declared("output").unwrap_or(class.output * input),
		above: None,
	})
}

fn sane(number: &Value) -> Option<f64> {
	number.as_f64().filter(|number| *number > 0.0 && number.is_finite())
}

#[cfg(test)]
mod tests {
	use super::*;

	fn prices_of(cost: &str) -> Option<Prices> {
		let declared = Declared::read(&format!("{{\"p/m\":{cost}}}"));
		declared.of(&ModelKey { provider: "p".into(), model: "m".into() }, &Prices::explicit())
	}

	#[test]
	fn a_cost_as_pi_writes_it() {
		let cost = r#"{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75,"tiers":[
			{"inputTokensAbove":400000,"input":9,"output":45,"cacheRead":0.9,"cacheWrite":11.25},
			{"inputTokensAbove":200000,"input":6,"output":22.5,"cacheRead":0.6,"cacheWrite":7.5}]}"#;
		let prices = prices_of(cost).expect("a price");
		for (size, input, output) in [(200_000.0, 3.0, 15.0), (200_001.0, 6.0, 22.5), (500_000.0, 9.0, 45.0)] {
			let tier = prices.at(size);
			assert!((tier.input * MILLION - input).abs() < 1e-9, "{size}: {tier:?}");
			assert!((tier.output * MILLION - output).abs() < 1e-9, "{size}: {tier:?}");
		}
	}

	#[test]
	fn what_makes_no_sense_is_left_to_the_class() {
		let prices = prices_of(r#"{"input":2,"output":0,"cacheRead":7,"cacheWrite":"free"}"#).expect("a price");
		assert_eq!(
			[prices.read, prices.write, prices.output].map(|price| (price * 1e8).round()),
			[20.0, 250.0, 1_000.0]
		);
		for none in ["{}", "null", "7", r#"{"input":0,"output":0}"#, r#"{"input":-1}"#] {
			assert_eq!(prices_of(none), None, "{none}");
		}
		assert!(Declared::read("[]").by_model.is_empty());
	}
}
