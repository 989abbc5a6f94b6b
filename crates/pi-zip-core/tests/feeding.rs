//! A branch fed whole, in pieces, or after tree moves is the same branch, and everything derived from it is the same.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use pi_zip_core::cache::{Learned, Moment, Retention, state};
use pi_zip_core::session::{
	Assistant, Body, Branch, Call, Entry, ModelKey, Projection, Replacement, Size, StopReason, ToolResult, Usage,
};
use pi_zip_core::tokens::{Calibration, estimated_context};
use proptest::prelude::*;

/// Ids are few, so that they repeat and references hit.
const IDS: u8 = 24;

proptest! {
	#![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

	/// Invariant I8.
	#[test]
	fn i8_feeding_in_pieces_equals_feeding_whole(
		feeds in prop::collection::vec((any::<prop::sample::Index>(), prop::bool::weighted(0.4), entries()), 1..8),
	) {
		let mut fed = Branch::default();
		let mut path: Vec<Entry> = Vec::new();
		for (keep, moves, entries) in feeds {
			if moves {
				let keep = keep.index(path.len() + 1);
				path.truncate(keep);
				fed.truncate(keep);
			}
			path.extend(entries.iter().cloned());
			entries.into_iter().for_each(|entry| fed.push(entry));
			let whole = whole(&path);
			prop_assert_eq!(&fed, &whole);
			prop_assert_eq!(derived(&fed), derived(&whole));
			for entry in &path {
				let first = path.iter().position(|other| other.id == entry.id);
				prop_assert_eq!(fed.find(&entry.id), first);
			}
		}
	}

	#[test]
	fn truncating_to_more_than_there_is_changes_nothing(entries in entries(), beyond in 0usize..9) {
		let mut branch = whole(&entries);
		branch.truncate(entries.len() + beyond);
		prop_assert_eq!(branch, whole(&entries));
	}
}

fn whole(path: &[Entry]) -> Branch {
	let mut branch = Branch::default();
	path.iter().for_each(|entry| branch.push(entry.clone()));
	branch
}

/// Everything that is told from a branch alone, as text, since a report may be no number.
fn derived(branch: &Branch) -> String {
	let projection = Projection::of(branch);
	let moment = Moment {
		now: 1_000_000,
		touched: None,
		model: None,
		retention: Retention::Short,
		declared_short: None,
		declared_long: None,
		lifetime_override: None,
		marks: true,
		learned: Learned::default(),
	};
	let ages: Vec<u32> = (0..branch.entries().len()).map(|index| branch.age(index)).collect();
	let calls: Vec<Option<&Call>> = (0..branch.entries().len()).map(|index| branch.call_of(index)).collect();
	let calibration = Calibration::of(branch, &projection);
	let estimated = estimated_context(branch, &projection);
	format!("{:?}", (projection, branch.turns(), ages, calls, estimated, calibration, state(branch, &moment)))
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
	let entry = (id(), 0i64..2_000_000, body()).prop_map(|(id, at, body)| Entry { id, at, body });
	prop::collection::vec(entry, 0..12)
}

fn id() -> impl Strategy<Value = Box<str>> {
	(0..IDS).prop_map(|id| format!("e{id}").into())
}

fn size() -> impl Strategy<Value = Size> {
	(0u32..50_000, 0u32..2).prop_map(|(units, images)| Size { units, images })
}

fn body() -> impl Strategy<Value = Body> {
	prop_oneof![
		3 => size().prop_map(Body::User),
		6 => assistant().prop_map(Body::Assistant),
		6 => (id(), size()).prop_map(|(call_id, size)| {
			let (tool, digest) = ("bash".into(), None);
			Body::ToolResult(ToolResult { call_id, tool, is_error: false, size, known_blocks: size.images == 0, digest })
		}),
		1 => size().prop_map(Body::System),
		1 => size().prop_map(Body::Custom),
		1 => (size(), any::<bool>()).prop_map(|(size, excluded)| Body::UserBash { size, excluded }),
		1 => prop::option::of(size()).prop_map(Body::BranchSummary),
		1 => (prop::option::of(id()), prop::option::of(size()), size())
			.prop_map(|(first_kept, system, summary)| Body::Compaction { first_kept, system, summary }),
		3 => (id(), replacement()).prop_map(|(target, replacement)| Body::ContextEdit { target, replacement }),
		1 => model().prop_map(Body::CacheTouch),
		1 => prop::collection::vec(id(), 0..3).prop_map(Body::Steering),
		1 => Just(Body::UnknownMessage),
		1 => Just(Body::Inert),
	]
}

fn replacement() -> impl Strategy<Value = Replacement> {
	let content = (size(), any::<bool>()).prop_map(|(size, placeholder)| Replacement::Content { size, placeholder });
	prop_oneof![1 => Just(Replacement::Omitted), 2 => content]
}

fn assistant() -> impl Strategy<Value = Assistant> {
	let stop =
		prop_oneof![6 => Just(StopReason::Completed), 1 => Just(StopReason::Error), 1 => Just(StopReason::Aborted)];
	let calls = prop::collection::vec(id(), 0..3).prop_map(|ids| {
		let call = |id| Call { id, tool: "bash".into(), args: Vec::new(), partial: false };
		ids.into_iter().map(call).collect()
	});
	(size(), 0u32..9_000, calls, stop, model(), prop::option::of(usage())).prop_map(
		|(size, thinking, calls, stop, model, usage)| Assistant {
			size,
			said: size.units,
			thinking,
			calls,
			stop,
			model,
			usage,
		},
	)
}

fn model() -> impl Strategy<Value = ModelKey> {
	(0..2).prop_map(|model| ModelKey { provider: "p".into(), model: format!("m{model}").into() })
}

fn usage() -> impl Strategy<Value = Usage> {
	let tokens = || prop_oneof![8 => 0.0..90_000.0, 1 => Just(-1.0), 1 => Just(1e300)];
	(tokens(), tokens(), tokens(), prop::option::of(tokens())).prop_map(
		|(input, cache_read, cache_write, cache_write_1h)| Usage {
			input,
			output: 1.0,
			cache_read,
			cache_write,
			cache_write_1h,
		},
	)
}
