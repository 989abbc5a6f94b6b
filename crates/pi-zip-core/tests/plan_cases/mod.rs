//! Runs plan cases: a heading `== name`, a session, and lines that ask and say what is answered.
//!
//! ```text
//! plan cold recall target=1000 trigger=9000 unchanged=r3,r4 = old r1 r2
//! checks cold target=1000 = r3 r4
//! ```
//!
//! Named before the `=`: `cold`, `recall` (the tool is there), and what departs from target 1000, over 500 tokens, an age
//! of 4 requests, a calibration of 1, an automatic cache with reads at 0.1 and writes at 1.25 of input, and no floor:
//! `floor` for that which is in force, `explicit`, `warm=50` (per cent). Behind it: how the plan came about, and the
//! entries in order.

use pi_zip_core::cache::{Kind, Survival};
use pi_zip_core::guard;
use pi_zip_core::pace::Stretches;
use pi_zip_core::plan::{Settings, Situation, checks, plan};
use pi_zip_core::prices::{Prices, Tariff};
use pi_zip_core::session::{Branch, Projection};
use pi_zip_core::situation::Floor;
use pi_zip_core::tokens::Calibration;

use super::session_text;

/// What went wrong, one text a case; empty where every case holds.
pub fn failures(text: &str) -> Vec<String> {
	session_text::failures(text, failures_of)
}

fn failures_of(case: &str) -> Vec<String> {
	let (name, body) = case.split_once('\n').unwrap_or((case, ""));
	let is_question = |line: &&str| line.starts_with("plan ") || line.starts_with("checks ");
	let session: Vec<_> = body.lines().filter(|line| !is_question(line)).collect();
	let branch = session_text::branch(&session.join("\n"));
	let mut failures = Vec::new();
	let mut asked = 0;
	for question in body.lines().filter(is_question) {
		asked += 1;
		let (given, expected) = question.split_once(" = ").unwrap_or((question, ""));
		let answer = answer(&branch, given);
		if answer != expected.trim() {
			failures.push(format!("{name}: {given}\n  expected {expected}\n  answered {answer}"));
		}
	}
	if asked == 0 {
		failures.push(format!("{name}: asks nothing"));
	}
	failures
}

fn answer(branch: &Branch, given: &str) -> String {
	let projection = Projection::of(branch);
	let number = |name: &str| {
		let prefix = format!("{name}=");
		given.split_whitespace().find_map(|word| word.strip_prefix(&prefix)?.parse::<u32>().ok())
	};
	let has = |flag: &str| given.split_whitespace().any(|word| word == flag);
	let none = Floor { warm: 0, age: 0, working_set: 0, recalled: 0, head: 0 };
	let settings = Settings {
		fold_min: number("fold").unwrap_or(500),
		target: number("target").unwrap_or(1_000),
		in_turn_age: number("age").unwrap_or(4),
		floor: if has("floor") { Floor::default() } else { none },
		..Settings::default()
	};
	let situation = Situation {
		warm: number("warm").map_or(f64::from(u8::from(!has("cold"))), |percent| f64::from(percent) / 100.0),
		survival: Survival::declared(300_000),
		stretches: Stretches::default(),
		now: 0,
		lifetime: 300_000,
		kind: if has("explicit") { Kind::Explicit } else { Kind::Automatic },
		tariff: Tariff { base: Prices { input: 1.0, output: 5.0, read: 0.1, write: 1.25 }, tier: None },
		recallable: has("recall"),
		sees_images: !has("blind"),
		trigger: number("trigger"),
		keep: number("keep").unwrap_or(0),
	};
	let factor = f64::from(number("percent").unwrap_or(100)) / 100.0;
	let constant = f64::from(number("constant").unwrap_or(0));
	let calibration = Calibration { factor, constant, from_reports: true };
	let unchanged = given.split_whitespace().find_map(|word| word.strip_prefix("unchanged=")).unwrap_or_default();
	let unchanged: Vec<_> = unchanged.split(',').filter_map(|id| branch.find(id)).collect();
	let name = |entry: usize| branch.entries()[entry].id.to_string();
	if given.starts_with("checks ") {
		let asked = checks(branch, &projection, &calibration, &settings, &situation);
		return asked.into_iter().map(|(entry, _)| name(entry)).collect::<Vec<_>>().join(" ");
	}
	let plan = plan(branch, &projection, &calibration, &settings, &situation, &unchanged);
	if let Err(refusal) =
		guard::accept(branch, &projection, &calibration, &plan.edits, &settings, &situation, &unchanged)
	{
		return format!("refused by the guard: {refusal}");
	}
	let mut words = vec![format!("{:?}", plan.reason).to_lowercase()];
	words.extend(plan.edits.iter().map(|edit| name(edit.entry)));
	words.join(" ")
}
