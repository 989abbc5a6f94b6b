//! One line of the session, reduced to what decisions need.

use std::sync::Arc;

/// Milliseconds since the Unix epoch.
pub type Millis = i64;

/// One entry of the branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
	pub id: Box<str>,
	/// When the entry was written; for a message, its own timestamp.
	pub at: Millis,
	pub body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
	/// Prompt text, sections and tool declarations; everything the message adds, as JSON where it is not text.
	System(Size),
	User(Size),
	Assistant(Assistant),
	ToolResult(ToolResult),
	/// The user's own `!` command. Pi cannot edit it.
	UserBash {
		size: Size,
		/// Kept from the model by `!!`. It still is a message of the projection.
		excluded: bool,
	},
	/// A message that an extension put in. It counts as the user's: never folded.
	Custom(Size),
	/// `None` where the summary is empty, which Pi does not project.
	BranchSummary(Option<Size>),
	Compaction {
		/// The oldest entry that stays; `None`, or an id that is not on the branch, keeps nothing.
		first_kept: Option<Box<str>>,
		/// The prompt and tools stored with it, projected in front of the summary.
		system: Option<Size>,
		summary: Size,
	},
	ContextEdit {
		target: Box<str>,
		replacement: Replacement,
	},
	/// Something other than a message read the cache: Pi's own refresh.
	CacheTouch(ModelKey),
	/// User messages that were typed during a run, so that belong to the turn they came in.
	Steering(Vec<Box<str>>),
	/// A message of a role that Pi does not send; it takes a place in the projection.
	UnknownMessage,
	/// Takes no place in the projection: labels, names, settings, entries of unknown types.
	Inert,
}

/// How much a message holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
	/// UTF-16 code units of text, and of call arguments as JSON.
	pub units: u32,
	pub images: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Assistant {
	/// Text and calls, without thinking.
	pub size: Size,
	/// UTF-16 code units of its text alone.
	pub said: u32,
	/// UTF-16 code units of thinking.
	pub thinking: u32,
	pub calls: Vec<Call>,
	pub stop: StopReason,
	pub model: ModelKey,
	/// As reported; not checked for sense. `None` where the message has none.
	pub usage: Option<Usage>,
}

impl Assistant {
	/// Whether Pi leaves the message out of requests, as it does with answers that failed or were aborted.
	pub fn is_dropped(&self) -> bool {
		matches!(self.stop, StopReason::Error | StopReason::Aborted)
	}

	/// Tokens that the provider counted in the request which this answers. `None` where the report is not to be relied
	/// on: absent, senseless, or of an answer that failed or was aborted. Whether it fits the request is for the
	/// calibration to judge.
	pub fn reported(&self) -> Option<f64> {
		self.usage.filter(|_| !self.is_dropped())?.request()
	}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
	/// Ended, reached the token limit, or asked for tools.
	Completed,
	Error,
	Aborted,
}

/// A tool call and its scalar arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
	/// Not unique: some providers use ids again.
	pub id: Box<str>,
	pub tool: Box<str>,
	/// Name and value of each string, number or boolean argument, in order. A value that was too long to carry is not
	/// here, and sets `partial`.
	pub args: Vec<(Box<str>, Box<str>)>,
	/// Some argument is not in `args`: too long, or no scalar.
	pub partial: bool,
}

impl Call {
	pub fn arg(&self, name: &str) -> Option<&str> {
		self.args.iter().find(|(key, _)| &**key == name).map(|(_, value)| &**value)
	}
}

/// The provider and model that answered, not the virtual one that was asked. Clones share the names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelKey {
	pub provider: Arc<str>,
	pub model: Arc<str>,
}

/// A report of more input or output than this, in tokens, is absurd: no model reads or writes as much in one request.
const MOST_TOKENS: f64 = 10_000_000.0;

/// Tokens that a provider reported. Floating point, since reports may be negative, fractional or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
	pub input: f64,
	pub output: f64,
	pub cache_read: f64,
	pub cache_write: f64,
	/// The part of `cache_write` that was written for an hour, where the provider tells.
	pub cache_write_1h: Option<f64>,
}

impl Usage {
	/// Tokens of the whole request, read from the cache or not. `None` where the numbers make no sense: negative, not
	/// finite, all zero, or more than any model reads or writes.
	pub fn request(&self) -> Option<f64> {
		let parts = [self.input, self.cache_read, self.cache_write, self.output];
		if !parts.iter().all(|part| part.is_finite() && *part >= 0.0) {
			return None;
		}
		let request = self.input + self.cache_read + self.cache_write;
		(request > 0.0 && request.max(self.output) <= MOST_TOKENS).then_some(request)
	}
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
	pub call_id: Box<str>,
	pub tool: Box<str>,
	pub is_error: bool,
	pub size: Size,
	/// Every block of the content is text or an image, so that a recall gives all of it.
	pub known_blocks: bool,
	/// What is kept of the text; absent until the text was seen.
	pub digest: Option<Digest>,
}

/// What is kept of a tool output once its text has been seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
	pub lines: u32,
	/// In ascending order of their numbers.
	pub key_lines: Vec<KeyLine>,
	/// Exit status or test counts, as found in the text.
	pub outcome: Option<Box<str>>,
	/// What its images are, in words; empty where it has none.
	pub images: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLine {
	/// One-based number in the original.
	pub number: u32,
	/// Trimmed and cut; holds no control character.
	pub text: Box<str>,
}

/// What a context edit puts in its target's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
	/// The message is omitted.
	Omitted,
	Content {
		size: Size,
		/// The content is one of our placeholders.
		placeholder: bool,
	},
	/// Nothing any more: the target counts as never edited.
	Released,
}

impl Replacement {
	/// Whether it is a fold of ours.
	pub fn is_placeholder(&self) -> bool {
		matches!(self, Self::Content { placeholder: true, .. })
	}
}
