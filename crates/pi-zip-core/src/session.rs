//! The session as pi-zip knows it: entries of the active branch, and what the model sees of them.
//!
//! State is a fold over branch entries: [`Branch::truncate`] and [`Branch::push`] are the only ways to change it, and
//! everything else is derived. So a branch fed whole, in pieces, or after a tree move is the same branch. Texts are not
//! here; an entry holds their sizes, and a large tool output also its [`Digest`].

mod branch;
mod entry;
mod order;
mod projection;

pub use branch::{Branch, Edit};
pub use entry::{
	Assistant, Body, Call, Digest, Entry, KeyLine, Millis, ModelKey, Replacement, Size, StopReason, ToolResult, Usage,
};
pub use projection::{Projection, Slot};
