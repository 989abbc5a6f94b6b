//! Orphan results of an outgoing request, as JavaScript asks for them.
//!
//! The outline crosses as one array of numbers, three an item, because it may hold every call of a long session.

use pi_zip_core::orphans::{Item, Tag, orphans};
use wasm_bindgen::prelude::*;

const NUMBERS_AN_ITEM: usize = 3;
const BOUNDARY: u32 = 0;
const CALL: u32 = 1;
const RESULT: u32 = 2;
/// Stands for an id or a tool name that is not there.
const NONE: u32 = 0;

/// Finds the results in `outline` that answer no call, and returns the numbers of their items, ascending.
///
/// An item is its kind (0 boundary, 1 call, 2 result), the key of its id and the key of its tool: numbers that are
/// equal where the strings are, 0 for none.
///
/// # Errors
///
/// Where the outline has another shape.
#[wasm_bindgen(js_name = findOrphans)]
pub fn find_orphans(outline: &[u32]) -> Result<Vec<u32>, JsError> {
	let items = items(outline).ok_or_else(|| JsError::new("an outline is made of items of three numbers"))?;
	Ok(orphans(items).into_iter().filter_map(|index| u32::try_from(index).ok()).collect())
}

fn items(outline: &[u32]) -> Option<Vec<Item<u32>>> {
	let items = outline.chunks_exact(NUMBERS_AN_ITEM);
	if !items.remainder().is_empty() {
		return None;
	}
	items.map(item).collect()
}

fn item(numbers: &[u32]) -> Option<Item<u32>> {
	let &[kind, id, tool] = numbers else { return None };
	let key = |number: u32| (number != NONE).then_some(number);
	let tag = Tag { id: key(id), tool: key(tool) };
	match kind {
		BOUNDARY => Some(Item::Boundary),
		CALL => Some(Item::Call(tag)),
		RESULT => Some(Item::Result(tag)),
		_ => None,
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	#[cfg(target_arch = "wasm32")]
	use wasm_bindgen_test::wasm_bindgen_test as test;

	#[test]
	fn finds_the_golden_orphans() {
		let mut cases = 0;
		for line in include_str!("../../../tests/golden/orphans.txt").lines() {
			let Some((outline, expected)) = line.split_once('=') else { continue };
			let words: Vec<&str> = outline.split_whitespace().collect();
			let Ok(found) = find_orphans(&numbers(&words)) else { panic!("{line}: refused") };
			let found: Vec<&str> = found.into_iter().map(|item| words[item as usize]).collect();
			assert_eq!(found.join(" "), expected.trim(), "{line}");
			cases += 1;
		}
		assert!(cases > 20, "{cases} cases were read");
	}

	/// The outline as JavaScript writes it.
	fn numbers<'a>(words: &[&'a str]) -> Vec<u32> {
		let mut keys: Vec<&'a str> = vec![""];
		let mut key = |text: &'a str| {
			let known = keys.iter().position(|known| *known == text);
			let place = known.unwrap_or_else(|| {
				keys.push(text);
				keys.len() - 1
			});
			place as u32
		};
		let mut numbers = Vec::new();
		for word in words {
			let (id, tool) = word[1..].split_once(':').unwrap_or((&word[1..], ""));
			let kind = match word.as_bytes()[0] {
				b'+' => CALL,
				b'-' => RESULT,
				_ => BOUNDARY,
			};
			numbers.extend([kind, key(id), key(tool)]);
		}
		numbers
	}

	#[test]
	fn refuses_other_shapes() {
		assert_eq!(items(&[1, 2]), None);
		assert_eq!(items(&[3, 0, 0]), None);
	}
}
