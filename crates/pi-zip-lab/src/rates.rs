//! Which cache and which prices a session is replayed with.
//!
//! Either the same for all models, to compare sessions on one footing, or by model as the session shows them: the kind of
//! cache by the API and the reports, its step by what the reads have in common, prices by the recorded costs.

use std::collections::HashMap;

use pi_zip_core::session::{Millis, ModelKey};

use crate::cache_model::{Automatic, Cache, Explicit, STEP, Survival, Tier};
use crate::prices::{Prices, Source};
use crate::recording::{Kind, Recording, Request};

/// Milliseconds that a cache lives where nothing is declared: the shortest that a provider documents.
const ASSUMED_LIFETIME: Millis = 300_000;

/// APIs whose caches are explicit where they report writes.
const EXPLICIT_APIS: [&str; 2] = ["anthropic-messages", "bedrock-converse-stream"];

/// Reads that must have been reported before their common step is believed.
const STEP_EVIDENCE: usize = 3;

/// The largest step of an automatic cache that is believed, in tokens.
const LARGEST_STEP: u64 = 4_096;

/// The cache and the prices of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
	pub cache: CacheKind,
	/// Milliseconds that policies take the cache to live, and that an explicit one does.
	pub lifetime: Millis,
	pub prices: Prices,
	pub source: Source,
}

/// Which cache is simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheKind {
	Explicit(Tier),
	Automatic { survival: Survival, step: f64, holds_answers: bool },
	None,
}

impl Rates {
	/// A cache that is explicit in its prices and its lifetime in milliseconds, and whose prefix can be read at any depth.
	/// Answers cost nothing: they are the same under all policies.
	pub fn positional(read: f64, write: f64, lifetime: Millis) -> Self {
		let cache = CacheKind::Automatic { survival: Survival::until(lifetime), step: 1.0, holds_answers: false };
		let prices = Prices { output: 0.0, ..Prices::ratios(read, write) };
		Self { cache, lifetime, prices, source: Source::Class }
	}

	pub fn empty_cache(&self) -> Cache {
		match &self.cache {
			CacheKind::Explicit(tier) => Cache::Explicit(Explicit::new(*tier, self.lifetime)),
			CacheKind::Automatic { survival, step, holds_answers } => {
				Cache::Automatic(Automatic::new(survival.clone(), *step, *holds_answers))
			}
			CacheKind::None => Cache::None,
		}
	}

	pub fn is_explicit(&self) -> bool {
		matches!(self.cache, CacheKind::Explicit(_))
	}
}

/// The rates of all models of a session.
#[derive(Clone, Debug)]
pub struct RateBook {
	by_model: HashMap<ModelKey, Rates>,
	/// For models that are not in the book.
	otherwise: Rates,
}

impl RateBook {
	pub fn uniform(rates: Rates) -> Self {
		Self { by_model: HashMap::new(), otherwise: rates }
	}

	/// As the session's reports show them.
	pub fn observed(recording: &Recording) -> Self {
		let mut by_model: HashMap<ModelKey, Vec<Request>> = HashMap::new();
		for request in recording.requests.iter().filter(|request| request.kind == Kind::Answer) {
			by_model.entry(request.model.clone()).or_default().push(request.clone());
		}
		let mut by_model: HashMap<ModelKey, Rates> =
			by_model.into_iter().map(|(model, requests)| (model, observed(recording, &requests))).collect();
		bring_to_one_unit(&mut by_model);
		Self { by_model, otherwise: Rates::positional(0.1, 1.25, ASSUMED_LIFETIME) }
	}

	pub fn of(&self, model: &ModelKey) -> &Rates {
		self.by_model.get(model).unwrap_or(&self.otherwise)
	}
}

/// Prices of a class are ratios. Where other models of the session have prices in dollars, the mean of these stands for one.
fn bring_to_one_unit(by_model: &mut HashMap<ModelKey, Rates>) {
	let dollars = by_model.values().filter(|rates| rates.source == Source::Recorded).map(|rates| rates.prices.input);
	let (sum, count) = dollars.fold((0.0, 0.0), |(sum, count), price| (sum + price, count + 1.0));
	if count > 0.0 {
		for rates in by_model.values_mut().filter(|rates| rates.source == Source::Class) {
			rates.prices = rates.prices.times(sum / count);
		}
	}
}

/// What the requests of one model show.
fn observed(recording: &Recording, requests: &[Request]) -> Rates {
	let sum = |part: fn(&pi_zip_core::session::Usage) -> f64| -> f64 {
		requests.iter().filter_map(|request| request.usage.as_ref()).map(part).sum()
	};
	let written = sum(|usage| usage.cache_write);
	let hour = sum(|usage| usage.cache_write_1h.unwrap_or(0.0));
	let api = requests.first().map_or("", |request| &*recording.entries[request.entry].api);
	let speaks_explicit = EXPLICIT_APIS.contains(&api);
	let reads: Vec<u64> =
		requests.iter().filter_map(|request| request.usage).map(|usage| usage.cache_read as u64).collect();
	let reports_none = written == 0.0 && reads.iter().all(|read| *read == 0);
	if speaks_explicit && (written > 0.0 || reports_none) {
		let tier = if hour > written / 2.0 { Tier::Hour } else { Tier::Short };
		return rates(CacheKind::Explicit(tier), requests, Prices::explicit());
	}
	let step = if reads.iter().filter(|read| **read > 0).count() >= STEP_EVIDENCE {
		reads.iter().fold(0, |step, read| greatest_common_divisor(step, *read)).clamp(1, LARGEST_STEP) as f64
	} else {
		STEP
	};
	let holds_answers = reads_answers(requests);
	let cache = CacheKind::Automatic { survival: Survival::documented(), step, holds_answers };
	rates(cache, requests, Prices::automatic())
}

fn rates(cache: CacheKind, requests: &[Request], class: Prices) -> Rates {
	let recorded = Prices::recorded(requests, &class);
	let source = if recorded.is_some() { Source::Recorded } else { Source::Class };
	Rates { cache, lifetime: ASSUMED_LIFETIME, prices: recorded.unwrap_or(class), source }
}

/// Whether most requests read more than the whole request before them: the cache then holds its answer, too.
fn reads_answers(requests: &[Request]) -> bool {
	let usages: Vec<_> = requests.iter().filter_map(|request| request.usage).collect();
	let more = usages.windows(2).filter(|pair| pair[0].request().is_some_and(|size| pair[1].cache_read > size)).count();
	2 * more > usages.len()
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
	if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
