//! Runs the golden cases of handles, commands, digests and placeholders. Each function takes the text of a file of
//! cases and returns what went wrong, one line a case. A text without cases is a failure.
//!
//! In all of them `#` at the start of a line begins a remark.

#![allow(dead_code, reason = "each test binary uses its part of this module")]

use pi_zip_core::classify::is_read_only_command;
use pi_zip_core::placeholder::{KEY_LINES, Origin, digest, handle, handle_in, render};
use pi_zip_core::session::{Call, Digest, Size};
use pi_zip_core::text::units;

fn cases(text: &str) -> impl Iterator<Item = &str> {
	text.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn told(failures: Vec<String>, count: usize) -> Vec<String> {
	if count == 0 { vec!["no case was read".to_owned()] } else { failures }
}

/// `handle id` a line.
pub fn handles(text: &str) -> Vec<String> {
	let failures = cases(text).filter_map(|case| case.split_once(' ')).filter(|(expected, id)| handle(id) != *expected);
	told(failures.map(|(expected, id)| format!("{id}: {expected}")).collect(), cases(text).count())
}

/// `+ line` for a command line that only reads, `- line` for another.
pub fn commands(text: &str) -> Vec<String> {
	let wrong = |case: &&str| is_read_only_command(&case[1..]) != case.starts_with('+');
	told(cases(text).filter(wrong).map(str::to_owned).collect(), cases(text).count())
}

/// Each line of `commands` that only reads, spoilt by each of `tokens` in each place.
pub fn unsafe_tokens(commands: &str, tokens: &str) -> Vec<String> {
	let allowed = cases(commands).filter_map(|case| case.strip_prefix("+ "));
	let spoilt: Vec<String> = allowed.flat_map(|line| cases(tokens).flat_map(move |token| with(token, line))).collect();
	let count = spoilt.len();
	told(spoilt.into_iter().filter(|line| is_read_only_command(line)).collect(), count)
}

/// `line` with the token of a case put in, once for each place.
fn with(case: &str, line: &str) -> Vec<String> {
	let (place, token) = case.split_once(' ').unwrap_or((case, ""));
	let token = token.replace("\\n", "\n").replace("\\r", "\r").replace("\\0", "\0");
	match place {
		"front" => vec![format!("{token}{line}")],
		"end" => vec![format!("{line}{token}")],
		"gap" => {
			let gaps = gaps(line).into_iter().map(|at| format!("{} {token}{}", &line[..at], &line[at..]));
			gaps.chain([format!("{line} {token}")]).collect()
		}
		_ => panic!("no place: {place}"),
	}
}

/// Where a space stands that is not quoted.
fn gaps(line: &str) -> Vec<usize> {
	let mut quote = None;
	let mut gaps = Vec::new();
	for (at, scalar) in line.char_indices() {
		match (scalar, quote) {
			('\'' | '"', None) => quote = Some(scalar),
			(_, Some(open)) if scalar == open => quote = None,
			(' ', None) => gaps.push(at),
			_ => {}
		}
	}
	gaps
}

/// Cases `== name`: a line `tool ok` or `tool error`, the output with `| ` in front of each line (`\e`, `\r` and `\0` are
/// those characters), `= ` and the outcome or nothing, and the key lines as `number| text`.
pub fn digests(text: &str) -> Vec<String> {
	let blocks: Vec<&str> = text.split("\n== ").skip(1).collect();
	let failures = blocks.iter().filter_map(|block| {
		let mut lines = cases(block);
		let name = lines.next().unwrap_or_default();
		let (tool, end) = lines.next().unwrap_or_default().split_once(' ').unwrap_or_default();
		let (output, expected): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('|'));
		let output: Vec<String> =
			output.iter().map(|line| unescaped(line[1..].strip_prefix(' ').unwrap_or(""))).collect();
		let found = digest(tool, end == "error", &output.join("\n"), KEY_LINES);
		let outcome = format!("= {}", found.outcome.as_deref().unwrap_or_default());
		let shown = found.key_lines.iter().map(|line| format!("{}| {}", line.number, line.text));
		let shown: Vec<String> = [outcome.trim_end().to_owned()].into_iter().chain(shown).collect();
		(shown != expected).then(|| format!("{name}:\n{}\n", shown.join("\n")))
	});
	told(failures.collect(), blocks.len())
}

/// Cases `== name`: the call as `tool ok|error turn recallable|lost`, its arguments as `name: value`, the output as in
/// [`digests`], what its images are behind `! `, and the placeholder with `> ` in front of each line.
pub fn placeholders(text: &str) -> Vec<String> {
	let blocks: Vec<&str> = text.split("\n== ").skip(1).collect();
	let failures = blocks.iter().filter_map(|block| {
		let mut lines = cases(block);
		let name = lines.next().unwrap_or_default();
		let heading: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
		let [tool, end, turn, recall] = heading[..] else { return Some(format!("{name}: no heading")) };
		let lines: Vec<&str> = lines.collect();
		let marked = |mark: char| lines.iter().filter_map(move |line| line.strip_prefix(mark));
		let output: Vec<String> = marked('|').map(|line| unescaped(line.strip_prefix(' ').unwrap_or(""))).collect();
		let output = output.join("\n");
		let args =
			lines.iter().filter(|line| !line.starts_with(['|', '>', '!'])).filter_map(|line| line.split_once(": "));
		let args = args.map(|(name, value)| (name.into(), unescaped(value).into())).collect();
		let call = Call { id: "call".into(), tool: tool.into(), args, partial: false };
		let (is_error, name_of) = (end == "error", handle("a1b2c3d4"));
		let images = marked('!').map(str::trim).collect::<String>().into();
		let shown = render(&Origin {
			tool,
			call: Some(&call),
			turn: turn.parse().unwrap_or(0),
			is_error,
			size: Size { units: units(&output), images: 0 },
			digest: &Digest { images, ..digest(tool, is_error, &output, KEY_LINES) },
			handle: &name_of,
			recallable: recall == "recallable",
		});
		let expected: Vec<&str> = marked('>').map(|line| line.strip_prefix(' ').unwrap_or("")).collect();
		let right = shown == expected.join("\n") && handle_in(&shown) == Some(&name_of);
		(!right).then(|| format!("{name}:\n{}\n", shown.lines().map(|line| format!("> {line}\n")).collect::<String>()))
	});
	told(failures.collect(), blocks.len())
}

fn unescaped(line: &str) -> String {
	line.replace("\\e", "\x1B").replace("\\r", "\r").replace("\\0", "\0").replace("\\n", "\n")
}
