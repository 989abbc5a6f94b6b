//! Answers the questions of `tests/golden/cache.txt`: whether a session's prompt cache is warm at a time, what its
//! lifetime is judged by, and what the newest answer shows of it.

use pi_zip_core::cache::{
	Asked, ColdReason, Kind, Learned, Moment, Outlook, Prior, Retention, Source, State, evidence, state,
};
use pi_zip_core::session::{Body, Branch, Millis, Projection};
use pi_zip_core::tokens::Calibration;

use super::timed_session::{millis, model, value};

pub fn judged(branch: &Branch, question: &[&str]) -> String {
	if question[0] == "shows" { shown(branch, question) } else { cache(branch, question) }
}

/// What the newest answer shows.
fn shown(branch: &Branch, question: &[&str]) -> String {
	let is_answer = |index: &usize| matches!(branch.entries()[*index].body, Body::Assistant(_));
	let asked = Asked {
		answer: (0..branch.entries().len()).rev().find(is_answer).expect("the session has an answer"),
		touched: value(question, "touched").map(millis),
		edited: value(question, "edited").map(|name| branch.find(name).expect("the edited entry is named")),
		kind: if question.contains(&"automatic") { Kind::Automatic } else { Kind::Explicit },
	};
	let projection = Projection::of(branch);
	match evidence(branch, &projection, &Calibration::of(branch, &projection), &asked) {
		Some(evidence) if evidence.lived => format!("lived for {}", seconds(evidence.gap)),
		Some(evidence) => format!("gone after {}", seconds(evidence.gap)),
		None => "nothing".to_owned(),
	}
}

/// What returns have taught, five minutes being assumed: `lived=365s,400s gone=20m`, in that order; `tier=long`.
fn learned(question: &[&str]) -> Learned {
	let mut learned = Learned::default();
	let tier = if value(question, "tier") == Some("long") { Retention::Long } else { Retention::Short };
	let prior = Prior { lifetime: 300_000, declared: false };
	for (name, lived) in [("lived", true), ("gone", false)] {
		for gap in value(question, name).into_iter().flat_map(|gaps| gaps.split(',')) {
			learned.of_mut(tier).observe(prior, millis(gap), lived);
		}
	}
	learned
}

fn cache(branch: &Branch, question: &[&str]) -> String {
	let time = |name: &str| value(question, name).map(millis);
	let moment = Moment {
		now: time("at").expect("a question is asked at a time"),
		touched: time("touched"),
		model: value(question, "m").map(model),
		retention: match value(question, "asked") {
			Some("none") => Retention::None,
			Some("long") => Retention::Long,
			Some("short") | None => Retention::Short,
			Some(other) => panic!("no retention: {other}"),
		},
		declared_short: time("short"),
		declared_long: time("long"),
		lifetime_override: time("override"),
		marks: true,
		learned: learned(question),
	};
	let Outlook { state, lifetime, .. } = state(branch, &moment);
	let state = match state {
		State::First => "first".to_owned(),
		State::Warm { cold_at } => format!("warm for {}", seconds(cold_at - moment.now)),
		State::Cold { because: ColdReason::Expired { idle } } => format!("cold, idle {}", seconds(idle)),
		State::Cold { because: ColdReason::ModelChanged } => "cold, other model".to_owned(),
		State::Cold { because: ColdReason::NoCache } => "cold, no cache".to_owned(),
	};
	let tier = match lifetime.retention {
		Retention::None => "none",
		Retention::Short => "short",
		Retention::Long => "long",
	};
	let source = match lifetime.source {
		Source::Override => "override",
		Source::Declared => "declared",
		Source::Assumed => "assumed",
		Source::Observed => "observed",
		Source::Learned => "learned",
	};
	let lifetime = lifetime.millis.map_or("no lifetime".to_owned(), seconds);
	format!("{state}; {lifetime} {tier} {source}")
}

fn seconds(time: Millis) -> String {
	assert_eq!(time % 1_000, 0, "cases are in whole seconds");
	format!("{} s", time / 1_000)
}
