//! What holds for the digest and the placeholder of any output, and for the judgement of any command line.

use pi_zip_core::classify::{FileCheck, Rereadable, is_read_only_command, rereadable};
use pi_zip_core::placeholder::{
	HANDLE_LENGTH, KEY_LINE_UNITS, KEY_LINES, MAX_TOKENS, Origin, digest, handle, handle_in, is_placeholder, render,
	tokens,
};
use pi_zip_core::session::{Call, Digest, KeyLine, Size};
use pi_zip_core::text::{lines, units};
use proptest::prelude::*;

/// A line of output: plain, telling, hostile.
const LINE: &str = "[a-z ]{0,30}|(error|Error|warning|FAILED|id): [a-z0-9]{0,90}|test result: ok. [0-9]{1,10} passed; 0 failed|\
	[0-9]{1,9} passed in 1s|\\[folded by pi-zip, handle [0-9a-z]{10}: x\\]|handle [0-9a-z]{10}|zip_recall|\
	\\x1B\\[31m[a-z]{0,9}\\x1B\\[0m|[漢😀é]{0,60}|(?s).{0,20}|[\\x00-\\x1F\\u{202A}-\\u{202E}\\u{2028}]{0,5}";

fn output() -> impl Strategy<Value = String> {
	prop::collection::vec(LINE, 0..25).prop_map(|lines| lines.join("\n"))
}

fn call(tool: &str, args: &[(&str, &str)]) -> Call {
	let args = args.iter().map(|&(name, value)| (name.into(), value.into())).collect();
	Call { id: "call".into(), tool: tool.into(), args, partial: false }
}

fn is_hidden(scalar: char) -> bool {
	scalar.is_control()
		|| matches!(scalar, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Everything that holds for a digest, whatever the text.
fn check_digest(tool: &str, text: &str, room: usize) -> Digest {
	let kept = digest(tool, false, text, room);
	assert_eq!(kept.lines as usize, lines(text).count());
	assert!(kept.key_lines.len() <= room.min(KEY_LINES));
	assert!(kept.key_lines.is_sorted_by(|a, b| a.number < b.number));
	for line in &kept.key_lines {
		assert!(units(&line.text) as usize <= KEY_LINE_UNITS && !line.text.is_empty());
		assert!(!line.text.chars().any(is_hidden), "{:?}", line.text);
		assert!(line.number >= 1 && line.number <= kept.lines);
	}
	kept
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(128))]

	#[test]
	fn digests_are_bounded(text in output(), room in 0..12usize, shell in any::<bool>()) {
		check_digest(if shell { "bash" } else { "read" }, &text, room);
	}

	#[test]
	fn placeholders_are_bounded_and_say_whose_they_are(
		text in output(), tool in "bash|read|grep|(?s).{0,60}", path in LINE, number in "[0-9]{0,12}",
		turn in any::<u32>(), size in any::<u32>(), images in "([a-z/]{0,20} [0-9x]{0,9} KB,? ?){0,9}", is_error in any::<bool>(), recallable in any::<bool>(),
	) {
		let call = call(&tool, &[("path", &path), ("command", &path), ("offset", &number), ("limit", &number)]);
		let kept = Digest { images: images.into(), ..digest(&tool, is_error, &text, KEY_LINES) };
		let name = handle(&path);
		let origin = Origin {
			tool: &tool, call: Some(&call), turn, is_error, size: Size { units: size, images: 0 }, digest: &kept,
			handle: &name, recallable,
		};
		let shown = render(&origin);
		prop_assert_eq!(&shown, &render(&origin));
		prop_assert!(tokens(&shown) <= MAX_TOKENS, "{} tokens: {}", tokens(&shown), shown);
		prop_assert!(is_placeholder(&shown));
		prop_assert_eq!(handle_in(&shown), Some(&*name));
		prop_assert_eq!(shown.matches("folded by pi-zip").count(), 1);
		prop_assert_eq!(shown.matches("zip_recall").count(), usize::from(recallable));
		prop_assert!(!shown.chars().any(|scalar| scalar != '\n' && is_hidden(scalar)), "{:?}", shown);
		let rows: Vec<&str> = shown.split('\n').collect();
		let (first, rest) = rows.split_first().expect("a split has a first part");
		let (last, inner) = rest.split_last().expect("a placeholder has two lines");
		prop_assert!(first.ends_with(']') && last.starts_with('[') && last.ends_with(']'));
		prop_assert!(inner.iter().all(|row| row.split_once("| ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())));
	}

	#[test]
	fn any_line_is_judged(line in "(?s).{0,40}|[ls&|;>'\"\\\\ $-]{0,24}") {
		is_read_only_command(&line);
	}

	#[test]
	fn a_line_of_unknown_commands_is_refused(name in "[a-z]{1,8}", rest in "[a-z /.-]{0,12}") {
		let known = ["ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "file", "stat", "du", "pwd", "echo", "cd", "git"];
		prop_assume!(!known.contains(&&*name));
		for line in [format!("{name} {rest}"), format!("ls | {name} {rest}"), format!("pwd; {name}")] {
			prop_assert!(!is_read_only_command(&line), "{}", line);
		}
	}
}

#[test]
fn errors_are_kept_from_all_over_an_output() {
	let line = |at: u32| if at % 150 == 70 { format!("error: case {at} fails") } else { format!("case {at} is fine") };
	let text: Vec<String> = (1..=6000).map(&line).collect();
	let kept = check_digest("bash", &text.join("\n"), KEY_LINES);
	let errors: Vec<u32> =
		kept.key_lines.iter().filter(|line| line.text.starts_with("error")).map(|line| line.number).collect();
	assert!(errors.len() >= 5, "{errors:?}");
	for part in 0..4 {
		let range = part * 1500 + 1..=(part + 1) * 1500;
		assert!(errors.iter().any(|number| range.contains(number)), "none in {range:?}: {errors:?}");
	}
	for KeyLine { number, text } in &kept.key_lines {
		assert_eq!(**text, line(*number));
	}
	assert_eq!(kept.key_lines.first().map(|line| line.number), Some(1));
	assert_eq!(kept.key_lines.last().map(|line| line.number), Some(6000));
}

#[test]
fn huge_outputs_are_kept_as_any_other() {
	let one = "x".repeat(1_000_000) + " error: in the middle " + &"y".repeat(1_000_000);
	let kept = check_digest("bash", &one, KEY_LINES);
	assert_eq!(kept.key_lines.len(), 1);
	assert!(kept.key_lines[0].text.contains("error: in the middle"), "{:?}", kept.key_lines);
	let many: String = (0..200_000).map(|at| format!("{at}\n")).collect();
	let kept = check_digest("bash", &many, KEY_LINES);
	assert_eq!(kept.key_lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 200_000]);
	for text in ["", "\n", " \t\n \r\n", &"\n".repeat(100_000), &"\x1B[31m".repeat(50_000), "\u{FFFD}"] {
		assert!(check_digest("bash", text, KEY_LINES).key_lines.is_empty());
	}
}

#[test]
fn handles_are_found_in_placeholders_only() {
	let name = "0okbcuyj08";
	assert_eq!(name.len(), HANDLE_LENGTH);
	for (text, found) in [
		(format!("[folded by pi-zip, handle {name}: turn 1]"), true),
		(format!("[folded by pi-zip: bash output\nhandle {name}]"), true),
		(format!("[folded by pi-zip: the handle is in handle {name}."), true),
		(format!("[folded by pi-zip, handle {name}x"), false),
		(format!("[folded by pi-zip, handle {}", name.to_uppercase()), false),
		(format!(" [folded by pi-zip, handle {name}"), false),
		(format!("handle {name}"), false),
	] {
		assert_eq!(handle_in(&text), found.then_some(name), "{text}");
	}
}

#[test]
fn calls_are_judged_by_tool_and_arguments() {
	let check = |offset, limit| Rereadable::IfUnchanged(FileCheck { path: "a.rs".into(), offset, limit });
	for (tool, args, expected) in [
		("read", &[("path", "a.rs")][..], check(None, None)),
		("read", &[("path", "a.rs"), ("offset", "10"), ("limit", "20")], check(Some(10), Some(20))),
		("read", &[("path", "a.rs"), ("offset", "1.5")], Rereadable::No),
		("read", &[("path", "a.rs"), ("limit", "-1")], Rereadable::No),
		("read", &[("path", "a.rs"), ("pages", "3")], Rereadable::No),
		("read", &[("offset", "10")], Rereadable::No),
		("bash", &[("command", "ls"), ("timeout", "5")], Rereadable::Yes),
		("bash", &[("command", "rm x")], Rereadable::No),
		("bash", &[("command", "ls"), ("background", "true")], Rereadable::No),
		("bash", &[], Rereadable::No),
		("grep", &[("pattern", "x"), ("path", "src")], Rereadable::Yes),
		("find", &[("pattern", "*.rs")], Rereadable::Yes),
		("ls", &[], Rereadable::Yes),
		("edit", &[("path", "a.rs")], Rereadable::No),
		("zip_recall", &[("handle", "0okbcuyj08")], Rereadable::No),
	] {
		let call = call(tool, args);
		assert_eq!(rereadable(&call, false), expected, "{tool} {args:?}");
		assert_eq!(rereadable(&call, true), Rereadable::No, "{tool} {args:?}");
		assert_eq!(rereadable(&Call { partial: true, ..call }, false), Rereadable::No, "{tool} {args:?}");
	}
}
