//! A session request by request, with what each token was: what a report draws.

use pi_zip_lab::bill::Parts;
use pi_zip_lab::recording::{Kind, Recording};
use pi_zip_lab::replay::{Billed, Replay};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::replayed::Replayed;
use crate::session::{WireSession, session};

/// The parts of a bill, in the order in which they cross.
pub const PARTS: [&str; 7] = ["read", "new", "expired", "ours", "others", "unexplained", "output"];

/// A session with its requests, in the order in which they were answered.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireReport {
	pub session: WireSession,
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

/// Replays the session of a file under all policies, and gives its requests one by one. Arguments and failures as for
/// [`replay_session`](crate::replay_session).
#[wasm_bindgen(js_name = reportSession)]
pub fn report_session(bytes: &[u8], declared: &str) -> Result<Ts<WireReport>, JsError> {
	let replayed = Replayed::of(bytes, declared)?;
	let requests = (0..replayed.recording.requests.len()).map(|index| request(&replayed, index)).collect();
	Ok(WireReport { session: session(&replayed, true), requests }.into_ts()?)
}

fn request(replayed: &Replayed, index: usize) -> WireRequest {
	let Replayed { recording, rates, bill, plain, zip } = replayed;
	let request = &recording.requests[index];
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
		folded: folded(recording, zip, index),
	}
}

fn folded(recording: &Recording, replay: &Replay, request: usize) -> Vec<String> {
	let here = replay.folded.iter().filter(|folded| folded.request == request);
	here.map(|folded| recording.entries[folded.entry].entry.id.to_string()).collect()
}

pub fn flat(parts: &Parts) -> [f64; 7] {
	let Parts { read, new, expired, ours, others, unexplained, output } = *parts;
	[read, new, expired, ours, others, unexplained, output]
}
