//! A recorded session under a policy, a cache and prices.
//!
//! Requests, answers and gaps are those of the recording; what differs is the view that each request carries. A need
//! that a fold leaves unmet is a *miss*: the model asks for the original first, which costs one more request and the
//! recalled tokens, and those stay in view until the policy folds them.

use std::collections::HashMap;

use pi_zip_core::session::{Body, Millis, ModelKey, Replacement, Slot, Usage};
use pi_zip_core::tokens::{estimated, estimated_entry};

use crate::cache_model::{Cache, CacheUse, Part, Prompt, mix};
use crate::compaction::SUMMARY;
use crate::learning::Belief;
use crate::policy::{Moment, Policy};
use crate::rates::RateBook;
use crate::recording::{Kind, Recording, Request};
use crate::session_file::Recorded;
use crate::weights::carried_folds;
use crate::world::{Fold, World};

/// Tokens of an answer that only asks for originals: a call with a few handles.
pub const ASKING: f64 = 80.0;

/// Tokens of an answer to a refresh: Pi asks for one.
const REFRESHED: f64 = 1.0;

/// What a session costs under a policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
	/// By request of the recording.
	pub requests: Vec<Billed>,
	/// In the unit of the prices.
	pub cost: f64,
	pub folds: usize,
	/// What was folded, in the order of the requests.
	pub folded: Vec<Folded>,
	/// Outputs that were needed while they were folded.
	pub misses: usize,
	/// Tokens that recalls brought back.
	pub recalled: f64,
	/// Tokens of the largest request.
	pub peak: f64,
	/// Compactions that were simulated; recorded ones are not counted.
	pub compactions: usize,
}

/// An output that gave way to a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
	/// Index of the request in front of which it was folded.
	pub request: usize,
	/// Index of the recorded entry.
	pub entry: usize,
}

/// One request of a replay, with the recall that came in front of it, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Billed {
	pub served: CacheUse,
	pub output: f64,
	pub cost: f64,
	/// Of its cost, what the request that asked for originals cost.
	pub asking: f64,
	/// And what the summary of a compaction in front of it did.
	pub compacting: f64,
	/// Outputs folded in front of it.
	pub folds: usize,
}

/// Replays a session.
pub fn replay(recording: &Recording, policy: &mut dyn Policy, rates: &RateBook) -> Replay {
	replay_with(recording, policy, rates, |_| ())
}

/// Replays a session and shows the parts of each request.
pub fn replay_with(
	recording: &Recording,
	policy: &mut dyn Policy,
	rates: &RateBook,
	mut show: impl FnMut(&[Part]),
) -> Replay {
	let mut run = Run {
		recording,
		rates,
		caches: HashMap::new(),
		world: World::new(recording, rates.compaction.is_some() && !policy.keeps_recorded()),
		parts: (Vec::new(), 0),
		touched: None,
		reaches_back: policy.reaches_back(recording),
		replay: Replay::default(),
	};
	for request in 0..recording.requests.len() {
		let billed = match recording.requests[request].kind {
			Kind::Answer => run.answer(request, policy),
			Kind::Refresh => run.refresh(request),
		};
		show(&run.parts.0);
		run.replay.cost += billed.cost;
		run.replay.peak = run.replay.peak.max(billed.served.total());
		run.replay.requests.push(billed);
	}
	run.replay
}

/// A replay under way.
struct Run<'a> {
	recording: &'a Recording,
	rates: &'a RateBook,
	/// By the model's scope.
	caches: HashMap<u64, Cache>,
	world: World<'a>,
	/// Parts of the last request, and how many of them are its head.
	parts: (Vec<Part>, usize),
	/// When the last request was answered.
	touched: Option<Millis>,
	/// Requests carry pi-zip's mark.
	reaches_back: bool,
	replay: Replay,
}

impl Run<'_> {
	fn answer(&mut self, index: usize, policy: &mut dyn Policy) -> Billed {
		let request = &self.recording.requests[index];
		let rates = self.rates.of(&request.model);
		let keeps = policy.keeps_recorded();
		self.world.take_until(request.entry, keeps);
		let mut slots = self.look(index, policy);
		let mut billed = Billed::default();
		// In front of a prompt Pi compacts before the policy is asked, in a run behind the turn that the policy ended.
		if request.opens_run && self.compact(index, &slots, policy, &mut billed) {
			slots = self.look(index, policy);
		}
		let moment = Moment {
			request: index,
			slots: &slots,
			size: self.parts.0.iter().map(|part| part.tokens).sum(),
			head: self.parts.0.first().map_or(0.0, |head| head.tokens),
			scale: self.recording.weights.frames[index].scale,
			idle: self.touched.map_or(0, |done| (request.sent - done).max(0)),
			lifetime: rates.lifetime,
			belief: self.rates.course.as_ref().map(|course| Belief::of(rates, course.at(index, &request.model))),
			opens_run: request.opens_run,
			is_explicit: rates.is_explicit(),
			prices: &rates.prices,
			compaction: self.rates.compaction,
		};
		let folds = if keeps { self.carried(request.entry) } else { policy.edits(&self.world, &moment) };
		billed.folds = folds.len();
		if !folds.is_empty() {
			self.replay.folds += folds.len();
			let recorded = folds.iter().filter_map(|fold| self.world.recorded_at(fold.entry));
			self.replay.folded.extend(recorded.map(|entry| Folded { request: index, entry }));
			self.world.fold(folds);
			self.parts = self.world.parts(index, &slots, policy.declared());
		}
		if !request.opens_run && self.compact(index, &slots, policy, &mut billed) {
			slots = self.look(index, policy);
		}
		let missed = if keeps { Vec::new() } else { self.world.missed(request.entry, &slots) };
		if !missed.is_empty() {
			billed.asking = rates.prices.cost(&self.send(request), ASKING);
			self.recall(&missed, request.entry);
			self.look(index, policy);
		}
		billed.served = self.send(request);
		billed.output = self.output(index);
		billed.cost = billed.asking + billed.compacting + rates.prices.cost(&billed.served, billed.output);
		self.world.take_until(request.entry + 1, keeps);
		self.world.report(usage(&billed));
		self.touched = Some(request.done);
		billed
	}

	/// What the request has in view; its parts are taken.
	fn look(&mut self, index: usize, policy: &dyn Policy) -> Vec<Slot> {
		let slots = self.world.slots();
		self.parts = self.world.parts(index, &slots, policy.declared());
		slots
	}

	/// Lets Pi compact where the request is too large; whether it did.
	fn compact(&mut self, index: usize, slots: &[Slot], policy: &dyn Policy, billed: &mut Billed) -> bool {
		let Some(compaction) = self.rates.compaction.filter(|_| !policy.keeps_recorded()) else { return false };
		let size: f64 = self.parts.0.iter().map(|part| part.tokens).sum();
		if size <= compaction.trigger {
			return false;
		}
		let Some(read) = compaction.compact(&mut self.world, slots) else { return false };
		let prices = &self.rates.of(&self.recording.requests[index].model).prices;
		let served = CacheUse { input: read, ..CacheUse::default() };
		billed.compacting += prices.cost(&served, SUMMARY);
		self.replay.compactions += 1;
		true
	}

	/// Pi sends the last request once more, for one token, so that the cache stays alive.
	fn refresh(&mut self, index: usize) -> Billed {
		let request = &self.recording.requests[index];
		let served = self.send(request);
		self.touched = Some(request.done);
		let cost = self.rates.of(&request.model).prices.cost(&served, REFRESHED);
		Billed { served, output: REFRESHED, cost, ..Billed::default() }
	}

	fn send(&mut self, request: &Request) -> CacheUse {
		let (parts, head) = &self.parts;
		let scope = scope(&request.model);
		let cache = self.caches.entry(scope).or_insert_with(|| self.rates.of(&request.model).empty_cache());
		cache.send(Prompt { scope, parts, head: *head, reaches_back: self.reaches_back }, (request.sent, request.done))
	}

	fn recall(&mut self, missed: &[usize], answer: usize) {
		let Body::Assistant(asked) = &self.recording.entries[answer].entry.body else { return };
		self.replay.misses += missed.len();
		self.replay.recalled += missed.iter().map(|entry| self.recording.weights.entries[*entry]).sum::<f64>();
		self.world.recall(missed, ASKING, asked);
	}

	/// Recorded folds that the request of the answer at `entry` carried already.
	fn carried(&self, entry: usize) -> Vec<Fold> {
		let fold = |recorded: &Recorded| match &recorded.entry.body {
			Body::ContextEdit { target, replacement: Replacement::Content { size, .. } } => {
				let tokens = f64::from(estimated(*size)) * self.recording.weights.ratio;
				Some(Fold { entry: self.world.branch.find(target)?, tokens, units: size.units })
			}
			_ => None,
		};
		carried_folds(&self.recording.entries, entry).filter_map(fold).collect()
	}

	/// Tokens of the request's answer.
	fn output(&self, index: usize) -> f64 {
		let request = &self.recording.requests[index];
		let entry = &self.recording.entries[request.entry].entry;
		let estimate = || f64::from(estimated_entry(entry)) * self.recording.weights.ratio;
		request.usage.map_or_else(estimate, |usage| usage.output)
	}
}

fn usage(billed: &Billed) -> Usage {
	let CacheUse { input, read, write, write_hour } = billed.served;
	Usage {
		input,
		output: billed.output,
		cache_read: read,
		cache_write: write + write_hour,
		cache_write_1h: (write_hour > 0.0).then_some(write_hour),
	}
}

fn scope(model: &ModelKey) -> u64 {
	let bytes = model.provider.bytes().chain(*b"/").chain(model.model.bytes());
	bytes.fold(0, |key, byte| mix(key, u64::from(byte)))
}
