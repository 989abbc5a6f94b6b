//! What an answer needed of what came before it.
//!
//! An answer needs an earlier entry when its text or the arguments of its calls quote a line of it, or when it repeats a
//! call and gets the same output again. A re-run with another output wanted that other output, so it needs nothing old.
//! Found once for the recorded session, whatever is folded: whether a need is a miss depends on what a policy leaves in
//! view. One pass over all texts, by a rolling hash over the beginnings of all lines seen so far.

use std::collections::HashMap;

use pi_zip_core::session::{Body, Call};

use crate::cache_model::{ByKey, mix};
use crate::session_file::Recorded;

/// Characters from which on a line is taken to be quoted rather than repeated by chance.
const SHORTEST_LINE: usize = 30;

/// A line with fewer letters and digits is a rule or a frame, that nobody quotes.
const LEAST_LETTERS: usize = 10;

/// Earlier entries that hold something which an answer used, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
	pub holders: Box<[usize]>,
}

/// The needs of all answers, by the answer's entry.
#[derive(Clone, Debug, Default)]
pub struct Needs {
	by_answer: HashMap<usize, Vec<Need>>,
	/// For each entry the answers that need it as the newest holder, ascending.
	by_holder: HashMap<usize, Vec<usize>>,
}

impl Needs {
	pub fn of(entries: &[Recorded]) -> Self {
		let mut needs = Self::default();
		let mut lines = Lines::for_texts(entries.iter().map(|recorded| recorded.text.len()).sum());
		let mut runs: HashMap<u64, Vec<usize>> = HashMap::new();
		let mut asked: HashMap<&str, (usize, &Call)> = HashMap::new();
		for (index, recorded) in entries.iter().enumerate() {
			let quoted = lines.quoted(&recorded.text);
			match &recorded.entry.body {
				Body::Assistant(answer) => {
					quoted.iter().for_each(|line| needs.add(index, &lines.all[*line].holders));
					asked.extend(answer.calls.iter().map(|call| (&*call.id, (index, call))));
				}
				Body::ToolResult(result) => {
					lines.add_all(index, &recorded.text);
					if let Some((answer, call)) = asked.get(&*result.call_id) {
						let same = runs.entry(run_key(call, &recorded.text)).or_default();
						needs.add(*answer, same);
						same.push(index);
					}
				}
				_ => {}
			}
			for line in quoted {
				lines.hold(line, index);
			}
		}
		needs
	}

	/// What the answer at `entry` needed, without repetitions.
	pub fn of_answer(&self, entry: usize) -> &[Need] {
		self.by_answer.get(&entry).map_or(&[], Vec::as_slice)
	}

	/// The first answer at or behind `from` that needs what the entry is the newest to hold.
	pub fn next_of(&self, entry: usize, from: usize) -> Option<usize> {
		let answers = self.by_holder.get(&entry)?;
		answers.get(answers.partition_point(|answer| *answer < from)).copied()
	}

	fn add(&mut self, answer: usize, holders: &[usize]) {
		let Some(newest) = holders.last() else { return };
		let needs = self.by_answer.entry(answer).or_default();
		if needs.iter().all(|need| *need.holders != *holders) {
			needs.push(Need { holders: holders.into() });
		}
		let answers = self.by_holder.entry(*newest).or_default();
		if let Err(place) = answers.binary_search(&answer) {
			answers.insert(place, answer);
		}
	}
}

/// The lines of outputs seen so far, and who holds them.
struct Lines<'a> {
	all: Vec<Line<'a>>,
	/// By the hash of their text.
	by_text: ByKey<usize>,
	/// By the hash of their beginning, mixed.
	by_beginning: ByKey<Vec<usize>>,
	/// A bit for each of those, so that most places of a text need no look-up.
	seen: Vec<u64>,
}

struct Line<'a> {
	text: &'a str,
	holders: Vec<usize>,
}

impl<'a> Lines<'a> {
	/// Bytes of text to a bit of the filter: with lines of 40 bytes one bit in ten is set.
	const BYTES_PER_BIT: usize = 4;

	/// `bytes` is how long all texts are together.
	fn for_texts(bytes: usize) -> Self {
		let words = (bytes / Self::BYTES_PER_BIT / 64).next_power_of_two();
		Self { all: Vec::new(), by_text: ByKey::default(), by_beginning: ByKey::default(), seen: vec![0; words] }
	}

	fn add_all(&mut self, entry: usize, text: &'a str) {
		for line in text.lines().map(str::trim).filter(|line| is_telling(line)) {
			let key = hash(line);
			let known = self.by_text.get(&key).copied().filter(|known| self.all[*known].text == line);
			let known = known.unwrap_or_else(|| self.add(line, key));
			self.hold(known, entry);
		}
	}

	fn add(&mut self, line: &'a str, key: u64) -> usize {
		let index = self.all.len();
		let beginning = line.as_bytes()[..SHORTEST_LINE].iter().fold(0, |hash, byte| Roll::step(hash, *byte));
		let beginning = Roll::mixed(beginning);
		self.all.push(Line { text: line, holders: Vec::new() });
		self.by_text.insert(key, index);
		self.by_beginning.entry(beginning).or_default().push(index);
		let (word, bit) = self.place(beginning);
		self.seen[word] |= bit;
		index
	}

	fn hold(&mut self, line: usize, entry: usize) {
		let holders = &mut self.all[line].holders;
		if holders.last() != Some(&entry) {
			holders.push(entry);
		}
	}

	/// The known lines that `text` holds, each once.
	fn quoted(&self, text: &str) -> Vec<usize> {
		let bytes = text.as_bytes();
		let mut found = Vec::new();
		if self.all.is_empty() || bytes.len() < SHORTEST_LINE {
			return found;
		}
		let mut roll = Roll::default();
		for (at, byte) in bytes.iter().enumerate() {
			let out = at.checked_sub(SHORTEST_LINE).map(|out| bytes[out]);
			roll.push(*byte, out);
			let beginning = Roll::mixed(roll.hash);
			let (word, bit) = self.place(beginning);
			if self.seen[word] & bit == 0 || at + 1 < SHORTEST_LINE {
				continue;
			}
			let rest = &bytes[at + 1 - SHORTEST_LINE..];
			let Some(lines) = self.by_beginning.get(&beginning) else { continue };
			found.extend(lines.iter().filter(|line| rest.starts_with(self.all[**line].text.as_bytes())));
		}
		found.sort_unstable();
		found.dedup();
		found
	}

	/// The word and the bit of the filter for a mixed hash.
	fn place(&self, beginning: u64) -> (usize, u64) {
		((beginning >> 6) as usize & (self.seen.len() - 1), 1 << (beginning & 63))
	}
}

/// A polynomial hash over the last [`SHORTEST_LINE`] bytes.
#[derive(Default)]
struct Roll {
	hash: u64,
}

impl Roll {
	/// Odd, so that no byte is lost in 64 bits.
	const BASE: u64 = 0x0100_0000_01B3;

	/// What a byte counts once it stands at the window's end.
	const OUT: u64 = {
		let mut power = 1u64;
		let mut step = 0;
		while step < SHORTEST_LINE {
			power = power.wrapping_mul(Self::BASE);
			step += 1;
		}
		power
	};

	fn step(hash: u64, byte: u8) -> u64 {
		hash.wrapping_mul(Self::BASE).wrapping_add(u64::from(byte) + 1)
	}

	/// The hash with all its bits in each.
	fn mixed(hash: u64) -> u64 {
		let mixed = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
		mixed ^ (mixed >> 32)
	}

	fn push(&mut self, byte: u8, out: Option<u8>) {
		self.hash = Self::step(self.hash, byte);
		if let Some(out) = out {
			self.hash = self.hash.wrapping_sub((u64::from(out) + 1).wrapping_mul(Self::OUT));
		}
	}
}

fn is_telling(line: &str) -> bool {
	line.len() >= SHORTEST_LINE
		&& line.chars().nth(SHORTEST_LINE - 1).is_some()
		&& line.chars().filter(|scalar| scalar.is_alphanumeric()).nth(LEAST_LETTERS - 1).is_some()
}

/// Equal for equal calls with equal outputs.
fn run_key(call: &Call, output: &str) -> u64 {
	let args = call.args.iter().fold(hash(&call.tool), |key, (name, value)| mix(mix(key, hash(name)), hash(value)));
	mix(args, hash(output))
}

/// FNV-1a over words of eight bytes.
fn hash(text: &str) -> u64 {
	let chunks = text.as_bytes().chunks(8);
	chunks.fold(0xCBF2_9CE4_8422_2325, |key, chunk| {
		let mut word = [0; 8];
		word[..chunk.len()].copy_from_slice(chunk);
		mix(key, u64::from_le_bytes(word) ^ chunk.len() as u64)
	})
}

#[cfg(test)]
mod tests {
	use pi_zip_core::session::{Assistant, Entry, ModelKey, Size, StopReason, ToolResult};

	use super::*;

	/// One entry a line: `r TEXT` an output, `a TEXT` an answer; `|` stands for a line feed. The needs of each answer as
	/// `answer<-holders`.
	fn needs(session: &str) -> String {
		let entries: Vec<Recorded> = session.trim().lines().map(|line| entry(line.trim())).collect();
		let needs = Needs::of(&entries);
		let tell = |at: usize, need: &Need| format!("{at}<-{:?}", need.holders);
		let all: Vec<String> = (0..entries.len())
			.flat_map(|at| needs.of_answer(at).iter().map(move |need| tell(at, need)).collect::<Vec<_>>())
			.collect();
		all.join(" ")
	}

	fn entry(line: &str) -> Recorded {
		let (kind, text) = line.split_at(1);
		let text = text.trim().replace('|', "\n");
		let size = Size { units: text.len() as u32, images: 0 };
		let body = match kind {
			"r" => Body::ToolResult(ToolResult {
				call_id: "".into(),
				tool: "read".into(),
				is_error: false,
				size,
				known_blocks: true,
				digest: None,
			}),
			_ => Body::Assistant(Assistant {
				size,
				said: size.units,
				thinking: 0,
				calls: Vec::new(),
				stop: StopReason::Completed,
				model: ModelKey { provider: "".into(), model: "".into() },
				usage: None,
			}),
		};
		Recorded { entry: Entry { id: line.into(), at: 0, body }, text: text.into(), ..Recorded::default() }
	}

	#[test]
	fn an_answer_needs_what_it_quotes() {
		let long = "let total = items.iter().sum::<u64>();";
		assert_eq!(needs(&format!("r x|  {long}|y\na I see `{long}` there")), "1<-[0]");
		assert_eq!(needs(&format!("r {long}\na I see let total = items there")), "");
		assert_eq!(needs("r short line\na short line"), "");
		assert_eq!(needs("r ------------------------------------\na ------------------------------------"), "");
	}

	#[test]
	fn newer_holders_come_last() {
		let long = "let total = items.iter().sum::<u64>();";
		assert_eq!(needs(&format!("r {long}\nr lib.rs:7: {long}\na {long}\na {long}")), "2<-[0, 1] 3<-[0, 1, 2]");
	}
}
