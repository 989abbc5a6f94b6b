//! How likely the prompt cache is to live through a gap, learned from returns.
//!
//! What is known of one model and retention tier is a number of returns by the length of their gap: read from the cache,
//! or written again ([`Counts`]). They are weighed against what the cache may be: each [`Survival`] is a mixture of
//! lifetimes and of shares that are evicted earlier, by how well each explains the counts. So one return tells of all
//! gaps, and the chance never rises with the gap. Knows no session and no time of day: see [`state`](super::state) for
//! the cache of a request, [`evidence`](super::evidence) for what a return shows.

use crate::session::Millis;

const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

/// Where bins of gaps begin, in milliseconds. Nothing is learned below the first; documented lifetimes (5 and 30 minutes,
/// an hour, a day) are edges.
pub const EDGES: [Millis; BINS] = [
	30 * SECOND,
	MINUTE,
	2 * MINUTE,
	3 * MINUTE,
	4 * MINUTE,
	5 * MINUTE,
	6 * MINUTE,
	8 * MINUTE,
	10 * MINUTE,
	15 * MINUTE,
	20 * MINUTE,
	25 * MINUTE,
	30 * MINUTE,
	45 * MINUTE,
	HOUR,
	2 * HOUR,
	4 * HOUR,
	8 * HOUR,
	24 * HOUR,
];

pub const BINS: usize = 19;

/// No prompt is believed to be kept for longer, in milliseconds.
const LONGEST: Millis = 7 * 24 * HOUR;

/// How likely each edge is as a lifetime, against one another: what providers write of theirs is likelier (5 minutes and
/// its slack, 10, 20 to 30 minutes, an hour, a day), less than five minutes hardly ever true. Tuned, as the shares below
/// are, on the simulated providers of the tests.
const LIKELY: [f64; BINS] =
	[0.5, 0.5, 0.5, 0.5, 2.0, 8.0, 3.0, 1.0, 4.0, 1.0, 1.5, 1.5, 3.0, 1.0, 8.0, 1.0, 1.0, 1.0, 3.0];
/// The same of `LONGEST`.
const LIKELY_LONGEST: f64 = 1.0;

/// Share of the belief that goes to the lifetime which the model declares, and to the one that is assumed where it
/// declares none. With these one full read beyond it outweighs it, a lone miss within it does not, and two do.
const DECLARED_SHARE: f64 = 0.95;
const ASSUMED_SHARE: f64 = 0.85;

/// How a cache may keep prompts within its lifetime: the share that it keeps, and how likely such a cache is. The first
/// is a cache that works, a rare accident aside.
const KEEPING: [(f64, f64); 4] = [(0.97, 0.9), (0.8, 0.06), (0.5, 0.03), (0.2, 0.01)];

/// The chance of a full read after the cache has died: somebody else has sent the same prefix meanwhile.
const REVIVED: f64 = 0.002;

/// What is left of older evidence at each observation, so that about thirty count.
const FADED: f64 = 0.97;

/// What is left of evidence that an observation contradicts, where belief held it for less likely than `SURPRISE`: the
/// provider has changed, or had an accident. Two surprises in a row are then enough, whatever was seen before.
const SURPRISED: f64 = 0.12;
const SURPRISE: f64 = 0.2;

/// A read contradicts what was gone after gaps up to this many times as long, a miss what lived after gaps down to this
/// part: a provider that has changed did not change for one gap.
const ABOUT: Millis = 8;

/// Returns of one bin. The first two fade, so they are no whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
	/// Read from the cache.
	pub lived: f64,
	/// Written again.
	pub gone: f64,
	/// Of both kinds, ever.
	pub seen: f64,
}

/// Returns to one model in one retention tier, by the bin of their gap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
	pub bins: [Bin; BINS],
}

impl Counts {
	pub fn is_empty(&self) -> bool {
		self.bins.iter().all(|bin| bin.lived + bin.gone <= 0.0)
	}

	/// Takes note of a return after `gap` milliseconds. No effect below the first edge.
	pub fn observe(&mut self, prior: Prior, gap: Millis, lived: bool) {
		let Some(at) = bin_of(gap) else { return };
		let chance = Survival::learned(prior, self).chance(gap);
		let expected = if lived { chance } else { 1.0 - chance };
		let contradicted = if expected < SURPRISE { SURPRISED } else { 1.0 };
		let near = EDGES[at] / ABOUT..=EDGES[at] * ABOUT;
		for (bin, edge) in self.bins.iter_mut().zip(EDGES) {
			bin.lived *= FADED * if !lived && edge >= *near.start() { contradicted } else { 1.0 };
			bin.gone *= FADED * if lived && edge <= *near.end() { contradicted } else { 1.0 };
		}
		let bin = &mut self.bins[at];
		bin.seen += 1.0;
		if lived {
			bin.lived += 1.0;
		} else {
			bin.gone += 1.0;
		}
	}
}

/// What is believed of a lifetime before any evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prior {
	/// Milliseconds.
	pub lifetime: Millis,
	/// The model declares it; else it is assumed.
	pub declared: bool,
}

/// The bin that a gap falls into; none for gaps of which nothing is learned.
pub fn bin_of(gap: Millis) -> Option<usize> {
	EDGES.partition_point(|edge| *edge <= gap).checked_sub(1)
}

/// The chance that a cached prompt is still there after a gap; it never rises with the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survival {
	/// Below this gap the cache is as warm as in a run, in milliseconds.
	brief: Millis,
	/// By bin, without the part of the stated lifetime.
	chances: [f64; BINS],
	/// The declared or assumed lifetime in milliseconds, and its part of the chance below it.
	stated: (Millis, f64),
}

impl Survival {
	/// Nothing is kept between two requests.
	pub const NONE: Self = Self { brief: 0, chances: [0.0; BINS], stated: (0, 0.0) };

	/// The cache lives for `lifetime` milliseconds, no more and no less.
	pub fn declared(lifetime: Millis) -> Self {
		Self { brief: EDGES[0].min(lifetime), chances: [0.0; BINS], stated: (lifetime, 1.0) }
	}

	/// What is believed by the counts. Without any, the prior is taken at its word.
	pub fn learned(prior: Prior, counts: &Counts) -> Self {
		if counts.is_empty() {
			return Self::declared(prior.lifetime);
		}
		let share = if prior.declared { DECLARED_SHARE } else { ASSUMED_SHARE };
		let lifetimes = || EDGES.into_iter().zip(LIKELY).chain([(LONGEST, LIKELY_LONGEST)]);
		let others: f64 = lifetimes().map(|(_, likely)| likely).sum();
		// Of each lifetime the chance at a gap below it, and how much of the belief it has; neither is normed yet.
		let explained = |lifetime: Millis, share: f64| {
			let told = Told::by(counts, lifetime);
			KEEPING.iter().fold((0.0, 0.0), |(chance, weight), (kept, likely)| {
				let own = share * likely * told.likelihood(*kept);
				(chance + own * kept, weight + own)
			})
		};
		let stated = explained(prior.lifetime, share);
		let mut total = stated.1;
		let mut survival = Self::declared(prior.lifetime);
		for (lifetime, likely) in lifetimes() {
			let (chance, own) = explained(lifetime, (1.0 - share) * likely / others);
			total += own;
			for (bin, from) in survival.chances.iter_mut().zip(EDGES) {
				*bin += if from < lifetime { chance } else { 0.0 };
			}
		}
		// No share is zero and no likelihood either, unless so many counts stand that they leave the range of numbers.
		if total <= 0.0 {
			return Self::declared(prior.lifetime);
		}
		survival.chances.iter_mut().for_each(|chance| *chance /= total);
		survival.stated.1 = stated.0 / total;
		survival
	}

	/// The chance that the cache lives `gap` milliseconds after its last touch.
	pub fn chance(&self, gap: Millis) -> f64 {
		if gap < self.brief {
			return 1.0;
		}
		let (lifetime, stated) = self.stated;
		let of_edges = if gap < LONGEST { self.chances[bin_of(gap).unwrap_or(0)] } else { 0.0 };
		of_edges + if gap < lifetime { stated } else { 0.0 }
	}

	/// The gap in milliseconds from which on the cache is more likely gone than not; `None` where nothing is cached.
	pub fn lifetime(&self) -> Option<Millis> {
		if self.brief == 0 {
			return None;
		}
		let mut ends = EDGES.into_iter().chain([LONGEST, self.stated.0]);
		let gone = |gap: &Millis| *gap >= self.brief && self.chance(*gap) < EVEN;
		let first = |one: Option<Millis>, other: Millis| Some(one.map_or(other, |one| one.min(other)));
		ends.by_ref().filter(gone).fold(None, first)
	}
}

/// From this chance on a cache counts as warm.
pub const EVEN: f64 = 0.5;

/// Returns as they stand to one lifetime: after gaps within it, and beyond it.
#[derive(Clone, Copy, Default)]
struct Told {
	within: (f64, f64),
	beyond: (f64, f64),
}

impl Told {
	fn by(counts: &Counts, lifetime: Millis) -> Self {
		let ends = EDGES.into_iter().skip(1).chain([LONGEST]);
		let mut told = Self::default();
		for (bin, (from, to)) in counts.bins.iter().zip(EDGES.into_iter().zip(ends)) {
			// A lifetime that ends inside of a bin shares its returns out.
			let within = ((lifetime - from) as f64 / (to - from) as f64).clamp(0.0, 1.0);
			let add = |(lived, gone): (f64, f64), part: f64| (lived + part * bin.lived, gone + part * bin.gone);
			told.within = add(told.within, within);
			told.beyond = add(told.beyond, 1.0 - within);
		}
		told
	}

	/// How likely a cache is to give these returns that keeps such a share within its lifetime.
	fn likelihood(&self, kept: f64) -> f64 {
		let log = |(lived, gone): (f64, f64), chance: f64| lived * chance.ln() + gone * (1.0 - chance).ln();
		(log(self.within, kept) + log(self.beyond, REVIVED)).exp()
	}
}
