//! A session written as text, one line an entry, for tests that read as a specification.
//!
//! ```text
//! u1 user 40                          a prompt of 40 estimated tokens; also system, custom, bash, branch, unknown
//! a1 answer 20                        an answer; `failed` behind it: one that Pi drops
//!   c1 read path=src/a.rs  offset=3   a call of it: id, tool, arguments two spaces apart; @r1 is the handle of r1
//! r1 result c1 4000                   a result; flags: error, image, unseen (no digest)
//! e1 edit r1 50                       a context edit; `e1 fold r1 50` is ours, `e1 omit r1` leaves the message out
//! k1 compaction r1 300                a compaction that keeps from r1 on; `-` keeps nothing
//! s1 steering u2                      prompts typed during a run
//! x1 inert                            a label and the like
//! ```

// Each test file is a crate of its own, and none uses all of it.
#![allow(dead_code)]

use pi_zip_core::placeholder::handle;
use pi_zip_core::session::{
	Assistant, Body, Branch, Call, Digest, Entry, KeyLine, ModelKey, Replacement, Size, StopReason, ToolResult,
};

/// UTF-16 code units to an estimated token.
const UNITS: u32 = 4;

/// What goes wrong in the cases of a text, each under a heading `== name`. A text without cases is a failure.
pub fn failures(text: &str, failures_of: impl Fn(&str) -> Vec<String>) -> Vec<String> {
	let cases: Vec<_> = text.split("\n== ").skip(1).collect();
	let mut failures: Vec<_> = cases.iter().flat_map(|case| failures_of(case)).collect();
	if cases.is_empty() {
		failures.push("no case was read".to_owned());
	}
	failures
}

/// Reads a session. Panics with the line where it makes no sense.
pub fn branch(text: &str) -> Branch {
	let mut entries: Vec<Entry> = Vec::new();
	let mut tools: Vec<(String, String)> = Vec::new();
	for (number, line) in text.lines().enumerate() {
		if line.trim().is_empty() || line.trim_start().starts_with('#') {
			continue;
		}
		if let Some(call) = line.strip_prefix("  ") {
			let call = read_call(call);
			tools.push((call.id.to_string(), call.tool.to_string()));
			match entries.last_mut().map(|entry| &mut entry.body) {
				Some(Body::Assistant(assistant)) => assistant.calls.push(call),
				_ => panic!("line {}: a call without an answer: {line}", number + 1),
			}
			continue;
		}
		let mut words = line.split_whitespace();
		let id = words.next().expect("the line is not empty");
		let kind = words.next().unwrap_or_else(|| panic!("line {}: no kind: {line}", number + 1));
		let body = read_body(kind, &words.collect::<Vec<_>>(), &tools);
		entries.push(Entry { id: id.into(), at: number as i64 * 1_000, body });
	}
	let mut branch = Branch::default();
	for entry in entries {
		branch.push(entry);
	}
	branch
}

pub fn tokens(count: u32) -> Size {
	Size { units: count * UNITS, images: 0 }
}

pub fn digest(size: Size) -> Digest {
	let lines = (size.units / 40).max(1);
	Digest { lines, key_lines: vec![KeyLine { number: 1, text: "first line".into() }], ..Digest::default() }
}

pub fn assistant(size: Size, calls: Vec<Call>, stop: StopReason) -> Assistant {
	let model = ModelKey { provider: "p".into(), model: "m".into() };
	Assistant { size, said: size.units, thinking: 0, calls, stop, model, usage: None }
}

fn read_call(line: &str) -> Call {
	let mut parts = line.trim().split("  ");
	let head = parts.next().unwrap_or_default();
	let mut head = head.splitn(3, ' ');
	let (id, tool, first) = (head.next().unwrap_or_default(), head.next().unwrap_or_default(), head.next());
	let args = first.into_iter().chain(parts).filter_map(|part| part.trim().split_once('='));
	Call {
		id: id.into(),
		tool: tool.into(),
		args: args.map(|(name, value)| (name.into(), with_handles(value).into())).collect(),
		partial: false,
	}
}

/// Writes the handle of entry `r1` for `@r1`.
fn with_handles(value: &str) -> String {
	let words = value.split(' ').map(|word| word.strip_prefix('@').map_or(word.to_owned(), handle));
	words.collect::<Vec<_>>().join(" ")
}

fn read_body(kind: &str, words: &[&str], tools: &[(String, String)]) -> Body {
	let word = |at: usize| words.get(at).copied().unwrap_or_default();
	let size = |at: usize| tokens(word(at).parse().unwrap_or(0));
	match kind {
		"system" => Body::System(size(0)),
		"user" => Body::User(size(0)),
		"custom" => Body::Custom(size(0)),
		"bash" => Body::UserBash { size: size(0), excluded: false },
		"branch" => Body::BranchSummary(Some(size(0))),
		"unknown" => Body::UnknownMessage,
		"inert" => Body::Inert,
		"answer" => {
			let stop = if words.contains(&"failed") { StopReason::Error } else { StopReason::Completed };
			Body::Assistant(assistant(size(0), Vec::new(), stop))
		}
		"result" => {
			let images = u32::from(words.contains(&"image"));
			let size = Size { images, ..size(1) };
			let tool = tools.iter().rev().find(|(id, _)| id == word(0)).map_or("bash", |(_, tool)| tool);
			Body::ToolResult(ToolResult {
				call_id: word(0).into(),
				tool: tool.into(),
				is_error: words.contains(&"error"),
				size,
				known_blocks: !words.contains(&"odd"),
				digest: (!words.contains(&"unseen")).then(|| digest(size)),
			})
		}
		"edit" | "fold" => {
			let replacement = Replacement::Content { size: size(1), placeholder: kind == "fold" };
			Body::ContextEdit { target: word(0).into(), replacement }
		}
		"release" => Body::ContextEdit { target: word(0).into(), replacement: Replacement::Released },
		"omit" => Body::ContextEdit { target: word(0).into(), replacement: Replacement::Omitted },
		"compaction" => {
			let first_kept = (word(0) != "-").then(|| word(0).into());
			Body::Compaction { first_kept, system: None, summary: size(1) }
		}
		"steering" => Body::Steering(words.iter().map(|&id| id.into()).collect()),
		_ => panic!("unknown kind: {kind}"),
	}
}
