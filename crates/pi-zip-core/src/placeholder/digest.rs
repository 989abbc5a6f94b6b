//! What is kept of a tool output: its number of lines, its outcome, and the few lines that say most.
//!
//! One pass looks at each byte once; only where a telling word begins it leaves the fast path. What may become a key line is remembered as a number and a position, in a bounded sample that stays
//! spread over the whole output. Only the chosen lines are read as text.

use super::line::visible;
use super::outcome::{self, Counts};
use super::words::{self, Kind, Reading, Source};
use crate::session::{Digest, KeyLine};

/// Key lines of an output, at most.
pub const KEY_LINES: usize = 8;

/// UTF-16 units of a key line, at most.
pub const KEY_LINE_UNITS: usize = 80;

/// How far a telling word may stand from the start of its line before the line is shown from near that word. Bytes.
const REACH: usize = 56;

/// Bytes shown in front of a telling word that stands far inside its line, at most.
const LEAD: usize = 40;

/// Bytes behind an escape character that may still belong to a colour sequence.
const ESCAPE_REACH: usize = 20;

/// Keeps of `text`, the output of `tool`, what a placeholder shows: at most `key_lines` lines (and never more than
/// [`KEY_LINES`]).
pub fn digest(tool: &str, is_error: bool, text: &str, key_lines: usize) -> Digest {
	let found = scan(text, Source::of(tool));
	let body = outcome::body(tool, text);
	Digest {
		lines: found.lines,
		key_lines: choose(text, body, &found, key_lines.min(KEY_LINES)),
		outcome: outcome::outcome(tool, is_error, text, &found.counts),
		images: Box::default(),
	}
}

/// A line that may be kept.
#[derive(Clone, Copy, Default)]
struct Candidate {
	number: u32,
	/// Where its text begins. Bytes.
	start: usize,
	/// Where what makes it telling begins. Bytes.
	word: usize,
}

/// A bounded, evenly spread sample of a sequence whose length is not known beforehand: every n-th item, where n doubles
/// whenever the sample is full. The newest item is always known.
#[derive(Default)]
struct Sample {
	kept: [Candidate; Self::CAPACITY],
	length: usize,
	seen: usize,
	stride: usize,
	newest: Candidate,
}

impl Sample {
	const CAPACITY: usize = 16;

	fn push(&mut self, candidate: Candidate) {
		self.newest = candidate;
		self.stride = self.stride.max(1);
		if self.seen.is_multiple_of(self.stride) {
			if self.length == Self::CAPACITY {
				for index in 0..Self::CAPACITY / 2 {
					self.kept[index] = self.kept[2 * index];
				}
				self.length = Self::CAPACITY / 2;
				self.stride *= 2;
			}
			if self.seen.is_multiple_of(self.stride) {
				self.kept[self.length] = candidate;
				self.length += 1;
			}
		}
		self.seen += 1;
	}

	/// At most `count` of the sequence, the first and the newest among them, evenly spread.
	fn spread(&self, count: usize) -> impl Iterator<Item = Candidate> {
		let mut all = self.kept[..self.length].to_vec();
		if all.last().is_some_and(|last| last.number != self.newest.number) {
			all.push(self.newest);
		}
		let count = count.min(all.len());
		let (last, gaps) = (all.len().saturating_sub(1), count.saturating_sub(1).max(1));
		// To the nearest.
		(0..count).map(move |index| all[(2 * index * last + gaps) / (2 * gaps)])
	}
}

#[derive(Default)]
struct Found {
	lines: u32,
	/// Line feeds.
	feeds: u32,
	errors: Sample,
	warnings: Sample,
	ids: Sample,
	headings: Sample,
	counts: Counts,
}

fn scan(text: &str, source: Source) -> Found {
	let bytes = text.as_bytes();
	let mut found = Found::default();
	let mut number = 1u32;
	let mut start = 0;
	let mut best: Option<(Kind, usize)> =
		words::at_line_start(bytes, 0, source, &mut found.counts).map(|kind| (kind, 0));
	let ends = words::ends(source);
	let mut reading = Reading::default();
	let mut next = 0;
	while let Some(at) = reading.until(ends, bytes, next) {
		next = at + 1;
		if !reading.ends_line() {
			if reading.begins_count() {
				found.counts.mention(start);
			}
			if best.is_none_or(|(kind, _)| kind < Kind::Error)
				&& let Some((kind, word)) = reading.judge(bytes, at, source)
				&& best.is_none_or(|(known, _)| known < kind)
			{
				best = Some((kind, word));
			}
			continue;
		}
		if let Some((kind, word)) = best.take() {
			found.keep(kind, Candidate { number, start, word });
		}
		number = number.saturating_add(1);
		start = at + 1;
		if let Some(kind) = words::at_line_start(bytes, start, source, &mut found.counts) {
			best = Some((kind, start));
		}
	}
	if let Some((kind, word)) = best {
		found.keep(kind, Candidate { number, start, word });
	}
	found.feeds = number - 1;
	found.lines = if start == bytes.len() { number - 1 } else { number };
	found
}

impl Found {
	fn keep(&mut self, kind: Kind, candidate: Candidate) {
		match kind {
			Kind::Error => self.errors.push(candidate),
			Kind::Warning => self.warnings.push(candidate),
			Kind::Id => self.ids.push(candidate),
			Kind::Heading => self.headings.push(candidate),
		}
	}
}

/// The first and the last telling line of `body`, then errors, ids, warnings and headings while there is room.
fn choose(text: &str, body: &str, found: &Found, room: usize) -> Vec<KeyLine> {
	let mut chosen: Vec<KeyLine> = Vec::new();
	let mut take = |candidate: Candidate| {
		if chosen.len() < room && chosen.iter().all(|line| line.number != candidate.number) {
			let text = shown(text, candidate);
			if is_telling(&text) && chosen.iter().all(|line| *line.text != *text) {
				let place = chosen.partition_point(|line| line.number < candidate.number);
				chosen.insert(place, KeyLine { number: candidate.number, text: text.into() });
			}
		}
	};
	// Errors first, since one may stand far inside the first or the last line; they leave room for both and for an id.
	found.errors.spread(room.saturating_sub(3).max(1)).for_each(&mut take);
	first(body).into_iter().for_each(&mut take);
	last(text, body, found.feeds).into_iter().for_each(&mut take);
	found.ids.spread(1).for_each(&mut take);
	found.warnings.spread(room).for_each(&mut take);
	found.ids.spread(room).for_each(&mut take);
	found.headings.spread(room).for_each(&mut take);
	found.errors.spread(room).for_each(&mut take);
	chosen
}

/// The first line of `body` that holds something to read.
fn first(body: &str) -> Option<Candidate> {
	let mut start = 0;
	for (index, line) in body.split_inclusive('\n').enumerate() {
		if is_telling(&visible(line, KEY_LINE_UNITS)) {
			return Some(Candidate { number: u32::try_from(index + 1).unwrap_or(u32::MAX), start, word: start });
		}
		start += line.len();
	}
	None
}

/// The last line of `body`, the front of `text`, that holds something to read. `text` has `feeds` line feeds.
fn last(text: &str, body: &str, feeds: u32) -> Option<Candidate> {
	let mut end = body.len();
	while end > 0 {
		let start = body.as_bytes()[..end - 1].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
		if is_telling(&visible(&body[start..end], KEY_LINE_UNITS)) {
			let behind = text.as_bytes()[start..].iter().filter(|&&byte| byte == b'\n').count();
			let number = feeds.saturating_sub(u32::try_from(behind).unwrap_or(u32::MAX)) + 1;
			return Some(Candidate { number, start, word: start });
		}
		end = start;
	}
	None
}

/// A line with a letter or a digit that does not look like one of our placeholders.
fn is_telling(line: &str) -> bool {
	line.chars().any(char::is_alphanumeric) && !super::resembles(line)
}

/// The line as a placeholder shows it; from near the telling word where that stands far inside.
fn shown(text: &str, candidate: Candidate) -> String {
	let end = text[candidate.start..].find('\n').map_or(text.len(), |length| candidate.start + length);
	if candidate.word <= candidate.start + REACH {
		return visible(&text[candidate.start..end], KEY_LINE_UNITS);
	}
	let mut from = candidate.word - LEAD;
	while !text.is_char_boundary(from) {
		from += 1;
	}
	// An escape sequence must not be entered in its middle.
	if text.as_bytes()[from.saturating_sub(ESCAPE_REACH)..candidate.word].contains(&b'\x1B') {
		from = candidate.word;
	}
	let rest = visible(&text[from..end], KEY_LINE_UNITS - 1);
	format!("…{rest}")
}
