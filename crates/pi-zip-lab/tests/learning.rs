//! What is known of a cache at each request: only what was seen before it.

mod written;

use pi_zip_core::cache::{Learned, Prior, Survival};
use pi_zip_core::session::ModelKey;
use pi_zip_lab::learning::{Course, Learning};
use pi_zip_lab::rates::RateBook;

/// Three requests; in front of the second one a gap of about seven minutes, after which all was read.
const OUTLIVED: &str = "0 user go on~200
	1 answer 0 0 20000 100
	400 user more
	401 answer 0 20000 110 100
	402 user and more
	403 answer 0 20110 110 100";

/// How far a cache is believed to live through seven minutes, of which three were declared not to be survived.
fn chance(learned: &Learned) -> f64 {
	Survival::learned(Prior { lifetime: 300_000, declared: true }, &learned.short).chance(420_000)
}

#[test]
fn what_is_learned_is_carried_on_and_never_back() {
	let recording = written::recording(OUTLIVED);
	let rates = RateBook::observed(&recording);
	let model = ModelKey { provider: "p".into(), model: "m".into() };
	let mut learning = Learning::default();
	let chances = |session: &Course| [0, 1, 2].map(|request| chance(&session.at(request, &model)));

	let first = learning.course(&recording, &rates);
	let [start, at_the_return, behind] = chances(&first);
	assert_eq!((start, at_the_return), (0.0, 0.0), "the return itself is not known before it was answered");
	assert!(behind > 0.5, "{behind}");

	let second = learning.course(&recording, &rates);
	let [carried, _, twice] = chances(&second);
	assert_eq!(carried, behind);
	assert!(twice > behind, "{twice} {behind}");
	assert_eq!(second.at(2, &ModelKey { provider: "p".into(), model: "other".into() }), Learned::default());
}
