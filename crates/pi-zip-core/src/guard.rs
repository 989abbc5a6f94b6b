//! Whether a set of edits may be used: the last look at it before a request carries it.
//!
//! Judged from the session and the edits alone, by checks of its own: nothing here is shared with the planner, so that a
//! fault there does not pass unseen here. One unacceptable edit voids the whole set, and the request goes out as it was.
//! Whether an edit is worth its money is not judged; that it keeps the floor is.

use std::collections::HashSet;
use std::fmt;

use crate::cache::Kind;
use crate::classify::{Rereadable, rereadable};
use crate::edit::Edit;
use crate::placeholder::handle_in;
use crate::session::{Body, Branch, Call, Entry, Projection, Replacement, Slot, ToolResult};
use crate::situation::{RECALL_TOOL, Settings, Situation};
use crate::text::units;
use crate::tokens::{Calibration, estimated_slot};

/// Tools that read or change the file that their `path` names.
const FILE_TOOLS: [&str; 3] = ["read", "edit", "write"];

/// What an image counts for in UTF-16 units, as Pi reckons.
const UNITS_PER_IMAGE: u32 = 4_800;

/// Why a set of edits is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
	/// The entry at fault on the branch; `None` where it is the set as a whole.
	pub entry: Option<usize>,
	pub fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
	/// The cache is warm, and the request is small.
	Small,
	/// The cache is warm, and the request before was edited.
	Twice,
	/// The cache is automatic, and the edit leaves too little of the head to tell whether it lived.
	Head,
	/// Edits are not in ascending order of their entries, or one entry is edited twice.
	Disordered,
	/// The target is not in the view, at the place that the edit names.
	NotInView,
	/// The target has no id of its own, which a context edit needs.
	Unaddressable,
	/// The target is no tool result.
	NoResult,
	/// The target was edited before.
	Edited,
	/// The target holds something other than text and images.
	Unknown,
	/// The target is an answer of the recall tool that may still be in use.
	Recall,
	/// The target is too young.
	Young,
	/// The target is of a file that the agent is working on.
	WorkingSet,
	/// The replacement is no placeholder with the edit's handle.
	NoPlaceholder,
	/// The replacement is not clearly smaller.
	NotSmaller,
	/// The target is in a protected turn, and neither old enough nor to be read again.
	Protected,
	/// The model can neither recall the target nor read it again.
	Unreachable,
	/// A result would lose its call.
	Pairing,
}

impl fmt::Display for Refusal {
	fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
		let fault = match self.fault {
			Fault::Small => "the cache is warm and the request small",
			Fault::Twice => "the cache is warm and the request before was edited",
			Fault::Head => "the edit leaves too little of the head",
			Fault::Disordered => "edits out of order",
			Fault::NotInView => "target not in view",
			Fault::Unaddressable => "target without an id of its own",
			Fault::NoResult => "target is no tool result",
			Fault::Edited => "target already edited",
			Fault::Unknown => "target is not only text and images",
			Fault::Recall => "target is a recalled text that may be in use",
			Fault::Young => "target is too young",
			Fault::WorkingSet => "target is of a file that is being worked on",
			Fault::NoPlaceholder => "replacement is no placeholder",
			Fault::NotSmaller => "replacement is not smaller",
			Fault::Protected => "target in a protected turn",
			Fault::Unreachable => "target could not be fetched again",
			Fault::Pairing => "a result would lose its call",
		};
		match self.entry {
			Some(entry) => write!(out, "entry {entry}: {fault}"),
			None => out.write_str(fault),
		}
	}
}

/// Accepts the edits of a plan, or names the first fault. `unchanged` holds the entries whose file was seen unchanged.
pub fn accept(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	edits: &[Edit],
	settings: &Settings,
	situation: &Situation,
	unchanged: &[usize],
) -> Result<(), Refusal> {
	if edits.is_empty() {
		return Ok(());
	}
	if edits.windows(2).any(|pair| pair[0].entry >= pair[1].entry) {
		return Err(Refusal { entry: None, fault: Fault::Disordered });
	}
	if let Some(fault) = request_fault(branch, projection, calibration, edits, settings, situation) {
		return Err(Refusal { entry: None, fault });
	}
	let window = Window::of(branch);
	let mut slots = projection.slots().iter();
	for edit in edits {
		let refuse = |fault| Err(Refusal { entry: Some(edit.entry), fault });
		let slot = slots.by_ref().find(|slot| slot.entry == edit.entry);
		let Some(slot) = slot.filter(|slot| slot.position == edit.position) else { return refuse(Fault::NotInView) };
		let target = &branch.entries()[edit.entry];
		if let Some(fault) = target_fault(branch, slot, target).or_else(|| replacement_fault(edit, target, situation)) {
			return refuse(fault);
		}
		if !situation.recallable && !can_reread(branch, edit.entry, unchanged) {
			return refuse(Fault::Unreachable);
		}
		let age = requests_since(branch, edit.entry);
		let is_past = edit.entry < window.previous;
		let is_free = is_past || age >= settings.in_turn_age as usize || can_reread(branch, edit.entry, unchanged);
		if !is_free {
			return refuse(Fault::Protected);
		}
		if age < settings.floor.age as usize && (situation.is_warm() || !is_past) {
			return refuse(Fault::Young);
		}
		if is_recalled(target) && age < settings.floor.recalled as usize {
			return refuse(Fault::Recall);
		}
		if is_worked_on(branch, edit.entry, settings.floor.working_set as usize) {
			return refuse(Fault::WorkingSet);
		}
	}
	match first_unpaired(branch, projection, edits) {
		Some(entry) => Err(Refusal { entry: Some(entry), fault: Fault::Pairing }),
		None => Ok(()),
	}
}

fn target_fault(branch: &Branch, slot: &Slot, target: &Entry) -> Option<Fault> {
	let Body::ToolResult(result) = &target.body else { return Some(Fault::NoResult) };
	if !branch.is_addressable(slot.entry) {
		return Some(Fault::Unaddressable);
	}
	if slot.edit.is_some() {
		return Some(Fault::Edited);
	}
	(!result.known_blocks).then_some(Fault::Unknown)
}

/// What a request is refused for as a whole.
fn request_fault(
	branch: &Branch,
	projection: &Projection,
	calibration: &Calibration,
	edits: &[Edit],
	settings: &Settings,
	situation: &Situation,
) -> Option<Fault> {
	let first = edits.first().map(|edit| edit.entry);
	let (mut all, mut head) = (0u32, 0u32);
	for slot in projection.slots() {
		if first == Some(slot.entry) {
			head = all;
		}
		all = all.saturating_add(estimated_slot(branch, slot));
	}
	if situation.kind == Kind::Automatic && calibration.context(head) < settings.floor.head {
		return Some(Fault::Head);
	}
	if !situation.is_warm() {
		return None;
	}
	if calibration.context(all) < settings.floor.warm {
		return Some(Fault::Small);
	}
	let since = branch.entries().iter().rev().take_while(|entry| !matches!(entry.body, Body::Assistant(_)));
	let ours = |entry: &Entry| {
		matches!(entry.body, Body::ContextEdit { replacement: Replacement::Content { placeholder: true, .. }, .. })
	};
	since.into_iter().any(ours).then_some(Fault::Twice)
}

/// Requests that were answered after an entry.
fn requests_since(branch: &Branch, index: usize) -> usize {
	branch.entries()[index + 1..].iter().filter(|entry| matches!(entry.body, Body::Assistant(_))).count()
}

fn is_recalled(target: &Entry) -> bool {
	matches!(&target.body, Body::ToolResult(result) if *result.tool == *RECALL_TOOL)
}

/// Whether one of the newest `requests` read or changed the file that the target shows, unless what it shows was given
/// again since or is out of date.
fn is_worked_on(branch: &Branch, index: usize, requests: usize) -> bool {
	let own = branch.call_of(index).filter(|call| FILE_TOOLS.contains(&&*call.tool));
	let Some((own, path)) = own.and_then(|call| Some((call, call.arg("path")?))) else { return false };
	let answers = |from: usize| {
		branch.entries()[from..].iter().filter_map(|entry| match &entry.body {
			Body::Assistant(assistant) => Some(&assistant.calls),
			_ => None,
		})
	};
	let is_of_file = |call: &&Call| FILE_TOOLS.contains(&&*call.tool) && call.arg("path") == Some(path);
	let is_recent = answers(0).rev().take(requests).flatten().any(|call| is_of_file(&call));
	let replaces = |call: &Call| {
		let is_whole = call.arg("offset").is_none() && call.arg("limit").is_none() && &*call.tool != "edit";
		!own.partial && call.tool == own.tool && call.args == own.args || is_whole && &*own.tool == "read"
	};
	is_recent && !answers(index + 1).flatten().filter(is_of_file).any(replaces)
}

fn replacement_fault(edit: &Edit, target: &Entry, situation: &Situation) -> Option<Fault> {
	let Body::ToolResult(result) = &target.body else { return Some(Fault::NoResult) };
	if handle_in(&edit.placeholder) != Some(&*edit.handle) {
		return Some(Fault::NoPlaceholder);
	}
	// Half is a bound of its own, looser than the planner's, which counts tokens.
	let images = if situation.sees_images { result.size.images } else { 0 };
	let held = result.size.units.saturating_add(images.saturating_mul(UNITS_PER_IMAGE));
	(units(&edit.placeholder) > held / 2).then_some(Fault::NotSmaller)
}

fn can_reread(branch: &Branch, index: usize, unchanged: &[usize]) -> bool {
	let Body::ToolResult(result) = &branch.entries()[index].body else { return false };
	match branch.call_of(index).map(|call| rereadable(call, result.is_error)) {
		// What of an image the model saw is not what its file holds.
		Some(_) if result.size.images > 0 => false,
		Some(Rereadable::Yes) => true,
		Some(Rereadable::IfUnchanged(_)) => unchanged.contains(&index),
		Some(Rereadable::No) | None => false,
	}
}

/// The last two user turns.
struct Window {
	/// Index of the prompt that opens them; zero where there are fewer.
	previous: usize,
}

impl Window {
	fn of(branch: &Branch) -> Self {
		let entries = branch.entries();
		let mut typed_during_a_run = HashSet::new();
		for entry in entries {
			if let Body::Steering(ids) = &entry.body {
				typed_during_a_run.extend(ids.iter());
			}
		}
		let mut prompts = (0..entries.len()).rev().filter(|&index| {
			matches!(entries[index].body, Body::User(_)) && !typed_during_a_run.contains(&entries[index].id)
		});
		Self { previous: prompts.nth(1).unwrap_or(0) }
	}
}

/// The first result that answers a call in the view, but would answer none with the edits in place.
///
/// An edit leaves a result its call id, and takes a message of the assistant its calls. So this cannot fail for targets
/// that are tool results; it holds for any edit, whatever the checks before it let through.
fn first_unpaired(branch: &Branch, projection: &Projection, edits: &[Edit]) -> Option<usize> {
	let entries = branch.entries();
	let robbed: HashSet<usize> = edits
		.iter()
		.map(|edit| edit.entry)
		.filter(|&entry| matches!(entries[entry].body, Body::Assistant(_)))
		.collect();
	if robbed.is_empty() {
		return None;
	}
	let mut lost: &[Call] = &[];
	for slot in projection.slots().iter().filter(|slot| slot.messages > 0) {
		match &entries[slot.entry].body {
			Body::Assistant(assistant) => {
				let had_calls = robbed.contains(&slot.entry) && slot.edit.is_none() && !assistant.is_dropped();
				lost = if had_calls { &assistant.calls } else { &[] };
			}
			Body::User(_) | Body::Custom(_) | Body::BranchSummary(_) => lost = &[],
			Body::UserBash { excluded: false, .. } => lost = &[],
			Body::ToolResult(ToolResult { call_id, .. }) if lost.iter().any(|call| call.id == *call_id) => {
				return Some(slot.entry);
			}
			_ => {}
		}
	}
	None
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Assistant, ModelKey, Size, StopReason};

	#[test]
	fn an_edit_that_takes_a_call_from_its_result_is_seen() {
		let calls = ["c1", "c2"].map(|id| Call { id: id.into(), tool: "bash".into(), args: vec![], partial: false });
		let answer = Body::Assistant(Assistant {
			size: Size::default(),
			said: 0,
			thinking: 0,
			calls: calls.into(),
			stop: StopReason::Completed,
			model: ModelKey { provider: "p".into(), model: "m".into() },
			usage: None,
		});
		let result = |id: &str| {
			Body::ToolResult(ToolResult {
				call_id: id.into(),
				tool: "bash".into(),
				is_error: false,
				size: Size::default(),
				known_blocks: true,
				digest: None,
			})
		};
		let mut branch = Branch::default();
		for (id, body) in [("a", answer), ("x", result("c9")), ("y", result("c2"))] {
			branch.push(Entry { id: id.into(), at: 0, body });
		}
		let edit = |entry| {
			let (handle, subject, placeholder) = (String::new(), String::new(), String::new());
			Edit { entry, position: 0, handle, subject, placeholder, tokens: 0 }
		};
		let projection = Projection::of(&branch);
		assert_eq!(first_unpaired(&branch, &projection, &[edit(0)]), Some(2), "the orphan before it was one already");
		assert_eq!(first_unpaired(&branch, &projection, &[edit(1), edit(2)]), None);
	}
}
