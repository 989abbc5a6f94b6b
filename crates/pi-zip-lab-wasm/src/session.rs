//! A session under policies: one row of a table.

use pi_zip_lab::bill::Bill;
use pi_zip_lab::comparison::{Outcome, returns};
use pi_zip_lab::policy::{KnownRule, bound};
use pi_zip_lab::recording::{Kind, Recording};
use pi_zip_lab::replay::{Replay, replay};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::replayed::Replayed;
use crate::report::{PARTS, flat};

/// What a session cost, and what it would have cost.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireSession {
	/// Answers; refreshes of the cache are not counted.
	pub requests: u32,
	/// Requests after a gap of at least the lifetime.
	pub returns: u32,
	/// Lines of the file that could not be read.
	pub skipped: u32,
	/// `provider/model`, each once, in the order of their first answers.
	pub models: Vec<String>,
	/// When the first request went out and the last one was answered, in milliseconds since the epoch.
	pub first: f64,
	pub last: f64,
	/// Money is in dollars; otherwise in tokens of input.
	pub dollars: bool,
	/// Some requests recorded no cost: theirs is by declared prices, or by those of the cache's class.
	pub estimated: bool,
	/// The use of the cache is simulated where the session was billed.
	pub simulated: bool,
	/// As billed.
	pub billed: f64,
	/// What it was billed for.
	pub bill: Vec<WirePart>,
	/// What the session as it was, folds included, comes to in the simulation: to be held against the policies.
	pub recorded: f64,
	pub policies: Vec<WireOutcome>,
}

/// What tokens of one cause come to.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WirePart {
	pub part: &'static str,
	pub tokens: f64,
	pub money: f64,
}

/// A session under one policy.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireOutcome {
	pub policy: &'static str,
	pub cost: f64,
	pub folds: u32,
	pub misses: u32,
	/// Tokens that recalls brought back.
	pub recalled: f64,
	/// Tokens of the largest request.
	pub peak: f64,
}

impl WireOutcome {
	pub fn new(policy: &'static str, outcome: &Outcome) -> Self {
		let Outcome { cost, folds, misses, recalled, peak, .. } = *outcome;
		Self { policy, cost, folds: folds as u32, misses: misses as u32, recalled, peak }
	}
}

/// Replays the session of a file under plain Pi and pi-zip, and with `all` under the rules that they are measured by.
/// `declared` is what models declare of their prices, in JSON: `provider/model` to a cost as in Pi's `models.json`; it may
/// be empty. Fails where the bytes are no session.
#[wasm_bindgen(js_name = replaySession)]
pub fn replay_session(bytes: &[u8], all: bool, declared: &str) -> Result<Ts<WireSession>, JsError> {
	Ok(session(&Replayed::of(bytes, declared)?, all).into_ts()?)
}

pub fn session(replayed: &Replayed, all: bool) -> WireSession {
	let Replayed { recording, rates, bill, .. } = replayed;
	WireSession {
		requests: recording.requests.iter().filter(|request| request.kind == Kind::Answer).count() as u32,
		returns: returns(recording, rates) as u32,
		skipped: recording.skipped,
		models: models(recording),
		first: recording.requests.first().map_or(0.0, |request| request.sent as f64),
		last: recording.requests.last().map_or(0.0, |request| request.done as f64),
		dollars: rates.is_in_dollars(),
		estimated: bill.requests.iter().any(|account| account.estimated),
		simulated: bill.requests.iter().any(|account| account.simulated),
		billed: bill.money.total() + bill.aside.money,
		bill: parts(bill),
		recorded: bill.recorded + bill.aside.money,
		policies: outcomes(replayed, all),
	}
}

/// Plain Pi and pi-zip, with `all` also the known rule and the bound.
fn outcomes(replayed: &Replayed, all: bool) -> Vec<WireOutcome> {
	let Replayed { recording, rates, bill, plain, zip } = replayed;
	let outcome = |name, replay: &Replay| {
		let outcome = Outcome::from(replay);
		WireOutcome::new(name, &Outcome { cost: outcome.cost + bill.aside.money, ..outcome })
	};
	let mut outcomes = vec![outcome("plain", plain), outcome("pi-zip", zip)];
	if all {
		let known = replay(recording, &mut KnownRule::default(), rates);
		let clairvoyant = bound(recording, rates, &[plain, &known, zip]);
		outcomes.push(outcome("known-rule", &known));
		outcomes.push(outcome("clairvoyant", &clairvoyant));
	}
	outcomes
}

fn parts(bill: &Bill) -> Vec<WirePart> {
	let amounts = flat(&bill.tokens).into_iter().zip(flat(&bill.money));
	let mut parts: Vec<WirePart> =
		PARTS.iter().zip(amounts).map(|(part, (tokens, money))| WirePart { part, tokens, money }).collect();
	parts.push(WirePart { part: "aside", tokens: bill.aside.tokens, money: bill.aside.money });
	parts
}

fn models(recording: &Recording) -> Vec<String> {
	let mut models: Vec<String> = Vec::new();
	for request in &recording.requests {
		let name = format!("{}/{}", request.model.provider, request.model.model);
		if !models.contains(&name) {
			models.push(name);
		}
	}
	models
}
