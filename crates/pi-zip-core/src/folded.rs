//! What stands folded on a branch, and how often the model asked for an original.

use crate::session::{Body, Branch, Projection, Replacement};
use crate::situation::RECALL_TOOL;
use crate::tokens::{estimated, estimated_entry};

/// A number of folded outputs, and the estimated tokens that requests lack for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
	pub count: u32,
	pub tokens: u32,
}

impl Folded {
	fn of(tokens: impl Iterator<Item = u32>) -> Self {
		tokens.filter(|tokens| *tokens > 0).fold(Self::default(), |sum, tokens| Self {
			count: sum.count + 1,
			tokens: sum.tokens.saturating_add(tokens),
		})
	}
}

/// Outputs that are folded in the present view.
pub fn folded(branch: &Branch, projection: &Projection) -> Folded {
	let slots = projection.slots().iter();
	Folded::of(slots.filter_map(|slot| slot.edit.map(|edit| lacking(branch, slot.entry, edit))))
}

/// Outputs that were folded at any time on the branch, each once.
pub fn folded_ever(branch: &Branch) -> Folded {
	let mut largest = vec![0; branch.entries().len()];
	for edit in branch.edits() {
		if let Some(target) = edit.target {
			largest[target] = lacking(branch, target, edit.replacement).max(largest[target]);
		}
	}
	Folded::of(largest.into_iter())
}

/// Answers of the recall tool on the branch that brought something back.
pub fn recalls(branch: &Branch) -> u32 {
	branch.entries().iter().filter(|entry| recalled_tokens(&entry.body) > 0).count() as u32
}

/// Estimated tokens of an output that its placeholder keeps out of the view.
fn lacking(branch: &Branch, index: usize, replacement: Replacement) -> u32 {
	match replacement {
		Replacement::Content { size, placeholder: true } => {
			estimated_entry(&branch.entries()[index]).saturating_sub(estimated(size))
		}
		_ => 0,
	}
}

fn recalled_tokens(body: &Body) -> u32 {
	match body {
		Body::ToolResult(result) if *result.tool == *RECALL_TOOL && !result.is_error => estimated(result.size),
		_ => 0,
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Entry, Size, ToolResult};

	fn result(id: &str, tool: &str, tokens: u32) -> Entry {
		let size = Size { units: tokens * 4, images: 0 };
		let (call_id, tool) = ("c".into(), tool.into());
		let result = ToolResult { call_id, tool, is_error: false, size, known_blocks: true, digest: None };
		Entry { id: id.into(), at: 0, body: Body::ToolResult(result) }
	}

	fn edit(target: &str, tokens: u32, placeholder: bool) -> Entry {
		let replacement = Replacement::Content { size: Size { units: tokens * 4, images: 0 }, placeholder };
		Entry { id: "edit".into(), at: 0, body: Body::ContextEdit { target: target.into(), replacement } }
	}

	fn branch(entries: impl IntoIterator<Item = Entry>) -> Branch {
		let mut branch = Branch::default();
		entries.into_iter().for_each(|entry| branch.push(entry));
		branch
	}

	fn check(branch: &Branch, now: Folded, ever: Folded) {
		assert_eq!((folded(branch, &Projection::of(branch)), folded_ever(branch)), (now, ever));
	}

	#[test]
	fn an_output_that_is_folded_twice_counts_once() {
		let twice = branch([result("r", "bash", 10_100), edit("r", 100, true), edit("r", 90, true)]);
		check(&twice, Folded { count: 1, tokens: 10_010 }, Folded { count: 1, tokens: 10_010 });
	}

	#[test]
	fn one_that_was_taken_back_was_folded_once() {
		let back = branch([result("r", "bash", 10_100), edit("r", 100, true), edit("r", 10_100, false)]);
		check(&back, Folded::default(), Folded { count: 1, tokens: 10_000 });
	}

	#[test]
	fn only_what_brought_something_back_is_a_recall() {
		let asked = branch([result("a", "zip_recall", 10), result("b", "zip_recall", 0), result("c", "bash", 10)]);
		assert_eq!(recalls(&asked), 1);
	}
}
