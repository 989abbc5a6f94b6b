//! Turns a compiled module into what Node loads: `cargo run -p xtask -- <module.wasm> <output folder> <name>`.
//!
//! Calls the bindings generator as a library, so that a fresh machine needs no tool beyond cargo.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
	let mut args = std::env::args().skip(1);
	let (Some(module), Some(output), Some(name)) = (args.next(), args.next(), args.next()) else {
		eprintln!("usage: xtask <module.wasm> <output folder> <name>");
		return ExitCode::from(2);
	};
	let mut bindgen = Bindgen::new();
	bindgen.input_path(&module).out_name(&name).typescript(true);
	bindgen.remove_producers_section(true).remove_name_section(true).reset_state_function(true);
	let generated = bindgen.web(true).and_then(|b| b.generate(&output));
	match generated {
		Ok(()) => ExitCode::SUCCESS,
		Err(error) => {
			eprintln!("xtask: {module}: {error:#}");
			ExitCode::FAILURE
		}
	}
}
