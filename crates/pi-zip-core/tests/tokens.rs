//! Golden cases of estimates and of what reports teach, and the calibration's error on real sessions.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod calibration_cases;
mod session_file;
mod timed_session;

use pi_zip_core::session::{Body, Branch, Projection, Size};
use pi_zip_core::tokens::{Calibration, estimated, estimated_context, estimated_entry};

/// Bounds of the error on real sessions: a share of the requests, and the relative error that it stays within.
const BOUNDS: [(f64, f64); 2] = [(0.5, 0.05), (0.95, 0.20)];

#[test]
fn learns_from_the_golden_sessions() {
	timed_session::check(include_str!("../../../tests/golden/calibration.txt"), calibration_cases::learned);
}

#[test]
fn predicts_the_requests_of_real_sessions() {
	let Some(files) = session_file::shared("corpus") else { return };
	let mut all = Vec::new();
	for file in files {
		let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
		let errors = errors(&session_file::branch(&text));
		println!("{:>6} requests, error {} {}", errors.len(), shares(&errors), file.file_stem().unwrap().display());
		all.extend(errors);
	}
	println!("{:>6} requests, error {}", all.len(), shares(&all));
	for (share, bound) in BOUNDS {
		let error = quantile(&all, share);
		assert!(error <= bound, "{share} of the errors are up to {error:.3}, over {bound}");
	}
}

/// For each reported request the relative error of what was predicted for it.
fn errors(session: &Branch) -> Vec<f64> {
	let mut before = Branch::default();
	let mut errors = Vec::new();
	for entry in session.entries() {
		if let Body::Assistant(assistant) = &entry.body
			&& let Some(real) = assistant.reported()
		{
			let projection = Projection::of(&before);
			let calibration = Calibration::of(&before, &projection);
			let predicted = calibration.context(estimated_context(&before, &projection));
			errors.push((f64::from(predicted) - real).abs() / real);
		}
		before.push(entry.clone());
	}
	errors
}

fn shares(errors: &[f64]) -> String {
	let [median, most] = [0.5, 0.95].map(|share| 100.0 * quantile(errors, share));
	format!("{median:5.1} % median {most:5.1} % at 95 %")
}

fn quantile(errors: &[f64], share: f64) -> f64 {
	let mut sorted = errors.to_vec();
	sorted.sort_by(f64::total_cmp);
	sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

#[test]
fn prices_images_and_rounds_up() {
	for (units, images, expected) in [(0, 0, 0), (1, 0, 1), (4, 0, 1), (5, 0, 2), (0, 1, 1_200), (8, 2, 2_402)] {
		assert_eq!(estimated(Size { units, images }), expected, "{units} units, {images} images");
	}
	assert_eq!(estimated(Size { units: u32::MAX, images: u32::MAX }), u32::MAX);
}

#[test]
fn leaves_out_what_pi_does_not_send() {
	let text = r#"
		{"type":"message","id":"a","message":{"role":"user","content":"12345678"}}
		{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","stopReason":"error","content":[{"type":"text","text":"12345678"}]}}
		{"type":"message","id":"c","parentId":"b","message":{"role":"bashExecution","command":"1234","output":"1234","excludeFromContext":true}}
		{"type":"message","id":"d","parentId":"c","message":{"role":"bashExecution","command":"1234","output":"1234"}}
		{"type":"message","id":"e","parentId":"d","message":{"role":"oracle","content":"12345678"}}
		{"type":"message","id":"f","parentId":"e","message":{"role":"assistant","content":[{"type":"thinking","thinking":"12345678"},{"type":"text","text":"1234"}]}}
		{"type":"label","id":"g","parentId":"f"}"#;
	let branch = session_file::branch(&format!("{{\"type\":\"session\",\"version\":3}}{text}"));
	let sizes: Vec<u32> = branch.entries().iter().map(estimated_entry).collect();
	assert_eq!(sizes, [2, 0, 0, 2, 0, 3, 0]);
	assert_eq!(estimated_context(&branch, &Projection::of(&branch)), 7);
}

#[test]
fn calibrates_nothing_to_nothing() {
	let learned = Calibration { factor: 1.5, constant: -100.0, from_reports: true };
	assert_eq!((learned.real(100), learned.context(100), learned.context(10)), (150, 50, 0));
	assert_eq!(learned.context(u32::MAX), u32::MAX);
}
