//! A session file, read into the entries of its active branch.
//!
//! Takes files of every version: without ids (1), with `hookMessage` (2), and today's (3). A line that is no JSON, such as
//! one torn by a crash, is skipped and counted, as Pi does; an escaped lone surrogate, which `serde_json` refuses, costs
//! only itself. The branch is the path from the root to the last line, by parent ids. What has not the shape it should
//! have is read as empty or as no message at all, by the same reading as Pi's projection. Nothing is judged here.

mod entry;
mod message;
mod surrogate;

use std::collections::{HashMap, HashSet};
use std::fmt;

use pi_zip_core::session::{Body, Millis, Replacement};
use serde_json::Value;

pub use entry::{Change, Cost, Recorded};

/// What a session file holds.
#[derive(Clone, Debug, Default)]
pub struct SessionFile {
	/// Root to leaf.
	pub branch: Vec<Recorded>,
	/// Lines that could not be read.
	pub skipped: u32,
}

/// Why a file is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
	/// No line of it can be read.
	Empty,
	/// It does not begin with a session's header.
	Foreign,
}

impl fmt::Display for Unreadable {
	fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
		out.write_str(match self {
			Self::Empty => "the file is empty",
			Self::Foreign => "not a session file of Pi",
		})
	}
}

/// Reads the bytes of a file.
pub fn read(bytes: &[u8]) -> Result<SessionFile, Unreadable> {
	let mut skipped = 0;
	let mut tree = Tree::default();
	for line in bytes.split(|byte| *byte == b'\n') {
		if line.trim_ascii().is_empty() {
			continue;
		}
		match surrogate::parse(line) {
			Some(value) => tree.add(&value)?,
			None => skipped += 1,
		}
	}
	if tree.nodes.is_empty() {
		return Err(Unreadable::Empty);
	}
	Ok(SessionFile { branch: tree.path(), skipped })
}

/// When the session of a header began, in milliseconds since the epoch.
pub fn began(header: &[u8]) -> Option<Millis> {
	entry::time(&surrogate::parse(header)?["timestamp"])
}

/// The first version whose entries have ids.
const VERSION_WITH_IDS: u64 = 2;

/// All entries of a file, the header first.
#[derive(Default)]
struct Tree {
	nodes: Vec<Node>,
	by_id: HashMap<Box<str>, usize>,
	/// Entries have no ids and follow one another.
	is_list: bool,
}

struct Node {
	parent: Option<Box<str>>,
	recorded: Recorded,
}

impl Tree {
	fn add(&mut self, line: &Value) -> Result<(), Unreadable> {
		let index = self.nodes.len();
		if index == 0 {
			if line["type"] != "session" {
				return Err(Unreadable::Foreign);
			}
			self.is_list = line["version"].as_u64().unwrap_or(1) < VERSION_WITH_IDS;
		}
		let mut recorded = entry::recorded(line);
		let mut parent = line["parentId"].as_str().map(Box::from);
		if self.is_list {
			recorded.entry.id = list_id(index);
			parent = index.checked_sub(1).filter(|before| *before > 0).map(list_id);
			entry::keep_from(&mut recorded, line["firstKeptEntryIndex"].as_u64().map(|kept| list_id(kept as usize)));
		}
		// The last of an id counts, as in Pi's index of a file.
		self.by_id.insert(recorded.entry.id.clone(), index);
		self.nodes.push(Node { parent, recorded });
		Ok(())
	}

	/// The entries from the root to the last line.
	fn path(mut self) -> Vec<Recorded> {
		let mut path = Vec::new();
		let mut next = self.nodes.len().checked_sub(1).filter(|last| *last > 0);
		while let Some(index) = next {
			// A parent that is no earlier line would lead in a circle.
			next = self.parent_of(index).filter(|parent| *parent < index && *parent > 0);
			path.push(index);
		}
		path.reverse();
		let mut path: Vec<_> = path.into_iter().map(|index| std::mem::take(&mut self.nodes[index].recorded)).collect();
		take_back(&mut path);
		path
	}

	fn parent_of(&self, index: usize) -> Option<usize> {
		self.by_id.get(self.nodes[index].parent.as_ref()?).copied()
	}
}

/// The context edit that gives Pi the original of a fold which the user took back changes nothing: requests showed it
/// since.
fn take_back(path: &mut [Recorded]) {
	let mut kept: HashSet<Box<str>> = HashSet::new();
	for recorded in path {
		let Body::ContextEdit { target, replacement } = &mut recorded.entry.body else { continue };
		match replacement {
			Replacement::Released => {
				kept.insert(target.clone());
			}
			Replacement::Content { placeholder: false, .. } if kept.remove(target) => {
				*replacement = Replacement::Released;
			}
			_ => {}
		}
	}
}

/// The id of an entry of a file that has none: its place.
fn list_id(index: usize) -> Box<str> {
	format!("line-{index}").into()
}
