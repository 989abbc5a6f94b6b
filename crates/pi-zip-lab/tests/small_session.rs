//! The session that lies in `lab/`: made by this project, with costs by the rules of an explicit cache of 300 s.

use pi_zip_lab::bill::bill;
use pi_zip_lab::comparison::Row;
use pi_zip_lab::rates::RateBook;
use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file::read;
use pi_zip_lab::validation::validate;

/// Share by which the simulation may differ from what the session's maker billed.
const TOLERANCE: f64 = 0.001;

fn small() -> Recording {
	Recording::of(read(include_bytes!("../../../lab/small-session.jsonl")).expect("a session"))
}

#[test]
fn the_simulation_bills_what_was_billed() {
	let validation = validate(&small()).expect("reports");
	assert_eq!(validation.requests, 83);
	assert!(validation.cost.error().abs() < TOLERANCE, "{validation:?}");
	assert!(validation.causes.is_empty(), "{validation:?}");
}

#[test]
fn every_token_has_its_cause() {
	let recording = small();
	let bill = bill(&recording, &RateBook::observed(&recording));
	let recorded: f64 = recording.requests.iter().filter_map(|request| request.cost).map(|cost| cost.total).sum();
	assert!((bill.money.total() - recorded).abs() < TOLERANCE * recorded);
	assert!(bill.tokens.unexplained < TOLERANCE * bill.tokens.total(), "{:?}", bill.tokens);
	// Three returns after more than 300 s wrote again what the requests before them carried.
	let returns = bill.requests.iter().filter(|account| account.tokens.expired > 0.0).count();
	assert_eq!(returns, 3);
}

#[test]
fn folding_at_returns_pays() {
	let recording = small();
	let row = Row::of("small", &recording, &RateBook::observed(&recording));
	assert_eq!((row.requests, row.returns), (84, 3));
	let [plain, known, shipped, clairvoyant] = [0, 1, 2, 3].map(|policy| row.ratio(policy));
	assert_eq!(plain, 1.0);
	assert!(clairvoyant < shipped && clairvoyant < known, "{row:?}");
	assert!(shipped < 0.8 && known < 0.8, "{row:?}");
}
