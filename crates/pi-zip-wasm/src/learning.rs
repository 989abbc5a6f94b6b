//! What is learned of caches, as numbers: JavaScript keeps them in its file and hands them back, and knows no rule.

use pi_zip_core::cache::{BINS, Bin, Counts, EDGES, Evidence, Prior};
use pi_zip_core::warming::Returns;
use wasm_bindgen::prelude::*;

/// Numbers of each bin: what lived, what was gone, and what was seen of both.
const NUMBERS_A_BIN: usize = 3;

/// No count is larger.
const MOST_COUNTED: f64 = 1e9;

/// Where the bins begin, in milliseconds.
#[wasm_bindgen(js_name = survivalEdges)]
pub fn survival_edges() -> Vec<f64> {
	EDGES.iter().map(|edge| *edge as f64).collect()
}

/// Counts with one more observation, as `Core.evidence` gives it.
#[wasm_bindgen]
pub fn observe(numbers: &[f64], observation: &[f64]) -> Vec<f64> {
	let mut counts = counts(numbers);
	if let [_, gap, lived, lifetime, declared] = *observation {
		let prior = Prior { lifetime: lifetime as i64, declared: declared > 0.0 };
		counts.observe(prior, gap as i64, lived > 0.0);
	}
	counts.bins.iter().flat_map(|bin| [bin.lived, bin.gone, bin.seen]).collect()
}

/// Counts as numbers; a bin whose numbers make no sense is empty.
pub fn counts(numbers: &[f64]) -> Counts {
	let mut counts = Counts::default();
	for (bin, numbers) in counts.bins.iter_mut().zip(numbers.chunks_exact(NUMBERS_A_BIN)) {
		if numbers.iter().all(|number| (0.0..=MOST_COUNTED).contains(number)) {
			*bin = Bin { lived: numbers[0], gone: numbers[1], seen: numbers[2] };
		}
	}
	counts
}

/// How often the user came back, by bin; numbers that make no sense count as none.
pub fn returns_of(numbers: &[f64]) -> Returns {
	let mut returns: Returns = [0.0; BINS + 1];
	for (own, number) in returns.iter_mut().zip(numbers) {
		*own = if (0.0..=MOST_COUNTED).contains(number) { *number } else { 0.0 };
	}
	returns
}

/// An observation: whether it is of the long tier, the gap, whether the prefix lived, the lifetime that was believed
/// before any evidence, and whether that is declared.
pub fn observation(evidence: &Evidence, is_long: bool, prior: Prior) -> Vec<f64> {
	let flag = |is: bool| f64::from(u8::from(is));
	vec![flag(is_long), evidence.gap as f64, flag(evidence.lived), prior.lifetime as f64, flag(prior.declared)]
}
