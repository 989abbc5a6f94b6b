//! What is learned of a cache's lifetime, on simulated providers: how many returns until the belief is right, and what
//! the wrong ones cost.

use pi_zip_core::cache::{Counts, EVEN, Prior, Survival};
use pi_zip_core::session::Millis;
use proptest::prelude::*;

const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

const FIVE_DECLARED: Prior = Prior { lifetime: 5 * MINUTE, declared: true };
const FIVE_ASSUMED: Prior = Prior { lifetime: 5 * MINUTE, declared: false };
const HOUR_DECLARED: Prior = Prior { lifetime: HOUR, declared: true };
const PRIORS: [Prior; 3] = [FIVE_DECLARED, FIVE_ASSUMED, HOUR_DECLARED];

fn after(prior: Prior, seen: &[(Millis, bool)]) -> Survival {
	let mut counts = Counts::default();
	for (gap, lived) in seen {
		counts.observe(prior, *gap, *lived);
	}
	Survival::learned(prior, &counts)
}

fn is_warm(prior: Prior, seen: &[(Millis, bool)], gap: Millis) -> bool {
	after(prior, seen).chance(gap) >= EVEN
}

#[test]
fn the_stated_lifetime_is_the_belief_before_evidence() {
	for prior in PRIORS {
		let survival = after(prior, &[]);
		assert_eq!(survival.chance(0), 1.0);
		assert_eq!(survival.chance(prior.lifetime - 1), 1.0);
		assert_eq!(survival.chance(prior.lifetime), 0.0);
		assert_eq!(survival.lifetime(), Some(prior.lifetime));
	}
	assert_eq!(Survival::NONE.chance(0), 0.0);
	assert_eq!(Survival::NONE.lifetime(), None);
}

#[test]
fn one_full_read_beyond_the_lifetime_outweighs_it() {
	for prior in [FIVE_DECLARED, FIVE_ASSUMED] {
		assert!(!is_warm(prior, &[], 365 * SECOND));
		assert!(is_warm(prior, &[(365 * SECOND, true)], 365 * SECOND));
		assert!(!is_warm(prior, &[(360 * SECOND, false)], 360 * SECOND), "nothing read: it stays cold");
		assert!(is_warm(prior, &[(360 * SECOND, false)], 200 * SECOND), "and says nothing of shorter gaps");
	}
	assert!(is_warm(HOUR_DECLARED, &[(2 * HOUR, true)], 2 * HOUR));
}

#[test]
fn a_lone_miss_within_the_lifetime_does_not_outweigh_it_but_two_do() {
	for (prior, gap) in [(FIVE_DECLARED, 150), (FIVE_ASSUMED, 150), (HOUR_DECLARED, 900), (HOUR_DECLARED, 360)] {
		let gap = gap * SECOND;
		assert!(is_warm(prior, &[(gap, false)], gap), "{:?} {}", prior, after(prior, &[(gap, false)]).chance(gap));
		assert!(!is_warm(prior, &[(gap, false), (gap, false)], gap), "{prior:?}");
	}
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(48))]
	#[test]
	fn the_chance_never_rises_with_the_gap(
		seen in prop::collection::vec((1..200_000i64, any::<bool>()), 0..60),
		prior in 0..PRIORS.len(),
		gaps in prop::collection::vec(0..700_000i64, 2..20),
	) {
		let seen: Vec<_> = seen.into_iter().map(|(gap, lived)| (gap * SECOND, lived)).collect();
		let survival = after(PRIORS[prior], &seen);
		let mut gaps = gaps;
		gaps.sort_unstable();
		let chances: Vec<f64> = gaps.iter().map(|gap| survival.chance(gap * SECOND)).collect();
		prop_assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
		prop_assert!(chances.is_sorted_by(|one, next| one >= next), "{chances:?}");
		let lifetime = survival.lifetime().expect("something is cached");
		prop_assert!(survival.chance(lifetime) < EVEN && survival.chance(lifetime - 1) >= EVEN);
	}
}

/// Tokens of a context and of what is left of it once it is folded, and of the head that an edit leaves.
const CONTEXT: (f64, f64) = (60_000.0, 25_000.0);
const HEAD: f64 = 8_192.0;
/// Requests that follow a return in its run: the median of recorded runs.
const REQUESTS: f64 = 4.0;
/// Prices of a token read and written, in that of input.
const PRICES: (f64, f64) = (0.1, 1.25);

/// What a return and its run cost, by what was believed and what was true.
fn cost(believed_warm: bool, warm: bool) -> f64 {
	let (read, write) = PRICES;
	let size = if believed_warm { CONTEXT.0 } else { CONTEXT.1 };
	let again = match (believed_warm, warm) {
		(true, true) => 0.0,
		(false, true) => size - HEAD,
		(_, false) => size,
	};
	again * write + (size - again) * read + REQUESTS * size * read
}

/// A number from zero to one, the same at each run.
struct Chance(u64);

impl Chance {
	fn next(&mut self) -> f64 {
		self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
		(self.0 >> 11) as f64 / (1u64 << 53) as f64
	}

	/// A gap as users make them: three of five within the five minutes, the others up to a day, even by their logarithm.
	fn gap(&mut self) -> Millis {
		let within = |from: f64, to: f64, at: f64| (from * (to / from).powf(at)) as Millis * SECOND;
		match self.next() {
			share if share < 0.6 => within(31.0, 290.0, self.next()),
			share if share < 0.85 => within(310.0, 3_500.0, self.next()),
			_ => within(3_700.0, 86_400.0, self.next()),
		}
	}
}

/// What a run of returns against a provider came to.
struct Outcome {
	/// Returns that were believed wrongly, after each change of the provider.
	wrong: Vec<usize>,
	/// Returns until the last wrong one of each, itself included.
	until_right: Vec<usize>,
	/// What the run cost more than with the provider known, as a share.
	dearer: f64,
}

/// Returns between two changes of a provider: some weeks of a user who comes back a few times a day.
const RETURNS: usize = 100;

/// Runs returns against lifetimes that follow each other.
fn run(prior: Prior, lifetimes: &[Millis], mut gap: impl FnMut(usize) -> Millis) -> Outcome {
	let mut counts = Counts::default();
	let (mut wrong, mut until_right) = (Vec::new(), Vec::new());
	let (mut paid, mut informed) = (0.0, 0.0);
	for lifetime in lifetimes {
		let (mut errors, mut until) = (0, 0);
		for index in 0..RETURNS {
			let gap = gap(index);
			let believed = Survival::learned(prior, &counts).chance(gap) >= EVEN;
			let warm = gap < *lifetime;
			paid += cost(believed, warm);
			informed += cost(warm, warm);
			if believed != warm {
				errors += 1;
				until = index + 1;
			}
			counts.observe(prior, gap, warm);
		}
		wrong.push(errors);
		until_right.push(until);
	}
	Outcome { wrong, until_right, dearer: paid / informed - 1.0 }
}

/// What is believed first, and the lifetimes that follow each other.
const PROVIDERS: [(&str, Prior, &[Millis]); 13] = [
	("5 minutes", FIVE_DECLARED, &[5 * MINUTE]),
	("1 hour, 5 minutes assumed", FIVE_ASSUMED, &[HOUR]),
	("22 minutes, 5 minutes assumed", FIVE_ASSUMED, &[22 * MINUTE]),
	("30 minutes, 5 minutes assumed", FIVE_ASSUMED, &[30 * MINUTE]),
	("5 minutes for an hour asked", HOUR_DECLARED, &[5 * MINUTE]),
	("an hour for an hour asked", HOUR_DECLARED, &[HOUR]),
	("10 minutes for an hour asked", HOUR_DECLARED, &[10 * MINUTE]),
	("8 minutes, 5 minutes assumed", FIVE_ASSUMED, &[8 * MINUTE]),
	("15 minutes, 5 minutes assumed", FIVE_ASSUMED, &[15 * MINUTE]),
	("45 minutes, 5 minutes assumed", FIVE_ASSUMED, &[45 * MINUTE]),
	("2 hours, 5 minutes assumed", FIVE_ASSUMED, &[2 * HOUR]),
	("changes its mind", FIVE_DECLARED, &[5 * MINUTE, HOUR, 5 * MINUTE, HOUR]),
	("changes its mind by less", FIVE_ASSUMED, &[10 * MINUTE, 30 * MINUTE, 10 * MINUTE]),
];

/// Gaps of a day, in seconds, over and over.
const DAY: [Millis; 10] = [90, 365, 150, 720, 45, 240, 2_700, 180, 410, 18_000];

#[test]
fn at_most_two_returns_of_regular_days_are_believed_wrongly_after_each_change() {
	for (name, prior, lifetimes) in PROVIDERS {
		let outcome = run(prior, lifetimes, |index| DAY[index % DAY.len()] * SECOND);
		let Outcome { wrong, until_right, dearer, .. } = &outcome;
		println!("{name}: wrong {wrong:?}, right after {until_right:?} returns, dearer by {:.1} %", 100.0 * dearer);
		assert!(wrong.iter().all(|wrong| *wrong <= 2), "{name}: {wrong:?}");
		assert!(*dearer <= 0.05, "{name}: {dearer}");
	}
}

/// Courses of random gaps for each provider.
const COURSES: u64 = 10;

#[test]
fn returns_after_random_gaps_are_seldom_believed_wrongly() {
	for (name, prior, lifetimes) in PROVIDERS {
		let outcomes: Vec<Outcome> = (1..=COURSES)
			.map(|seed| {
				let mut chance = Chance(seed);
				run(prior, lifetimes, |_| chance.gap())
			})
			.collect();
		let mean = |of: fn(&Outcome) -> usize| {
			outcomes.iter().map(of).sum::<usize>() as f64 / (COURSES as usize * lifetimes.len()) as f64
		};
		let wrong = mean(|outcome| outcome.wrong.iter().sum());
		let until = mean(|outcome| outcome.until_right.iter().sum());
		let dearer = outcomes.iter().map(|outcome| outcome.dearer).sum::<f64>() / COURSES as f64;
		let most = outcomes.iter().flat_map(|outcome| &outcome.wrong).max().expect("there are courses");
		let dearer_in_percent = 100.0 * dearer;
		println!(
			"{name}, random gaps: wrong {wrong:.1} (most {most}), right after {until:.0}, dearer by {dearer_in_percent:.1} %"
		);
		assert!(wrong <= 5.0 && dearer <= 0.05, "{name}: {wrong} wrong, dearer by {dearer}");
	}
}

/// What a return costs by the mean where the cache lives with this chance, folded or not.
fn expected(folds: bool, warm: f64) -> f64 {
	warm * cost(!folds, true) + (1.0 - warm) * cost(!folds, false)
}

/// Whether folding is the cheaper by the mean: what an estimate that knows the chance decides.
fn pays(warm: f64) -> bool {
	expected(true, warm) < expected(false, warm)
}

/// What a cache that evicts at random comes to, against one whose share and lifetime are known.
struct Evicted {
	/// Returns that were decided otherwise than with the cache known, in each half of the run.
	otherwise: [usize; 2],
	/// What those cost by the mean, as a share of what the run costs.
	dearer: f64,
	/// The same of a decision that takes the likelier of warm and cold for certain.
	by_even: f64,
	survival: Survival,
}

/// Each return is decided by the believed chance and counts by its mean, since nobody can know which prompt was evicted.
/// The chance is what the law weighs a rewrite with; of its floor, which leaves some folds out, nothing is known here.
fn run_evicting(prior: Prior, lifetime: Millis, kept: f64, seed: u64) -> Evicted {
	let mut chance = Chance(seed);
	let mut counts = Counts::default();
	let mut otherwise = [0, 0];
	let (mut paid, mut by_even, mut informed) = (0.0, 0.0, 0.0);
	for index in 0..2 * RETURNS {
		let gap = chance.gap();
		let alive = if gap < lifetime { kept } else { 0.0 };
		let believed = Survival::learned(prior, &counts).chance(gap);
		let folds = pays(believed);
		paid += expected(folds, alive);
		by_even += expected(believed < EVEN, alive);
		informed += expected(pays(alive), alive);
		otherwise[index / RETURNS] += usize::from(folds != pays(alive));
		counts.observe(prior, gap, chance.next() < alive);
	}
	let (dearer, by_even) = (paid / informed - 1.0, by_even / informed - 1.0);
	Evicted { otherwise, dearer, by_even, survival: Survival::learned(prior, &counts) }
}

/// Shares of prompts that a cache keeps which evicts the others at random.
const KEPT: [f64; 4] = [0.95, 0.8, 0.5, 0.2];

#[test]
fn random_eviction_is_believed_as_a_chance_and_costs_little() {
	let caches = [
		("1 hour, 5 minutes assumed", FIVE_ASSUMED, HOUR),
		("an hour for an hour asked", HOUR_DECLARED, HOUR),
		("5 minutes", FIVE_DECLARED, 5 * MINUTE),
	];
	for (name, prior, lifetime) in caches {
		for kept in KEPT {
			let courses: Vec<_> = (1..=COURSES).map(|seed| run_evicting(prior, lifetime, kept, seed)).collect();
			let mean = |of: fn(&Evicted) -> f64| courses.iter().map(of).sum::<f64>() / COURSES as f64;
			let believed = mean(|course| course.survival.chance(2 * MINUTE));
			let otherwise = [mean(|course| course.otherwise[0] as f64), mean(|course| course.otherwise[1] as f64)];
			let (dearer, by_even) = (mean(|course| course.dearer), mean(|course| course.by_even));
			let most = courses.iter().map(|course| course.dearer).fold(0.0, f64::max);
			println!(
				"{name}, keeps {kept}: believed {believed:.2} after 2 minutes, decided otherwise {otherwise:.1?} of 100, dearer \
				 by {:.1} % (most {:.1}); {:.1} % if the likelier were taken for certain",
				100.0 * dearer,
				100.0 * most,
				100.0 * by_even,
			);
			assert!((believed - kept).abs() <= 0.25, "{name}, keeps {kept}: {believed}");
			assert!(most <= 0.05, "{name}, keeps {kept}: {most}");
			assert!(courses.iter().all(|course| course.survival.chance(2 * HOUR) < EVEN), "{name}, keeps {kept}");
		}
	}
}
