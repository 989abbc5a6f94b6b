//! What a decision is made from, besides the session: settings, and the moment's circumstances. Plain values, no rule.

/// The tool by which the model fetches what was folded.
pub const RECALL_TOOL: &str = "zip_recall";

/// Settings that hold for a process. The defaults are the rule that is documented for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
	/// An output is worth folding from more than this many real tokens.
	pub fold_min: u32,
	/// A cold return leaves at most this many real tokens of context where it can.
	pub target: u32,
	/// Key lines kept of an output.
	pub key_lines: usize,
	/// Requests after which an output in a protected turn may be folded.
	pub in_turn_age: u32,
}

impl Default for Settings {
	fn default() -> Self {
		Self { fold_min: 500, target: 40_000, key_lines: 8, in_turn_age: 60 }
	}
}

/// The circumstances of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
	/// The prompt cache has expired, so that an edit costs nothing.
	pub cold: bool,
	/// The model can call the recall tool.
	pub recallable: bool,
	/// Real tokens of context at which Pi compacts by itself; `None` where it does not.
	pub trigger: Option<u32>,
}
