//! What all answers are made from: a session, its bill, and how it would have gone under plain Pi and under pi-zip.

use pi_zip_lab::bill::{Bill, bill};
use pi_zip_lab::declared::Declared;
use pi_zip_lab::learning::Learning;
use pi_zip_lab::policy::{Plain, Shipped};
use pi_zip_lab::rates::RateBook;
use pi_zip_lab::recording::Recording;
use pi_zip_lab::replay::{Replay, replay};
use pi_zip_lab::session_file;
use wasm_bindgen::JsError;

pub struct Replayed {
	pub recording: Recording,
	pub rates: RateBook,
	pub bill: Bill,
	pub plain: Replay,
	pub zip: Replay,
}

impl Replayed {
	/// Of the bytes of a file; fails where they are no session. `declared` is what models declare of their prices, in JSON:
	/// `provider/model` to a cost as in Pi's `models.json`; it may be empty. How long caches live pi-zip learns here from the
	/// session alone.
	pub fn of(bytes: &[u8], declared: &str) -> Result<Self, JsError> {
		let session = session_file::read(bytes).map_err(|reason| JsError::new(&reason.to_string()))?;
		let recording = Recording::of(session);
		let rates = RateBook::known(&recording, &Declared::read(declared));
		let rates = rates.learning(&recording, &mut Learning::default());
		let bill = bill(&recording, &rates);
		let plain = replay(&recording, &mut Plain, &rates);
		let zip = replay(&recording, &mut Shipped::default(), &rates);
		Ok(Self { recording, rates, bill, plain, zip })
	}
}
