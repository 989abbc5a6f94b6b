//! What the parts of a bill are put down to, and what a miss costs, on sessions written by hand.

mod written;

use pi_zip_lab::bill::bill;
use pi_zip_lab::policy::{Moment, Plain, Policy};
use pi_zip_lab::rates::{RateBook, Rates};
use pi_zip_lab::replay::{ASKING, replay};
use pi_zip_lab::world::{Fold, World};

/// The parts of the last request, without those that are nothing.
fn last(session: &str) -> String {
	let recording = written::recording(session);
	let bill = bill(&recording, &RateBook::observed(&recording));
	let parts = bill.requests.last().expect("a request").tokens;
	let named = [
		("read", parts.read),
		("new", parts.new),
		("expired", parts.expired),
		("ours", parts.ours),
		("others", parts.others),
		("unexplained", parts.unexplained),
	];
	let found = named.iter().filter(|(_, tokens)| *tokens >= 0.5);
	found.map(|(name, tokens)| format!("{name} {tokens:.0}")).collect::<Vec<_>>().join(" ")
}

/// Two requests of 5,000 and 9,000 tokens, in which an output of about 4,000 came in.
const BEGINNING: &str = "0 user go on
	1 answer 0 0 5000 100 calls make
	2 output ~400
	3 answer 0 5000 4000 100 says seen
	";

#[track_caller]
fn check(rest: &str, expected: &str) {
	assert_eq!(last(&format!("{BEGINNING}{rest}")), expected, "{rest}");
}

#[test]
fn what_was_sent_before_is_read_and_the_rest_is_new() {
	check("10 user more\n11 answer 0 9000 110 5", "read 9000 new 110");
	check("10 user more\n11 answer 10 9000 100 5", "read 9000 new 110");
}

#[test]
fn after_the_lifetime_it_is_written_again() {
	check("302 user more\n302 answer 0 0 9110 5", "new 110 unexplained 9000");
	check("303 user more\n303 answer 0 0 9110 5", "new 110 expired 9000");
}

#[test]
fn others_change_the_view() {
	let switched = last(&format!("{BEGINNING}10 user more~8\n11 answer 0 0 9110 5 by other"));
	assert!(switched.starts_with("new ") && switched.contains("others 9"), "{switched}");
	check("10 thinking\n11 user more\n12 answer 0 2000 7110 5", "read 2000 new 110 others 7000");
	let compacted = last(&format!("{BEGINNING}10 compact 3\n11 user more\n12 answer 0 2000 1000 5"));
	assert!(compacted.starts_with("read 2000 new ") && !compacted.contains("unexplained"), "{compacted}");
	let cut = last(&format!("{BEGINNING}10 cut 2\n11 user more~8\n12 answer 0 4500 700 5"));
	assert!(cut.starts_with("read 4500 new ") && cut.contains("others") && !cut.contains("unexplained"), "{cut}");
}

#[test]
fn our_folds_are_carried_before_they_are_written() {
	let folded = last(&format!("{BEGINNING}10 user more~8\n11 answer 0 4500 700 5\n12 fold 2"));
	assert!(folded.starts_with("read 4500 new ") && folded.contains("ours"), "{folded}");
	assert!(!folded.contains("unexplained") && !folded.contains("others"), "{folded}");
}

#[test]
fn what_has_no_cause_is_shown() {
	check("10 user more\n11 answer 0 2000 7110 5", "read 2000 new 110 unexplained 7000");
}

/// Folds the first output in view before one request.
struct FoldAt(usize);

/// Tokens of its placeholder.
const PLACEHOLDER: f64 = 100.0;

impl Policy for FoldAt {
	fn name(&self) -> &'static str {
		"fold once"
	}

	fn edits(&mut self, _: &World, moment: &Moment) -> Vec<Fold> {
		let output = Fold { entry: 2, tokens: PLACEHOLDER, units: 300 };
		if moment.request == self.0 { vec![output] } else { Vec::new() }
	}
}

#[test]
fn a_miss_costs_one_more_request_and_the_recalled_tokens() {
	// The third answer quotes the output; it is folded before the third request, or before the fourth.
	let quoted = "the one line that is needed later: x = 17";
	let session = format!(
		"0 user go on
		1 answer 0 0 5000 100 calls make
		2 output {quoted}~400
		3 answer 0 5000 4000 100 says seen
		10 user more
		11 answer 0 9000 110 100 says it was {quoted}
		12 user and more
		13 answer 0 9110 150 100"
	);
	let recording = written::recording(&session);
	let rates = RateBook::uniform(Rates::positional(0.1, 1.25, 300_000));
	let plain = replay(&recording, &mut Plain, &rates);
	assert_eq!(
		plain.requests.iter().map(|request| request.served.read).collect::<Vec<_>>(),
		[0.0, 5000.0, 9000.0, 9110.0]
	);

	let late = replay(&recording, &mut FoldAt(3), &rates);
	assert_eq!((late.folds, late.misses, late.recalled), (1, 0, 0.0));

	let early = replay(&recording, &mut FoldAt(2), &rates);
	assert_eq!((early.folds, early.misses), (1, 1));
	let output = recording.weights.entries[2];
	assert_eq!(early.recalled, output);
	// The request that asks reads what stands in front of the output and writes the rest; the next one reads all that,
	// and writes the call and the output once more, which is the longer view from then on.
	let asked = plain.requests[2].served.total() - output + PLACEHOLDER;
	let answered = early.requests[2].served;
	assert!((answered.read - asked).abs() < 1.0, "{answered:?} {asked}");
	assert!((answered.write - (ASKING + output)).abs() < 1.0, "{answered:?}");
	assert!(early.requests[2].asking > 0.1 * answered.read);
	assert!((early.requests[3].served.total() - plain.requests[3].served.total() - PLACEHOLDER - ASKING).abs() < 1.0);
}
