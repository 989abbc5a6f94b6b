//! How much of a living cache a request reads that shows something earlier otherwise.

use super::{Kind, Reach};
use crate::session::{Branch, Millis};
use crate::tokens::Calibration;

/// What the cache of a branch holds at a moment.
#[derive(Clone, Debug)]
pub struct Readable<'a> {
	/// Of an explicit cache; an automatic one is read up to the first change.
	reach: Option<Reach>,
	calibration: &'a Calibration,
	now: Millis,
	lifetime: Millis,
}

impl<'a> Readable<'a> {
	/// `lifetime` is that of an entry of the cache, in milliseconds.
	pub fn of(branch: &Branch, calibration: &'a Calibration, kind: Kind, now: Millis, lifetime: Millis) -> Self {
		let reach = (kind == Kind::Explicit).then(|| Reach::of(branch, calibration, now, lifetime));
		Self { reach, calibration, now, lifetime }
	}

	/// Real tokens that are read where `changed` is the first entry that is shown otherwise. `before` are estimated tokens in
	/// front of it, `head` those of the tools and the system text, which are read in any case.
	pub fn up_to(&self, changed: usize, before: u32, head: u32) -> f64 {
		let Some(reach) = &self.reach else { return f64::from(self.calibration.context(before)) };
		let nearest = reach.readable(changed, self.now, self.lifetime);
		nearest.unwrap_or(f64::from(self.calibration.context(head)))
	}
}
