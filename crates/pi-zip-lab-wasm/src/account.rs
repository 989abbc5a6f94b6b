//! A session request by request, with what each token was: what a report draws.

use pi_zip_lab::bill::{Parts, bill};
use pi_zip_lab::policy::{Plain, Shipped};
use pi_zip_lab::recording::{Kind, Recording};
use pi_zip_lab::replay::{Billed, Replay, replay};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{rates, recording};

/// The parts of a bill, in the order in which they cross.
pub const PARTS: [&str; 7] = ["read", "new", "expired", "ours", "others", "unexplained", "output"];

/// The requests of a session in the order in which they were answered.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireAccount {
	pub requests: Vec<WireRequest>,
}

/// One request, as billed and as it would have been.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireRequest {
	/// Id of the entry that it led to; in a file without ids `line-` and its place among the lines that can be read.
	pub entry: String,
	/// Pi's own, which keeps an idle cache alive.
	pub refresh: bool,
	/// Milliseconds since the epoch.
	pub sent: f64,
	pub done: f64,
	/// Milliseconds since the request before was answered.
	pub idle: f64,
	pub opens_run: bool,
	/// The cache had expired by the lifetime that is assumed for it.
	pub cold: bool,
	pub model: String,
	/// In the order of [`PARTS`].
	pub tokens: [f64; 7],
	/// The same in money.
	pub money: [f64; 7],
	pub simulated: bool,
	pub estimated: bool,
	pub plain: WireBilled,
	pub zip: WireBilled,
	/// Ids of the entries that pi-zip would have folded in front of it.
	pub folded: Vec<String>,
}

/// A request under a policy.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireBilled {
	/// Tokens of the request.
	pub size: f64,
	pub cost: f64,
}

impl From<&Billed> for WireBilled {
	fn from(billed: &Billed) -> Self {
		Self { size: billed.served.total(), cost: billed.cost }
	}
}

/// Accounts for the session of a file. `declared` is what models declare of their prices, in JSON: `provider/model` to a
/// cost as in Pi's `models.json`; it may be empty. Fails where the bytes are no session.
#[wasm_bindgen(js_name = accountFor)]
pub fn account_for(bytes: &[u8], declared: &str) -> Result<Ts<WireAccount>, JsError> {
	let recording = recording(bytes)?;
	let rates = rates(&recording, declared);
	let bill = bill(&recording, &rates);
	let plain = replay(&recording, &mut Plain, &rates);
	let zip = replay(&recording, &mut Shipped::default(), &rates);
	let requests = recording.requests.iter().enumerate().map(|(index, request)| {
		let account = &bill.requests[index];
		let idle = recording.idle(index);
		WireRequest {
			entry: recording.entries[request.entry].entry.id.to_string(),
			refresh: request.kind == Kind::Refresh,
			sent: request.sent as f64,
			done: request.done as f64,
			idle: idle as f64,
			opens_run: request.opens_run,
			cold: index > 0 && idle >= rates.of(&request.model).lifetime,
			model: format!("{}/{}", request.model.provider, request.model.model),
			tokens: flat(&account.tokens),
			money: flat(&account.money),
			simulated: account.simulated,
			estimated: account.estimated,
			plain: (&plain.requests[index]).into(),
			zip: (&zip.requests[index]).into(),
			folded: folded(&recording, &zip, index),
		}
	});
	Ok(WireAccount { requests: requests.collect() }.into_ts()?)
}

fn folded(recording: &Recording, replay: &Replay, request: usize) -> Vec<String> {
	let here = replay.folded.iter().filter(|folded| folded.request == request);
	here.map(|folded| recording.entries[folded.entry].entry.id.to_string()).collect()
}

pub fn flat(parts: &Parts) -> [f64; 7] {
	let Parts { read, new, expired, ours, others, unexplained, output } = *parts;
	[read, new, expired, ours, others, unexplained, output]
}
