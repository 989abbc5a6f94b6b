//! What a return shows of the cache: whether the prefix that a request sent again was read after the gap before it.
//!
//! Looks at one answer of a branch and at the request before it. In doubt it sees nothing: where the prefix is small, the
//! reports tell of no cache, somebody else changed or shrank the prefix, or an edit of ours stands so far in front that
//! nothing behind it could be read.
//! Keeps no counts: see [`Counts`](super::Counts).

use super::{EDGES, Kind, last_request, newest_touch};
use crate::session::{Body, Branch, Entry, Millis, ModelKey, Projection};
use crate::tokens::{Calibration, estimated_slot};

/// A prefix of fewer real tokens shows nothing: another session with the same system text and tools may have kept it.
const LEAST_PREFIX: f64 = 8_192.0;

/// The same where an edit ends the prefix: its size is an estimate, that planners aim at `LEAST_PREFIX` with.
const LEAST_HEAD: f64 = 0.8 * LEAST_PREFIX;

/// From this share of the prefix on it counts as read, up to the other as written again. Caches read in steps, and the
/// size of an edit's head is an estimate; what lies between may be another session's.
const READ_SHARE: f64 = 0.8;
const GONE_SHARE: f64 = 0.4;

/// A request that is smaller than the one before it by more than this share lacks something.
const SHRUNK: f64 = 0.9;

/// Blocks that may come between two marks of an explicit cache; behind more the older entry is not looked for, though
/// it may live. Providers document 20.
const LOOKBACK: usize = 18;

/// What a branch does not tell of the request that an answer belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
	/// Index of the answer.
	pub answer: usize,
	/// When the request before it ended, where this process sent it.
	pub touched: Option<Millis>,
	/// Index of the first entry that this request showed otherwise than the one before, where it did.
	pub edited: Option<usize>,
	pub kind: Kind,
}

/// A return.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
	pub model: ModelKey,
	/// Milliseconds between the last touch of the cache and the request.
	pub gap: Millis,
	/// The prefix was read in full; else it was written again.
	pub lived: bool,
}

/// What an answer shows; `None` where that is nothing.
pub fn evidence(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	asked: &Asked,
) -> Option<Evidence> {
	let entry = branch.entries().get(asked.answer)?;
	let Body::Assistant(answer) = &entry.body else { return None };
	let (size, read) = (answer.reported()?, answer.usage?.cache_read);
	let before = &branch.entries()[..asked.answer];
	let (last, model) = last_request(before)?;
	let Body::Assistant(previous) = &before[last].body else { return None };
	if *model != answer.model {
		return None;
	}
	let touched = newest_touch(before, last, model).max(asked.touched.unwrap_or(Millis::MIN));
	let gap = entry.at.saturating_sub(touched);
	if gap < EDGES[0] {
		return None;
	}
	let between = &before[last + 1..];
	if between.iter().any(|entry| matches!(entry.body, Body::Compaction { .. } | Body::UnknownMessage)) {
		return None;
	}
	let whole = previous.usage?.request()?;
	let edited = asked.edited.into_iter().chain(foreign_edits(branch, last, asked.answer)).min();
	let (prefix, least) = match edited {
		Some(edited) => (head(branch, projection, calibration, edited)?.min(whole), LEAST_HEAD),
		None => (whole, LEAST_PREFIX),
	};
	let is_shrunk = size < if edited.is_some() { prefix } else { SHRUNK * whole };
	if prefix <= least || is_shrunk {
		return None;
	}
	if read >= READ_SHARE * prefix {
		return Some(Evidence { model: model.clone(), gap, lived: true });
	}
	let could_be_read = match asked.kind {
		Kind::Explicit => edited.is_none() && blocks(&before[last..]) <= LOOKBACK,
		Kind::Automatic => true,
	};
	// A change of system text or tools in mid-conversation makes some APIs send another beginning.
	let is_same = !between.iter().any(|entry| matches!(entry.body, Body::System(_)));
	let gone = read <= GONE_SHARE * prefix && could_be_read && is_same && tells_of_cache(branch, asked.answer, model);
	gone.then(|| Evidence { model: model.clone(), gap, lived: false })
}

/// Whether the model's reports, up to that answer's, tell of a cache at all. Where none does, that nothing was read says
/// nothing.
fn tells_of_cache(branch: &Branch, answer: usize, model: &ModelKey) -> bool {
	branch.entries()[..=answer].iter().rev().any(|entry| match &entry.body {
		Body::Assistant(answer) if answer.model == *model => {
			answer.usage.is_some_and(|usage| usage.cache_read > 0.0 || usage.cache_write > 0.0)
		}
		_ => false,
	})
}

/// Targets of edits that somebody else has put between two requests. Ours are told of by [`Asked`].
fn foreign_edits(branch: &Branch, last: usize, answer: usize) -> impl Iterator<Item = usize> {
	let between = branch.edits().iter().filter(move |edit| (last..answer).contains(&edit.entry));
	between.filter(|edit| !edit.replacement.is_placeholder()).filter_map(|edit| edit.target)
}

/// Real tokens in front of an entry of the view.
fn head(branch: &Branch, projection: &Projection, calibration: &Calibration, edited: usize) -> Option<f64> {
	let slots = projection.slots();
	let end = slots.iter().position(|slot| slot.entry == edited)?;
	let estimate = slots[..end].iter().fold(0u32, |sum, slot| sum.saturating_add(estimated_slot(branch, slot)));
	Some(f64::from(calibration.context(estimate)))
}

/// Blocks of content that the entries put into a request, at least.
fn blocks(entries: &[Entry]) -> usize {
	let of = |entry: &Entry| match &entry.body {
		Body::Assistant(answer) if answer.is_dropped() => 0,
		Body::Assistant(answer) => answer.calls.len().max(1) + usize::from(answer.thinking > 0),
		Body::User(_) | Body::ToolResult(_) | Body::Custom(_) | Body::UserBash { .. } => 1,
		_ => 0,
	};
	entries.iter().map(of).sum()
}
