//! Pi's compaction at a policy's own size, worked out by hand.

mod written;

use pi_zip_lab::compaction::{Compaction, SUMMARY};
use pi_zip_lab::policy::{AsRecorded, Plain};
use pi_zip_lab::prices::Prices;
use pi_zip_lab::rates::{RateBook, Rates};
use pi_zip_lab::replay::replay;

/// Four requests of 5,000, 9,000, 13,000 and, compacted, 9,200 tokens; two outputs of about 4,000 came in. Between the last two the
/// recording has a compaction.
const SESSION: &str = "0 user go on
	1 answer 0 0 5000 100 calls make
	2 output ~400
	3 answer 0 5000 4000 100 calls make
	4 output ~400
	5 answer 0 9000 4000 100 says seen
	6 compact 4
	10 user more
	11 answer 0 5000 4200 100";

fn rates() -> Rates {
	Rates { prices: Prices::ratios(0.1, 1.25), ..Rates::positional(0.1, 1.25, 300_000) }
}

#[test]
fn pi_compacts_above_its_trigger_and_the_summary_is_billed() {
	let recording = written::recording(SESSION);
	let tokens = &recording.weights.entries;
	let ratio = recording.weights.ratio;
	let close = |one: f64, other: f64| assert!((one - other).abs() < 1.0, "{one} {other}");

	// The third request is over the trigger. The newest output is more than is to be kept; a result cannot lead, so its
	// call's answer does, and the user's message, the first answer and the first output become the summary.
	let compaction = Compaction { trigger: 12_900.0, keep: 2_000.0 };
	let plain = replay(&recording, &mut Plain, &RateBook::uniform(rates()).compacting(compaction));
	assert_eq!(plain.compactions, 1);
	let third = plain.requests[2];
	close(third.served.total(), 13_000.0 - tokens[0] - tokens[1] - tokens[2] + SUMMARY);
	// Only what stands in front of all messages is read.
	close(third.served.read, recording.weights.frames[2].head);
	// 600 for the prompt, the two messages, and 500 of the output; in real tokens, unread. The summary is an answer.
	close(third.compacting, (600.0 + 500.0) * ratio + tokens[0] + tokens[1] + 5.0 * SUMMARY);
	close(third.cost, rates().prices.cost(&third.served, 100.0) + third.compacting);
	// The recorded compaction is left out: the next request carries what this one did.
	let kept = recording.weights.frames[3].head + SUMMARY + tokens[3] + tokens[4];
	close(plain.requests[3].served.read, kept);
	close(plain.requests[3].served.total(), kept + tokens[5] + tokens[7]);
}

#[test]
fn without_a_window_recorded_compactions_stay() {
	let recording = written::recording(SESSION);
	let large = Compaction::of_window(1_000_000.0);
	let never = replay(&recording, &mut Plain, &RateBook::uniform(rates()).compacting(large));
	assert_eq!((never.compactions, never.requests[2].served.total().round()), (0, 13_000.0));
	let tokens = &recording.weights.entries;
	let whole = recording.weights.frames[3].head + tokens[..6].iter().sum::<f64>() + tokens[7];
	assert!((never.requests[3].served.total() - whole).abs() < 1.0);
	for kept in [
		replay(&recording, &mut Plain, &RateBook::uniform(rates())),
		replay(&recording, &mut AsRecorded, &RateBook::uniform(rates()).compacting(large)),
	] {
		assert_eq!((kept.compactions, kept.requests[3].served.total().round()), (0, 9_200.0));
	}
}
