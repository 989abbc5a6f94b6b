//! Answers the questions of `tests/golden/cache.txt`: whether a session's prompt cache is warm at a time, and what its
//! lifetime is judged by.

use pi_zip_core::cache::{ColdReason, Moment, Outlook, Retention, Source, State, state};
use pi_zip_core::session::{Branch, Millis};

use super::timed_session::{millis, model, value};

pub fn judged(branch: &Branch, question: &[&str]) -> String {
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
	};
	let lifetime = lifetime.millis.map_or("no lifetime".to_owned(), seconds);
	format!("{state}; {lifetime} {tier} {source}")
}

fn seconds(time: Millis) -> String {
	assert_eq!(time % 1_000, 0, "cases are in whole seconds");
	format!("{} s", time / 1_000)
}
