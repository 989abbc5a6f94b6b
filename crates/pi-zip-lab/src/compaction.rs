//! Pi's own compaction, simulated: when it comes, what it keeps, and what its summary costs.
//!
//! By Pi's rules and defaults: a context above the window less a reserve gives way to a summary and the newest messages, cut
//! in front of a message that is no result. The summary is written by a call of its own, which no cache serves and which
//! reads the messages as text, results cut short. Knows no prices.

use pi_zip_core::session::{Body, Slot};

use crate::world::World;

/// Pi's default for `compaction.reserveTokens`.
const RESERVE: f64 = 16_384.0;

/// Pi's default for `compaction.keepRecentTokens`, in estimated tokens.
const KEEP: f64 = 20_000.0;

/// Real tokens of a summary: the median of seven that Pi wrote in recorded sessions (1,300 to 4,900).
pub const SUMMARY: f64 = 3_300.0;

/// Estimated tokens of Pi's prompt for it.
const PROMPT: f64 = 600.0;

/// Estimated tokens of a result that the summariser gets to read: 2,000 characters.
const LONGEST_RESULT: f64 = 500.0;

/// When Pi compacts, and what it keeps then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compaction {
	/// Real tokens above which it compacts.
	pub trigger: f64,
	/// Estimated tokens of the newest messages that it keeps.
	pub keep: f64,
}

impl Compaction {
	/// Pi's defaults for a model with a window of so many tokens.
	pub fn of_window(window: f64) -> Self {
		Self { trigger: window - RESERVE, keep: KEEP }
	}

	/// Compacts what is in view. Real tokens that the summariser reads, or `None` where there is nothing to summarise.
	pub fn compact(&self, world: &mut World, slots: &[Slot]) -> Option<f64> {
		let ratio = world.recording.weights.ratio;
		let cut = self.cut(world, slots)?;
		let read: f64 = slots[..cut].iter().map(|slot| summarised(world, slot)).sum();
		world.compact(slots, cut, SUMMARY);
		Some((PROMPT + read) * ratio)
	}

	/// The first slot that is kept.
	fn cut(&self, world: &World, slots: &[Slot]) -> Option<usize> {
		let can_lead = |slot: &Slot| {
			let body = &world.branch.entries()[slot.entry].body;
			slot.messages > 0 && !matches!(body, Body::ToolResult(_) | Body::System(_) | Body::Compaction { .. })
		};
		let mut kept = 0.0;
		let over = slots.iter().rposition(|slot| {
			kept += estimate(world, slot);
			kept >= self.keep
		})?;
		let cut = (over..slots.len()).chain((0..over).rev()).find(|at| can_lead(&slots[*at]))?;
		slots[..cut].iter().any(can_lead).then_some(cut)
	}
}

fn estimate(world: &World, slot: &Slot) -> f64 {
	world.tokens(slot, 1.0) / world.recording.weights.ratio
}

/// Estimated tokens of what the summariser reads of an entry.
fn summarised(world: &World, slot: &Slot) -> f64 {
	let tokens = estimate(world, slot);
	match &world.branch.entries()[slot.entry].body {
		Body::System(_) => 0.0,
		Body::ToolResult(_) => tokens.min(LONGEST_RESULT),
		Body::Assistant(answer) => {
			let units = f64::from(answer.size.units);
			tokens * units / (units + f64::from(answer.thinking)).max(1.0)
		}
		_ => tokens,
	}
}
