//! A provider's prompt cache, simulated: what a request reads, what it writes, and what stays for the next one.
//!
//! Two kinds. An *explicit* cache holds entries that stand at marked blocks; a request looks for one by going back from
//! each of its marks. An *automatic* one holds every prefix that was sent, in whole steps. A model of either is asked with
//! a [`Prompt`] and a time, answers with a [`CacheUse`], and keeps its state. It knows nothing of prices and policies.

mod automatic;
mod explicit;

pub use automatic::{Automatic, STEP, Survival};
pub use explicit::{Explicit, Tier};

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use pi_zip_core::session::{Millis, Usage};

/// One part of a prompt that is in it or not as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
	/// Equal for equal content.
	pub key: u64,
	pub tokens: f64,
	/// Blocks of content, which the lookback of an explicit cache counts.
	pub blocks: u32,
	/// Equal for the same entry, whatever stands in its place.
	pub origin: u64,
	/// It is an answer, that the provider made itself.
	pub is_answer: bool,
	/// A placeholder of ours stands in its place.
	pub is_folded: bool,
}

/// The parts of a request, in order.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
	/// Equal for requests that can read each other's cache: one model.
	pub scope: u64,
	pub parts: &'a [Part],
	/// How many parts lead up to and include the system block, which is marked.
	pub head: usize,
	/// It carries pi-zip's mark: where the longest written prefix would not be found without one.
	pub reaches_back: bool,
}

/// How the tokens of a request were served. Not whole numbers where a survival is a chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheUse {
	/// Neither read nor written.
	pub input: f64,
	pub read: f64,
	/// Written for the short tier.
	pub write: f64,
	/// Written for an hour.
	pub write_hour: f64,
}

impl CacheUse {
	pub fn total(&self) -> f64 {
		self.input + self.read + self.write + self.write_hour
	}
}

/// As a provider reported it. An hour's part of more than was written counts as all of it.
impl From<&Usage> for CacheUse {
	fn from(usage: &Usage) -> Self {
		let hour = usage.cache_write_1h.unwrap_or(0.0).clamp(0.0, usage.cache_write.max(0.0));
		Self { input: usage.input, read: usage.cache_read, write: usage.cache_write - hour, write_hour: hour }
	}
}

/// A cache with its state.
#[derive(Clone, Debug)]
pub enum Cache {
	Explicit(Explicit),
	Automatic(Automatic),
	/// The provider keeps nothing.
	None,
}

impl Cache {
	/// Sends a request. `during` is when it goes out and when it is answered, in milliseconds: what it finds is judged by
	/// the one, what it leaves lives from the other.
	pub fn send(&mut self, prompt: Prompt, during: (Millis, Millis)) -> CacheUse {
		match self {
			Self::Explicit(cache) => cache.send(prompt, during),
			Self::Automatic(cache) => cache.send(prompt, during),
			Self::None => CacheUse { input: prompt.parts.iter().map(|part| part.tokens).sum(), ..CacheUse::default() },
		}
	}
}

/// A map by keys that are mixed already, so that they are taken as their own hashes.
pub(crate) type ByKey<T> = HashMap<u64, T, BuildHasherDefault<Mixed>>;

/// Takes a mixed key for its hash.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
	fn finish(&self) -> u64 {
		self.0
	}

	fn write(&mut self, bytes: &[u8]) {
		self.0 = bytes.iter().fold(self.0, |key, byte| mix(key, u64::from(*byte)));
	}

	fn write_u64(&mut self, key: u64) {
		self.0 = key;
	}
}

/// For each part the key of the prefix that ends with it.
fn prefixes(prompt: Prompt) -> impl Iterator<Item = u64> {
	prompt.parts.iter().scan(mix(prompt.scope, PREFIX_SEED), |key, part| {
		*key = mix(*key, part.key);
		Some(*key)
	})
}

/// Any odd number; sets keys of prefixes apart from keys of parts.
const PREFIX_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Two keys as one, order kept (the finalizer of splitmix64).
pub fn mix(left: u64, right: u64) -> u64 {
	let mut key = left.rotate_left(23) ^ right.wrapping_mul(PREFIX_SEED);
	key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
	key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
	key ^ (key >> 31)
}
