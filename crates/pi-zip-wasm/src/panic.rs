//! A panic becomes a JavaScript exception that carries its message, and prints nothing: Pi owns the screen.
//!
//! After one the module's memory cannot be trusted, so JavaScript drops the instance and feeds a new one.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn install() {
	std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}
