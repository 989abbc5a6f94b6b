//! The real tokens of each entry, so that the parts of a recorded request add up to what the provider counted.
//!
//! What a request grew by, by the provider's own count, is shared among the entries that came since by their estimates.
//! What no entry accounts for is the *head*: system text and tool declarations. Another model counts otherwise, which is
//! a *scale* on all entries; a provider that leaves out earlier thinking from a new prompt on makes those entries
//! smaller, and the prefix another one. Without reports, the estimates with a usual ratio stand in.

use std::collections::HashSet;

use pi_zip_core::session::{Body, Branch, ModelKey, Projection, Replacement, Slot};
use pi_zip_core::tokens::{estimated, estimated_entry};

use crate::recording::{Kind, Request};
use crate::session_file::Recorded;

/// Real tokens over estimated ones before any evidence: the middle of what real sessions show (1.3 to 1.7).
const USUAL_RATIO: f64 = 1.4;

/// Estimated tokens that the usual ratio counts for against evidence.
const USUAL_WEIGHT: f64 = 4_000.0;

/// Growth over estimate outside these bounds says nothing about the ratio.
const BELIEVED_RATIOS: std::ops::RangeInclusive<f64> = 0.7..=2.6;

/// One model counts at most this many times what another does.
const MOST_RESCALED: f64 = 2.0;

/// UTF-16 units to an estimated token, as Pi counts.
const UNITS_PER_TOKEN: f64 = 4.0;

/// A request must lack at least this many tokens before thinking is taken to be left out of it.
const LEAST_DROPPED: f64 = 100.0;

/// A request that read this share of the one before it found it unchanged.
const MOSTLY_READ: f64 = 0.97;

/// Real tokens of the parts of all requests of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
	/// For each entry its tokens when it first was in a request, before the request's scale.
	pub entries: Vec<f64>,
	/// For each request what it holds beside its entries.
	pub frames: Vec<Frame>,
	/// Entries that became smaller, in the order of the requests.
	pub shrunk: Vec<Shrunk>,
	/// Real tokens to an estimated one, over the whole session.
	pub ratio: f64,
}

/// What a request is beside its entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
	/// Tokens in front of the messages.
	pub head: f64,
	/// Real tokens to one of an entry.
	pub scale: f64,
}

/// An entry that a provider counts with less from a request on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shrunk {
	pub request: usize,
	pub entry: usize,
	/// Tokens until then.
	pub before: f64,
	/// Tokens from then on.
	pub tokens: f64,
}

/// Weighs the entries by the reports of the requests.
pub fn weigh(entries: &[Recorded], requests: &[Request]) -> Weights {
	let mut scales = Scales::new(entries.len());
	let mut branch = Branch::default();
	let mut pushed = 0;
	for (index, request) in requests.iter().enumerate() {
		for recorded in &entries[pushed..request.entry] {
			branch.push(recorded.entry.clone());
		}
		pushed = request.entry;
		match request.kind {
			Kind::Answer => {
				let view = view(&branch, carried_folds(entries, request.entry));
				scales.weigh(index, request, view, entries);
			}
			Kind::Refresh => scales.frames.push(scales.frame),
		}
	}
	let ratio = scales.ratio();
	for (tokens, recorded) in scales.tokens.iter_mut().zip(entries) {
		if tokens.is_nan() {
			*tokens = f64::from(estimated_entry(&recorded.entry)) * ratio;
		}
	}
	for shrunk in &scales.shrunk {
		scales.tokens[shrunk.entry] = shrunk.before;
	}
	Weights { ratio, entries: scales.tokens, frames: scales.frames, shrunk: scales.shrunk }
}

/// Recorded folds of ours that the request of the answer at `entry` carried already: they were written when its turn
/// ended.
pub fn carried_folds(entries: &[Recorded], entry: usize) -> impl Iterator<Item = &Recorded> {
	let behind = entries[entry + 1..].iter();
	let turn = behind.take_while(|recorded| !matches!(recorded.entry.body, Body::Assistant(_)));
	turn.filter(|recorded| {
		matches!(
			recorded.entry.body,
			Body::ContextEdit { replacement: Replacement::Content { placeholder: true, .. }, .. }
		)
	})
}

/// What a request shows of the branch with some folds that are not on it yet.
fn view<'a>(branch: &Branch, mut folds: impl Iterator<Item = &'a Recorded>) -> Vec<Slot> {
	let Some(first) = folds.next() else { return Projection::of(branch).slots().to_vec() };
	let mut branch = branch.clone();
	for fold in std::iter::once(first).chain(folds) {
		branch.push(fold.entry.clone());
	}
	Projection::of(&branch).slots().to_vec()
}

/// The state of the weighing.
struct Scales {
	/// Not a number where the entry has not been in a request yet.
	tokens: Vec<f64>,
	frame: Frame,
	frames: Vec<Frame>,
	shrunk: Vec<Shrunk>,
	/// Real and estimated tokens that growth has shown.
	real: f64,
	estimated: f64,
	/// The last request with a report.
	last: Option<Last>,
}

struct Last {
	view: Vec<Slot>,
	model: ModelKey,
	size: f64,
}

impl Scales {
	fn new(entries: usize) -> Self {
		Self {
			tokens: vec![f64::NAN; entries],
			frame: Frame { head: 0.0, scale: 1.0 },
			frames: Vec::new(),
			shrunk: Vec::new(),
			real: USUAL_RATIO * USUAL_WEIGHT,
			estimated: USUAL_WEIGHT,
			last: None,
		}
	}

	fn ratio(&self) -> f64 {
		self.real / self.estimated
	}

	fn weigh(&mut self, index: usize, request: &Request, view: Vec<Slot>, entries: &[Recorded]) {
		let fresh: Vec<usize> =
			view.iter().map(|slot| slot.entry).filter(|entry| self.tokens[*entry].is_nan()).collect();
		self.share(&fresh, self.ratio(), entries);
		if let Some(size) = request.reported() {
			let last = self.last.take();
			match &last {
				Some(last) if last.model != request.model => self.rescale(size, &view),
				Some(last) if view.starts_with(&last.view) => {
					let read = request.usage.map_or(0.0, |usage| usage.cache_read);
					let intact = read >= last.size * MOSTLY_READ;
					self.grow(index, size - last.size, intact, &view, &fresh, entries);
				}
				Some(_) => self.refit(size, &view, &fresh, entries),
				None => {}
			}
			self.close(size, &view);
			self.last = Some(Last { view, model: request.model.clone(), size });
		}
		self.frames.push(self.frame);
	}

	/// Gives the entries their estimates times `ratio`.
	fn share(&mut self, fresh: &[usize], ratio: f64, entries: &[Recorded]) {
		for entry in fresh {
			self.tokens[*entry] = estimate(entries, *entry) * ratio / self.frame.scale;
		}
	}

	/// The request carries what the last one did, and `fresh`. `intact`: what the last one held was read from the cache, so
	/// that nothing in it can have changed.
	fn grow(&mut self, index: usize, grown: f64, intact: bool, view: &[Slot], fresh: &[usize], entries: &[Recorded]) {
		let estimates: f64 = fresh.iter().map(|entry| estimate(entries, *entry)).sum();
		if estimates <= 0.0 {
			return;
		}
		let lacking = estimates * self.ratio() - grown;
		let drops = lacking > LEAST_DROPPED && !intact;
		let dropped = if drops { self.drop_thinking(index, lacking, view, fresh, entries) } else { 0.0 };
		let ratio = ((grown + dropped) / estimates).max(0.0);
		self.share(fresh, ratio, entries);
		if dropped == 0.0 && BELIEVED_RATIOS.contains(&ratio) {
			self.real += grown;
			self.estimated += estimates;
		}
	}

	/// Takes up to `lacking` tokens of thinking from earlier answers, where a prompt came in. The tokens taken.
	fn drop_thinking(
		&mut self,
		index: usize,
		lacking: f64,
		view: &[Slot],
		fresh: &[usize],
		entries: &[Recorded],
	) -> f64 {
		if !fresh.iter().any(|entry| matches!(entries[*entry].entry.body, Body::User(_))) {
			return 0.0;
		}
		let known = self.shrunk.iter().map(|shrunk| shrunk.entry).collect::<HashSet<_>>();
		let thinking = |entry: usize| match &entries[entry].entry.body {
			Body::Assistant(answer) if !known.contains(&entry) => f64::from(answer.thinking) / UNITS_PER_TOKEN,
			_ => 0.0,
		};
		let holders: Vec<(usize, f64)> = view
			.iter()
			.map(|slot| (slot.entry, thinking(slot.entry) * self.ratio() / self.frame.scale))
			.filter(|(entry, tokens)| *tokens > 0.0 && !fresh.contains(entry))
			.collect();
		let all: f64 = holders.iter().map(|(_, tokens)| tokens * self.frame.scale).sum();
		if all <= 0.0 {
			return 0.0;
		}
		let share = (lacking / all).min(1.0);
		for (entry, thinking) in holders {
			let before = self.tokens[entry];
			let tokens = (before - thinking * share).max(0.0);
			self.tokens[entry] = tokens;
			self.shrunk.push(Shrunk { request: index, entry, before, tokens });
		}
		all * share
	}

	/// Another model counts the same entries otherwise.
	fn rescale(&mut self, size: f64, view: &[Slot]) {
		let held = self.held(view);
		if held > 0.0 && size > self.frame.head {
			self.frame.scale *= ((size - self.frame.head) / held).clamp(1.0 / MOST_RESCALED, MOST_RESCALED);
		}
	}

	/// The view was changed: what came in new, such as a summary, accounts for the difference as far as it can.
	fn refit(&mut self, size: f64, view: &[Slot], fresh: &[usize], entries: &[Recorded]) {
		let estimates: f64 = fresh.iter().map(|entry| estimate(entries, *entry)).sum();
		if estimates > 0.0 {
			let rest = size - self.frame.head - self.held(view) + estimates * self.ratio();
			let ratio = (rest / estimates).clamp(*BELIEVED_RATIOS.start(), *BELIEVED_RATIOS.end());
			self.share(fresh, ratio, entries);
		}
	}

	/// What is still unaccounted for is the head; where the entries are too large, they shrink in proportion.
	fn close(&mut self, size: f64, view: &[Slot]) {
		let held = self.held(view);
		self.frame.head = (size - held).max(0.0);
		if held > size {
			self.frame.scale *= size / held;
		}
	}

	fn held(&self, view: &[Slot]) -> f64 {
		let tokens = |slot: &Slot| slot_tokens(slot, self.tokens[slot.entry], self.ratio());
		view.iter().map(tokens).sum::<f64>() * self.frame.scale
	}
}

/// Tokens of a projected entry that holds `tokens` unedited.
pub fn slot_tokens(slot: &Slot, tokens: f64, ratio: f64) -> f64 {
	match (slot.messages, slot.edit) {
		(0, _) => 0.0,
		(_, Some(Replacement::Content { size, .. })) => f64::from(estimated(size)) * ratio,
		_ => tokens,
	}
}

fn estimate(entries: &[Recorded], entry: usize) -> f64 {
	f64::from(estimated_entry(&entries[entry].entry))
}
