//! The fixed part of a summary: what is said, by rule alone, of the entries that leave the view.
//!
//! Decides from the branch which requests, answers, files, commands, calls, errors and outputs are named, how much of
//! each is quoted, and how many are left out. Text of the session is not written here: a [`Part`] says where it stands,
//! and whoever holds the originals slices them, so what is quoted is exact. No text of an output is quoted, since that
//! comes back by its handle. It does not decide when a summary is made, and knows nothing of the part that a model writes.

mod cut;
mod draft;
mod sections;
mod survey;

pub use cut::cut;

use crate::session::{Body, Branch};
use crate::text::Span;
use draft::Draft;
use survey::Survey;

/// What is to be summed up.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
	/// Entries from here,
	pub from: usize,
	/// to here, this one not included.
	pub until: usize,
	/// Summaries that were made by this module. What they told is told anew, from the entries themselves.
	pub own: &'a [usize],
	/// Length that the whole may have, in UTF-16 units.
	pub units: u32,
}

/// The arguments that are quoted.
pub const ARGUMENTS: [&str; 3] = ["command", "path", "file_path"];

/// A piece of the fixed part. Joined in order they are its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
	/// Words of this module, and names and paths made fit to be shown.
	Words(String),
	/// A span of a text of the session.
	Quote(Source, Span),
}

/// A text of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
	/// The text blocks of an entry's message, joined; of a summary its text, of a command of the user the command.
	Text(usize),
	/// An argument of one of the calls of an answer; `name` is its place in [`ARGUMENTS`].
	Argument { entry: usize, call: usize, name: usize },
}

/// The fixed part of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
	pub parts: Vec<Part>,
	/// Outputs that can be recalled.
	pub outputs: u32,
	/// Requests that were answered.
	pub requests: u32,
}

/// Writes the fixed part.
pub fn fixed(branch: &Branch, ask: &Ask) -> Fixed {
	let mut survey = Survey::of(branch, ask);
	let mut out = Draft::default();
	sections::write(&mut survey, ask, &mut out);
	let entries = &branch.entries()[survey.range()];
	let answered = entries.iter().filter(|entry| matches!(&entry.body, Body::Assistant(it) if !it.is_dropped()));
	Fixed { parts: out.parts, outputs: survey.outputs(), requests: answered.count() as u32 }
}
