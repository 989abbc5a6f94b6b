//! What a token costs: as the model declares it, or by the ratios of its kind of cache.
//!
//! Plain values in dollars per million tokens, or in any other unit: decisions compare sums of one unit only. It does not
//! know which model they are of.

use crate::cache::Kind;

/// Prices of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
	pub input: f64,
	pub output: f64,
	pub read: f64,
	/// Zero where writing to the cache costs no more than input.
	pub write: f64,
}

/// Over input where a model declares no sane prices, from providers' price lists.
const EXPLICIT_RATIOS: Prices = Prices { input: 1.0, output: 5.0, read: 0.1, write: 1.25 };
const AUTOMATIC_RATIOS: Prices = Prices { input: 1.0, output: 5.0, read: 0.2, write: 1.0 };

/// Price of a token written for an hour over that of input, from the provider's price list.
const HOUR_RATIO: f64 = 2.0;

impl Prices {
	pub fn ratios(kind: Kind) -> Self {
		match kind {
			Kind::Explicit => EXPLICIT_RATIOS,
			Kind::Automatic => AUTOMATIC_RATIOS,
		}
	}

	pub fn are_sane(&self) -> bool {
		let all = [self.input, self.output, self.read, self.write];
		self.input > 0.0 && all.iter().all(|price| price.is_finite() && *price >= 0.0)
	}

	/// Price of a token that the request carries anew.
	pub fn anew(&self) -> f64 {
		if self.write > 0.0 { self.write } else { self.input }
	}

	/// What a token that is written again costs more than one that is read.
	pub fn again(&self) -> f64 {
		(self.anew() - self.read).max(0.0)
	}
}

/// The prices of a model, which may be dearer above a context size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tariff {
	pub base: Prices,
	pub tier: Option<Tier>,
}

/// Prices for whole requests of more than `above` real tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
	pub above: f64,
	pub prices: Prices,
}

impl Tariff {
	/// The prices that are declared, where they make sense; else the ratios of the kind of cache. `hour` asks for the
	/// tier of an hour, whose writes are dearer than what models declare.
	pub fn of(declared: Option<Self>, kind: Kind, hour: bool) -> Self {
		let declared = declared.filter(|tariff| tariff.base.are_sane());
		let mut tariff = declared.unwrap_or(Self { base: Prices::ratios(kind), tier: None });
		tariff.tier = tariff.tier.filter(|tier| tier.prices.are_sane() && tier.above > 0.0);
		if hour && kind == Kind::Explicit {
			tariff.base.write = tariff.base.input * HOUR_RATIO;
			if let Some(tier) = &mut tariff.tier {
				tier.prices.write = tier.prices.input * HOUR_RATIO;
			}
		}
		tariff
	}

	/// Prices of a request of `size` real tokens.
	pub fn at(&self, size: f64) -> &Prices {
		match &self.tier {
			Some(tier) if size > tier.above => &tier.prices,
			_ => &self.base,
		}
	}
}
