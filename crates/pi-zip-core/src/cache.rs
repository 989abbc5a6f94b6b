//! Whether the provider's prompt cache of this session is warm, judged before a request.
//!
//! Decides from the branch and a [`Moment`] that the caller describes. Only requests touch a cache, so what stands
//! behind the newest one (the prompt about to be sent, a `!` command, a compaction) does not move time, but a prompt
//! whose answer never came. What was learned of the cache is an argument. In doubt it says warm: an edit of a warm
//! request costs money, a missed fold only a saving.

mod evidence;
mod kind;
mod lifetime;
mod reach;
mod readable;
mod survival;

pub use evidence::{Asked, Evidence, evidence};
pub use kind::{Kind, carries_marks};
pub use lifetime::{Lifetime, Source, lifetime};
pub use reach::Reach;
pub use readable::Readable;
pub use survival::{BINS, Bin, Counts, EDGES, EVEN, Prior, Survival, bin_of};

use crate::session::{Body, Branch, Entry, Millis, ModelKey, StopReason};

/// How long the provider was asked to keep the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
	None,
	Short,
	Long,
}

/// What is known about the request to come, beside the branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
	pub now: Millis,
	/// The newest start or end of a request to this session's cache in this process.
	pub touched: Option<Millis>,
	/// The physical model about to be asked. `None` where it is virtual or unknown: the one that answered last counts.
	pub model: Option<ModelKey>,
	/// The retention that Pi asks for.
	pub retention: Retention,
	/// The lifetime that the model declares for the short retention, in milliseconds.
	pub declared_short: Option<Millis>,
	/// The same for the long retention.
	pub declared_long: Option<Millis>,
	/// Replaces every other source of the lifetime, in milliseconds.
	pub lifetime_override: Option<Millis>,
	/// Requests to this model carry cache marks: see [`carries_marks`].
	pub marks: bool,
	/// What was learned of this model's cache.
	pub learned: Learned,
}

/// What was learned of one model's cache, by the tier that its prompts were written in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learned {
	pub short: Counts,
	pub long: Counts,
}

impl Learned {
	pub fn of(&self, retention: Retention) -> &Counts {
		if retention == Retention::Long { &self.long } else { &self.short }
	}

	pub fn of_mut(&mut self, retention: Retention) -> &mut Counts {
		if retention == Retention::Long { &mut self.long } else { &mut self.short }
	}
}

/// The cache as a request would find it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
	pub state: State,
	pub lifetime: Lifetime,
	pub kind: Kind,
	/// The chance that the cache lives after a gap to come.
	pub survival: Survival,
	/// Milliseconds since the newest touch; zero where there is no cache to touch.
	pub idle: Millis,
	/// The chance that it is alive now: exactly zero where another model answers or nothing is cached, one before the
	/// first request.
	pub warm: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
	/// No request came before this one. Counts as warm: there is nothing to save.
	First,
	/// `cold_at` is when the cache expires unless it is touched again.
	Warm {
		cold_at: Millis,
	},
	Cold {
		because: ColdReason,
	},
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColdReason {
	/// `idle` is the time since the newest touch.
	Expired {
		idle: Millis,
	},
	ModelChanged,
	NoCache,
}

/// The cache at `moment`.
pub fn state(branch: &Branch, moment: &Moment) -> Outlook {
	let (lifetime, survival) = believed(branch, moment);
	let last = last_request(branch.entries());
	let model = moment.model.as_ref().or(last.map(|(_, answered)| answered));
	let (state, warm, idle) = judge(branch, moment, &survival);
	Outlook { state, lifetime, kind: kind(branch, moment.marks, model), survival, idle, warm }
}

/// What is believed of the cache's life: what is declared, and what was learned since.
fn believed(branch: &Branch, moment: &Moment) -> (Lifetime, Survival) {
	let stated = lifetime(branch, moment);
	let Some(prior) = stated.prior() else { return (stated, stated.millis.map_or(Survival::NONE, Survival::declared)) };
	let survival = Survival::learned(prior, moment.learned.of(stated.retention));
	let millis = survival.lifetime();
	let source = if millis == stated.millis { stated.source } else { Source::Learned };
	(Lifetime { millis, source, ..stated }, survival)
}

fn judge(branch: &Branch, moment: &Moment, survival: &Survival) -> (State, f64, Millis) {
	let Some((last, answered)) = last_request(branch.entries()) else { return (State::First, 1.0, 0) };
	let Some(lifetime) = survival.lifetime() else { return (State::Cold { because: ColdReason::NoCache }, 0.0, 0) };
	let model = moment.model.as_ref().unwrap_or(answered);
	if model != answered {
		return (State::Cold { because: ColdReason::ModelChanged }, 0.0, 0);
	}
	let touched = newest_touch(branch.entries(), last, model).max(moment.touched.unwrap_or(Millis::MIN));
	let idle = moment.now.saturating_sub(touched);
	let warm = survival.chance(idle);
	if warm < EVEN {
		return (State::Cold { because: ColdReason::Expired { idle } }, warm, idle);
	}
	// A clock that went back leaves touches in the future; the lifetime then starts now.
	(State::Warm { cold_at: touched.min(moment.now).saturating_add(lifetime) }, warm, idle.max(0))
}

/// The kind of `model`'s cache, by all its reports on the branch.
fn kind(branch: &Branch, marks: bool, model: Option<&ModelKey>) -> Kind {
	let reports = branch.entries().iter().filter_map(|entry| match &entry.body {
		Body::Assistant(assistant) if Some(&assistant.model) == model => assistant.usage.as_ref(),
		_ => None,
	});
	Kind::of(marks, reports)
}

/// Index and model of the newest answer whose request reached the provider.
fn last_request(entries: &[Entry]) -> Option<(usize, &ModelKey)> {
	entries.iter().enumerate().rev().find_map(|(index, entry)| match &entry.body {
		Body::Assistant(assistant) if reached_provider(entry) => Some((index, &assistant.model)),
		_ => None,
	})
}

/// An answer that failed without a report most likely never got to the cache: no connection, refused, overloaded. One
/// that was aborted did.
fn reached_provider(entry: &Entry) -> bool {
	match &entry.body {
		Body::Assistant(assistant) => {
			assistant.stop != StopReason::Error || assistant.usage.is_some_and(|usage| usage.request().is_some())
		}
		_ => false,
	}
}

/// The newest touch of `model`'s cache that the branch tells of. `last` is the newest request; the results of its calls
/// count as well, since its end is not recorded and may be anywhere before them.
fn newest_touch(entries: &[Entry], last: usize, model: &ModelKey) -> Millis {
	let touch = |(index, entry): (usize, &Entry)| match &entry.body {
		Body::Assistant(_) => (index <= last && reached_provider(entry)).then_some(entry.at),
		Body::ToolResult(_) => Some(entry.at),
		Body::CacheTouch(key) => (key == model).then_some(entry.at),
		_ => None,
	};
	// The newest by its place: a time from when the clock was ahead must not outlive the next answer.
	let told = entries.iter().enumerate().rev().find_map(touch).unwrap_or(Millis::MIN);
	told.max(unanswered_prompt(entries, last).unwrap_or(Millis::MIN))
}

/// When the newest prompt came that has another one behind it and no answer: a process ended while it waited for one, and
/// the request most likely touched the cache. The last prompt of the branch is the one about to be sent.
fn unanswered_prompt(entries: &[Entry], last: usize) -> Option<Millis> {
	let mut waiting = None;
	let mut unanswered = None;
	for entry in entries.iter().skip(last + 1) {
		match &entry.body {
			Body::User(_) => unanswered = waiting.replace(entry.at).or(unanswered),
			Body::Assistant(_) => waiting = None,
			_ => {}
		}
	}
	unanswered
}
