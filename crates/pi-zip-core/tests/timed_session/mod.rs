//! A session with times and reports, written as text, for golden cases.
//!
//! ```text
//! == what the case shows
//! 0s user 100                            at 0 s a prompt of 100 estimated tokens; also custom, system, bash
//! 0s answer 20 in=10 read=0 write=500    an answer and its report; out=, hour= (written for an hour), m=provider/model;
//!                                        failed, aborted; without in=, read= or write= it has no report
//! 20s result 400 #r1                     a tool result; any entry takes a name
//! 25s edit r1 50                         a context edit; `fold` for our own placeholder; `omit r1` leaves it out
//! 30s compaction r1 300                  keeps from r1 on; `-` keeps nothing; system= stored with it
//! 40s touch m=p/m                        Pi's own refresh of the cache
//! question ... = answer                  judged by the test of the area
//! ```

use pi_zip_core::session::{
	Assistant, Body, Branch, Entry, Millis, ModelKey, Replacement, Size, StopReason, ToolResult, Usage,
};

/// UTF-16 code units to an estimated token.
const UNITS: u32 = 4;

/// Asks each question of the cases, with the branch so far and the question's words, and compares the answers.
pub fn check(text: &str, answer: impl Fn(&Branch, &[&str]) -> String) {
	let mut wrong = String::new();
	let (_, cases) = text.split_once("\n== ").expect("a file of cases has a case");
	for case in cases.split("\n== ") {
		let (title, lines) = case.split_once('\n').unwrap_or((case, ""));
		let mut branch = Branch::default();
		let mut asked = 0;
		for line in lines.lines().filter(|line| !line.trim().is_empty()) {
			if let Some((question, expected)) = line.split_once(" = ") {
				let given = answer(&branch, &question.split_whitespace().collect::<Vec<_>>());
				if given != expected.trim() {
					wrong += &format!("\n{title}\n\t{line}\n\tis: {given}");
				}
				asked += 1;
			} else {
				let id = format!("e{}", branch.entries().len());
				branch.push(entry(line, &id));
			}
		}
		assert!(asked > 0, "the case asks nothing: {title}");
	}
	assert!(wrong.is_empty(), "{wrong}");
}

/// A time or duration: `90s`, `5m`, `1h`, or several of them: `4m50s`; a minus in front goes back.
pub fn millis(text: &str) -> Millis {
	if let Some(text) = text.strip_prefix('-') {
		return -millis(text);
	}
	let mut total = 0;
	let mut number = 0;
	for letter in text.chars() {
		let unit = match letter {
			'h' => 3_600_000,
			'm' => 60_000,
			's' => 1_000,
			_ => {
				number = number * 10 + i64::from(letter.to_digit(10).unwrap_or_else(|| panic!("no time: {text}")));
				continue;
			}
		};
		total += number * unit;
		number = 0;
	}
	assert_eq!(number, 0, "a time without a unit: {text}");
	total
}

/// The value of `name=value` among the words.
pub fn value<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
	words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

pub fn model(text: &str) -> ModelKey {
	let (provider, model) = text.split_once('/').expect("a model is provider/model");
	ModelKey { provider: provider.into(), model: model.into() }
}

fn entry(line: &str, unnamed: &str) -> Entry {
	let words: Vec<&str> = line.split_whitespace().collect();
	let id = words.iter().find_map(|word| word.strip_prefix('#')).unwrap_or(unnamed);
	let word = |at: usize| words.get(at).copied().unwrap_or_else(|| panic!("too short: {line}"));
	let size = |at: usize| Size { units: number(word(at)) * UNITS, images: 0 };
	let body = match word(1) {
		"system" => Body::System(size(2)),
		"user" => Body::User(size(2)),
		"custom" => Body::Custom(size(2)),
		"bash" => Body::UserBash { size: size(2), excluded: false },
		"answer" => Body::Assistant(answer(&words, size(2))),
		"result" => Body::ToolResult(ToolResult {
			call_id: "".into(),
			tool: "bash".into(),
			is_error: false,
			size: size(2),
			known_blocks: true,
			digest: None,
		}),
		"edit" | "fold" => {
			let replacement = Replacement::Content { size: size(3), placeholder: word(1) == "fold" };
			Body::ContextEdit { target: word(2).into(), replacement }
		}
		"omit" => Body::ContextEdit { target: word(2).into(), replacement: Replacement::Omitted },
		"compaction" => {
			let first_kept = (word(2) != "-").then(|| word(2).into());
			let system = value(&words, "system").map(|tokens| Size { units: number(tokens) * UNITS, images: 0 });
			Body::Compaction { first_kept, system, summary: size(3) }
		}
		"touch" => Body::CacheTouch(model(value(&words, "m").unwrap_or("p/m"))),
		kind => panic!("unknown kind {kind}: {line}"),
	};
	Entry { id: id.into(), at: millis(word(0)), body }
}

fn number(text: &str) -> u32 {
	text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

fn answer(words: &[&str], size: Size) -> Assistant {
	let tokens = |name: &str| value(words, name).map(|tokens| tokens.parse::<f64>().expect("a number of tokens"));
	let stop = match words {
		_ if words.contains(&"failed") => StopReason::Error,
		_ if words.contains(&"aborted") => StopReason::Aborted,
		_ => StopReason::Completed,
	};
	let reported = ["in", "read", "write"].iter().any(|name| value(words, name).is_some());
	let usage = reported.then(|| Usage {
		input: tokens("in").unwrap_or(0.0),
		output: tokens("out").unwrap_or(1.0),
		cache_read: tokens("read").unwrap_or(0.0),
		cache_write: tokens("write").unwrap_or(0.0),
		cache_write_1h: tokens("hour"),
	});
	let model = model(value(words, "m").unwrap_or("p/m"));
	Assistant { size, said: size.units, thinking: 0, calls: Vec::new(), stop, model, usage }
}
