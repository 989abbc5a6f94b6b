//! Figures on recorded sessions beside the clone; skipped, with the reason printed, where there are none.

use std::path::{Path, PathBuf};

use pi_zip_lab::bill::bill;
use pi_zip_lab::comparison::{POLICIES, Row, Summary};
use pi_zip_lab::rates::{RateBook, Rates};
use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file::read;
use pi_zip_lab::validation::{median, validate};

/// The sessions of a folder beside the clone, by name.
fn sessions(folder: &str) -> Vec<(String, Recording)> {
	let path = [Path::new(env!("CARGO_MANIFEST_DIR")), Path::new("../../../shared"), Path::new(folder)]
		.iter()
		.collect::<PathBuf>();
	let Ok(files) = std::fs::read_dir(&path) else {
		println!("skipped: no folder {}", path.display());
		return Vec::new();
	};
	let mut files: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
	files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
	files.sort();
	files
		.into_iter()
		.map(|file| {
			let bytes = std::fs::read(&file).expect("a file that was just listed");
			let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
			let session = read(&bytes).unwrap_or_else(|reason| panic!("{name}: {reason}"));
			(name, Recording::of(session))
		})
		.collect()
}

#[test]
fn bills_leave_little_unexplained() {
	let (mut all, mut unexplained) = (0.0, 0.0);
	for (name, recording) in sessions("corpus") {
		let tokens = bill(&recording, &RateBook::observed(&recording)).tokens;
		assert!(tokens.unexplained <= 0.05 * tokens.total(), "{name}: {tokens:?}");
		all += tokens.total();
		unexplained += tokens.unexplained;
	}
	assert!(unexplained <= 0.02 * all, "{unexplained} of {all}");
}

#[test]
fn the_simulation_agrees_with_the_reports() {
	let found: Vec<_> =
		sessions("corpus").iter().filter_map(|(name, recording)| Some((name.clone(), validate(recording)?))).collect();
	for (name, validation) in &found {
		let error = validation.cost.error();
		assert!(error.abs() <= 0.15 || !validation.causes.is_empty(), "{name}: {error}");
	}
	assert!(median(found.iter().map(|(_, validation)| validation.cost.error())) <= 0.03);
}

#[test]
fn the_clairvoyant_is_the_bound_that_it_should_be() {
	let rates = RateBook::uniform(Rates::positional(0.1, 1.25, 300_000));
	let rows: Vec<Row> = sessions("corpus").iter().map(|(name, recording)| Row::of(name, recording, &rates)).collect();
	if rows.is_empty() {
		return;
	}
	let clairvoyant = POLICIES.len() - 1;
	for row in &rows {
		assert!(row.outcomes.iter().all(|outcome| row.outcomes[clairvoyant].cost <= outcome.cost), "{row:?}");
	}
	assert!(Summary::of(&rows).mean_ratio[clairvoyant] <= 0.58);
}

#[test]
fn faulty_files_are_read_billed_and_replayed() {
	for (name, recording) in sessions("fixtures") {
		let bill = bill(&recording, &RateBook::observed(&recording));
		assert!(bill.tokens.total().is_finite(), "{name}");
		let row = Row::of(&name, &recording, &RateBook::observed(&recording));
		assert!(row.outcomes.iter().all(|outcome| outcome.cost.is_finite()), "{row:?}");
	}
}
