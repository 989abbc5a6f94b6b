//! Answers the questions of `tests/golden/calibration.txt`: what reports teach about tokens.

use pi_zip_core::session::{Branch, Projection};
use pi_zip_core::tokens::{Calibration, estimated_context};

pub fn learned(branch: &Branch, question: &[&str]) -> String {
	let projection = Projection::of(branch);
	let learned = Calibration::of(branch, &projection);
	match question {
		["learned"] if !learned.from_reports => "unknown".to_owned(),
		["learned"] => format!("{:.2} and {:.0}", learned.factor, learned.constant),
		["context"] => {
			let estimated = estimated_context(branch, &projection);
			format!("{estimated}, {}", learned.context(estimated))
		}
		_ => panic!("no question: {question:?}"),
	}
}
