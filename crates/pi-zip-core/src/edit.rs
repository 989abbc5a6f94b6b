//! One change of the view: a tool output that gives way to its placeholder.

/// A fold. It holds for the view of this run, and becomes a context edit with the same text when it is persisted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
	/// Index of the tool result on the branch.
	pub entry: usize,
	/// Index of its message among the projected messages.
	pub position: u32,
	pub handle: String,
	/// What produced the output, for the user to read.
	pub subject: String,
	/// The text that stands in the output's place.
	pub placeholder: String,
	/// Real tokens that the view loses by it.
	pub tokens: u32,
}
