//! The stateful object: the branch as far as it was fed, and the questions that JavaScript asks about it.

use std::cell::OnceCell;

use pi_zip_core::cache::{self, Asked, EDGES, Outlook, Retention};
use pi_zip_core::edit::Edit;
use pi_zip_core::folded::{self, Folded};
use pi_zip_core::guard;
use pi_zip_core::payback::Payback;
use pi_zip_core::placeholder::digest;
use pi_zip_core::plan::{self, Figures, Settings, Situation};
use pi_zip_core::prices::{Prices, Tariff};
use pi_zip_core::session::{Body, Branch, Entry, Millis, Projection, Size};
use pi_zip_core::text::units;
use pi_zip_core::tokens::{Calibration, estimated, estimated_context};
use pi_zip_core::warming::{Account, Refresh};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::learning::{observation, returns_of};
use crate::wire::{self, WireCache, WireFileCheck, WirePlan, WireSettings, WireSituation, WireSizes, WireStatus};

/// The core of one session.
#[wasm_bindgen]
pub struct Core {
	settings: Settings,
	pub(crate) branch: Branch,
	/// What is derived from the branch, once it was asked for.
	view: OnceCell<View>,
	/// The newest plan's.
	edits: Vec<Edit>,
	/// What the newest plan was made from, and its reason.
	figures: Vec<f64>,
	reason: Option<String>,
}

struct View {
	projection: Projection,
	calibration: Calibration,
}

#[wasm_bindgen]
impl Core {
	#[wasm_bindgen(constructor)]
	pub fn new(settings: Ts<WireSettings>) -> Result<Self, JsError> {
		Ok(Self {
			settings: settings.to_rust()?.into(),
			branch: Branch::default(),
			view: OnceCell::new(),
			edits: Vec::new(),
			figures: Vec::new(),
			reason: None,
		})
	}

	/// Sets what a cold return aims at, in real tokens; the default where nothing is given. Returns what holds.
	#[wasm_bindgen(js_name = aimAt)]
	pub fn aim_at(&mut self, target: Option<u32>) -> u32 {
		self.settings.target = target.unwrap_or(Settings::default().target);
		self.settings.target
	}

	/// Keeps the first `keep` entries of the branch and puts others behind them, packed as `wire.ts` does it, the texts as
	/// UTF-8.
	pub fn sync(&mut self, keep: u32, numbers: &[f64], texts: &[u8]) -> Result<(), JsError> {
		let unreadable = || JsError::new("entries do not read as they were packed");
		let entries = wire::entries(numbers, std::str::from_utf8(texts)?).ok_or_else(unreadable)?;
		self.branch.truncate(keep as usize);
		self.view.take();
		entries.into_iter().for_each(|entry| self.branch.push(entry));
		Ok(())
	}

	/// Positions of outputs whose text [`Core::digest`] is to be given: those in view, which may be folded, or on the
	/// `whole` branch, of which a summary tells.
	pub fn wanted(&self, whole: bool) -> Vec<u32> {
		let entries = self.branch.entries();
		let mut wanted = if whole {
			(0..entries.len() as u32).collect()
		} else {
			self.view().projection.slots().iter().map(|slot| slot.entry as u32).collect::<Vec<_>>()
		};
		wanted.retain(|&index| self.lacks_digest(&entries[index as usize].body));
		wanted
	}

	/// Takes note of the output text at a position, given as UTF-8, and keeps a digest of it. `images` says what its images
	/// are; empty where it has none.
	pub fn digest(&mut self, index: u32, text: &[u8], images: &str) -> Result<(), JsError> {
		let index = index as usize;
		let text = std::str::from_utf8(text)?;
		if let Some(Entry { body: Body::ToolResult(result), .. }) = self.branch.entries().get(index) {
			let mut digest = digest(&result.tool, result.is_error, text, self.settings.key_lines);
			digest.images = images.into();
			self.branch.set_digest(index, digest);
		}
		Ok(())
	}

	/// Files to look at before [`Core::plan`], the most valuable first; none where nothing would be folded.
	#[wasm_bindgen(unchecked_return_type = "WireFileCheck[]")]
	pub fn checks(&self, situation: Ts<WireSituation>) -> Result<JsValue, JsError> {
		let (_, situation) = self.judge(&situation.to_rust()?);
		let View { projection, calibration } = self.view();
		let checks = plan::checks(&self.branch, projection, calibration, &self.settings, &situation);
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

	/// The plan of a request. `unchanged` are the positions of those checks whose file still reads
	/// the same. What the guard refuses comes back with its reason, and has no edits. The edits are asked for by
	/// [`Core::edit_numbers`] and [`Core::edit_texts`]: a struct for each of thousands takes longer than the plan.
	pub fn plan(&mut self, situation: Ts<WireSituation>, unchanged: &[u32]) -> Result<Ts<WirePlan>, JsError> {
		let (cache, situation) = self.judge(&situation.to_rust()?);
		let View { projection, calibration } = self.view();
		let unchanged: Vec<usize> = unchanged.iter().map(|&index| index as usize).collect();
		let plan = plan::plan(&self.branch, projection, calibration, &self.settings, &situation, &unchanged);
		let refusal =
			guard::accept(&self.branch, projection, calibration, &plan.edits, &self.settings, &situation, &unchanged)
				.err();
		let refused = refusal.map(|refusal| format!("refused: {refusal}"));
		let reason = refused.clone().unwrap_or_else(|| plan.reason.to_string());
		let figures = numbers(&plan.figures, &situation.tariff);
		let answer = WirePlan {
			cache,
			before: plan.before,
			after: if refused.is_some() { plan.before } else { plan.after },
			target: plan.target,
			messages: projection.messages(),
			factor: calibration.factor,
			reason: reason.clone(),
		};
		(self.figures, self.reason) = (figures, Some(reason));
		self.edits = if refused.is_some() { Vec::new() } else { plan.edits };
		Ok(answer.into_ts()?)
	}

	/// What the newest plan was made from, in this order. Tokens are real ones; prices and money are in the unit of the
	/// model's prices (dollars per million tokens, or ratios to input where it declares none), money times tokens.
	///
	/// Prices of input, output, reads and writes; the size above which they are dearer, or zero; tokens by which a request
	/// grows; requests since the cache was last lost, and those that are expected before it is lost again; outputs that may
	/// be folded and are worth it. Of the best edit, made or not: tokens that it takes out of the view, tokens that are
	/// written again for it, recalls that it would lead to by the mean; what it saves in this request, in later ones, by a
	/// later compaction and by reaching the dearer prices later; what recalls and the rewrite cost. Requests after which
	/// it is worth looking again.
	pub fn figures(&self) -> Vec<f64> {
		self.figures.clone()
	}

	/// The newest plan's edits, six numbers each: position of the tool result on the branch, index of its message in the
	/// projection, real tokens that the view loses, and the lengths of its handle, subject and placeholder in
	/// [`Core::edit_texts`], in UTF-16 units.
	#[wasm_bindgen(js_name = editNumbers)]
	pub fn edit_numbers(&self) -> Vec<u32> {
		let numbers = self.edits.iter().flat_map(|edit| {
			let [handle, subject, placeholder] =
				[&edit.handle, &edit.subject, &edit.placeholder].map(|text| units(text));
			[edit.entry as u32, edit.position, edit.tokens, handle, subject, placeholder]
		});
		numbers.collect()
	}

	/// Handle, subject (what produced the output, for the user to read) and placeholder of each edit, joined.
	#[wasm_bindgen(js_name = editTexts)]
	pub fn edit_texts(&self) -> String {
		self.edits.iter().flat_map(|edit| [&*edit.handle, &edit.subject, &edit.placeholder]).collect()
	}

	/// What the answer of the time `at` shows of the cache, as numbers for [`observe`](crate::learning::observe); empty
	/// where that is nothing. `touched` is when the request before it ended, `edited` the position of the first entry that
	/// its request showed otherwise than that one.
	pub fn evidence(
		&self,
		situation: Ts<WireSituation>,
		at: f64,
		touched: Option<f64>,
		edited: Option<u32>,
	) -> Result<Vec<f64>, JsError> {
		let moment = situation.to_rust()?.moment();
		let is_it = |entry: &Entry| entry.at == at as Millis && matches!(entry.body, Body::Assistant(_));
		let Some(answer) = self.branch.entries().iter().rposition(is_it) else { return Ok(Vec::new()) };
		let outlook = cache::state(&self.branch, &moment);
		let stated = cache::lifetime(&self.branch, &moment);
		let touched = touched.map(|at| at as Millis);
		let asked = Asked { answer, touched, edited: edited.map(|entry| entry as usize), kind: outlook.kind };
		let View { projection, calibration } = self.view();
		let evidence = cache::evidence(&self.branch, projection, calibration, &asked).zip(stated.prior());
		let is_long = stated.retention == Retention::Long;
		Ok(evidence.map_or_else(Vec::new, |(evidence, prior)| observation(&evidence, is_long, prior)))
	}

	/// Whether it pays to refresh the cache while the user is away. `away` is how long they have been, in milliseconds,
	/// `returns` how often they came back by bin. `warm` and `miss` are the costs of a refresh and a miss as Pi reckons them,
	/// with the whole context.
	#[wasm_bindgen(js_name = refreshPays)]
	pub fn refresh_pays(
		&mut self,
		situation: Ts<WireSituation>,
		away: f64,
		returns: &[f64],
		warm: f64,
		miss: f64,
	) -> Result<bool, JsError> {
		let wire = situation.to_rust()?;
		let outlook = cache::state(&self.branch, &wire.moment());
		let (folded, _) = self.foldable(self.judge(&wire).1);
		let View { projection, calibration } = self.view();
		let context = f64::from(calibration.context(estimated_context(&self.branch, projection))).max(1.0);
		let refresh = Refresh {
			survival: &outlook.survival,
			idle: outlook.idle,
			away: away as Millis,
			span: cache::lifetime(&self.branch, &wire.moment()).millis.unwrap_or(0),
			returns: &returns_of(returns),
			read: warm / context,
			write: (warm + miss) / context,
			context,
			folded: (context - f64::from(folded.tokens)).max(0.0),
		};
		Ok(Account::of(&refresh).pays())
	}

	/// For each bin of gaps the chance that the cache lives as long as its beginning, and how many returns were seen in it.
	pub fn survival(&self, situation: Ts<WireSituation>) -> Result<Vec<f64>, JsError> {
		let moment = situation.to_rust()?.moment();
		let Outlook { survival, lifetime, .. } = cache::state(&self.branch, &moment);
		let bins = moment.learned.of(lifetime.retention).bins.iter().zip(EDGES);
		Ok(bins.flat_map(|(bin, from)| [survival.chance(from), bin.seen]).collect())
	}

	/// Real tokens that the next request reads of the cache, if it lives, where the entry at the position `changed` is the
	/// first that it shows otherwise than the last one did.
	#[wasm_bindgen(js_name = readUpTo)]
	pub fn read_up_to(&self, situation: Ts<WireSituation>, changed: u32) -> Result<f64, JsError> {
		let (_, situation) = self.judge(&situation.to_rust()?);
		let View { projection, calibration } = self.view();
		Ok(plan::read_up_to(&self.branch, projection, calibration, &situation, changed as usize))
	}

	/// What `/zip` shows.
	pub fn status(&mut self, situation: Ts<WireSituation>) -> Result<Ts<WireStatus>, JsError> {
		let wire = situation.to_rust()?;
		let (cache, situation) = self.judge(&wire);
		let (foldable, first_foldable) = self.foldable(situation);
		let View { projection, calibration } = self.view();
		let sizes = |folded: Folded| WireSizes { count: folded.count, tokens: calibration.real(folded.tokens) };
		let status = WireStatus {
			cache,
			context: calibration.context(estimated_context(&self.branch, projection)),
			factor: calibration.factor,
			from_reports: calibration.from_reports,
			folded: sizes(folded::folded(&self.branch, projection)),
			folded_ever: sizes(folded::folded_ever(&self.branch)),
			foldable,
			first_foldable,
			recalls: folded::recalls(&self.branch),
			reason: self.reason.clone(),
		};
		Ok(status.into_ts()?)
	}
}

impl Core {
	/// What a cold return would fold at least, and the id of the first of it: the prompt that it brings opens a turn
	/// of its own, and files are not looked at.
	fn foldable(&mut self, situation: Situation) -> (WireSizes, Option<String>) {
		let length = self.branch.entries().len();
		self.branch.push(Entry { id: Box::default(), at: Millis::default(), body: Body::User(Size::default()) });
		let projection = Projection::of(&self.branch);
		let calibration = Calibration::of(&self.branch, &projection);
		let cold = Situation { warm: 0.0, ..situation };
		let plan = plan::plan(&self.branch, &projection, &calibration, &self.settings, &cold, &[]);
		self.branch.truncate(length);
		let first = plan.edits.first().map(|edit| self.branch.entries()[edit.entry].id.to_string());
		(WireSizes { count: plan.edits.len() as u32, tokens: plan.before.saturating_sub(plan.after) }, first)
	}

	fn view(&self) -> &View {
		self.view.get_or_init(|| {
			let projection = Projection::of(&self.branch);
			let calibration = Calibration::of(&self.branch, &projection);
			View { projection, calibration }
		})
	}

	/// Whether an output has no digest, and is large enough that it may be folded one day or tells of a failure that a
	/// summary names. The estimate is taken as it is, since what the provider reports later can only make it larger.
	fn lacks_digest(&self, body: &Body) -> bool {
		let Body::ToolResult(result) = body else { return false };
		let largest = f64::from(estimated(result.size)) * Calibration::LARGEST_FACTOR;
		let tells = result.is_error || largest > f64::from(self.settings.fold_min);
		result.digest.is_none() && result.known_blocks && tells
	}

	fn judge(&self, wire: &WireSituation) -> (WireCache, Situation) {
		let outlook = cache::state(&self.branch, &wire.moment());
		let hour = outlook.lifetime.retention == Retention::Long;
		let situation = Situation {
			warm: outlook.warm,
			survival: outlook.survival,
			stretches: wire.stretches(),
			now: wire.now as Millis,
			lifetime: outlook.lifetime.millis.unwrap_or(0),
			kind: outlook.kind,
			tariff: Tariff::of(wire.tariff(), outlook.kind, hour),
			recallable: wire.recallable,
			sees_images: !wire.blind,
			trigger: wire.trigger,
			keep: wire.keep.unwrap_or(0),
		};
		(outlook.into(), situation)
	}
}

/// See [`Core::figures`].
fn numbers(figures: &Figures, tariff: &Tariff) -> Vec<f64> {
	let Figures { growth, behind, ahead, candidates, offer, payback, again } = *figures;
	let Prices { input, output, read, .. } = tariff.base;
	let tier = tariff.tier.map_or(0.0, |tier| tier.above);
	let (behind, candidates, again) = (f64::from(behind), f64::from(candidates), f64::from(again));
	let Payback { now, later, compaction, tier: dearer, recalls, rewrite } = payback;
	let edit = [offer.saved, offer.rewritten, offer.recalls, now, later, compaction, dearer, recalls, rewrite];
	let prices = [input, output, read, tariff.base.anew(), tier];
	[&prices[..], &[growth, behind, ahead, candidates], &edit, &[again]].concat()
}
