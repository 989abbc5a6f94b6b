//! What folding has saved on this branch so far, by the prices that the model declares.
//!
//! An estimate for the user, from the branch alone: tokens that folds kept out of each request, less what the recall
//! tool cost. It replays no cache and decides nothing.

use crate::prices::Prices;
use crate::session::{Body, Branch, Projection, Replacement, Usage};
use crate::situation::RECALL_TOOL;
use crate::tokens::{Calibration, estimated, estimated_entry};

/// Tokens that the declarations of the two tools add to each request, at most.
pub const DECLARATION_TOKENS: f64 = 450.0;

/// Prices count dollars for this many tokens.
const PRICED_TOKENS: f64 = 1e6;

/// Price of a token that an earlier request carried, by what this request reported.
fn carried_again(prices: &Prices, usage: &Usage) -> f64 {
	if usage.cache_read > 0.0 { prices.read } else { prices.anew() }
}

/// A number of folded outputs, and the estimated tokens that requests lack for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
	pub count: u32,
	pub tokens: u32,
}

impl Folded {
	fn of(tokens: impl Iterator<Item = u32>) -> Self {
		tokens.filter(|tokens| *tokens > 0).fold(Self::default(), |sum, tokens| Self {
			count: sum.count + 1,
			tokens: sum.tokens.saturating_add(tokens),
		})
	}
}

/// Outputs that are folded in the present view.
pub fn folded(branch: &Branch, projection: &Projection) -> Folded {
	let slots = projection.slots().iter();
	Folded::of(slots.filter_map(|slot| slot.edit.map(|edit| lacking(branch, slot.entry, edit))))
}

/// Outputs that were folded at any time on the branch, each once.
pub fn folded_ever(branch: &Branch) -> Folded {
	let mut largest = vec![0; branch.entries().len()];
	for edit in branch.edits() {
		if let Some(target) = edit.target {
			largest[target] = lacking(branch, target, edit.replacement).max(largest[target]);
		}
	}
	Folded::of(largest.into_iter())
}

/// Answers of the recall tool on the branch that brought something back.
pub fn recalls(branch: &Branch) -> u32 {
	branch.entries().iter().filter(|entry| recalled_tokens(&entry.body) > 0).count() as u32
}

/// Dollars saved on the branch, negative where folding cost more than it saved. `None` where nothing was reported, or
/// the prices make no sense.
pub fn saved(branch: &Branch, calibration: &Calibration, prices: &Prices) -> Option<f64> {
	if !prices.are_sane() {
		return None;
	}
	let mut account = {
		let length = branch.entries().len();
		Account { prices, saved: 0.0, lacking: Carried::new(length), recalled: Carried::new(length), newest: None }
	};
	let real = |estimated| f64::from(calibration.real(estimated));
	for (index, entry) in branch.entries().iter().enumerate() {
		match &entry.body {
			Body::Assistant(assistant) => {
				if let Some(usage) = assistant.usage.filter(|usage| usage.request().is_some()) {
					account.request(&usage);
				}
			}
			Body::ContextEdit { target, replacement } => {
				if let Some(target) = branch.find(target) {
					account.edit(target, real(lacking(branch, target, *replacement)));
				}
			}
			Body::Compaction { first_kept, .. } => {
				account.compact(first_kept.as_ref().and_then(|id| branch.find(id)).unwrap_or(index));
			}
			body => account.recall(index, real(recalled_tokens(body))),
		}
	}
	account.newest.map(|_| account.saved / PRICED_TOKENS)
}

/// Estimated tokens of an output that its placeholder keeps out of the view.
fn lacking(branch: &Branch, index: usize, replacement: Replacement) -> u32 {
	match replacement {
		Replacement::Content { size, placeholder: true } => {
			estimated_entry(&branch.entries()[index]).saturating_sub(estimated(size))
		}
		_ => 0,
	}
}

fn recalled_tokens(body: &Body) -> u32 {
	match body {
		Body::ToolResult(result) if *result.tool == *RECALL_TOOL && !result.is_error => estimated(result.size),
		_ => 0,
	}
}

/// Real tokens by the index of the entry that they belong to, and their sum.
struct Carried {
	tokens: Vec<f64>,
	sum: f64,
}

impl Carried {
	fn new(entries: usize) -> Self {
		Self { tokens: vec![0.0; entries], sum: 0.0 }
	}

	/// Returns what stood there before.
	fn set(&mut self, index: usize, tokens: f64) -> f64 {
		self.sum += tokens - self.tokens[index];
		std::mem::replace(&mut self.tokens[index], tokens)
	}

	fn drop_before(&mut self, index: usize) {
		for dropped in 0..index {
			self.set(dropped, 0.0);
		}
	}
}

/// The sum so far, in dollars per million tokens times tokens.
struct Account<'a> {
	prices: &'a Prices,
	saved: f64,
	/// What requests lack for a fold.
	lacking: Carried,
	/// What was recalled, and is carried since.
	recalled: Carried,
	newest: Option<Usage>,
}

impl Account<'_> {
	fn request(&mut self, usage: &Usage) {
		let again = carried_again(self.prices, usage);
		let declaration = DECLARATION_TOKENS * if self.newest.is_some() { again } else { self.prices.anew() };
		self.saved += (self.lacking.sum - self.recalled.sum) * again - declaration;
		self.newest = Some(*usage);
	}

	/// A fold is persisted behind the first answer that was given without the output: that request was the one in which
	/// the output would have been written again. An edit that is no fold takes it back.
	fn edit(&mut self, target: usize, tokens: f64) {
		let before = self.lacking.set(target, tokens);
		if self.newest.is_some() && tokens > 0.0 && before <= 0.0 {
			self.saved += tokens * self.prices.anew();
		}
	}

	/// A recall takes one more request, which carries what it brought back.
	fn recall(&mut self, index: usize, tokens: f64) {
		if tokens <= 0.0 {
			return;
		}
		let request = self.newest.map_or(0.0, |usage| {
			let output = usage.output.max(0.0) * self.prices.output;
			usage.request().unwrap_or(0.0) * carried_again(self.prices, &usage) + output
		});
		self.saved -= request + tokens * (self.prices.anew() - self.prices.read);
		self.recalled.set(index, tokens);
	}

	/// What a compaction took away is no longer carried, folded or not.
	fn compact(&mut self, first_kept: usize) {
		self.lacking.drop_before(first_kept);
		self.recalled.drop_before(first_kept);
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::session::{Assistant, Entry, ModelKey, Size, StopReason, ToolResult};

	const PRICES: Prices = Prices { input: 3.0, output: 15.0, read: 0.3, write: 3.75 };
	const SAME: Calibration = Calibration { factor: 1.0, constant: 0.0, from_reports: true };

	fn answer(id: &str, cache_read: f64, cache_write: f64) -> Entry {
		let usage = Usage { input: 0.0, output: 100.0, cache_read, cache_write, cache_write_1h: None };
		let model = ModelKey { provider: "p".into(), model: "m".into() };
		entry(
			id,
			Body::Assistant(Assistant {
				size: Size::default(),
				said: 0,
				thinking: 0,
				calls: Vec::new(),
				stop: StopReason::Completed,
				model,
				usage: Some(usage),
			}),
		)
	}

	fn result(id: &str, tool: &str, tokens: u32) -> Entry {
		let size = Size { units: tokens * 4, images: 0 };
		let (call_id, tool) = ("c".into(), tool.into());
		entry(
			id,
			Body::ToolResult(ToolResult { call_id, tool, is_error: false, size, known_blocks: true, digest: None }),
		)
	}

	fn fold(target: &str, tokens: u32) -> Entry {
		let replacement = Replacement::Content { size: Size { units: tokens * 4, images: 0 }, placeholder: true };
		entry("fold", Body::ContextEdit { target: target.into(), replacement })
	}

	fn entry(id: &str, body: Body) -> Entry {
		Entry { id: id.into(), at: 0, body }
	}

	fn branch(entries: impl IntoIterator<Item = Entry>) -> Branch {
		let mut branch = Branch::default();
		entries.into_iter().for_each(|entry| branch.push(entry));
		branch
	}

	/// Dollars that the declaration costs: written once, then read.
	fn declaration(requests: u32) -> f64 {
		DECLARATION_TOKENS * (3.75 + 0.3 * f64::from(requests - 1)) / PRICED_TOKENS
	}

	#[test]
	fn a_fold_saves_one_write_and_later_reads() {
		let branch = branch([
			answer("a", 0.0, 20_000.0),
			result("r", "bash", 10_100),
			answer("b", 0.0, 30_000.0),
			fold("r", 100),
			answer("c", 20_000.0, 100.0),
			answer("d", 20_000.0, 100.0),
		]);
		let expected = 10_000.0 * (3.75 + 0.3 + 0.3) / PRICED_TOKENS
			- declaration(4)
			- (3.75 - 0.3) * DECLARATION_TOKENS / PRICED_TOKENS;
		let saved = saved(&branch, &SAME, &PRICES).expect("usage and prices are there");
		assert!((saved - expected).abs() < 1e-9, "{saved} against {expected}");
	}

	#[test]
	fn a_session_without_folds_costs_the_declaration() {
		let branch = branch([answer("a", 0.0, 20_000.0), answer("b", 20_000.0, 100.0)]);
		let saved = saved(&branch, &SAME, &PRICES).expect("usage and prices are there");
		assert!((saved + declaration(2)).abs() < 1e-12, "{saved}");
	}

	#[test]
	fn a_recall_costs_a_request_and_its_tokens() {
		let base = [answer("a", 0.0, 20_000.0), answer("b", 20_000.0, 100.0)];
		let without = saved(&branch(base.clone()), &SAME, &PRICES).expect("known");
		let with = branch([base[0].clone(), result("r", RECALL_TOOL, 1_000), base[1].clone()]);
		assert_eq!(recalls(&with), 1);
		let with = saved(&with, &SAME, &PRICES).expect("known");
		// The request that asked wrote 20,000 tokens and put out 100; the recalled 1,000 are written once.
		let cost = (20_000.0 * 3.75 + 100.0 * 15.0 + 1_000.0 * 3.75) / PRICED_TOKENS;
		assert!((without - with - cost).abs() < 1e-9, "{}", without - with);
	}

	#[test]
	fn a_compaction_ends_what_it_takes_away() {
		let compaction =
			entry("k", Body::Compaction { first_kept: Some("r".into()), system: None, summary: Size::default() });
		let base = [
			answer("a", 0.0, 20_000.0),
			result("q", RECALL_TOOL, 1_000),
			result("r", "bash", 10_100),
			answer("b", 0.0, 30_000.0),
			fold("r", 100),
		];
		let then = |tail: Vec<Entry>| saved(&branch(base.iter().cloned().chain(tail)), &SAME, &PRICES).expect("known");
		let kept = then(vec![compaction.clone(), answer("c", 20_000.0, 0.0)]) - then(vec![compaction]);
		let expected = (10_000.0 - DECLARATION_TOKENS) * 0.3 / PRICED_TOKENS;
		assert!((kept - expected).abs() < 1e-9, "the fold is kept, the recall is gone: {kept} against {expected}");
	}

	#[test]
	fn an_output_that_is_folded_twice_counts_once() {
		let twice = branch([answer("a", 0.0, 20_000.0), result("r", "bash", 10_100), fold("r", 100), fold("r", 90)]);
		assert_eq!(folded_ever(&twice), Folded { count: 1, tokens: 10_010 });
		let once = branch([answer("a", 0.0, 20_000.0), result("r", "bash", 10_100), fold("r", 100)]);
		assert_eq!(saved(&twice, &SAME, &PRICES), saved(&once, &SAME, &PRICES));
	}

	#[test]
	fn nothing_is_known_without_reports_or_prices() {
		assert_eq!(saved(&branch([]), &SAME, &PRICES), None);
		assert_eq!(saved(&branch([answer("a", 0.0, f64::NAN)]), &SAME, &PRICES), None);
		let free = Prices { input: 0.0, output: 0.0, read: 0.0, write: 0.0 };
		assert_eq!(saved(&branch([answer("a", 0.0, 20_000.0)]), &SAME, &free), None);
	}
}
