//! Which cache and which prices a session is replayed with.
//!
//! Either the same for all models, to compare sessions on one footing, or by model as the session shows them: the kind of
//! cache by the API and the reports, its step by what the reads have in common, prices by the recorded costs.

use std::collections::HashMap;

use pi_zip_core::cache::{Kind as Marking, carries_marks};
use pi_zip_core::session::{Millis, ModelKey, Usage};

use crate::cache_model::{Automatic, Cache, Explicit, STEP, Survival, Tier};
use crate::compaction::Compaction;
use crate::declared::Declared;
use crate::learning::{Course, Learning};
use crate::prices::{Prices, Source};
use crate::recording::{Kind, Recording, Request};

/// Milliseconds that a cache lives where nothing is declared: the shortest that a provider documents.
const ASSUMED_LIFETIME: Millis = 300_000;

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
	/// What policies are told of its kind.
	pub kind: Marking,
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
	/// An explicit cache with these prices and this lifetime in milliseconds, of which a request reads all up to its first
	/// change, as with a mark in front of that. Answers cost nothing: they are the same under all policies.
	pub fn positional(read: f64, write: f64, lifetime: Millis) -> Self {
		let cache = CacheKind::Automatic { survival: Survival::until(lifetime), step: 1.0, holds_answers: false };
		let prices = Prices { output: 0.0, ..Prices::ratios(read, write) };
		Self { cache, lifetime, kind: Marking::Explicit, prices, source: Source::Class }
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
		self.kind == Marking::Explicit
	}
}

/// The rates of all models of a session.
#[derive(Clone, Debug)]
pub struct RateBook {
	by_model: HashMap<ModelKey, Rates>,
	/// For models that are not in the book.
	otherwise: Rates,
	/// How Pi compacts under each policy by its own size; where it is `None` the recorded compactions stay.
	pub compaction: Option<Compaction>,
	/// What was learned of caches so far; where it is `None` their lifetimes are known.
	pub course: Option<Course>,
}

impl RateBook {
	pub fn uniform(rates: Rates) -> Self {
		Self { by_model: HashMap::new(), otherwise: rates, compaction: None, course: None }
	}

	/// As the session's reports show them.
	pub fn observed(recording: &Recording) -> Self {
		Self::known(recording, &Declared::default())
	}

	/// As the session's reports show them, and where these tell no prices, as the models declare.
	pub fn known(recording: &Recording, declared: &Declared) -> Self {
		let mut by_model: HashMap<ModelKey, Vec<Request>> = HashMap::new();
		for request in recording.requests.iter().filter(|request| request.kind == Kind::Answer) {
			by_model.entry(request.model.clone()).or_default().push(request.clone());
		}
		let mut by_model: HashMap<ModelKey, Rates> =
			by_model.into_iter().map(|(model, requests)| (model, known(recording, &requests, declared))).collect();
		bring_to_one_unit(&mut by_model);
		let otherwise = Rates::positional(0.1, 1.25, ASSUMED_LIFETIME);
		Self { by_model, otherwise, compaction: None, course: None }
	}

	/// The same where policies have to learn how long a cache lives.
	pub fn learning(self, recording: &Recording, learning: &mut Learning) -> Self {
		Self { course: Some(learning.course(recording, &self)), ..self }
	}

	/// The same where each policy compacts at its own size.
	pub fn compacting(self, compaction: Compaction) -> Self {
		Self { compaction: Some(compaction), ..self }
	}

	/// Whether prices are in dollars; otherwise in tokens of input.
	pub fn is_in_dollars(&self) -> bool {
		self.by_model.values().any(|rates| rates.source != Source::Class)
	}

	pub fn of(&self, model: &ModelKey) -> &Rates {
		self.by_model.get(model).unwrap_or(&self.otherwise)
	}
}

/// Prices of a class are ratios. Where other models of the session have prices in dollars, the mean of these stands for one.
fn bring_to_one_unit(by_model: &mut HashMap<ModelKey, Rates>) {
	let dollars = by_model.values().filter(|rates| rates.source != Source::Class).map(|rates| rates.prices.input);
	let (sum, count) = dollars.fold((0.0, 0.0), |(sum, count), price| (sum + price, count + 1.0));
	if count > 0.0 {
		for rates in by_model.values_mut().filter(|rates| rates.source == Source::Class) {
			rates.prices = rates.prices.times(sum / count);
		}
	}
}

/// What the requests of one model show, and what it declares.
fn known(recording: &Recording, requests: &[Request], declared: &Declared) -> Rates {
	let reports: Vec<Usage> = requests.iter().filter_map(|request| request.usage).collect();
	let api = requests.first().map_or("", |request| &*recording.entries[request.entry].api);
	let kind = Marking::of(carries_marks(api), &reports);
	let (cache, class) = match kind {
		Marking::Explicit => (CacheKind::Explicit(tier(&reports)), Prices::explicit()),
		Marking::Automatic => {
			let (survival, step) = (Survival::documented(), step(&reports));
			let holds_answers = reads_answers(&reports);
			(CacheKind::Automatic { survival, step, holds_answers }, Prices::automatic())
		}
	};
	let declared = requests.first().and_then(|request| declared.of(&request.model, &class));
	let recorded = Prices::recorded(requests, declared.as_ref().unwrap_or(&class));
	let (prices, source) = match (recorded, declared) {
		(Some(prices), _) => (prices, Source::Recorded),
		(None, Some(prices)) => (prices, Source::Declared),
		(None, None) => (class, Source::Class),
	};
	Rates { cache, lifetime: ASSUMED_LIFETIME, kind, prices, source }
}

/// The tier for which most was written.
fn tier(reports: &[Usage]) -> Tier {
	let written: f64 = reports.iter().map(|usage| usage.cache_write).sum();
	let hour: f64 = reports.iter().filter_map(|usage| usage.cache_write_1h).sum();
	if hour > written / 2.0 { Tier::Hour } else { Tier::Short }
}

/// The step that all reads have in common, in tokens.
fn step(reports: &[Usage]) -> f64 {
	let reads = || reports.iter().map(|usage| usage.cache_read as u64).filter(|read| *read > 0);
	if reads().count() < STEP_EVIDENCE {
		return STEP;
	}
	reads().fold(0, greatest_common_divisor).clamp(1, LARGEST_STEP) as f64
}

/// Whether most requests read more than the whole request before them: the cache then holds its answer, too.
fn reads_answers(reports: &[Usage]) -> bool {
	let more =
		reports.windows(2).filter(|pair| pair[0].request().is_some_and(|size| pair[1].cache_read > size)).count();
	2 * more > reports.len()
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
	if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
