//! Policies that decide nothing: what was recorded, and Pi without any folds.

use super::{Moment, Policy};
use crate::recording::Recording;
use crate::world::{Fold, World};

/// The session as it was, folds included.
pub struct AsRecorded;

impl Policy for AsRecorded {
	fn name(&self) -> &'static str {
		"as recorded"
	}

	fn keeps_recorded(&self) -> bool {
		true
	}

	fn reaches_back(&self, recording: &Recording) -> bool {
		recording.declares_ours
	}

	fn edits(&mut self, _: &World, _: &Moment) -> Vec<Fold> {
		Vec::new()
	}
}

/// Pi alone: recorded folds are undone.
pub struct Plain;

impl Policy for Plain {
	fn name(&self) -> &'static str {
		"plain"
	}

	fn edits(&mut self, _: &World, _: &Moment) -> Vec<Fold> {
		Vec::new()
	}
}
