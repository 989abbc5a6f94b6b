//! How much of an explicit cache a request can still read that changes something far back.
//!
//! An entry stands where a request ended, and where the changes of an edited one ended, since both were marked. A mark of
//! ours on the newest one in front of the next change makes it findable. That an entry lives for its lifetime after it was
//! written or read is documented; whether it lives longer because longer prefixes were read is not, so older entries count
//! only once a report has shown that they do. Derived from the branch alone; it prices nothing.

use crate::session::{Body, Branch, Millis, Usage};
use crate::tokens::{Calibration, estimated_entry};

/// From this share of an entry's tokens on it counts as read, up to the other as gone; what lies between may be another
/// session's.
const READ_SHARE: f64 = 0.8;
const GONE_SHARE: f64 = 0.4;

/// A prefix of fewer real tokens shows nothing: tools and system text alone may be as long.
const LEAST_PREFIX: f64 = 8_192.0;

/// Part of the lifetime for which an entry counts as alive: a run may go on for a while before the request is sent.
const SAFE_SHARE: f64 = 0.9;

/// A place up to which the present prefix was written.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Written {
	/// Index of an answer: everything in front of it is in the entry.
	answer: usize,
	/// When it was last written or read, as far as that is certain.
	at: Millis,
	/// Real tokens.
	tokens: f64,
}

/// What the reports of a branch show of the entries in an explicit cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
	written: Vec<Written>,
	/// Whether entries that were not read for longer than their lifetime live on while longer ones are read, by the newest
	/// report that tells; `None` before there is one.
	pub renewed: Option<bool>,
}

impl Reach {
	/// What a request at `now` finds. `lifetime` is that of an entry, in milliseconds.
	pub fn of(branch: &Branch, calibration: &Calibration, now: Millis, lifetime: Millis) -> Self {
		let compacted = branch.entries().iter().rposition(|entry| matches!(entry.body, Body::Compaction { .. }));
		let start = compacted.unwrap_or(0);
		let recent = Self::since(start, branch, calibration, lifetime);
		// A compaction leaves nothing of what was written. Reports before it tell only of entries that are old by now.
		let is_told = recent.renewed.is_some() || recent.written.iter().all(|written| is_young(written, now, lifetime));
		if is_told || start == 0 { recent } else { Self::since(0, branch, calibration, lifetime) }
	}

	/// What the entries from `start` on show.
	fn since(start: usize, branch: &Branch, calibration: &Calibration, lifetime: Millis) -> Self {
		let mut changes = changes(branch).into_iter().skip_while(|change| change.shown < start).peekable();
		let mut reach = Self::default();
		let mut model = None;
		for (index, entry) in branch.entries().iter().enumerate().skip(start) {
			match &entry.body {
				Body::Compaction { .. } => reach.written.clear(),
				Body::CacheTouch(_) => {
					if let Some(last) = reach.written.last_mut() {
						last.at = entry.at;
					}
				}
				Body::Assistant(answer) => {
					let change = changes.next_if(|change| change.shown == index);
					let Some((usage, tokens)) = answer.usage.and_then(|usage| Some((usage, usage.request()?))) else {
						continue;
					};
					if model.replace(&answer.model) != Some(&answer.model) {
						reach.written.clear();
					}
					reach.pass(change.as_ref().map(|change| change.first), entry.at, &usage, lifetime);
					let end = change.and_then(|change| end_of(branch, calibration, change.last, index));
					reach.written.extend(end.map(|(answer, behind)| Written {
						answer,
						at: entry.at,
						tokens: tokens - behind,
					}));
					reach.written.push(Written { answer: index, at: entry.at, tokens });
				}
				_ => {}
			}
		}
		reach
	}

	/// Real tokens that a request at `now` reads if its first change is the entry at `changed`: up to the newest place in
	/// front of it that is sure to live. `None` where there is none, so that at best tools and system text are read.
	pub fn readable(&self, changed: usize, now: Millis, lifetime: Millis) -> Option<f64> {
		let nearest = self.written.iter().rev().find(|written| written.answer <= changed)?;
		let lives = self.renewed == Some(true) || is_young(nearest, now, lifetime);
		lives.then_some(nearest.tokens)
	}

	/// A request was answered that showed the entry at `changed`, and what is behind it, for the first time in that way.
	fn pass(&mut self, changed: Option<usize>, at: Millis, usage: &Usage, lifetime: Millis) {
		let before = self.written.last().copied();
		if let Some(changed) = changed {
			self.written.retain(|written| written.answer <= changed);
		}
		let (Some(before), Some(hit)) = (before, self.written.last_mut()) else { return };
		let (is_read, is_gone) =
			(usage.cache_read >= READ_SHARE * hit.tokens, usage.cache_read <= GONE_SHARE * hit.tokens);
		// Old, but what was sent a moment ago lives; and what was read is no more than the change left.
		let is_told = hit.tokens >= LEAST_PREFIX
			&& hit.answer != before.answer
			&& !is_young(hit, at, lifetime)
			&& is_young(&before, at, lifetime)
			&& usage.cache_read < before.tokens;
		if is_told && (is_read || is_gone) {
			self.renewed = Some(is_read);
		}
		// Our mark writes anew what it does not find.
		hit.at = at;
		if is_gone {
			let hit = *hit;
			self.written.clear();
			self.written.extend(changed.map(|_| hit));
		}
	}
}

fn is_young(written: &Written, now: Millis, lifetime: Millis) -> bool {
	now.saturating_sub(written.at) as f64 <= SAFE_SHARE * lifetime as f64
}

/// The answer in front of which the changes of a request ended, and the real tokens between that place and the request's
/// own end. `None` where both are one.
fn end_of(branch: &Branch, calibration: &Calibration, last: usize, answer: usize) -> Option<(usize, f64)> {
	let behind = branch.entries().get(last..answer)?;
	let offset = behind.iter().position(|entry| matches!(entry.body, Body::Assistant(_)))?;
	let estimate = behind.iter().skip(offset).map(|entry| f64::from(estimated_entry(entry))).sum::<f64>();
	Some((last + offset, calibration.factor * estimate))
}

/// The entries that a request showed otherwise than the one before it.
struct Change {
	/// The answer to that request.
	shown: usize,
	first: usize,
	last: usize,
}

/// The changes in the order of the answers to the requests that showed them. A fold of ours is persisted behind the answer
/// to the first request that carried it; any other edit is seen by the next request.
fn changes(branch: &Branch) -> Vec<Change> {
	let mut answers = branch
		.entries()
		.iter()
		.enumerate()
		.filter_map(|(index, entry)| matches!(entry.body, Body::Assistant(_)).then_some(index));
	let (mut last, mut next) = (None, answers.next());
	let mut changes: Vec<Change> = Vec::new();
	for edit in branch.edits() {
		while next.is_some_and(|answer| answer < edit.entry) {
			last = next;
			next = answers.next();
		}
		let shown = if edit.replacement.is_placeholder() { last } else { next };
		let (Some(shown), Some(target)) = (shown, edit.target) else { continue };
		let place = changes.partition_point(|change| change.shown < shown);
		match changes.get_mut(place).filter(|change| change.shown == shown) {
			Some(change) => (change.first, change.last) = (change.first.min(target), change.last.max(target)),
			None => changes.insert(place, Change { shown, first: target, last: target }),
		}
	}
	changes
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Assistant, Entry, ModelKey, Replacement, Size, StopReason, ToolResult};

	const LIFETIME: Millis = 300_000;
	const PLAIN: Calibration = Calibration { factor: 1.0, constant: 0.0, from_reports: true };

	/// A branch as words: `a12/8@60` an answer of a request of 12,000 tokens of which 8,000 were read, 60 s after the
	/// beginning; `r` a result, `f3` a fold of ours of entry 3, `e3` an edit of somebody else's, `c` a compaction, `w@60` a
	/// refresh, `m` makes the next answers another model's.
	fn branch(words: &str) -> Branch {
		let mut branch = Branch::default();
		let mut model = "one";
		for word in words.split_whitespace() {
			let (word, at) = word.split_once('@').unwrap_or((word, "0"));
			let at = at.parse::<Millis>().expect("seconds") * 1_000;
			let body = match word.split_at(1) {
				("a", tokens) => {
					let (size, read) = tokens.split_once('/').expect("size and read");
					let thousands = |text: &str| 1_000.0 * text.parse::<f64>().expect("thousands of tokens");
					answer(model, thousands(size), thousands(read))
				}
				("r", _) => result(),
				("f" | "e", target) => Body::ContextEdit {
					target: target.into(),
					replacement: Replacement::Content { size: Size::default(), placeholder: word.starts_with('f') },
				},
				("c", _) => Body::Compaction { first_kept: None, system: None, summary: Size::default() },
				("w", _) => Body::CacheTouch(key("one")),
				("m", _) => {
					model = "two";
					continue;
				}
				_ => Body::User(Size::default()),
			};
			let id = branch.entries().len().to_string();
			branch.push(Entry { id: id.into(), at, body });
		}
		branch
	}

	fn key(model: &str) -> ModelKey {
		ModelKey { provider: "p".into(), model: model.into() }
	}

	fn answer(model: &str, tokens: f64, cache_read: f64) -> Body {
		let usage =
			Usage { input: 0.0, output: 9.0, cache_read, cache_write: tokens - cache_read, cache_write_1h: None };
		Body::Assistant(Assistant {
			size: Size::default(),
			said: 0,
			thinking: 0,
			calls: Vec::new(),
			stop: StopReason::Completed,
			model: key(model),
			usage: Some(usage),
		})
	}

	fn result() -> Body {
		Body::ToolResult(ToolResult {
			call_id: "c".into(),
			tool: "bash".into(),
			is_error: false,
			size: Size::default(),
			known_blocks: true,
			digest: None,
		})
	}

	/// Thousands of tokens read by a request that changes `changed`, `seconds` after the beginning, and what is known.
	fn check(words: &str, changed: usize, seconds: Millis, readable: Option<u32>, renewed: Option<bool>) {
		let reach = Reach::of(&branch(words), &PLAIN, seconds * 1_000, LIFETIME);
		let found = reach.readable(changed, seconds * 1_000, LIFETIME).map(|tokens| (tokens / 1_000.0) as u32);
		assert_eq!((found, reach.renewed), (readable, renewed), "{words}");
	}

	#[test]
	fn an_entry_in_front_of_the_change_is_read_while_it_is_young() {
		let words = "u a10/0@10 r a20/10@20 r a30/20@30 r a40/30@40 r";
		check(words, 6, 50, Some(30), None);
		check(words, 4, 50, Some(20), None);
		check(words, 2, 50, Some(10), None);
		check(words, 0, 50, None, None);
		check(words, 4, 320, None, None);
	}

	#[test]
	fn a_refresh_and_a_read_make_the_newest_entry_young() {
		check("u a10/0@0 r a20/10@200 r", 2, 460, Some(10), None);
		check("u a10/0@0 r a20/10@10 w@250 r", 4, 500, Some(20), None);
	}

	#[test]
	fn a_report_on_an_old_entry_tells_of_all() {
		let run = "u a10/0@0 r a20/10@100 r a30/20@200 r a40/30@300 r a50/40@450 r";
		check(&format!("{run} a45/20@500 r f4"), 2, 510, Some(10), Some(true));
		check(&format!("{run} a45/1@500 r f4"), 2, 510, None, Some(false));
		// What lies between tells nothing, nor does a request that read everything before: it was not the edited one.
		check(&format!("{run} a45/12@500 r f4"), 2, 510, None, None);
		check(&format!("{run} a55/50@500 r f4"), 2, 510, None, None);
	}

	#[test]
	fn a_report_before_a_compaction_tells_of_entries_behind_it() {
		let told = "u a10/0@0 r a20/10@100 r a30/20@200 r a40/30@300 r a50/40@450 r a45/20@500 r f4";
		let behind = "c a10/0@600 r a20/10@700 r a30/20@990 r";
		check(&format!("{told} {behind}"), 16, 1_000, Some(10), Some(true));
		check(behind, 2, 1_000, None, None);
	}

	/// What is looked at behind a compaction alone gives what a look at the whole branch would.
	#[test]
	fn nothing_in_front_of_a_compaction_is_missed() {
		let (mut told, mut found) = (0, 0);
		for seed in 0..400u64 {
			let mut state = seed * 2_654_435_761 + 1;
			let mut below = |most: u64| {
				state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
				(state >> 33) % most
			};
			let (mut words, mut seconds, mut size) = (String::from("u"), 0, 10);
			for place in 1..40 {
				seconds += below(160);
				size = if below(6) == 0 { 10 + below(size) } else { size + below(12) };
				let word = match below(12) {
					0 => format!("f{}", below(place)),
					1 => format!("c@{seconds}"),
					2 => format!("w@{seconds}"),
					3..=7 => format!("a{size}/{}@{seconds}", below(size + 1)),
					_ => "r".to_string(),
				};
				words = format!("{words} {word}");
			}
			let (branch, now) = (branch(&words), (seconds as Millis + 10) * 1_000);
			let (short, whole) =
				(Reach::of(&branch, &PLAIN, now, LIFETIME), Reach::since(0, &branch, &PLAIN, LIFETIME));
			told += u32::from(whole.renewed.is_some());
			for entry in 0..branch.entries().len() {
				let expected = whole.readable(entry, now, LIFETIME);
				found += u32::from(expected.is_some());
				assert_eq!(short.readable(entry, now, LIFETIME), expected, "seed {seed}, entry {entry}: {words}");
			}
		}
		assert!(told > 5 && found > 400, "{told} told, {found} found");
	}

	#[test]
	fn a_young_entry_tells_nothing_of_old_ones() {
		check("u a10/0@0 r a20/10@10 r a30/20@20 r a25/10@30 r f2", 0, 40, None, None);
	}

	#[test]
	fn a_change_was_written_up_to_its_end_and_what_is_behind_it_only_up_to_the_end_of_that_request() {
		let words = "u a10/0@0 r a20/10@10 r a30/20@20 r a40/30@30 r a25/10@40 r f2 f4";
		check(words, 2, 50, Some(10), None);
		check(words, 4, 50, Some(10), None);
		// What stands between the two places has no size here.
		check(words, 6, 50, Some(25), None);
		check(words, 8, 50, Some(25), None);
		check(words, 10, 50, Some(25), None);
	}

	#[test]
	fn what_was_lost_is_forgotten() {
		check("u a10/0@0 r a20/10@10 r a30/0@900 r", 4, 910, None, None);
		check("u a10/0@0 r a20/10@10 c r", 3, 20, None, None);
		check("u a10/0@0 r a20/10@10 r m a20/0@20 r", 4, 30, None, None);
	}

	#[test]
	fn an_edit_of_others_is_seen_by_the_next_request() {
		check("u a10/0@0 r a20/10@10 r a30/20@20 r e4 a28/20@30 r", 4, 40, Some(20), None);
	}
}
