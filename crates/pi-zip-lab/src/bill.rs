//! What each token of the recorded requests was, by its cause.
//!
//! Each part is computed from a cause of its own: what was read, from the report; what is new, from what came since the
//! last request; what was written again, from what happened in between that makes a cache useless, as far as that reaches.
//! What the causes leave is *unexplained* and a part of its own. So the parts of a request add up to its report, and their
//! prices to its recorded cost. Where no use of a cache is reported at all, the simulated use stands in and is marked.

use std::collections::HashSet;

use pi_zip_core::session::Body;

use crate::cache_model::{CacheUse, Part};
use crate::policy::AsRecorded;
use crate::prices::Source;
use crate::rates::{CacheKind, RateBook, Rates};
use crate::recording::{Kind, Recording, Request};
use crate::replay::replay_with;
use crate::session_file::Change;

/// Blocks between the ends of two requests from which on an explicit cache does not find the first one's entry.
const OUT_OF_REACH: u32 = 20;

/// Amounts by cause: tokens, or money.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
	/// Read from the cache.
	pub read: f64,
	/// Not in any earlier request, or in the last one behind the end of what was cached.
	pub new: f64,
	/// Sent before, but the cache had expired.
	pub expired: f64,
	/// Sent before, but a fold of ours stands in front of it.
	pub ours: f64,
	/// Sent before, but someone else changed what stands in front of it, or how it is read.
	pub others: f64,
	/// Sent before, for no reason that is known here.
	pub unexplained: f64,
	pub output: f64,
}

impl Parts {
	pub fn total(&self) -> f64 {
		self.read + self.unread() + self.output
	}

	/// Everything in the request that was not read.
	fn unread(&self) -> f64 {
		self.new + self.expired + self.ours + self.others + self.unexplained
	}

	fn add(&mut self, other: &Self) {
		self.read += other.read;
		self.new += other.new;
		self.expired += other.expired;
		self.ours += other.ours;
		self.others += other.others;
		self.unexplained += other.unexplained;
		self.output += other.output;
	}
}

/// The account of one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
	pub request: usize,
	pub tokens: Parts,
	/// In dollars where they were recorded or are declared, else in units of the input price.
	pub money: Parts,
	/// The use of the cache is simulated.
	pub simulated: bool,
	/// No cost was recorded: the prices are those that the model declares, or those of the cache's class.
	pub estimated: bool,
}

/// The account of a session.
#[derive(Clone, Debug, Default)]
pub struct Bill {
	pub requests: Vec<Account>,
	pub tokens: Parts,
	pub money: Parts,
	/// What calls beside the conversation took, which are the same under each policy: summaries, tools that asked a model.
	pub aside: Aside,
	/// What the simulation comes to for the session as it was, to be held against policies.
	pub recorded: f64,
	/// Money is in dollars, else in units of the input price.
	pub in_dollars: bool,
}

/// Tokens, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aside {
	pub tokens: f64,
	pub money: f64,
}

/// Draws up the bill of what was recorded.
pub fn bill(recording: &Recording, rates: &RateBook) -> Bill {
	let mut prompts: Vec<Vec<Part>> = Vec::with_capacity(recording.requests.len());
	let simulated = replay_with(recording, &mut AsRecorded, rates, |parts| prompts.push(parts.to_vec()));
	let reports_cache =
		recording.requests.iter().filter_map(|request| request.usage).any(|usage| usage.cache_read > 0.0);
	let mut bill = Bill {
		aside: aside(recording, rates),
		recorded: simulated.cost,
		in_dollars: rates.is_in_dollars(),
		..Bill::default()
	};
	let mut last: Option<usize> = None;
	for (index, request) in recording.requests.iter().enumerate() {
		let own = rates.of(&request.model);
		let served = match request.usage {
			Some(usage) if reports_cache => CacheUse::from(&usage),
			_ => simulated.requests[index].served,
		};
		let output = simulated.requests[index].output;
		let step = Step { recording, last, index, own, prompts: &prompts, bill: &bill };
		let tokens = Parts { output, ..step.parts(&served) };
		let money = priced(&tokens, &served, request, own);
		let account = Account {
			request: index,
			tokens,
			money,
			simulated: !reports_cache || request.usage.is_none(),
			estimated: request.cost.is_none() && own.source != Source::Recorded,
		};
		bill.tokens.add(&account.tokens);
		bill.money.add(&account.money);
		bill.requests.push(account);
		last = Some(index);
	}
	bill
}

/// Calls beside the conversation, where no cost is recorded at the prices of the model that was asked last.
fn aside(recording: &Recording, rates: &RateBook) -> Aside {
	let mut sum = Aside::default();
	for (index, recorded) in recording.entries.iter().enumerate() {
		let Some(usage) = recorded.aside else { continue };
		let asked = recording.requests.partition_point(|request| request.entry < index).saturating_sub(1);
		let prices = recording.requests.get(asked).map(|request| &rates.of(&request.model).prices);
		let estimate = || prices.map_or(0.0, |prices| prices.cost(&CacheUse::from(&usage), usage.output));
		sum.tokens += usage.request().unwrap_or(0.0) + usage.output;
		sum.money += recorded.cost.map_or_else(estimate, |cost| cost.total);
	}
	sum
}

/// One request against the one before it.
struct Step<'a> {
	recording: &'a Recording,
	last: Option<usize>,
	index: usize,
	own: &'a Rates,
	/// Parts of all requests so far.
	prompts: &'a [Vec<Part>],
	bill: &'a Bill,
}

impl Step<'_> {
	fn parts(&self, served: &CacheUse) -> Parts {
		let unread = served.total() - served.read;
		let read = served.read;
		let Some(last) = self.last else { return Parts { read, new: unread, ..Parts::default() } };
		let new = (self.fresh(last) + self.never_cached(last)).min(unread);
		let again = unread - new;
		let parts = Parts { read, new, ..Parts::default() };
		if self.is_expired(last) {
			return Parts { expired: again, ..parts };
		}
		let others = again.min(self.reach_of_others(last));
		let ours = (again - others).min(self.reach_of_change(last, true));
		Parts { others, ours, unexplained: again - others - ours, ..parts }
	}

	fn request(&self) -> &Request {
		&self.recording.requests[self.index]
	}

	/// Tokens of what the request before did not carry.
	fn fresh(&self, last: usize) -> f64 {
		let (parts, before) = (&self.prompts[self.index], &self.prompts[last]);
		let same = parts.iter().zip(before).take_while(|(part, was)| part.origin == was.origin).count();
		// Behind where they part an entry may have moved, as behind a compaction.
		let known: HashSet<u64> = before[same..].iter().map(|part| part.origin).collect();
		parts[same..].iter().filter(|part| !known.contains(&part.origin)).map(|part| part.tokens).sum()
	}

	/// Tokens at the end of the request before that its cache could not hold.
	fn never_cached(&self, last: usize) -> f64 {
		let before = &self.bill.requests[last].tokens;
		let size = before.total() - before.output;
		match (&self.own.cache, self.recording.requests[last].usage) {
			(CacheKind::Automatic { step, .. }, _) => size % step,
			(CacheKind::Explicit(_), Some(usage)) => usage.input,
			_ => 0.0,
		}
	}

	fn is_expired(&self, last: usize) -> bool {
		let before = &self.recording.requests[last];
		self.request().sent - before.done >= self.own.lifetime
	}

	/// How many tokens can have been written again because someone else changed something.
	fn reach_of_others(&self, last: usize) -> f64 {
		let before = &self.recording.requests[last];
		let between = &self.recording.entries[before.entry..self.request().entry];
		let explicit = self.own.is_explicit();
		let replaced = between.iter().any(|recorded| match recorded.change {
			Some(Change::Tools) => true,
			Some(Change::Thinking) => explicit,
			Some(Change::Model) | None => matches!(recorded.entry.body, Body::Compaction { .. }),
		});
		let out_of_reach = explicit && {
			let known: usize = self.prompts[last].len();
			self.prompts[self.index].iter().skip(known).map(|part| part.blocks).sum::<u32>() >= OUT_OF_REACH
		};
		if replaced || out_of_reach || self.request().model != before.model {
			return f64::INFINITY;
		}
		self.reach_of_change(last, false)
	}

	/// How many tokens can have been written again because of folds of ours, or of what someone else put in the place of an
	/// entry: what stands behind on an automatic cache; all on an explicit one, which need not find an entry in front.
	fn reach_of_change(&self, last: usize, ours: bool) -> f64 {
		let reach = self.behind_first_change(last, ours);
		if reach > 0.0 && self.own.is_explicit() { f64::INFINITY } else { reach }
	}

	/// Tokens from the first part on that is not as it was, where that is a fold of ours or not.
	fn behind_first_change(&self, last: usize, ours: bool) -> f64 {
		let parts = &self.prompts[self.index];
		let before = &self.prompts[last];
		let changed = parts.iter().zip(before).position(|(part, was)| part.key != was.key && part.is_folded == ours);
		changed.map_or(0.0, |at| parts[at..].iter().map(|part| part.tokens).sum())
	}
}

/// The same parts in money: by the recorded cost, or by prices.
fn priced(tokens: &Parts, served: &CacheUse, request: &Request, rates: &Rates) -> Parts {
	let cost = match request.cost.filter(|_| request.kind == Kind::Answer) {
		Some(cost) => rates.prices.whole(&cost, served, tokens.output),
		None => rates.prices.parts(served, tokens.output),
	};
	let unread = tokens.unread();
	let price = if unread > 0.0 { (cost.input + cost.write) / unread } else { 0.0 };
	Parts {
		read: cost.read,
		new: tokens.new * price,
		expired: tokens.expired * price,
		ours: tokens.ours * price,
		others: tokens.others * price,
		unexplained: tokens.unexplained * price,
		output: cost.output,
	}
}
