//! The stateful object: the branch as far as it was fed, and the questions that JavaScript asks about it.

use pi_zip_core::cache::{self, State};
use pi_zip_core::guard;
use pi_zip_core::placeholder::digest;
use pi_zip_core::plan::{self, Plan, Settings, Situation};
use pi_zip_core::savings::{self, Folded, Prices};
use pi_zip_core::session::{Body, Branch, Entry, Millis, Projection, Size};
use pi_zip_core::tokens::{Calibration, estimated, estimated_context};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::wire::{
	WireCache, WireEdit, WireEntry, WireFileCheck, WirePlan, WirePrices, WireSettings, WireSituation, WireSizes,
	WireStatus,
};

/// The core of one session.
#[wasm_bindgen]
pub struct Core {
	settings: Settings,
	branch: Branch,
}

#[wasm_bindgen]
impl Core {
	#[wasm_bindgen(constructor)]
	pub fn new(settings: Ts<WireSettings>) -> Result<Self, JsError> {
		Ok(Self { settings: settings.to_rust()?.into(), branch: Branch::default() })
	}

	/// Keeps the first `keep` entries of the branch and puts `entries` behind them. Returns the positions whose output
	/// text is wanted by [`Core::digest`].
	pub fn sync(
		&mut self,
		keep: u32,
		#[wasm_bindgen(unchecked_param_type = "WireEntry[]")] entries: JsValue,
	) -> Result<Vec<u32>, JsError> {
		let entries: Vec<WireEntry> = serde_wasm_bindgen::from_value(entries)?;
		self.branch.truncate(keep as usize);
		let mut wanted = Vec::new();
		for wire in entries {
			let entry = Entry::from(wire);
			if self.is_digested(&entry.body) {
				wanted.push(self.branch.entries().len() as u32);
			}
			self.branch.push(entry);
		}
		Ok(wanted)
	}

	/// Takes note of the output text at a position, and keeps a digest of it.
	pub fn digest(&mut self, index: u32, text: &str) {
		let index = index as usize;
		if let Some(Entry { body: Body::ToolResult(result), .. }) = self.branch.entries().get(index) {
			let digest = digest(&result.tool, result.is_error, text, self.settings.key_lines);
			self.branch.set_digest(index, digest);
		}
	}

	/// Files to look at before [`Core::plan`], the most valuable first; none where nothing would be folded.
	#[wasm_bindgen(unchecked_return_type = "WireFileCheck[]")]
	pub fn checks(&self, situation: Ts<WireSituation>) -> Result<JsValue, JsError> {
		let (_, situation) = self.judge(&situation.to_rust()?);
		let projection = Projection::of(&self.branch);
		let calibration = Calibration::of(&self.branch, &projection);
		let checks = plan::checks(&self.branch, &projection, &calibration, &self.settings, &situation);
		let checks: Vec<_> = checks
			.into_iter()
			.map(|(entry, check)| WireFileCheck {
				entry: entry as u32,
				path: check.path.into(),
				offset: check.offset,
				limit: check.limit,
			})
			.collect();
		Ok(serde_wasm_bindgen::to_value(&checks)?)
	}

	/// The plan of the run that is about to start. `unchanged` are the positions of those checks whose file still reads
	/// the same. What the guard refuses comes back without edits, and with its reason.
	pub fn plan(&self, situation: Ts<WireSituation>, unchanged: &[u32]) -> Result<Ts<WirePlan>, JsError> {
		let (cache, situation) = self.judge(&situation.to_rust()?);
		let projection = Projection::of(&self.branch);
		let calibration = Calibration::of(&self.branch, &projection);
		let unchanged: Vec<usize> = unchanged.iter().map(|&index| index as usize).collect();
		let plan = plan::plan(&self.branch, &projection, &calibration, &self.settings, &situation, &unchanged);
		let refusal =
			guard::accept(&self.branch, &projection, &plan.edits, &self.settings, &situation, &unchanged).err();
		let refused = refusal.map(|refusal| format!("refused: {refusal}"));
		let answer = WirePlan {
			cache,
			before: plan.before,
			after: if refused.is_some() { plan.before } else { plan.after },
			target: plan.target,
			messages: projection.messages(),
			factor: calibration.factor,
			reason: refused.clone().unwrap_or_else(|| plan.reason.to_string()),
			edits: if refused.is_some() { Vec::new() } else { edits(plan) },
		};
		Ok(answer.into_ts()?)
	}

	/// What `/zip` shows. `prices` are the model's, where it declares any.
	pub fn status(
		&mut self,
		situation: Ts<WireSituation>,
		prices: Option<Ts<WirePrices>>,
	) -> Result<Ts<WireStatus>, JsError> {
		let (cache, situation) = self.judge(&situation.to_rust()?);
		let prices = prices.map(|prices| prices.to_rust()).transpose()?;
		let projection = Projection::of(&self.branch);
		let calibration = Calibration::of(&self.branch, &projection);
		let sizes = |folded: Folded| WireSizes { count: folded.count, tokens: calibration.real(folded.tokens) };
		let status = WireStatus {
			cache,
			context: calibration.context(estimated_context(&self.branch, &projection)),
			factor: calibration.factor,
			from_reports: calibration.from_reports,
			folded: sizes(savings::folded(&self.branch, &projection)),
			folded_ever: sizes(savings::folded_ever(&self.branch)),
			foldable: self.foldable(situation),
			recalls: savings::recalls(&self.branch),
			saved: prices.and_then(|prices| savings::saved(&self.branch, &calibration, &Prices::from(prices))),
		};
		Ok(status.into_ts()?)
	}
}

impl Core {
	/// What a cold return would fold at least: the prompt that it brings opens a turn of its own, and files are not
	/// looked at.
	fn foldable(&mut self, situation: Situation) -> WireSizes {
		let length = self.branch.entries().len();
		self.branch.push(Entry { id: Box::default(), at: Millis::default(), body: Body::User(Size::default()) });
		let projection = Projection::of(&self.branch);
		let calibration = Calibration::of(&self.branch, &projection);
		let cold = Situation { cold: true, ..situation };
		let plan = plan::plan(&self.branch, &projection, &calibration, &self.settings, &cold, &[]);
		self.branch.truncate(length);
		WireSizes { count: plan.edits.len() as u32, tokens: plan.before.saturating_sub(plan.after) }
	}

	/// Whether an output is large enough that it may be folded one day. The estimate is taken as it is, since what the
	/// provider reports later can only make it larger.
	fn is_digested(&self, body: &Body) -> bool {
		let Body::ToolResult(result) = body else { return false };
		let largest = f64::from(estimated(result.size)) * Calibration::LARGEST_FACTOR;
		result.text_only && largest > f64::from(self.settings.fold_min)
	}

	fn judge(&self, wire: &WireSituation) -> (WireCache, Situation) {
		let (state, lifetime) = cache::state(&self.branch, &wire.moment());
		let cold = matches!(state, State::Cold { .. });
		let situation = Situation { cold, recallable: wire.recallable, trigger: wire.trigger };
		((state, lifetime).into(), situation)
	}
}

fn edits(plan: Plan) -> Vec<WireEdit> {
	let edits = plan.edits.into_iter().map(|edit| WireEdit {
		entry: edit.entry as u32,
		position: edit.position,
		handle: edit.handle,
		placeholder: edit.placeholder,
		subject: edit.subject,
		tokens: edit.tokens,
	});
	edits.collect()
}
