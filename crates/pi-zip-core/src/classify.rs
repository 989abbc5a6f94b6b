//! Whether an output can be had again by repeating its call, judged by the call alone.
//!
//! Conservative: what is not known to only read, or not understood, is not re-readable. A wrong "no" costs a little room
//! in the context; a wrong "yes" would tell the model to repeat something that changes its project. Nothing is looked up
//! on the disk here: a file is judged by whoever can see it ([`FileCheck`]).

mod commands;
mod shell;

use crate::session::Call;

/// Whether the call can be made again for the same output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rereadable {
	Yes,
	/// If the file still holds what the tool returned.
	IfUnchanged(FileCheck),
	No,
}

/// What a `read` asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCheck {
	/// As the model wrote it.
	pub path: Box<str>,
	/// First line, one-based.
	pub offset: Option<u32>,
	/// Number of lines.
	pub limit: Option<u32>,
}

/// The tools whose outputs can be had again, with the arguments that they are known to take. With another argument it is
/// not the tool that we know.
const KNOWN_TOOLS: [(&str, &[&str]); 5] = [
	("read", &["path", "offset", "limit"]),
	("bash", &["command", "timeout"]),
	("grep", &["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"]),
	("find", &["pattern", "path", "limit"]),
	("ls", &["path", "limit"]),
];

/// Judges `call`. What ended in an error is not re-readable.
pub fn rereadable(call: &Call, is_error: bool) -> Rereadable {
	let known = KNOWN_TOOLS.iter().find(|(tool, _)| *tool == &*call.tool);
	let Some((tool, names)) = known else { return Rereadable::No };
	let only_known = call.args.iter().all(|(name, _)| names.contains(&&**name));
	if is_error || call.partial || !only_known {
		return Rereadable::No;
	}
	match *tool {
		"read" => file_check(call).map_or(Rereadable::No, Rereadable::IfUnchanged),
		"bash" if call.arg("command").is_some_and(is_read_only_command) => Rereadable::Yes,
		"bash" => Rereadable::No,
		_ => Rereadable::Yes,
	}
}

/// Whether a shell line is made of commands that only read.
pub fn is_read_only_command(line: &str) -> bool {
	shell::commands(line).is_some_and(|commands| commands.iter().all(|words| commands::only_reads(words)))
}

/// `None` where a number is none that selects lines in the usual way.
fn file_check(call: &Call) -> Option<FileCheck> {
	let number = |name: &str| call.arg(name).map(str::parse).transpose().ok();
	Some(FileCheck { path: call.arg("path")?.into(), offset: number("offset")?, limit: number("limit")? })
}
