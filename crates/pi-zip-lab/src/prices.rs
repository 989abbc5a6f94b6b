//! What tokens cost: at the prices that were recorded, those that a model declares, or those of its cache's class.

use crate::cache_model::CacheUse;
use crate::recording::{Kind, Request};
use crate::session_file::Cost;

/// Price of an answer's token over that of input where nothing is known: what most models declare (15 to 3, 25 to 5).
const OUTPUT_RATIO: f64 = 5.0;

/// Price of a token written for an hour over that of input, from the provider's price list.
pub(crate) const HOUR_RATIO: f64 = 2.0;

/// Prices of a token, in any unit of money.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
	pub input: f64,
	pub read: f64,
	pub write: f64,
	pub write_hour: f64,
	pub output: f64,
	/// Dearer prices for requests above a size.
	pub above: Option<Box<Tier>>,
}

/// Prices that hold for requests of more than `size` tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
	pub size: f64,
	pub prices: Prices,
}

/// Where prices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
	/// The dollars that the session recorded.
	Recorded,
	/// Dollars that the model declares: estimated.
	Declared,
	/// Ratios of the cache's class: estimated.
	Class,
}

impl Prices {
	/// Ratios to the price of input.
	pub fn ratios(read: f64, write: f64) -> Self {
		Self { input: 1.0, read, write, write_hour: HOUR_RATIO, output: OUTPUT_RATIO, above: None }
	}

	/// Ratios of an explicit cache without sane prices.
	pub fn explicit() -> Self {
		Self::ratios(0.1, 1.25)
	}

	/// Ratios of an automatic cache without sane prices.
	pub fn automatic() -> Self {
		Self::ratios(0.2, 1.0)
	}

	/// The same prices in a unit of which `factor` make one.
	pub fn times(&self, factor: f64) -> Self {
		let above = self.above.as_ref();
		Self {
			input: self.input * factor,
			read: self.read * factor,
			write: self.write * factor,
			write_hour: self.write_hour * factor,
			output: self.output * factor,
			above: above.map(|tier| Box::new(Tier { size: tier.size, prices: tier.prices.times(factor) })),
		}
	}

	/// Prices of a request of `size` tokens.
	pub fn at(&self, size: f64) -> &Self {
		match &self.above {
			Some(tier) if size > tier.size => tier.prices.at(size),
			_ => self,
		}
	}

	/// What a request costs with its answer.
	pub fn cost(&self, served: &CacheUse, output: f64) -> f64 {
		self.parts(served, output).total
	}

	/// The same, by what it was for.
	pub fn parts(&self, served: &CacheUse, output: f64) -> Cost {
		let prices = self.at(served.total());
		let cost = Cost {
			input: served.input * prices.input,
			read: served.read * prices.read,
			write: served.write * prices.write + served.write_hour * prices.write_hour,
			output: output * prices.output,
			total: 0.0,
		};
		Cost { total: cost.sum(), ..cost }
	}

	/// A recorded cost whose parts add up to its total. Where it has only a total, these prices share it out.
	pub fn whole(&self, cost: &Cost, served: &CacheUse, output: f64) -> Cost {
		let parts = if cost.sum() > 0.0 { *cost } else { self.parts(served, output) };
		let sum = parts.sum();
		if sum <= 0.0 {
			return Cost { input: cost.total, total: cost.total, ..Cost::default() };
		}
		let scale = cost.total / sum;
		Cost {
			input: parts.input * scale,
			read: parts.read * scale,
			write: parts.write * scale,
			output: parts.output * scale,
			total: cost.total,
		}
	}

	/// The prices by which the costs of these requests were recorded, in dollars, by the tiers that `like` has. What no
	/// request tells is in proportion to `like`, which also shares out a cost that was recorded in one sum. `None` where no
	/// cost is recorded.
	pub fn recorded(requests: &[Request], like: &Self) -> Option<Self> {
		Self::recorded_from(0.0, requests, like)
	}

	/// The same of requests of more than `least` tokens.
	fn recorded_from(least: f64, requests: &[Request], like: &Self) -> Option<Self> {
		let most = like.above.as_ref().map_or(f64::INFINITY, |tier| tier.size);
		let base = Self::recorded_between(least, most, requests, like);
		let tier = like.above.as_deref();
		let above = tier.and_then(|tier| Self::recorded_from(tier.size, requests, &tier.prices));
		let (base, above) = match (base, above, tier) {
			(base, above, None) => (base?, above),
			(Some(base), None, Some(tier)) => {
				let above = tier.prices.times(base.input / like.input);
				(base, Some(above))
			}
			(None, Some(above), Some(tier)) => (like.times(above.input / tier.prices.input), Some(above)),
			(base, above, Some(_)) => (base?, above),
		};
		let above = tier.zip(above).map(|(tier, prices)| Box::new(Tier { size: tier.size, prices }));
		Some(Self { above, ..base })
	}

	/// Of requests of more than `least` and at most `most` tokens; no tiers.
	fn recorded_between(least: f64, most: f64, requests: &[Request], like: &Self) -> Option<Self> {
		let mut sums = [(0.0, 0.0); 4];
		for request in requests.iter().filter(|request| request.kind == Kind::Answer) {
			let (Some(usage), Some(cost)) = (request.usage, request.cost) else { continue };
			let served = CacheUse::from(&usage);
			if served.total() <= least || served.total() > most {
				continue;
			}
			let cost = like.whole(&cost, &served, usage.output);
			let parts = [
				(cost.input, usage.input),
				(cost.read, usage.cache_read),
				(cost.write, usage.cache_write),
				(cost.output, usage.output),
			];
			for (sum, (dollars, tokens)) in sums.iter_mut().zip(parts) {
				*sum = (sum.0 + dollars, sum.1 + tokens);
			}
		}
		let price = |(dollars, tokens): (f64, f64)| (dollars > 0.0 && tokens > 0.0).then(|| dollars / tokens);
		let [input, read, write, output] = sums.map(price);
		let factor = input
			.map(|input| input / like.input)
			.or_else(|| output.map(|output| output / like.output))
			.or_else(|| read.map(|read| read / like.read))
			.or_else(|| write.map(|write| write / like.write))?;
		let rest = Self { above: None, ..like.clone() }.times(factor);
		Some(Self {
			read: read.unwrap_or(rest.read),
			write: write.unwrap_or(rest.write),
			output: output.unwrap_or(rest.output),
			..rest
		})
	}
}

#[cfg(test)]
mod tests {
	use pi_zip_core::session::{ModelKey, Usage};

	use super::*;

	#[test]
	fn costs_in_one_sum_scale_the_class() {
		let request = |input, read, output, total| Request {
			entry: 0,
			kind: Kind::Answer,
			sent: 0,
			done: 0,
			model: ModelKey { provider: "p".into(), model: "m".into() },
			usage: Some(Usage { input, output, cache_read: read, cache_write: 0.0, cache_write_1h: None }),
			cost: Some(Cost { total, ..Cost::default() }),
			opens_run: false,
		};
		// 1,000 + 0.2 * 5,000 + 5 * 100 = 2,500 tokens of input cost half a cent, and twice as many a cent.
		let requests = [request(1_000.0, 5_000.0, 100.0, 0.005), request(2_000.0, 10_000.0, 200.0, 0.010)];
		let class = Prices::automatic();
		let prices = Prices::recorded(&requests, &class).expect("a cost");
		assert!((prices.input - 2e-6).abs() < 1e-12, "{prices:?}");
		assert!((prices.output - 1e-5).abs() < 1e-12, "{prices:?}");
		for request in &requests {
			let usage = request.usage.expect("a report");
			let cost = prices.cost(&CacheUse::from(&usage), usage.output);
			assert!((cost - request.cost.expect("a cost").total).abs() < 1e-12, "{cost}");
		}
	}

	#[test]
	fn recorded_costs_show_the_tier_that_is_declared() {
		let request = |input: f64, dollars: f64| Request {
			entry: 0,
			kind: Kind::Answer,
			sent: 0,
			done: 0,
			model: ModelKey { provider: "p".into(), model: "m".into() },
			usage: Some(Usage { input, output: 0.0, cache_read: 0.0, cache_write: 0.0, cache_write_1h: None }),
			cost: Some(Cost { input: dollars, total: dollars, ..Cost::default() }),
			opens_run: false,
		};
		let like = Prices {
			above: Some(Box::new(Tier { size: 1_000.0, prices: Prices::automatic().times(2.0) })),
			..Prices::automatic()
		};
		let inputs = |requests: &[Request]| {
			let prices = Prices::recorded(requests, &like).expect("a cost");
			[500.0, 1_500.0].map(|size| prices.at(size).input)
		};
		let (small, large) = (request(1_000.0, 3.0), request(2_000.0, 10.0));
		assert_eq!(inputs(&[small.clone(), large.clone()]), [0.003, 0.005]);
		assert_eq!(inputs(&[small]), [0.003, 0.006]);
		assert_eq!(inputs(&[large]), [0.0025, 0.005]);
	}

	#[test]
	fn a_dearer_tier_holds_for_the_whole_request() {
		let dear = Prices::ratios(0.1, 1.25).times(2.0);
		let prices =
			Prices { above: Some(Box::new(Tier { size: 1_000.0, prices: dear })), ..Prices::ratios(0.1, 1.25) };
		let served = |read| CacheUse { input: 100.0, read, write: 80.0, write_hour: 10.0 };
		// 100 + 0.1 * 810 + 1.25 * 80 + 2 * 10 + 5 * 4, and twice as much from one token more on, read at 0.2.
		assert!((prices.cost(&served(810.0), 4.0) - 321.0).abs() < 1e-9);
		assert!((prices.cost(&served(811.0), 4.0) - 642.2).abs() < 1e-9);
	}
}
