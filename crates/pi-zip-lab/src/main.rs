//! The lab's program: reads session files and prints tables.
//!
//!     lab [compare|compact|own|bill|validate|floor|tune] FILE|FOLDER ...
//!
//! `compare` prices all sessions alike (reads 0.1 and writes 1.25 of input, a lifetime of 300 s), `compact` does so too and
//! lets each policy compact at its own size, `own` prices them as each session shows. `floor` leaves out each part of the
//! floor, `tune` chooses figures of the law on all sessions but the one that they are judged on. A file that cannot be read is named with its reason and the others go on. Exit status 0, 1 (some failed), 2
//! (usage).

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pi_zip_core::session::Millis;
use pi_zip_lab::bill::bill;
use pi_zip_lab::compaction::Compaction;
use pi_zip_lab::comparison::Row;
use pi_zip_lab::learning::Learning;
use pi_zip_lab::prices::Prices;
use pi_zip_lab::rates::{RateBook, Rates};
use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file;
use pi_zip_lab::table;
use pi_zip_lab::trial;
use pi_zip_lab::validation::validate;

const USAGE: &str = "usage: lab [compare|compact|own|bill|validate|floor|tune] FILE|FOLDER ...";

/// The footing of `compare`: prices of reads and writes over input, and the lifetime in milliseconds.
const COMPARED: (f64, f64, i64) = (0.1, 1.25, 300_000);

const COMPARE_TITLE: &str =
	"Cost over plain Pi's: reads 0.1 and writes 1.25 of input, a prefix cache of 300 s, answers left out";

/// Tokens of the window in `compact`: that of the models which most recorded sessions ran with.
const WINDOW: f64 = 200_000.0;

const COMPACT_TITLE: &str = "Cost over plain Pi's where each policy compacts at its own size: a window of 200,000 tokens, \
	reads 0.1, writes 1.25 and answers 5 of input, a prefix cache of 300 s";

const OWN_TITLE: &str = "Cost over plain Pi's: each session's own prices and kind of cache";

#[derive(Clone, Copy, PartialEq)]
enum Task {
	Compare,
	Compact,
	Own,
	Bill,
	Validate,
	Floor,
	Tune,
}

fn main() -> ExitCode {
	let mut args: Vec<String> = std::env::args().skip(1).collect();
	let task = match args.first().map(String::as_str) {
		Some("compact") => Task::Compact,
		Some("own") => Task::Own,
		Some("bill") => Task::Bill,
		Some("validate") => Task::Validate,
		Some("floor") => Task::Floor,
		Some("tune") => Task::Tune,
		_ => Task::Compare,
	};
	if task != Task::Compare || args.first().is_some_and(|arg| arg == "compare") {
		args.remove(0);
	}
	if args.is_empty() || args.iter().any(|arg| arg.starts_with('-')) {
		eprintln!("{USAGE}");
		return ExitCode::from(2);
	}
	let mut failed = false;
	let mut report = |path: &Path, reason: &dyn std::fmt::Display| {
		eprintln!("{}: {reason}", path.display());
		failed = true;
	};
	let mut files = files(&args, &mut report);
	if task == Task::Own {
		// What is learned is carried from session to session.
		files.sort_by_cached_key(|file| began(file));
	}
	print!("{}", run(task, &files, &mut report));
	ExitCode::from(u8::from(failed))
}

/// The session files that are named, those of folders in the order of their names.
fn files(args: &[String], report: &mut impl FnMut(&Path, &dyn std::fmt::Display)) -> Vec<PathBuf> {
	let mut files = Vec::new();
	for path in args.iter().map(PathBuf::from) {
		if !path.is_dir() {
			files.push(path);
			continue;
		}
		match fs::read_dir(&path) {
			Ok(entries) => {
				let inside = entries.filter_map(|entry| Some(entry.ok()?.path()));
				let mut inside: Vec<_> =
					inside.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
				inside.sort();
				files.append(&mut inside);
			}
			Err(error) => report(&path, &error),
		}
	}
	files
}

/// When a session began, by its first line.
fn began(file: &Path) -> Millis {
	let mut line = Vec::new();
	let read = fs::File::open(file).and_then(|file| BufReader::new(file).read_until(b'\n', &mut line));
	read.map_or(0, |_| session_file::began(&line).unwrap_or(0))
}

fn run(task: Task, files: &[PathBuf], report: &mut impl FnMut(&Path, &dyn std::fmt::Display)) -> String {
	let (mut rows, mut bills, mut validations) = (Vec::new(), Vec::new(), Vec::new());
	let mut sessions = Vec::new();
	let mut learning = Learning::default();
	let (read, write, lifetime) = COMPARED;
	let compared = RateBook::uniform(Rates::positional(read, write, lifetime));
	for file in files {
		let bytes = match fs::read(file) {
			Ok(bytes) => bytes,
			Err(error) => {
				report(file, &error);
				continue;
			}
		};
		let session = match session_file::read(&bytes) {
			Ok(session) => session,
			Err(reason) => {
				report(file, &reason);
				continue;
			}
		};
		let recording = Recording::of(session);
		let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
		match task {
			Task::Compare => rows.push(Row::of(&name, &recording, &compared)),
			Task::Floor | Task::Tune => sessions.push((name, recording)),
			Task::Compact => {
				// Answers are priced: what a summary costs is not the same under all policies.
				let prices = Prices::ratios(read, write);
				let rates = RateBook::uniform(Rates { prices, ..Rates::positional(read, write, lifetime) });
				rows.push(Row::of(&name, &recording, &rates.compacting(Compaction::of_window(WINDOW))));
			}
			Task::Own => {
				let rates = RateBook::observed(&recording).learning(&recording, &mut learning);
				rows.push(Row::of(&name, &recording, &rates));
			}
			Task::Bill => bills.push((name, bill(&recording, &RateBook::observed(&recording)))),
			Task::Validate => validations.push((name, validate(&recording))),
		}
	}
	rows.sort_by(|one, other| one.name.cmp(&other.name));
	let (title, table) = match task {
		Task::Compare => (COMPARE_TITLE, table::comparison(&rows)),
		Task::Compact => (COMPACT_TITLE, table::comparison(&rows)),
		Task::Own => (OWN_TITLE, table::comparison(&rows)),
		Task::Bill => ("What the tokens of each session were", table::bills(&bills)),
		Task::Validate => ("The simulation against what providers reported", table::validations(&validations)),
		Task::Floor => ("The shipped rule without each part of its floor", trial::floors(&sessions, &compared)),
		Task::Tune => (
			"Figures of the law, chosen on all sessions but the one that they are judged on",
			trial::leave_one_out(&sessions, &compared),
		),
	};
	format!("{title}\n\n{table}")
}
