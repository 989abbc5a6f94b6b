//! Runs summary cases: a heading `== name`, a session, and what is asked of it.
//!
//! ```text
//! cut WANTED = ENTRY          where the view is cut so that WANTED or an earlier entry is kept first; `none`
//! until ENTRY units=5000      the fixed part of all before ENTRY follows, up to the next case
//! ```
//!
//! Named behind the entry: `units` (else 10000), `from` an entry, `own` a summary that counts as ours. `<u1 0-8>` is a span
//! of a text of the session, and the handle of r1 is written `@r1`.

use pi_zip_core::placeholder::handle;
use pi_zip_core::session::{Body, Branch};
use pi_zip_core::summary::{ARGUMENTS, Ask, Part, Source, cut, fixed};

use super::session_text;

/// What went wrong, one text a case; empty where every case holds.
pub fn failures(text: &str) -> Vec<String> {
	session_text::failures(text, failures_of)
}

fn failures_of(case: &str) -> Vec<String> {
	let (title, body) = case.split_once('\n').unwrap_or((case, ""));
	let lines: Vec<&str> = body.lines().collect();
	let is_question = |line: &&str| line.starts_with("until ") || line.starts_with("cut ");
	let Some(asked) = lines.iter().position(is_question) else { return vec![format!("{title}: nothing is asked")] };
	let branch = session_text::branch(&lines[..asked].join("\n"));
	if let Some(question) = lines[asked].strip_prefix("until ") {
		let expected = lines[asked + 1..].join("\n");
		let said: Vec<_> = say(&branch, question).lines().map(|line| line.trim_end().to_owned()).collect();
		let said = said.join("\n");
		return if said.trim() == expected.trim() { Vec::new() } else { vec![format!("{title}:\n{said}")] };
	}
	let wrong = lines[asked..].iter().filter_map(|line| {
		let (wanted, expected) = line.strip_prefix("cut ")?.split_once(" = ")?;
		let found = cut(&branch, 0, entry(&branch, wanted));
		let found = found.map_or("none", |at| &branch.entries()[at].id);
		(found != expected).then(|| format!("{title}: {line}, but it is {found}"))
	});
	wrong.collect()
}

fn entry(branch: &Branch, id: &str) -> usize {
	branch.find(id).unwrap_or_else(|| panic!("no entry {id}"))
}

fn say(branch: &Branch, question: &str) -> String {
	let mut words = question.split_whitespace();
	let until = entry(branch, words.next().unwrap_or_default());
	let mut own = Vec::new();
	let mut ask = Ask { from: 0, until, own: &[], units: 10_000 };
	for word in words {
		match word.split_once('=') {
			Some(("units", units)) => ask.units = units.parse().expect("a number"),
			Some(("from", id)) => ask.from = entry(branch, id),
			Some(("own", id)) => own.push(entry(branch, id)),
			_ => panic!("unknown: {word}"),
		}
	}
	ask.own = &own;
	let fixed = fixed(branch, &ask);
	let mut text = format!("{} requests, {} outputs", fixed.requests, fixed.outputs);
	for part in fixed.parts {
		match part {
			Part::Words(words) => text.push_str(&words),
			Part::Quote(Source::Text(entry), span) => {
				text.push_str(&format!("<{} {}-{}>", branch.entries()[entry].id, span.start, span.end));
			}
			Part::Quote(Source::Argument { entry, call, name }, span) => {
				let Body::Assistant(answer) = &branch.entries()[entry].body else { panic!("{entry} made no call") };
				let value = answer.calls[call].arg(ARGUMENTS[name]).expect("the argument");
				text.push_str(&value[span.start as usize..span.end as usize]);
			}
		}
	}
	for entry in branch.entries() {
		text = text.replace(&handle(&entry.id), &format!("@{}", entry.id));
	}
	text
}
