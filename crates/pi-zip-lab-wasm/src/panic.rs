//! A panic becomes a JavaScript exception that carries its message, and prints nothing: the terminal is the caller's.
//!
//! After one the module's memory cannot be trusted, so JavaScript drops the instance.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn install() {
	std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}
