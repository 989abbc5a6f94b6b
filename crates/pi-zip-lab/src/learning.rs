//! What is learned of caches from the reports of recorded sessions: by the core's own rule, in time order, never backwards.
//!
//! The reports are the provider's, whatever a policy does, so what is known at a request is the same under all policies. Of
//! the request itself nothing is known before it was answered.

use std::collections::HashMap;

use pi_zip_core::cache::{Asked, EDGES, Kind as Marking, Learned, Prior, Retention, evidence};
use pi_zip_core::session::{Body, Branch, ModelKey, Projection};
use pi_zip_core::tokens::Calibration;

use crate::cache_model::Tier;
use crate::rates::{CacheKind, RateBook, Rates};
use crate::recording::{Kind, Recording};
use crate::weights::carried_folds;

/// What Pi's catalogue declares where it declares lifetimes, in milliseconds: short and long.
const DECLARED: (i64, i64) = (300_000, 3_600_000);

/// What was learned in the sessions so far.
#[derive(Clone, Debug, Default)]
pub struct Learning {
	by_model: HashMap<ModelKey, Learned>,
}

/// What is known at each request of a session.
#[derive(Clone, Debug, Default)]
pub struct Course {
	/// By model: from which request on, and what.
	by_model: HashMap<ModelKey, Vec<(usize, Learned)>>,
}

impl Course {
	pub fn at(&self, request: usize, model: &ModelKey) -> Learned {
		let steps = self.by_model.get(model).map_or(&[][..], Vec::as_slice);
		let known = steps.partition_point(|(from, _)| *from <= request);
		known.checked_sub(1).map_or_else(Learned::default, |last| steps[last].1)
	}
}

impl Learning {
	/// Goes through the next session and takes from it what its reports show.
	pub fn course(&mut self, recording: &Recording, rates: &RateBook) -> Course {
		let known = self.by_model.iter().map(|(model, learned)| (model.clone(), vec![(0, *learned)]));
		let mut course = Course { by_model: known.collect() };
		let mut branch = Branch::default();
		for (index, request) in recording.requests.iter().enumerate().filter(|(_, one)| one.kind == Kind::Answer) {
			for recorded in &recording.entries[branch.entries().len()..=request.entry] {
				branch.push(recorded.entry.clone());
			}
			let Some((prior, retention, kind)) = believed(rates.of(&request.model)) else { continue };
			// A first look at the gap spares most requests the rest.
			if recording.idle(index) < EDGES[0] {
				continue;
			}
			let folds = carried_folds(&recording.entries, request.entry).filter_map(|fold| match &fold.entry.body {
				Body::ContextEdit { target, .. } => branch.find(target),
				_ => None,
			});
			let asked = Asked { answer: request.entry, touched: None, edited: folds.min(), kind };
			let projection = Projection::of(&branch);
			let calibration = Calibration::of(&branch, &projection);
			if let Some(seen) = evidence(&branch, &projection, &calibration, &asked) {
				let learned = self.by_model.entry(seen.model.clone()).or_default();
				learned.of_mut(retention).observe(prior, seen.gap, seen.lived);
				course.by_model.entry(seen.model).or_default().push((index + 1, *learned));
			}
		}
		course
	}
}

/// What is believed of a cache before any evidence; `None` where there is none.
fn believed(rates: &Rates) -> Option<(Prior, Retention, Marking)> {
	let (short, long) = DECLARED;
	match rates.cache {
		CacheKind::Explicit(Tier::Short) => {
			Some((Prior { lifetime: short, declared: true }, Retention::Short, Marking::Explicit))
		}
		CacheKind::Explicit(Tier::Hour) => {
			Some((Prior { lifetime: long, declared: true }, Retention::Long, Marking::Explicit))
		}
		CacheKind::Automatic { .. } => {
			Some((Prior { lifetime: rates.lifetime, declared: false }, Retention::Short, Marking::Automatic))
		}
		CacheKind::None => None,
	}
}

/// What a policy may know of a cache's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
	pub learned: Learned,
	/// Lifetimes that the model declares, in milliseconds: short and long.
	pub declared: Option<(i64, i64)>,
}

impl Belief {
	pub fn of(rates: &Rates, learned: Learned) -> Self {
		Self { learned, declared: rates.is_explicit().then_some(DECLARED) }
	}
}
