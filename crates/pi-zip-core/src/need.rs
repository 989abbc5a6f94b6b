//! How likely it is that the model needs an output once more.
//!
//! By what produced it, how many requests and user turns ago, and what happened to its subject since. Judged from the
//! session alone, by frequencies on recorded sessions.

/// What produced an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
	/// A file, in the first requests of the session: what the work is about.
	Early,
	/// A file as a whole, and a part of one.
	Read,
	Part,
	/// A command that only reads.
	Look,
	/// Any other command.
	Run,
	Other,
}

impl Source {
	/// Per cent that are needed once more, by age.
	fn chances(self, touched: bool) -> [f64; AGES.len()] {
		match self {
			Self::Early => [57.0, 52.0, 46.0, 38.0, 20.0],
			Self::Read if !touched => [15.0, 11.0, 8.0, 5.0, 1.5],
			Self::Read => [10.0, 7.0, 6.0, 4.0, 1.5],
			Self::Part => [12.0, 6.0, 4.0, 4.0, 1.0],
			Self::Look => [14.0, 10.0, 8.0, 6.0, 1.5],
			Self::Run => [7.0, 6.0, 3.0, 1.0, 0.5],
			Self::Other => [6.0, 3.0, 2.0, 1.0, 0.5],
		}
	}
}

/// Requests at the beginning of a session in which files are read that the whole of it is about: of those read then, five
/// times as many are needed later as of the others, in nearly all recorded sessions.
pub const EARLY: u32 = 20;

/// Requests since the call.
const AGES: [f64; 5] = [3.0, 6.0, 12.0, 24.0, 48.0];

/// Real tokens of an output of usual size. A longer one holds more lines that may be quoted.
const USUAL_TOKENS: f64 = 1_500.0;

/// What was needed once is likelier to be needed again.
const RECALLED: f64 = 1.5;

/// What was given again since, or is out of date, hardly ever is.
const SUPERSEDED: f64 = 0.3;

/// What is known of an output that may be needed again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
	pub source: Source,
	/// Requests since its call.
	pub age: u32,
	/// User turns since.
	pub turns: u32,
	/// Real tokens.
	pub tokens: f64,
	/// The file was read or changed since.
	pub touched: bool,
	/// The same call was made again since, or the file wholly read or written.
	pub superseded: bool,
	/// The model has fetched it once.
	pub recalled: bool,
}

/// The chance that the output is needed within the next `requests`.
pub fn chance(trace: &Trace, requests: f64) -> f64 {
	let chances = trace.source.chances(trace.touched);
	let age = f64::from(trace.age);
	let at = |age: f64| {
		let behind = AGES.iter().take_while(|at| **at <= age).count();
		match (behind.checked_sub(1), behind) {
			(None, _) => chances[0] * AGES[0] / age.max(2.0),
			(Some(last), behind) if behind == AGES.len() => chances[last] * AGES[last] / age,
			(Some(from), to) => {
				chances[from] + (chances[to] - chances[from]) * (age - AGES[from]) / (AGES[to] - AGES[from])
			}
		}
	};
	let base = (at(age) - at(age + requests)) / 100.0;
	let superseded = if trace.superseded { SUPERSEDED } else { 1.0 };
	let recalled = if trace.recalled { RECALLED } else { 1.0 };
	let size = (trace.tokens / USUAL_TOKENS).sqrt().clamp(0.6, 2.0);
	(base * superseded * recalled * size).min(1.0)
}

#[cfg(test)]
mod tests {
	use super::*;

	fn trace(source: Source, age: u32) -> Trace {
		Trace { source, age, turns: 0, tokens: USUAL_TOKENS, touched: false, superseded: false, recalled: false }
	}

	#[test]
	fn the_chance_falls_with_age() {
		for source in [Source::Early, Source::Read, Source::Part, Source::Look, Source::Run, Source::Other] {
			let chances: Vec<f64> = (2..200).map(|age| chance(&trace(source, age), f64::INFINITY)).collect();
			assert!(chances.windows(2).all(|pair| pair[1] <= pair[0]), "{source:?}: {chances:?}");
		}
	}

	#[test]
	fn a_file_is_likelier_to_be_needed_than_a_test_report_and_a_long_output_than_a_short_one() {
		let within = |trace: &Trace| chance(trace, 30.0);
		assert!(within(&trace(Source::Early, 12)) > 3.0 * within(&trace(Source::Read, 12)));
		assert!(within(&trace(Source::Read, 12)) > 2.0 * within(&trace(Source::Run, 12)));
		assert!(within(&trace(Source::Read, 12)) > within(&trace(Source::Part, 12)));
		let long = Trace { tokens: 6_000.0, ..trace(Source::Read, 12) };
		assert!(within(&long) > within(&trace(Source::Read, 12)));
		let again = Trace { superseded: true, touched: true, ..trace(Source::Read, 12) };
		assert!(within(&again) < 0.3 * within(&trace(Source::Read, 12)));
		let recalled = Trace { recalled: true, ..trace(Source::Run, 12) };
		assert!(within(&recalled) > within(&trace(Source::Run, 12)));
	}

	#[test]
	fn only_what_is_needed_among_the_requests_to_come_counts() {
		// 8 % at an age of 12, 5 % at 24.
		assert!((chance(&trace(Source::Read, 12), 12.0) - 0.03).abs() < 1e-9);
		assert_eq!(chance(&trace(Source::Read, 12), 0.0), 0.0);
	}
}
