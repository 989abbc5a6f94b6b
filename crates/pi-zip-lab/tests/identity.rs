//! The bill closes, and the clairvoyant is a bound, on generated sessions.

mod generated;

use pi_zip_lab::bill::{Account, bill};
use pi_zip_lab::comparison::{POLICIES, Row};
use pi_zip_lab::rates::{RateBook, Rates};
use pi_zip_lab::recording::{Kind, Recording};
use pi_zip_lab::session_file::read;
use proptest::prelude::*;

/// Share by which the money of a request may differ from its recorded cost.
const COST_TOLERANCE: f64 = 0.005;

fn recording(seed: u64, requests: u64) -> Recording {
	Recording::of(read(generated::session(seed, requests).as_bytes()).expect("a session"))
}

fn closes(recording: &Recording, account: &Account) {
	let request = &recording.requests[account.request];
	let parts = account.tokens;
	let each = [parts.read, parts.new, parts.expired, parts.ours, parts.others, parts.unexplained, parts.output];
	assert!(each.iter().all(|part| part.is_finite() && *part >= 0.0), "{account:?}");
	if let (Some(usage), Kind::Answer) = (request.usage, request.kind) {
		let reported = usage.input + usage.cache_read + usage.cache_write + usage.output;
		assert!((parts.total() - reported).abs() <= 1e-6 * reported, "{account:?} {usage:?}");
		if !account.simulated {
			assert_eq!(parts.read, usage.cache_read);
		}
	}
	if let (Some(cost), Kind::Answer) = (request.cost, request.kind) {
		let money = account.money.total();
		assert!((money - cost.total).abs() <= COST_TOLERANCE * cost.total, "{account:?} {cost:?}");
	}
}

proptest! {
	#![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

	#[test]
	fn parts_add_up_to_reports_and_costs(seed: u64, requests in 1u64..40) {
		println!("seed {seed}, {requests} requests");
		let recording = recording(seed, requests);
		let bill = bill(&recording, &RateBook::observed(&recording));
		prop_assert_eq!(bill.requests.len(), recording.requests.len());
		bill.requests.iter().for_each(|account| closes(&recording, account));
		let sum: f64 = bill.requests.iter().map(|account| account.tokens.total()).sum();
		prop_assert!((bill.tokens.total() - sum).abs() <= 1e-6 * sum.max(1.0));
	}

	#[test]
	fn no_policy_is_cheaper_than_the_clairvoyant(seed: u64, requests in 1u64..40) {
		println!("seed {seed}, {requests} requests");
		let recording = recording(seed, requests);
		let alike = RateBook::uniform(Rates::positional(0.1, 1.25, 300_000));
		for rates in [alike, RateBook::observed(&recording)] {
			let row = Row::of("made", &recording, &rates);
			let bound = row.outcomes[POLICIES.len() - 1].cost;
			prop_assert!(row.outcomes.iter().all(|outcome| bound <= outcome.cost), "{:?}", row);
		}
	}
}
