//! Prints what the model sees of session files, one JSON line a file: for each projected message the number of its entry
//! on the branch, and the estimated tokens. Compared with Pi's own projection by the tests.

#![allow(clippy::unwrap_used, reason = "serves tests, and may fail as they do")]

#[path = "../tests/session_file/mod.rs"]
mod session_file;

use pi_zip_core::session::Projection;
use pi_zip_core::tokens::estimated_context;

fn main() {
	for file in std::env::args().skip(1) {
		let branch = session_file::branch(&std::fs::read_to_string(file).unwrap());
		let projection = Projection::of(&branch);
		let mut messages = Vec::new();
		for slot in projection.slots() {
			assert_eq!(slot.position as usize, messages.len(), "slots follow each other");
			messages.extend((0..slot.messages).map(|_| slot.entry));
		}
		assert_eq!(projection.messages() as usize, messages.len(), "slots hold all messages");
		println!("{{\"messages\":{messages:?},\"estimated\":{}}}", estimated_context(&branch, &projection));
	}
}
