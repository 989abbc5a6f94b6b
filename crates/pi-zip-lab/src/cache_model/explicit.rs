//! A cache whose entries stand at marked blocks.
//!
//! Pi marks the tools and the system block, and the last block of the last user message: here, the end of the head and
//! the end of the prompt. pi-zip may mark one more. Source of the rules: the provider's public documentation of prompt caching.

use pi_zip_core::session::Millis;

use super::{ByKey, CacheUse, Prompt, prefixes};

/// Positions looked at for each mark, the marked block included.
const LOOKBACK: u32 = 20;

/// Blocks behind an entry up to which pi-zip takes it that the next mark finds it.
const SURELY_FOUND: u32 = 18;

/// Tokens below which a prefix is not cached.
pub const SMALLEST_ENTRY: f64 = 1_024.0;

/// Milliseconds that an entry of the hour tier lives.
const HOUR: Millis = 3_600_000;

/// Which tier the marks ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
	Short,
	Hour,
}

#[derive(Clone, Debug)]
pub struct Explicit {
	/// When each entry expires, by the key of its prefix.
	entries: ByKey<Millis>,
	/// Milliseconds that an entry lives after it was written or read.
	lifetime: Millis,
	tier: Tier,
}

impl Explicit {
	/// `short` is the lifetime of the short tier in milliseconds.
	pub fn new(tier: Tier, short: Millis) -> Self {
		let lifetime = if tier == Tier::Hour { HOUR } else { short };
		Self { entries: ByKey::default(), lifetime, tier }
	}

	pub fn send(&mut self, prompt: Prompt, (now, done): (Millis, Millis)) -> CacheUse {
		let keys: Vec<u64> = prefixes(prompt).collect();
		let mut tokens = 0.0;
		let ends: Vec<f64> = prompt
			.parts
			.iter()
			.map(|part| {
				tokens += part.tokens;
				tokens
			})
			.collect();
		let own = if prompt.reaches_back { self.out_of_reach(prompt, &keys) } else { None };
		let marks = [prompt.head.checked_sub(1), own, prompt.parts.len().checked_sub(1)];
		let marks = || marks.iter().flatten().copied();
		let hit = marks().rev().find_map(|mark| self.find(prompt, &keys, mark, now));
		let read = hit.map_or(0.0, |hit| ends[hit]);
		// A read renews every entry of the prefix: whether it does is not documented, and the kinder reading.
		for key in hit.map_or(&[][..], |hit| &keys[..=hit]) {
			if let Some(expires) = self.entries.get_mut(key).filter(|expires| **expires > now) {
				*expires = done + self.lifetime;
			}
		}
		let mut written_to = read;
		for mark in marks().filter(|mark| ends[*mark] >= SMALLEST_ENTRY) {
			self.entries.insert(keys[mark], done + self.lifetime);
			written_to = ends[mark].max(written_to);
		}
		let written = written_to - read;
		let (write, write_hour) = if self.tier == Tier::Hour { (0.0, written) } else { (written, 0.0) };
		CacheUse { input: tokens - written_to, read, write, write_hour }
	}

	/// The last place in front of the end that was written, where the mark at the end surely does not find it.
	fn out_of_reach(&self, prompt: Prompt, keys: &[u64]) -> Option<usize> {
		let last = prompt.parts.len().checked_sub(1)?;
		let written = (prompt.head..last).rev().find(|at| self.entries.contains_key(&keys[*at]))?;
		let behind: u32 = prompt.parts[written + 1..].iter().map(|part| part.blocks).sum();
		(behind > SURELY_FOUND).then_some(written)
	}

	/// The part whose end is a live entry, at `mark` or within the lookback in front of it.
	fn find(&self, prompt: Prompt, keys: &[u64], mark: usize, now: Millis) -> Option<usize> {
		let mut back = 0;
		for at in (0..=mark).rev() {
			if back >= LOOKBACK {
				return None;
			}
			if self.entries.get(&keys[at]).is_some_and(|expires| *expires > now) {
				return Some(at);
			}
			back += prompt.parts[at].blocks;
		}
		None
	}
}
