//! How long the provider is taken to keep this session's prompt before anything was learned of its cache: what is declared
//! for the tier that it writes, whichever was asked for.

use super::{Moment, Prior, Retention};
use crate::session::{Body, Branch, Millis, ModelKey, Usage};

/// Where a model declares no lifetime, in milliseconds: the shortest that a provider documents (Anthropic).
const ASSUMED_LIFETIME: Millis = 300_000;

/// What `cacheWrite1h` stands for, in milliseconds. Also assumed where the long retention is asked of a model that
/// declares none: no provider documents less for it, and a live cache that is taken for dead is paid for.
const HOUR: Millis = 3_600_000;

/// Reports that may show the tier: the newest of this model.
const OBSERVED_REPORTS: usize = 3;

/// At least this share of the written tokens was written for an hour: the long tier.
const LONG_SHARE: f64 = 0.5;

/// Less than this share was: the short tier. Between the two nothing is concluded.
const SHORT_SHARE: f64 = 0.05;

/// Where a lifetime comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
	Override,
	/// By the model, for the tier that was asked for.
	Declared,
	/// The model declares none.
	Assumed,
	/// As declared or assumed for another tier than was asked for, since the provider writes that one.
	Observed,
	/// By returns to this model.
	Learned,
}

/// How long a prompt stays in the cache after a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
	/// `None` where nothing is cached.
	pub millis: Option<Millis>,
	pub source: Source,
	/// The tier in use.
	pub retention: Retention,
}

impl Lifetime {
	/// What evidence is weighed against; `None` where there is nothing to learn.
	pub fn prior(&self) -> Option<Prior> {
		let lifetime = self.millis.filter(|_| self.source != Source::Override)?;
		Some(Prior { lifetime, declared: self.source != Source::Assumed })
	}
}

/// The lifetime of the cache that the request to come would read, as it is stated.
pub fn lifetime(branch: &Branch, moment: &Moment) -> Lifetime {
	let written = written(branch, moment.model.as_ref());
	let retention = written.unwrap_or(moment.retention);
	if let Some(millis) = moment.lifetime_override {
		return Lifetime { millis: Some(millis), source: Source::Override, retention };
	}
	let declared = match retention {
		Retention::None => return Lifetime { millis: None, source: Source::Declared, retention },
		Retention::Short => moment.declared_short,
		Retention::Long => moment.declared_long,
	};
	let declared = declared.filter(|millis| *millis > 0);
	let assumed = if retention == Retention::Long { HOUR } else { ASSUMED_LIFETIME };
	let source = match declared {
		_ if written.is_some_and(|tier| tier != moment.retention) => Source::Observed,
		Some(_) => Source::Declared,
		None => Source::Assumed,
	};
	Lifetime { millis: Some(declared.unwrap_or(assumed)), source, retention }
}

/// The tier that the newest reports of `model` (or of the model that answered last) show; `None` without evidence.
fn written(branch: &Branch, model: Option<&ModelKey>) -> Option<Retention> {
	let reports = || {
		branch.entries().iter().rev().filter_map(|entry| match &entry.body {
			Body::Assistant(assistant) if assistant.reported().is_some() => Some(assistant),
			_ => None,
		})
	};
	let model = model.or_else(|| reports().next().map(|assistant| &assistant.model))?;
	let newest = reports().filter(|assistant| assistant.model == *model).take(OBSERVED_REPORTS);
	let (mut written, mut hour) = (0.0, 0.0);
	for (all, long) in newest.filter_map(|assistant| tiers(assistant.usage?)) {
		written += all;
		hour += long;
	}
	if written <= 0.0 {
		return None;
	}
	match hour / written {
		share if share >= LONG_SHARE => Some(Retention::Long),
		share if share < SHORT_SHARE => Some(Retention::Short),
		_ => None,
	}
}

/// Tokens written, and those of them for an hour; `None` where the provider does not tell them apart.
fn tiers(usage: Usage) -> Option<(f64, f64)> {
	let hour = usage.cache_write_1h.filter(|hour| (0.0..=usage.cache_write).contains(hour))?;
	Some((usage.cache_write, hour))
}
