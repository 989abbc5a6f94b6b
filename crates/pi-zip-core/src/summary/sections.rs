//! The sections of the fixed part, in the order in which they stand, each with its share of the whole.
//!
//! An output is named once: where its file, command or call is told of, else in the table of outputs, else in the index.

use std::collections::HashSet;

use super::draft::{Draft, Shelf};
use super::survey::{Done, Survey};
use super::{Ask, Source};
use crate::placeholder::{handle, subject};
use crate::session::{Body, Size, ToolResult};

/// Shares of the whole, in thousandths. What the user asked for cannot be had by a handle, so it gets most.
const REQUESTS: u32 = 300;
const ANSWERS: u32 = 120;
const FILES: u32 = 110;
const COMMANDS: u32 = 150;
const CALLS: u32 = 60;
const ERRORS: u32 = 50;
const OUTPUTS: u32 = 110;
const INDEX: u32 = 50;
const SUMMARIES: u32 = 50;

/// One request or summary takes at most this part of its section, so that there is room for others.
const PART_OF_SECTION: u32 = 3;

/// UTF-16 units of an answer, a command and a path, at most.
const ANSWER_UNITS: u32 = 600;
const COMMAND_UNITS: u32 = 240;
const PATH_UNITS: u32 = 160;

/// UTF-16 units from which an output is worth a line of the table; smaller ones stand in the index.
const LARGE_OUTPUT: u32 = 2_000;

/// Room for a section: its part of what those before it have left, so that what one does not need goes to later ones.
fn room(ask: &Ask, out: &Draft, shares: &mut u32, share: u32) -> u32 {
	let room = ask.units.saturating_sub(out.units).saturating_mul(share) / *shares;
	*shares -= share;
	room
}

pub(super) fn write(survey: &mut Survey, ask: &Ask, out: &mut Draft) {
	let mut left = REQUESTS + ANSWERS + FILES + COMMANDS + CALLS + ERRORS + OUTPUTS + INDEX + SUMMARIES;
	let shares = &mut left;
	requests(survey, room(ask, out, shares, REQUESTS)).write("Requests of the user, verbatim", out);
	answers(survey, room(ask, out, shares, ANSWERS)).write("Last answers, verbatim", out);
	told(survey, room(ask, out, shares, FILES), &FILE).write("Files", out);
	told(survey, room(ask, out, shares, COMMANDS), &COMMAND).write("Commands", out);
	calls(survey, room(ask, out, shares, CALLS), is_other).write("Other calls", out);
	calls(survey, room(ask, out, shares, ERRORS), |done| done.result.is_error).write("Errors", out);
	outputs(survey, room(ask, out, shares, OUTPUTS)).write("Outputs", out);
	index(survey, room(ask, out, shares, INDEX)).write("Handles of older outputs", out);
	summaries(survey, ask, room(ask, out, shares, SUMMARIES)).write("Earlier summaries", out);
}

/// The first request and the newest ones.
fn requests(survey: &Survey, room: u32) -> Shelf {
	let asked = |entry: usize| match survey.body(entry) {
		Body::User(size) if *size != Size::default() => Some(*size),
		_ => None,
	};
	let item = |entry: usize, size: Size| {
		let mut item = Draft::default();
		item.words("[turn ");
		item.number(survey.turns[entry], if size.images > 0 { ", with images]\n" } else { "]\n" });
		item.quote(Source::Text(entry), size.units, room / PART_OF_SECTION);
		item.words("\n");
		item
	};
	let mut shelf = Shelf::new(room);
	let mut all = survey.range().filter_map(|entry| asked(entry).map(|size| (entry, size)));
	let Some((first, size)) = all.next() else { return shelf };
	let oldest = item(first, size);
	let rest: Vec<_> = all.collect();
	shelf.reserve(&oldest);
	for (entry, size) in rest.into_iter().rev() {
		if shelf.is_full {
			shelf.leave(1);
		} else {
			shelf.offer(item(entry, size));
		}
	}
	shelf.put(oldest);
	shelf
}

/// What was said when a turn had come to its end. Of what was said between calls only the number is told.
fn answers(survey: &Survey, room: u32) -> Shelf {
	let mut shelf = Shelf::new(room);
	for entry in survey.range().rev() {
		let Body::Assistant(answer) = survey.body(entry) else { continue };
		if answer.is_dropped() {
			continue;
		}
		if shelf.is_full || !answer.calls.is_empty() || answer.said == 0 {
			shelf.leave(u32::from(answer.said > 0));
			continue;
		}
		let mut item = Draft::default();
		item.words("[turn ");
		item.number(survey.turns[entry], "]\n");
		item.quote(Source::Text(entry), answer.said, ANSWER_UNITS);
		item.words("\n");
		shelf.offer(item);
	}
	shelf
}

const OPERATIONS: [&str; 3] = [", read ", ", edited ", ", written "];

/// What a tool does to the file that it names.
fn operation(tool: &str) -> Option<usize> {
	match tool {
		"read" => Some(0),
		"edit" | "multiedit" | "multi_edit" => Some(1),
		"write" => Some(2),
		_ => None,
	}
}

fn is_shell(tool: &str) -> bool {
	matches!(tool, "bash" | "powershell")
}

/// A file or a command, and how often each was done with it.
struct Told<'a> {
	text: &'a str,
	source: Source,
	units: u32,
	counts: [u32; OPERATIONS.len()],
	/// The newest result that showed the file, else the newest of all.
	newest: Done<'a>,
}

/// How what is told of is found, and how its line is written.
struct Kind {
	/// Which count a result adds to; none where it is of another kind.
	count: fn(&ToolResult) -> Option<usize>,
	/// Places in [`super::ARGUMENTS`].
	arguments: (usize, usize),
	/// UTF-16 units of the argument that are shown.
	shown: u32,
	line: fn(&Told, &mut Draft),
}

const FILE: Kind = Kind {
	count: |result| if result.is_error { None } else { operation(&result.tool) },
	arguments: (1, 3),
	shown: PATH_UNITS,
	line: file,
};
const COMMAND: Kind = Kind {
	count: |result| is_shell(&result.tool).then_some(0),
	arguments: (0, 1),
	shown: COMMAND_UNITS,
	line: command,
};

/// UTF-16 units of a line beside what it tells of, about: a line for which there is no room is left out.
const LINE_UNITS: u32 = 60;

/// One line for each file or command, the newest first.
fn told(survey: &mut Survey, room: u32, kind: &Kind) -> Shelf {
	let mut told: Vec<Told> = Vec::new();
	let mut others: HashSet<&str> = HashSet::new();
	let mut left = room;
	for done in survey.done.iter().rev() {
		let Some(count) = (kind.count)(done.result) else { continue };
		let Some((source, text, units)) = done.argument(kind.arguments.0..kind.arguments.1) else { continue };
		let mut known = told.iter_mut().filter(|known| known.text == text && !text.is_empty());
		if let Some(known) = known.next() {
			if count == 0 && known.counts[0] == 0 {
				known.newest = *done;
			}
			known.counts[count] += 1;
			continue;
		}
		match left.checked_sub(units.min(kind.shown) + LINE_UNITS) {
			Some(rest) if others.is_empty() => left = rest,
			_ => {
				others.insert(text);
				continue;
			}
		}
		let mut counts = [0; OPERATIONS.len()];
		counts[count] = 1;
		told.push(Told { text, source, units, counts, newest: *done });
	}
	let mut shelf = Shelf::new(room);
	for one in told {
		let mut item = Draft::default();
		opening(&mut item, &one.newest);
		(kind.line)(&one, &mut item);
		item.words(": ");
		item.quote(one.source, one.units, kind.shown);
		item.words("\n");
		if shelf.offer(item) {
			survey.name(&one.newest);
		}
	}
	shelf.leave(others.len() as u32);
	shelf
}

fn file(told: &Told, item: &mut Draft) {
	for (name, count) in OPERATIONS.iter().zip(told.counts) {
		if count > 0 {
			item.words(name);
			item.number(count, "");
		}
	}
}

fn command(told: &Told, item: &mut Draft) {
	item.words(", ");
	item.words(status(&told.newest));
	if told.counts[0] > 1 {
		item.words(", last of ");
		item.number(told.counts[0], " runs");
	}
}

fn status<'a>(done: &Done<'a>) -> &'a str {
	match &done.result.digest {
		Some(digest) if digest.outcome.is_some() => digest.outcome.as_deref().unwrap_or_default(),
		_ if done.result.is_error => "error",
		_ => "exit 0",
	}
}

/// `- 0abc123def, turn 3`.
fn opening(item: &mut Draft, done: &Done) {
	item.words("- ");
	item.words(&handle(done.id));
	item.words(", turn ");
	item.number(done.turn, "");
}

fn is_other(done: &Done) -> bool {
	let tool = &done.result.tool;
	!is_shell(tool) && operation(tool).is_none() && !done.result.is_error
}

/// Calls of other tools, or all that failed and are not told of yet. What they were about is told once.
fn calls(survey: &mut Survey, room: u32, is_meant: fn(&Done) -> bool) -> Shelf {
	let mut shelf = Shelf::new(room);
	let mut told: Vec<String> = Vec::new();
	for done in survey.unnamed(is_meant) {
		if shelf.is_full {
			shelf.leave(1);
			continue;
		}
		let subject = subject(&done.result.tool, done.call.map(|(_, _, call)| call));
		if told.contains(&subject) {
			continue;
		}
		let mut item = Draft::default();
		opening(&mut item, &done);
		item.words(": ");
		item.words(&subject);
		item.words("\n");
		if shelf.offer(item) {
			survey.name(&done);
			told.push(subject);
		}
	}
	shelf
}

/// The large ones.
fn outputs(survey: &mut Survey, room: u32) -> Shelf {
	let mut shelf = Shelf::new(room);
	for done in survey.unnamed(|done| done.result.known_blocks && done.result.size.units >= LARGE_OUTPUT) {
		let mut item = Draft::default();
		opening(&mut item, &done);
		item.words(", ");
		item.number(done.result.size.units, " characters of ");
		item.words(&subject(&done.result.tool, done.call.map(|(_, _, call)| call)));
		item.words("\n");
		if !shelf.offer(item) {
			// The rest stands in the index.
			shelf.leave_to_others();
			break;
		}
		survey.name(&done);
	}
	shelf
}

fn index(survey: &Survey, room: u32) -> Shelf {
	let mut shelf = Shelf::new(room);
	for done in survey.unnamed(|done| done.result.known_blocks && done.result.size != Size::default()) {
		if shelf.is_full {
			shelf.leave(1);
			continue;
		}
		let mut item = Draft::default();
		item.words(&handle(done.id));
		item.words(" ");
		shelf.offer(item);
	}
	shelf
}

/// Summaries that others wrote, by head and tail.
fn summaries(survey: &Survey, ask: &Ask, room: u32) -> Shelf {
	let mut shelf = Shelf::new(room);
	for entry in survey.range().rev().filter(|entry| !ask.own.contains(entry)) {
		let (Body::Compaction { summary, .. } | Body::BranchSummary(Some(summary))) = survey.body(entry) else {
			continue;
		};
		let mut item = Draft::default();
		item.words("[turn ");
		item.number(survey.turns[entry], "]\n");
		item.quote(Source::Text(entry), summary.units, room / PART_OF_SECTION * 2);
		item.words("\n");
		shelf.offer(item);
	}
	shelf
}
