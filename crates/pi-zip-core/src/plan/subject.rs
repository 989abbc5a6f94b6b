//! What happened to the subject of a call since: its file, or the command itself.
//!
//! Files are known by the path as the model wrote it.

use std::collections::HashMap;

use crate::session::Call;

/// Tools that change the file that their `path` names, and the one that leaves nothing of it.
const CHANGING: [&str; 2] = ["edit", "write"];
const WRITING: &str = "write";
const READING: &str = "read";

/// For each subject the place of the newest call that has to do with it.
#[derive(Default)]
pub(super) struct Subjects {
	newest: HashMap<u64, usize>,
}

/// What a call had to do with its subject.
#[derive(Clone, Copy)]
enum Deed {
	/// The very call was made.
	Made = 1,
	/// The file was read or changed.
	Touched,
	/// The file was read as a whole, or written.
	Wholly,
}

impl Subjects {
	/// Takes note of a call made at `place`.
	pub fn pass(&mut self, call: &Call, place: usize) {
		self.newest.insert(same_call(call), place);
		if let Some(path) = file(call) {
			self.newest.insert(key(Deed::Touched, path), place);
			let is_part = call.arg("offset").is_some() || call.arg("limit").is_some();
			if &*call.tool == WRITING || &*call.tool == READING && !is_part {
				self.newest.insert(key(Deed::Wholly, path), place);
			}
		}
	}

	/// Whether what the call at an earlier place than `result` gave was given again since, or is out of date.
	pub fn is_superseded(&self, call: &Call, result: usize) -> bool {
		let is_newer = |key: u64| self.newest.get(&key).is_some_and(|place| *place > result);
		let is_out_of_date = |path: &str| &*call.tool == READING && is_newer(key(Deed::Wholly, path));
		!call.partial && is_newer(same_call(call)) || file(call).is_some_and(is_out_of_date)
	}

	/// The newest place at which the file of a call was read or changed.
	pub fn touched(&self, call: &Call) -> Option<usize> {
		self.newest.get(&key(Deed::Touched, file(call)?)).copied()
	}
}

fn file(call: &Call) -> Option<&str> {
	let is_known = &*call.tool == READING || CHANGING.contains(&&*call.tool);
	if is_known { call.arg("path") } else { None }
}

fn key(deed: Deed, text: &str) -> u64 {
	mix(deed as u64, text)
}

fn same_call(call: &Call) -> u64 {
	call.args.iter().fold(key(Deed::Made, &call.tool), |hash, (name, value)| mix(mix(hash, name), value))
}

/// FNV-1a. Two subjects with one hash would make an output look out of date, which costs a little at worst.
fn mix(hash: u64, text: &str) -> u64 {
	let start = hash ^ 0xCBF2_9CE4_8422_2325;
	text.bytes().chain([0]).fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
