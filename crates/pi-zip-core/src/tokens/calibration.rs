//! Real tokens over estimated ones, learned from what the provider reported.
//!
//! A request is a part that grows with the estimate and a constant that the estimate may not see: tool declarations,
//! system text that the session file does not hold, the provider's own frame. The newest report that still fits the view
//! fixes where the line runs; the reports before it tell its slope. What is left out is no evidence: answers that failed,
//! reports from before the view was changed, and reports that grew by far more than what was added (cumulative counts).

use std::ops::RangeInclusive;

use super::{estimated, estimated_entry, estimated_slot};
use crate::session::{Body, Branch, Projection, Replacement};

/// Real tokens over estimated ones where nothing is known: the high end of what recorded sessions show (1.0 to 2.1), since
/// a context taken for too small is the worse error.
const UNKNOWN_FACTOR: f64 = 1.7;

/// Bounds of the factor; beyond them a report is about something else than its request.
const FACTORS: RangeInclusive<f64> = 1.0..=2.5;

/// How far reports must lie apart, in estimated tokens, to weigh as much as the starting factor. Reports are exact but for
/// what the branch does not tell, so little is enough (the error on recorded sessions is flat from 300 to 1,000).
const PRIOR_SPREAD: f64 = 600.0;

/// Reports used: more than a session collects between two compactions, and a bound on the work.
const REPORTS: usize = 400;

/// What a request may grow by without the branch telling, in real tokens: an extension's reminder, changed tools.
const UNSEEN_GROWTH: f64 = 2_000.0;

/// What a request may hold that the branch does not tell at all, in real tokens; recorded sessions whose beginning is
/// lost show up to 140,000.
const UNSEEN: f64 = 300_000.0;

/// A report of less than this share of the estimate counts only a part of the request.
const LEAST_SHARE: f64 = 0.4;

/// How estimated tokens become real ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
	/// Real tokens to an estimated one.
	pub factor: f64,
	/// Real tokens of a request that the estimate does not see.
	pub constant: f64,
	/// Whether any report stands behind the two.
	pub from_reports: bool,
}

/// One report and the estimate of the request it is about.
#[derive(Clone, Copy)]
struct Report {
	estimated: f64,
	real: f64,
}

struct Evidence {
	/// Oldest first.
	reports: Vec<Report>,
	/// The estimates hold the system text and the tools.
	system_known: bool,
}

impl Calibration {
	/// What is known without any report.
	const UNKNOWN: Self = Self { factor: UNKNOWN_FACTOR, constant: 0.0, from_reports: false };

	/// The most that an estimated token can turn out to be.
	pub const LARGEST_FACTOR: f64 = *FACTORS.end();

	pub fn of(branch: &Branch, projection: &Projection) -> Self {
		let Evidence { reports, system_known } = evidence(branch, projection);
		let Some(newest) = reports.last().copied() else { return Self::UNKNOWN };
		let ratio = newest.real / newest.estimated.max(1.0);
		// Without the system text in the estimate, the ratio says nothing while the request is small.
		let start = if system_known && FACTORS.contains(&ratio) { ratio } else { UNKNOWN_FACTOR };
		// The constant is not negative, within the factor's bounds.
		let factor = slope(&reports, start).min(ratio).clamp(*FACTORS.start(), *FACTORS.end());
		Self { factor, constant: newest.real - factor * newest.estimated, from_reports: true }
	}

	/// Real tokens of a part of a request.
	pub fn real(&self, estimated: u32) -> u32 {
		whole(self.factor * f64::from(estimated))
	}

	/// Real tokens of a whole request.
	pub fn context(&self, estimated: u32) -> u32 {
		whole(self.factor * f64::from(estimated) + self.constant)
	}
}

/// The reports that are evidence, with the estimate of what each request carried.
fn evidence(branch: &Branch, projection: &Projection) -> Evidence {
	let answers = standing_answers(branch);
	let mut reports: Vec<Report> = Vec::with_capacity(answers.len());
	let mut answers = answers.iter().rev().peekable();
	let mut estimated = 0.0;
	let mut previous: Option<Report> = None;
	let mut system_known = false;
	for slot in projection.slots() {
		if let Some((_, real)) = answers.next_if(|(index, _)| *index == slot.entry) {
			let report = Report { estimated, real: *real };
			if report.fits(previous) {
				reports.push(report);
			}
			previous = Some(report);
		}
		let own = f64::from(estimated_slot(branch, slot));
		if !system_known && holds_system(&branch.entries()[slot.entry].body) {
			// A session of an older Pi has no system text on record until it goes on; its requests carried one all along.
			system_known = true;
			reports.iter_mut().chain(&mut previous).for_each(|report| report.estimated += own);
		}
		estimated += own;
	}
	Evidence { reports, system_known }
}

fn holds_system(body: &Body) -> bool {
	matches!(body, Body::System(_) | Body::Compaction { system: Some(_), .. })
}

/// Index and reported tokens of the newest answers whose requests carried a beginning of the present view, newest first:
/// none from before a compaction, none that saw an entry as it was before its edit, and of the newest one's model only.
fn standing_answers(branch: &Branch) -> Vec<(usize, f64)> {
	let entries = branch.entries();
	let mut answers: Vec<(usize, f64)> = Vec::new();
	let mut model = None;
	let mut changes = changes(branch).into_iter().rev();
	let mut changed = Changed::new(entries.len());
	// Our own folds between here and the next older answer, whose request carried them already.
	let mut carried: Vec<Change> = Vec::new();
	for (index, entry) in entries.iter().enumerate().rev() {
		match &entry.body {
			Body::Compaction { .. } => break,
			Body::ContextEdit { .. } => match changes.next() {
				Some(change) if change.own => carried.push(change),
				Some(change) => changed.pass(&change),
				None => break,
			},
			Body::Assistant(assistant) => {
				if let Some(real) = assistant.reported().filter(|_| index <= changed.first) {
					if *model.get_or_insert(&assistant.model) != &assistant.model || answers.len() == REPORTS {
						break;
					}
					answers.push((index, real));
				}
				carried.drain(..).for_each(|change| changed.pass(&change));
			}
			_ => {}
		}
	}
	answers
}

/// A context edit, with the estimated tokens of its target before it and in the present view.
struct Change {
	target: usize,
	before: u32,
	now: u32,
	/// A fold of ours.
	own: bool,
}

/// The changes that the branch's edits made, in order. One whose target is not on the branch changes nothing.
fn changes(branch: &Branch) -> Vec<Change> {
	let mut now: Vec<u32> = branch.entries().iter().map(estimated_entry).collect();
	let mut changes = Vec::with_capacity(branch.edits().len());
	for edit in branch.edits() {
		let own = edit.replacement.is_placeholder();
		let Some(target) = edit.target else {
			changes.push(Change { target: usize::MAX, before: 0, now: 0, own });
			continue;
		};
		let whole = estimated_entry(&branch.entries()[target]);
		let before = now[target];
		now[target] = match edit.replacement {
			Replacement::Content { size, .. } if whole > 0 => estimated(size),
			Replacement::Released => whole,
			_ => 0,
		};
		changes.push(Change { target, before, now: 0, own });
	}
	for (change, edit) in changes.iter_mut().zip(branch.edits()) {
		change.now = edit.target.map_or(0, |target| now[target]);
	}
	changes
}

/// The entries that requests saw otherwise than the present view has them, as one goes back along the branch: a fold that
/// was taken back is none to those before it.
struct Changed {
	/// By their index.
	entries: Vec<bool>,
	/// The first of them.
	first: usize,
}

impl Changed {
	fn new(entries: usize) -> Self {
		Self { entries: vec![false; entries], first: usize::MAX }
	}

	/// Goes back over a change.
	fn pass(&mut self, change: &Change) {
		let is_changed = change.before != change.now;
		if let Some(entry) = self.entries.get_mut(change.target) {
			*entry = is_changed;
		}
		if is_changed {
			self.first = self.first.min(change.target);
		} else if change.target == self.first {
			let next = self.entries.iter().skip(self.first).position(|is_changed| *is_changed);
			self.first = next.map_or(usize::MAX, |behind| self.first + behind);
		}
	}
}

impl Report {
	/// Whether the report can be about its request, given the one before it.
	fn fits(self, previous: Option<Self>) -> bool {
		let grown = previous.is_none_or(|previous| {
			let added = (self.estimated - previous.estimated).max(0.0);
			self.real - previous.real <= added * FACTORS.end() + UNSEEN_GROWTH
		});
		let seen = self.estimated * LEAST_SHARE..=self.estimated * FACTORS.end() + UNSEEN;
		grown && seen.contains(&self.real)
	}
}

/// Real tokens to an estimated one: the slope of the line through all reports (least squares), drawn towards `start` while
/// they lie close together.
fn slope(reports: &[Report], start: f64) -> f64 {
	let count = reports.len() as f64;
	let (estimated, real) =
		reports.iter().fold((0.0, 0.0), |sum, report| (sum.0 + report.estimated, sum.1 + report.real));
	let (estimated, real) = (estimated / count, real / count);
	let prior = PRIOR_SPREAD * PRIOR_SPREAD;
	let (mut spread, mut shared) = (prior, prior * start);
	for report in reports {
		spread += (report.estimated - estimated).powi(2);
		shared += (report.estimated - estimated) * (report.real - real);
	}
	shared / spread
}

/// Rounded, within what a `u32` holds.
fn whole(tokens: f64) -> u32 {
	tokens.round() as u32
}
