//! Sessions written by hand, an entry a line: `SECONDS KIND REST`.
//!
//! `user TEXT`; `answer INPUT READ WRITE OUTPUT [by MODEL] [calls COMMAND] [says TEXT]`; `output TEXT` of the newest call;
//! `fold LINE` and `cut LINE`, the context edits of ours and of another extension at the entry of that line (from zero);
//! `compact LINE`, which keeps from that line on; `thinking`. `~N` in a text stands for N lines of filler.

use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file::read;

pub fn recording(session: &str) -> Recording {
	let mut file = "{\"type\":\"session\",\"version\":3,\"id\":\"written\"}\n".to_owned();
	for (index, line) in session.trim().lines().map(str::trim).enumerate() {
		let (seconds, rest) = line.split_once(' ').expect("a time");
		let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
		let at = seconds.parse::<u64>().expect("seconds") * 1_000;
		let parent = index.checked_sub(1).map_or("null".to_owned(), |parent| format!("\"{parent}\""));
		let fields = match kind {
			"user" => message(at, &format!("\"role\":\"user\",\"content\":\"{}\"", filled(rest))),
			"answer" => message(at, &answer(rest)),
			"output" => message(
				at,
				&format!(
					"\"role\":\"toolResult\",\"toolCallId\":\"c\",\"toolName\":\"bash\",\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]",
					filled(rest)
				),
			),
			"fold" => edit(rest, "[folded by pi-zip, handle 0000000000: turn 1]"),
			"cut" => edit(rest, "cut"),
			"compact" => {
				format!("\"type\":\"compaction\",\"summary\":\"what was done\",\"firstKeptEntryId\":\"{rest}\"")
			}
			"thinking" => "\"type\":\"thinking_level_change\"".to_owned(),
			_ => panic!("{kind}"),
		};
		file += &format!("{{\"id\":\"{index}\",\"parentId\":{parent},\"timestamp\":{at},{fields}}}\n");
	}
	let read = read(file.as_bytes()).expect("a session");
	assert_eq!(read.skipped, 0, "{file}");
	Recording::of(read)
}

fn message(at: u64, fields: &str) -> String {
	format!("\"type\":\"message\",\"message\":{{\"timestamp\":{at},{fields}}}")
}

fn edit(target: &str, content: &str) -> String {
	format!("\"type\":\"context_edit\",\"targetId\":\"{target}\",\"replacement\":{{\"content\":\"{content}\"}}")
}

fn answer(rest: &str) -> String {
	let (rest, says) = rest.split_once(" says ").unwrap_or((rest, "done"));
	let (rest, command) = rest.split_once(" calls ").unwrap_or((rest, ""));
	let (rest, model) = rest.split_once(" by ").unwrap_or((rest, "m"));
	let tokens: Vec<&str> = rest.split_whitespace().collect();
	let [input, read, write, output] = tokens[..] else { panic!("four numbers: {rest}") };
	let call = match command {
		"" => String::new(),
		_ => format!(
			",{{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"bash\",\"arguments\":{{\"command\":\"{command}\"}}}}"
		),
	};
	format!(
		"\"role\":\"assistant\",\"api\":\"anthropic-messages\",\"provider\":\"p\",\"model\":\"{model}\",\"content\":[{{\"type\":\"text\",\"text\":\"{says}\"}}{call}],\"usage\":{{\"input\":{input},\"output\":{output},\"cacheRead\":{read},\"cacheWrite\":{write}}}"
	)
}

/// A text with its filler: lines of ten tokens that nothing quotes.
fn filled(text: &str) -> String {
	match text.split_once('~') {
		None => text.to_owned(),
		Some((before, count)) => {
			let lines = (0..count.trim().parse::<u32>().expect("lines"))
				.map(|line| format!("\\nfiller {line:05} of an output, of no use"));
			before.to_owned() + &lines.collect::<String>()
		}
	}
}
