//! Pairing of a projection: which tool results Pi would send without the call that they answer.
//!
//! Decides in projected order, by the rules by which Pi turns a projection into a request: answers that failed or were
//! aborted are left out with their calls, and a call counts as answered at the latest when a user or assistant message
//! follows, since Pi then puts in an answer of its own. Entries are identified by their place on the branch: call ids
//! may repeat. What an edit leaves of an assistant message is not known here, so its calls count as kept.

use crate::orphans::{Item, Tag, orphans};
use crate::session::{Body, Branch, Projection};

/// Entry indices, in projected order, of the tool results that answer no call, or one that another result has answered.
pub fn orphan_results(branch: &Branch, projection: &Projection) -> Vec<usize> {
	let mut items: Vec<Item<&str>> = Vec::new();
	let mut owners = Vec::new();
	let sent = projection.slots().iter().filter(|slot| slot.messages > 0);
	for slot in sent {
		let Some(entry) = branch.entries().get(slot.entry) else { continue };
		match &entry.body {
			Body::Assistant(assistant) => {
				items.push(Item::Boundary);
				if !assistant.is_dropped() {
					items.extend(assistant.calls.iter().map(|call| Item::Call(tag(&call.id))));
				}
			}
			Body::ToolResult(result) => items.push(Item::Result(tag(&result.call_id))),
			Body::User(_)
			| Body::UserBash { excluded: false, .. }
			| Body::Custom(_)
			| Body::BranchSummary(_)
			| Body::Compaction { .. } => items.push(Item::Boundary),
			// System messages are moved behind the results; the rest is not sent.
			Body::System(_)
			| Body::UserBash { excluded: true, .. }
			| Body::ContextEdit { .. }
			| Body::CacheTouch(_)
			| Body::Steering(_)
			| Body::UnknownMessage
			| Body::Inert => {}
		}
		owners.resize(items.len(), slot.entry);
	}
	orphans(items).into_iter().map(|index| owners[index]).collect()
}

fn tag(id: &str) -> Tag<&str> {
	Tag { id: Some(id), tool: None }
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Assistant, Call, Entry, ModelKey, Replacement, Size, StopReason, ToolResult};

	/// A branch in words, each an entry whose id is its number from zero: `user`, `custom`, `summary`, `bash`, `hidden`
	/// (a `!!` command), `system`, `label`; `call:a,b` an answer with calls, `fail:a` one that was aborted; `result:a`;
	/// `omit:3` and `edit:3` context edits, `compact:3` a compaction that keeps from entry 3.
	#[track_caller]
	fn check(branch: &str, expect: &[usize]) {
		let mut fed = Branch::default();
		for (number, word) in branch.split_whitespace().enumerate() {
			let (kind, rest) = word.split_once(':').unwrap_or((word, ""));
			fed.push(Entry { id: number.to_string().into(), at: 0, body: body(kind, rest) });
		}
		assert_eq!(orphan_results(&fed, &Projection::of(&fed)), expect, "{branch}");
	}

	fn body(kind: &str, rest: &str) -> Body {
		let size = Size::default();
		match kind {
			"user" => Body::User(size),
			"custom" => Body::Custom(size),
			"summary" => Body::BranchSummary(Some(size)),
			"bash" => Body::UserBash { size, excluded: false },
			"hidden" => Body::UserBash { size, excluded: true },
			"system" => Body::System(size),
			"call" => assistant(rest, StopReason::Completed),
			"fail" => assistant(rest, StopReason::Aborted),
			"result" => Body::ToolResult(ToolResult {
				call_id: rest.into(),
				tool: "read".into(),
				is_error: false,
				size,
				known_blocks: true,
				digest: None,
			}),
			"omit" => Body::ContextEdit { target: rest.into(), replacement: Replacement::Omitted },
			"edit" => {
				Body::ContextEdit { target: rest.into(), replacement: Replacement::Content { size, placeholder: true } }
			}
			"compact" => Body::Compaction { first_kept: Some(rest.into()), system: None, summary: size },
			_ => Body::Inert,
		}
	}

	fn assistant(calls: &str, stop: StopReason) -> Body {
		let call = |id: &str| Call { id: id.into(), tool: "read".into(), args: Vec::new(), partial: false };
		Body::Assistant(Assistant {
			size: Size::default(),
			said: 0,
			thinking: 0,
			calls: calls.split(',').filter(|id| !id.is_empty()).map(call).collect(),
			stop,
			model: ModelKey { provider: "p".into(), model: "m".into() },
			usage: None,
		})
	}

	#[test]
	fn answered_calls_have_no_orphans() {
		check("system user call:a,b result:b result:a call: user call:a result:a", &[]);
	}

	#[test]
	fn what_is_not_sent_between_call_and_result_is_no_fault() {
		check("user call:a system label hidden result:a", &[]);
	}

	#[test]
	fn a_late_answer_is_a_second_one() {
		for between in ["user", "custom", "summary", "bash", "call:", "fail:"] {
			check(&format!("user call:a {between} result:a"), &[3]);
		}
	}

	#[test]
	fn a_second_answer_is_an_orphan() {
		check("user call:a result:a result:a", &[3]);
	}

	#[test]
	fn an_aborted_answer_takes_its_calls_along() {
		check("user fail:a result:a user call:a result:a", &[2]);
	}

	#[test]
	fn omitting_a_call_orphans_its_result_and_omitting_a_result_nothing() {
		check("user call:a result:a omit:1", &[2]);
		check("user call:a result:a omit:2", &[]);
		check("user call:a result:a omit:1 omit:2", &[]);
	}

	#[test]
	fn a_replaced_result_still_answers() {
		check("user call:a result:a edit:2", &[]);
	}

	#[test]
	fn a_compaction_that_keeps_from_a_result_orphans_it() {
		check("user call:a result:a user compact:2", &[2]);
		check("user call:a result:a user compact:1", &[]);
	}
}
