//! The golden cases of the planner, run as WebAssembly. Natively the core's own tests run them.

#![cfg(target_arch = "wasm32")]

#[path = "../../pi-zip-core/tests/plan_cases/mod.rs"]
mod plan_cases;
#[path = "../../pi-zip-core/tests/session_text/mod.rs"]
mod session_text;

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn plans_fold_what_the_cases_say() {
	let failures = plan_cases::failures(include_str!("../../../tests/golden/plan.txt"));
	assert!(failures.is_empty(), "{}", failures.join("\n"));
}
