//! What pi-zip really does: the very planner and guard that run in Pi, asked as Pi asks them.

use pi_zip_core::cache::{self, Kind, Retention};
use pi_zip_core::guard;
use pi_zip_core::pace::Stretches;
use pi_zip_core::plan::{self, Settings, Situation};
use pi_zip_core::prices;
use pi_zip_core::session::{Projection, Size};
use pi_zip_core::text::units;
use pi_zip_core::tokens::{Calibration, estimated};

use super::{DECLARATION_TOKENS, Moment, Policy};
use crate::prices::Prices;
use crate::recording::Recording;
use crate::world::{Fold, World};

/// Real tokens of the declarations of our tools, at most.
const DECLARED: f64 = DECLARATION_TOKENS;

/// The prices as the planner takes them.
fn tariff(prices: &Prices) -> prices::Tariff {
	let of = |one: &Prices| prices::Prices { input: one.input, output: one.output, read: one.read, write: one.write };
	let tier = prices.above.as_ref().map(|tier| prices::Tier { above: tier.size, prices: of(&tier.prices) });
	prices::Tariff { base: of(prices), tier }
}

#[derive(Default)]
pub struct Shipped {
	settings: Settings,
	/// The next request of a run at which it is worth looking.
	again: usize,
}

impl Shipped {
	pub fn new(settings: Settings) -> Self {
		Self { settings, again: 0 }
	}
}

impl Policy for Shipped {
	fn name(&self) -> &'static str {
		"shipped"
	}

	fn declared(&self) -> f64 {
		DECLARED
	}

	fn reaches_back(&self, _: &Recording) -> bool {
		true
	}

	fn edits(&mut self, world: &World, moment: &Moment) -> Vec<Fold> {
		if !moment.opens_run && moment.request < self.again {
			return Vec::new();
		}
		let request = &world.recording.requests[moment.request];
		let declared = moment.belief.and_then(|belief| belief.declared);
		let asked = cache::Moment {
			now: request.sent,
			touched: None,
			model: Some(request.model.clone()),
			retention: Retention::Short,
			declared_short: declared.map(|(short, _)| short),
			declared_long: declared.map(|(_, long)| long),
			lifetime_override: moment.belief.is_none().then_some(moment.lifetime),
			learned: moment.belief.map_or_else(cache::Learned::default, |belief| belief.learned),
			marks: cache::carries_marks(&world.recording.entries[request.entry].api),
		};
		let branch = &world.branch;
		let outlook = cache::state(branch, &asked);
		let projection = Projection::of(branch);
		let calibration = Calibration::of(branch, &projection);
		let situation = Situation {
			warm: outlook.warm,
			survival: outlook.survival,
			stretches: Stretches::default(),
			now: request.sent,
			lifetime: outlook.lifetime.millis.unwrap_or(0),
			kind: if moment.is_explicit { Kind::Explicit } else { Kind::Automatic },
			tariff: tariff(moment.prices),
			recallable: true,
			sees_images: true,
			trigger: moment.compaction.map(|compaction| compaction.trigger as u32),
			keep: moment.compaction.map_or(0, |compaction| compaction.keep as u32),
		};
		let unchanged: Vec<usize> = plan::checks(branch, &projection, &calibration, &self.settings, &situation)
			.into_iter()
			.filter(|(entry, check)| world.is_unchanged(&check.path, *entry))
			.map(|(entry, _)| entry)
			.collect();
		let plan = plan::plan(branch, &projection, &calibration, &self.settings, &situation, &unchanged);
		if guard::accept(branch, &projection, &calibration, &plan.edits, &self.settings, &situation, &unchanged)
			.is_err()
		{
			return Vec::new();
		}
		self.again = moment.request + plan.figures.again as usize;
		plan.edits
			.iter()
			.map(|edit| {
				let units = units(&edit.placeholder);
				let tokens = f64::from(estimated(Size { units, images: 0 })) * world.recording.weights.ratio;
				Fold { entry: edit.entry, tokens, units }
			})
			.collect()
	}
}
