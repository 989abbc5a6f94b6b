//! Every golden case of the core, run as WebAssembly. The core's own tests run them natively, by the same harnesses; the
//! cases of orphan results go through the boundary, beside the function that answers them.

#![cfg(target_arch = "wasm32")]

#[path = "../../pi-zip-core/tests/cache_cases/mod.rs"]
mod cache_cases;
#[path = "../../pi-zip-core/tests/calibration_cases/mod.rs"]
mod calibration_cases;
#[path = "../../pi-zip-core/tests/place_cases/mod.rs"]
mod place_cases;
#[path = "../../pi-zip-core/tests/plan_cases/mod.rs"]
mod plan_cases;
#[path = "../../pi-zip-core/tests/session_text/mod.rs"]
mod session_text;
#[path = "../../pi-zip-core/tests/summary_cases/mod.rs"]
mod summary_cases;
#[path = "../../pi-zip-core/tests/timed_session/mod.rs"]
mod timed_session;

use wasm_bindgen_test::wasm_bindgen_test;

fn holds(failures: Vec<String>) {
	assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[wasm_bindgen_test]
fn handles() {
	holds(place_cases::handles(include_str!("../../../tests/golden/handles.txt")));
}

#[wasm_bindgen_test]
fn commands() {
	holds(place_cases::commands(include_str!("../../../tests/golden/commands.txt")));
}

#[wasm_bindgen_test]
fn unsafe_tokens() {
	let commands = include_str!("../../../tests/golden/commands.txt");
	holds(place_cases::unsafe_tokens(commands, include_str!("../../../tests/golden/unsafe-tokens.txt")));
}

#[wasm_bindgen_test]
fn digests() {
	holds(place_cases::digests(include_str!("../../../tests/golden/digests.txt")));
}

#[wasm_bindgen_test]
fn placeholders() {
	holds(place_cases::placeholders(include_str!("../../../tests/golden/placeholders.txt")));
}

#[wasm_bindgen_test]
fn plans() {
	holds(plan_cases::failures(include_str!("../../../tests/golden/plan.txt")));
}

#[wasm_bindgen_test]
fn summaries() {
	holds(summary_cases::failures(include_str!("../../../tests/golden/summary.txt")));
}

#[wasm_bindgen_test]
fn cache() {
	timed_session::check(include_str!("../../../tests/golden/cache.txt"), cache_cases::judged);
}

#[wasm_bindgen_test]
fn calibration() {
	timed_session::check(include_str!("../../../tests/golden/calibration.txt"), calibration_cases::learned);
}
