//! Files of every version, and faulty ones.

use pi_zip_core::session::Body;
use pi_zip_lab::bill::bill;
use pi_zip_lab::comparison::Row;
use pi_zip_lab::rates::RateBook;
use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file::{SessionFile, Unreadable, read};

/// The branch that a file holds, an entry a word: its kind, and its text where it has one.
fn branch(lines: &[&str]) -> String {
	let file = read(lines.join("\n").as_bytes()).expect("a session");
	let mut words: Vec<String> =
		file.branch.iter().map(|recorded| format!("{}:{}", kind(&recorded.entry.body), recorded.text)).collect();
	if file.skipped > 0 {
		words.push(format!("skipped:{}", file.skipped));
	}
	words.join(" ")
}

fn kind(body: &Body) -> &'static str {
	match body {
		Body::User(_) => "user",
		Body::Assistant(_) => "assistant",
		Body::ToolResult(_) => "result",
		Body::Custom(_) => "custom",
		Body::Compaction { .. } => "compaction",
		Body::Inert => "inert",
		_ => "other",
	}
}

const HEADER_1: &str = r#"{"type":"session","id":"s","timestamp":"2025-12-09T00:53:29.825Z"}"#;
const HEADER_2: &str = r#"{"type":"session","version":2,"id":"s"}"#;
const HEADER_3: &str = r#"{"type":"session","version":3,"id":"s"}"#;

#[test]
fn the_first_version_is_a_list() {
	let lines = [
		HEADER_1,
		r#"{"type":"message","message":{"role":"user","content":"a"}}"#,
		r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"b"}]}}"#,
		r#"{"type":"compaction","summary":"s","firstKeptEntryIndex":2}"#,
	];
	assert_eq!(branch(&lines), "user:a assistant:b compaction:s");
	let file = read(lines.join("\n").as_bytes()).expect("a session");
	let Body::Compaction { first_kept, .. } = &file.branch[2].entry.body else { panic!("a compaction") };
	assert_eq!(first_kept.as_deref(), Some(&*file.branch[1].entry.id), "the index counts the header");
}

#[test]
fn the_second_version_has_hook_messages() {
	let lines =
		[HEADER_2, r#"{"type":"message","id":"1","parentId":null,"message":{"role":"hookMessage","content":"h"}}"#];
	assert_eq!(branch(&lines), "custom:h");
}

#[test]
fn the_branch_is_the_path_to_the_last_line() {
	let lines = [
		HEADER_3,
		r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"a"}}"#,
		r#"{"type":"message","id":"2","parentId":"1","message":{"role":"user","content":"b"}}"#,
		r#"{"type":"message","id":"3","parentId":"1","message":{"role":"user","content":"c"}}"#,
		r#"{"type":"label","id":"4","parentId":"3"}"#,
	];
	assert_eq!(branch(&lines), "user:a user:c inert:");
	let circle =
		[HEADER_3, r#"{"type":"label","id":"1","parentId":"2"}"#, r#"{"type":"label","id":"2","parentId":"1"}"#];
	assert_eq!(branch(&circle), "inert: inert:");
}

#[test]
fn faulty_lines_cost_only_themselves() {
	let lines = [
		HEADER_3,
		r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"lone \ud83d here"}}"#,
		r#"{"type":"message","id":"#,
		"",
		r#"{"type":"message","id":"2","parentId":"1","message":{"role":"toolResult","content":[{"type":"text","text":"x"},7,null]}}"#,
		r#"{"type":"message","id":"3","parentId":"2","message":null}"#,
		r#"{"type":"context_edit","id":"4","parentId":"3","targetId":"2","replacement":7}"#,
		r#"{"type":"message","id":"5","parentId":"4","message":{"role":"user","content":"torn"#,
	];
	assert_eq!(branch(&lines), "user:lone \u{FFFD} here result:x other: inert: skipped:2");
}

#[test]
fn senseless_figures_are_no_figures() {
	let lines = [
		HEADER_3,
		r#"{"type":"message","id":"1","parentId":null,"timestamp":1e308,"message":{"role":"user","content":"a"}}"#,
		r#"{"type":"message","id":"2","parentId":"1","timestamp":-1e308,"message":{"role":"assistant","content":[],"usage":{"input":5,"output":1,"cost":{"input":1,"output":-1e308,"cacheRead":1e308,"total":2}}}}"#,
		r#"{"type":"message","id":"3","parentId":"2","message":{"role":"assistant","content":[],"usage":{"input":5,"output":1,"cost":{"input":1,"total":1e308}}}}"#,
		r#"{"type":"message","id":"4","parentId":"3","message":{"role":"assistant","content":[],"usage":{"input":5,"output":1e300}}}"#,
		r#"{"type":"usage","id":"5","parentId":"4","kind":"cache_warm","provider":"p","model":"m","usage":{"input":1e300,"output":1}}"#,
	];
	let recording = Recording::of(read(lines.join("\n").as_bytes()).expect("a session"));
	let cost = recording.entries[1].cost.expect("a cost");
	assert_eq!((cost.input, cost.output, cost.read, cost.total), (1.0, 0.0, 0.0, 2.0));
	assert_eq!(recording.entries[2].cost, None);
	assert_eq!(
		recording.requests.iter().map(|request| request.usage.is_some()).collect::<Vec<_>>(),
		[true, true, false, false]
	);
	let rates = RateBook::observed(&recording);
	let bill = bill(&recording, &rates);
	assert!(bill.tokens.total() < 1_000.0 && bill.money.total() < 1_000.0, "{bill:?}");
	for outcome in Row::of("", &recording, &rates).outcomes {
		assert!((0.0..10_000.0).contains(&outcome.cost), "{outcome:?}");
	}
}

#[test]
fn what_is_no_session_says_why() {
	let error = |text: &str| read(text.as_bytes()).map(|SessionFile { skipped, .. }| skipped).expect_err("no session");
	assert_eq!(error(""), Unreadable::Empty);
	assert_eq!(error("{ \"torn\":"), Unreadable::Empty);
	assert_eq!(error(r#"{"type":"message"}"#), Unreadable::Foreign);
	assert_eq!(error("[1]"), Unreadable::Foreign);
}
