//! What makes a line of output worth keeping: words of failure and warning, and ids.
//!
//! Works on bytes: an automaton of bits notices beginnings of such words at a few instructions a byte, and only there is
//! looked more closely. Judges the shape of the text only: it does not know what the output means.

use super::outcome::Counts;

/// Why a line is kept, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
	/// A heading or declaration at the left edge of a file.
	Heading,
	Id,
	Warning,
	Error,
}

/// What kind of text an output is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
	/// What a program said about its work.
	Report,
	/// A file, or lines of files. Programs speak of errors all the time without having one, so only what is written as
	/// logs write it counts.
	File,
}

impl Source {
	pub(super) fn of(tool: &str) -> Self {
		if matches!(tool, "read" | "grep" | "find" | "ls") { Self::File } else { Self::Report }
	}
}

/// What the words that are looked for begin with, and the marks of ids. A letter stands for both cases, `#` for a
/// hexadecimal digit.
const BEGINNINGS: [&[u8]; 14] = [
	b"\n",
	b"err",
	b"exc",
	b"fai",
	b"fat",
	b"pan",
	b"traceb",
	b"war",
	b"\xE2\x9C",
	b"pas",
	b"-####-",
	b"id:",
	b"id=",
	b"id\"",
];

const LINE_FEED: usize = 0;
const ERR: usize = 1;
const EXC: usize = 2;
const FAI: usize = 3;
const FAT: usize = 4;
const PAN: usize = 5;
const TRACEB: usize = 6;
const WAR: usize = 7;
const DINGBAT: usize = 8;
const PAS: usize = 9;
const UUID: usize = 10;
const ID_COLON: usize = 11;
const ID_EQUALS: usize = 12;
const ID_QUOTE: usize = 13;

/// The beginnings side by side as one automaton of bits, one bit for each of their bytes (the Shift-And method of
/// Baeza-Yates and Gonnet): a set bit says that the text so far ends with the beginning up to there.
struct Automaton {
	/// For each byte the places at which it may stand.
	masks: [u64; 256],
	/// First places.
	starts: u64,
	/// The last place of each beginning.
	ends: [u64; BEGINNINGS.len()],
}

static AUTOMATON: Automaton = {
	let mut automaton = Automaton { masks: [0; 256], starts: 0, ends: [0; BEGINNINGS.len()] };
	let mut place = 0;
	let mut index = 0;
	while index < BEGINNINGS.len() {
		automaton.starts |= 1 << place;
		let mut at = 0;
		while at < BEGINNINGS[index].len() {
			let wanted = BEGINNINGS[index][at];
			let mut byte = 0;
			while byte < 256 {
				let found = byte as u8;
				if found.to_ascii_lowercase() == wanted || wanted == b'#' && found.is_ascii_hexdigit() {
					automaton.masks[byte] |= 1 << place;
				}
				byte += 1;
			}
			place += 1;
			at += 1;
		}
		automaton.ends[index] = 1 << (place - 1);
		index += 1;
	}
	automaton
};

/// What the bytes read so far end with.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading(u64);

impl Reading {
	#[inline(always)]
	pub(super) fn then(self, byte: u8) -> Self {
		Self((self.0 << 1 | AUTOMATON.starts) & AUTOMATON.masks[byte as usize])
	}

	/// Reads on from `from` until one of `ends` is reached, and tells where. What follows is rare and need not be quick; this
	/// is the one loop that each byte of a session goes through, and is kept apart so that nothing else lives in it.
	#[inline(never)]
	pub(super) fn until(&mut self, ends: u64, bytes: &[u8], from: usize) -> Option<usize> {
		let mut state = self.0;
		for (distance, &byte) in bytes.get(from..)?.iter().enumerate() {
			state = (state << 1 | AUTOMATON.starts) & AUTOMATON.masks[byte as usize];
			if state & ends != 0 {
				self.0 = state;
				return Some(from + distance);
			}
		}
		None
	}

	pub(super) fn ends_line(self) -> bool {
		self.ended(LINE_FEED)
	}

	/// Whether a word by which test runners count has begun.
	pub(super) fn begins_count(self) -> bool {
		self.ended(PAS) || self.ended(FAI)
	}

	fn ended(self, index: usize) -> bool {
		self.0 & AUTOMATON.ends[index] != 0
	}

	/// What the text at `at`, the newest byte, is part of: its kind, and where it begins.
	pub(super) fn judge(self, bytes: &[u8], at: usize, source: Source) -> Option<(Kind, usize)> {
		let word = |index: usize, names: &[&[u8]], kind| {
			let start = at + 1 - BEGINNINGS[index].len();
			let length = names.iter().find_map(|name| ends_word(bytes, start, name))?;
			let end = start + length;
			let counts = source == Source::Report || is_logged(bytes, start, end);
			(counts && begins_word(bytes, start) && !is_denied(bytes, start, end)).then_some((kind, start))
		};
		match (0..BEGINNINGS.len()).find(|&index| self.ended(index))? {
			ERR => word(ERR, &[b"error", b"errors"], Kind::Error),
			EXC => word(EXC, &[b"exception", b"exceptions"], Kind::Error),
			FAI => word(FAI, &[b"failed", b"failure", b"failures", b"fail", b"fails", b"failing"], Kind::Error),
			FAT => word(FAT, &[b"fatal"], Kind::Error),
			PAN => word(PAN, &[b"panicked", b"panic"], Kind::Error),
			TRACEB => word(TRACEB, &[b"traceback"], Kind::Error),
			WAR => word(WAR, &[b"warning", b"warnings", b"warn"], Kind::Warning),
			DINGBAT => is_cross(&bytes[at - 1..]).then_some((Kind::Error, at - 1)),
			UUID => uuid(bytes, at - 5).map(|start| (Kind::Id, start)),
			ID_COLON | ID_EQUALS => id_label(bytes, at).map(|start| (Kind::Id, start)),
			ID_QUOTE if bytes.get(at + 1) == Some(&b':') => id_label(bytes, at + 1).map(|start| (Kind::Id, start)),
			_ => None,
		}
	}
}

/// The places at which something of interest in `source` ends.
pub(super) fn ends(source: Source) -> u64 {
	let all = AUTOMATON.ends.iter().enumerate();
	all.filter(|(index, _)| source == Source::Report || *index < PAS).map(|(_, end)| end).sum()
}

/// Whether a line tells of an error.
pub(super) fn tells_error(line: &str, source: Source) -> bool {
	let bytes = line.as_bytes();
	let mut reading = Reading::default();
	let mut inside = bytes.iter().enumerate().filter_map(|(at, &byte)| {
		reading = reading.then(byte);
		reading.judge(bytes, at, source)
	});
	at_line_start(bytes, 0, source, &mut Counts::default()) == Some(Kind::Error)
		|| inside.any(|(kind, _)| kind == Kind::Error)
}

/// What the line that begins at `start` is by its first bytes; counts the lines by which test runners report.
pub(super) fn at_line_start(bytes: &[u8], start: usize, source: Source, counts: &mut Counts) -> Option<Kind> {
	let line = bytes.get(start..)?;
	if source == Source::File {
		return is_heading(line).then_some(Kind::Heading);
	}
	match line.first()? {
		b't' => {
			counts.cargo(line);
			None
		}
		b'n' if line.starts_with(b"not ok ") => Some(Kind::Error),
		b'-' if line.starts_with(b"--- FAIL") => Some(Kind::Error),
		b'E' if line.starts_with(b"E   ") => Some(Kind::Error),
		b'c' if line.starts_with(b"commit ") && line[7..].iter().take(7).all(u8::is_ascii_hexdigit) => Some(Kind::Id),
		b'o' if line.starts_with(b"ok  \t") => {
			counts.go_passed += 1;
			None
		}
		b'F' if line.starts_with(b"FAIL\t") => {
			counts.go_failed += 1;
			Some(Kind::Error)
		}
		_ => None,
	}
}

/// Whether a line of a file begins like a heading or like a declaration in a common language.
fn is_heading(line: &[u8]) -> bool {
	let starts: &[&[u8]] = match line.first() {
		Some(b'#') => &[b"# ", b"## ", b"### "],
		Some(b'a') => &[b"async "],
		Some(b'c') => &[b"class "],
		Some(b'd') => &[b"def "],
		Some(b'e') => &[b"export ", b"enum "],
		Some(b'f') => &[b"fn ", b"func ", b"function "],
		Some(b'i') => &[b"impl ", b"impl<", b"interface "],
		Some(b'm') => &[b"mod ", b"module "],
		Some(b'p') => &[b"pub ", b"public "],
		Some(b's') => &[b"struct "],
		Some(b't') => &[b"trait ", b"type "],
		_ => &[],
	};
	starts.iter().any(|start| line.starts_with(start))
}

/// `ERROR`, or `Error:` at the head of a message: how a log writes what a program only mentions.
fn is_logged(bytes: &[u8], start: usize, end: usize) -> bool {
	let shouted = bytes[start..end].iter().all(u8::is_ascii_uppercase);
	let headed = bytes[start].is_ascii_uppercase() && bytes.get(end) == Some(&b':');
	let quoted = start > 0 && matches!(bytes[start - 1], b'"' | b'\'' | b'`' | b'(');
	(shouted || headed) && !quoted
}

/// The length of `name` where it stands at `start`, in any case, and the word ends behind it.
fn ends_word(bytes: &[u8], start: usize, name: &[u8]) -> Option<usize> {
	let found = bytes.get(start..start + name.len())?;
	let ends = bytes.get(start + name.len()).is_none_or(|&next| !is_word(next));
	(ends && found.eq_ignore_ascii_case(name)).then_some(name.len())
}

/// Whether a word begins at `start`: behind no letter, behind a colour sequence, or as the last part of a name such as
/// `TypeError`.
fn begins_word(bytes: &[u8], start: usize) -> bool {
	let Some(before) = start.checked_sub(1).map(|at| bytes[at]) else { return true };
	let coloured = before == b'm' && start >= 3 && matches!(bytes[start - 2], b'0'..=b'9' | b'[');
	let compound = before.is_ascii_lowercase() && bytes[start].is_ascii_uppercase() && is_named_error(bytes, start);
	!is_word(before) || coloured || compound
}

/// `Error:` or `Exception:` at the end of a name.
fn is_named_error(bytes: &[u8], start: usize) -> bool {
	let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
	matches!(bytes[start], b'E') && bytes.get(start + length) == Some(&b':')
}

/// Whether the word says that nothing happened: `0 errors`, `no warnings`, `failed: 0`, `fail 0`.
fn is_denied(bytes: &[u8], start: usize, end: usize) -> bool {
	let before = &bytes[start.saturating_sub(4)..start];
	let before = before.strip_suffix(b" ").unwrap_or(before);
	let zero = match before {
		[.., other, b'0'] => !other.is_ascii_digit() && *other != b'.',
		[b'0'] => true,
		_ => false,
	};
	let no = before.len() >= 2
		&& before[before.len() - 2..].eq_ignore_ascii_case(b"no")
		&& (before.len() == 2 || !is_word(before[before.len() - 3]));
	let after = bytes[end..].iter().take(4).copied().skip_while(|byte| matches!(byte, b' ' | b':' | b'='));
	let mut after = after.take(2);
	let zero_behind = after.next() == Some(b'0') && after.next().is_none_or(|byte| !matches!(byte, b'0'..=b'9' | b'.'));
	zero || no || zero_behind
}

fn is_word(byte: u8) -> bool {
	byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `✕ ✖ ✗ ✘`, as test runners mark what failed.
fn is_cross(bytes: &[u8]) -> bool {
	matches!(bytes, [0xE2, 0x9C, 0x95..=0x98, ..])
}

/// Where a UUID begins whose first hyphen stands at `at`.
fn uuid(bytes: &[u8], at: usize) -> Option<usize> {
	const GROUPS: [usize; 4] = [4, 4, 4, 12];
	let start = at.checked_sub(8)?;
	let mut end = at;
	let mut is_uuid = bytes[start..at].iter().all(u8::is_ascii_hexdigit);
	for length in GROUPS {
		let group = bytes.get(end + 1..end + 1 + length)?;
		is_uuid = is_uuid && bytes[end] == b'-' && group.iter().all(u8::is_ascii_hexdigit);
		end += 1 + length;
	}
	is_uuid.then_some(start)
}

/// Where a label `id:` or `id=` begins whose separator stands at `at`, if a value with a digit in it follows.
fn id_label(bytes: &[u8], at: usize) -> Option<usize> {
	let mut end = at;
	if end > 0 && bytes[end - 1] == b'"' {
		end -= 1;
	}
	let start = end.checked_sub(2)?;
	let label = bytes[start..end].eq_ignore_ascii_case(b"id");
	let begins =
		start == 0 || !bytes[start - 1].is_ascii_alphabetic() || bytes[start] == b'I' && bytes[start + 1] == b'd';
	if !label || !begins {
		return None;
	}
	let value = bytes[at + 1..].iter().take(40).skip_while(|byte| matches!(byte, b' ' | b'"' | b'\''));
	let value = value.take_while(|&&byte| is_word(byte) || byte == b'-');
	let (length, digits) =
		value.fold((0, 0), |(length, digits), byte| (length + 1, digits + usize::from(byte.is_ascii_digit())));
	(length >= 4 && digits >= 2).then_some(start)
}
