//! Sessions as text, for tests: made from a seed, with every kind of thing that a bill has a part for.

use std::fmt::Write;

/// A small generator of numbers (splitmix64), so that a seed gives the same session everywhere.
pub struct Numbers(pub u64);

impl Numbers {
	pub fn below(&mut self, limit: u64) -> u64 {
		self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
		let mut next = self.0;
		next = (next ^ (next >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
		next = (next ^ (next >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
		(next ^ (next >> 31)) % limit.max(1)
	}

	pub fn chance(&mut self, percent: u64) -> bool {
		self.below(100) < percent
	}
}

/// A session file of today's format. Reports are plausible, absurd or missing; folds, compactions, changes of the model
/// and the thinking level, long gaps, refreshes and failures come in between.
pub fn session(seed: u64, requests: u64) -> String {
	let mut maker = Maker { numbers: Numbers(seed), out: String::new(), at: 1_700_000_000_000, ids: 0, parent: None };
	maker
		.out
		.push_str("{\"type\":\"session\",\"version\":3,\"id\":\"made\",\"timestamp\":\"2023-11-14T22:13:20.000Z\"}\n");
	let mut results: Vec<String> = Vec::new();
	let (mut model, mut size) = (0, 2_000);
	for request in 0..requests {
		if request == 0 || maker.numbers.chance(20) {
			maker.wait(1_200_000, 30);
			maker.message("\"role\":\"user\",\"content\":\"please go on with the work that we began\"");
		}
		maker.interlude(&results, &mut model);
		let grown = 50 + maker.numbers.below(3_000);
		let lines = maker.numbers.below(60);
		size += grown;
		maker.answer(request, model, size);
		let text: String =
			(0..lines).map(|line| format!("line {line} of the output of request {request}: nothing new\\n")).collect();
		results.push(maker.message(&format!(
			"\"role\":\"toolResult\",\"toolCallId\":\"call{request}\",\"toolName\":\"bash\",\"isError\":false,\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]"
		)));
	}
	maker.out
}

struct Maker {
	numbers: Numbers,
	out: String,
	at: u64,
	ids: u32,
	parent: Option<String>,
}

impl Maker {
	/// Lets up to `most` milliseconds go by, with a chance in percent; else a few seconds.
	fn wait(&mut self, most: u64, chance: u64) {
		let most = if self.numbers.chance(chance) { most } else { 5_000 };
		self.at += self.numbers.below(most);
	}

	fn line(&mut self, fields: &str) -> String {
		let id = format!("{:08x}", self.ids);
		self.ids += 1;
		let parent = self.parent.replace(id.clone()).map_or("null".to_owned(), |parent| format!("\"{parent}\""));
		let at = self.at;
		writeln!(self.out, "{{\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":{at},{fields}}}")
			.expect("a string takes all");
		id
	}

	fn message(&mut self, fields: &str) -> String {
		let at = self.at;
		self.line(&format!("\"type\":\"message\",\"message\":{{\"timestamp\":{at},{fields}}}"))
	}

	/// What may come between two requests.
	fn interlude(&mut self, results: &[String], model: &mut u64) {
		let target = results.get(self.numbers.below(results.len() as u64) as usize).cloned();
		let event = self.numbers.below(14);
		match (event, target) {
			(0, Some(kept)) => {
				self.line(&format!(
					"\"type\":\"compaction\",\"summary\":\"what was done\",\"firstKeptEntryId\":\"{kept}\""
				));
			}
			(1 | 2, Some(target)) => {
				let note = "[folded by pi-zip, handle 0000000000: turn 1]";
				self.line(&format!(
					"\"type\":\"context_edit\",\"targetId\":\"{target}\",\"replacement\":{{\"content\":\"{note}\"}}"
				));
			}
			(3, Some(target)) => {
				self.line(&format!(
					"\"type\":\"context_edit\",\"targetId\":\"{target}\",\"replacement\":{{\"content\":\"cut\"}}"
				));
			}
			(4, _) => {
				*model = 1 - *model;
				self.line("\"type\":\"model_change\",\"provider\":\"p\",\"modelId\":\"m\"");
			}
			(5, _) => {
				self.line("\"type\":\"thinking_level_change\",\"thinkingLevel\":\"low\"");
			}
			(6, _) => {
				self.wait(400_000, 50);
				let read = 2_000 + self.numbers.below(50_000);
				self.line(&format!(
					"\"type\":\"usage\",\"kind\":\"cache_warm\",\"provider\":\"p\",\"model\":\"m{model}\",\"usage\":{{\"input\":3,\"output\":1,\"cacheRead\":{read},\"cacheWrite\":0}}"
				));
			}
			_ => {}
		}
	}

	fn answer(&mut self, request: u64, model: u64, size: u64) {
		let usage = match self.numbers.below(12) {
			0 => String::new(),
			1 => ",\"usage\":{\"input\":-5,\"output\":0,\"cacheRead\":0,\"cacheWrite\":0}".to_owned(),
			_ => self.usage(size),
		};
		let stop = ["toolUse", "toolUse", "toolUse", "error", "aborted"][self.numbers.below(5) as usize];
		let api = ["anthropic-messages", "openai-completions"][model as usize];
		self.wait(2_000, 100);
		self.message(&format!(
			"\"role\":\"assistant\",\"api\":\"{api}\",\"provider\":\"p\",\"model\":\"m{model}\",\"stopReason\":\"{stop}\",\"content\":[{{\"type\":\"thinking\",\"thinking\":\"let me see\"}},{{\"type\":\"toolCall\",\"id\":\"call{request}\",\"name\":\"bash\",\"arguments\":{{\"command\":\"make {request}\"}}}}]{usage}"
		));
	}

	fn usage(&mut self, size: u64) -> String {
		let read = self.numbers.below(size);
		let write = self.numbers.below(size - read + 1);
		let (input, output) = (size - read - write, self.numbers.below(2_000));
		let cost = if self.numbers.chance(50) {
			let parts = [input as f64 * 3e-6, output as f64 * 15e-6, read as f64 * 3e-7, write as f64 * 3.75e-6];
			let [i, o, r, w] = parts;
			format!(
				",\"cost\":{{\"input\":{i},\"output\":{o},\"cacheRead\":{r},\"cacheWrite\":{w},\"total\":{}}}",
				parts.iter().sum::<f64>()
			)
		} else {
			String::new()
		};
		format!(
			",\"usage\":{{\"input\":{input},\"output\":{output},\"cacheRead\":{read},\"cacheWrite\":{write}{cost}}}"
		)
	}
}
