//! The lab for JavaScript: bytes of a session file in, figures out. It converts and decides nothing.
//!
//! A module of its own beside the one that Pi loads, so that what Pi loads stays small.

mod account;
mod panic;
mod session;

pub use account::{WireAccount, account_for};
pub use session::{WireSession, replay_session};

use pi_zip_lab::declared::Declared;
use pi_zip_lab::learning::Learning;
use pi_zip_lab::rates::RateBook;
use pi_zip_lab::recording::Recording;
use pi_zip_lab::session_file;
use wasm_bindgen::JsError;

/// The rates of a session, where pi-zip learns how long a cache lives from the session alone.
fn rates(recording: &Recording, declared: &str) -> RateBook {
	RateBook::known(recording, &Declared::read(declared)).learning(recording, &mut Learning::default())
}

fn recording(bytes: &[u8]) -> Result<Recording, JsError> {
	let session = session_file::read(bytes).map_err(|reason| JsError::new(&reason.to_string()))?;
	Ok(Recording::of(session))
}
