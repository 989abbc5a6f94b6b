//! Whatever a session holds, its fixed part stays within its length, quotes within the texts, and cuts no pair apart.

use pi_zip_core::pairing::orphan_results;
use pi_zip_core::session::{
	Assistant, Body, Branch, Call, Entry, ModelKey, Projection, Replacement, Size, StopReason, ToolResult,
};
use pi_zip_core::summary::{ARGUMENTS, Ask, Part, Source, cut, fixed};
use pi_zip_core::text::units;
use proptest::prelude::*;

fn size() -> impl Strategy<Value = Size> {
	prop_oneof![0u32..100, 0..50_000u32].prop_map(|units| Size { units, images: units % 3 / 2 })
}

fn call() -> impl Strategy<Value = Call> {
	let tools = ["bash", "read", "edit", "grep", "zip_recall"];
	let names = ["command", "path", "file_path", "pattern", "other"];
	(0..4usize, 0..tools.len(), 0..names.len(), "[a-z😀 ]{0,12}", any::<bool>()).prop_map(
		move |(id, tool, name, value, partial)| Call {
			id: id.to_string().into(),
			tool: tools[tool].into(),
			args: vec![(names[name].into(), value.repeat(40).into())],
			partial,
		},
	)
}

fn body() -> impl Strategy<Value = Body> {
	let model = || ModelKey { provider: "p".into(), model: "m".into() };
	let result = (0..4usize, size(), any::<bool>(), 0..5usize).prop_map(|(id, size, is_error, tool)| {
		Body::ToolResult(ToolResult {
			call_id: id.to_string().into(),
			tool: ["bash", "read", "edit", "grep", "zip_recall"][tool].into(),
			is_error,
			size,
			known_blocks: size.images == 0,
			digest: None,
		})
	});
	let answer = (size(), prop::collection::vec(call(), 0..4), any::<bool>()).prop_map(move |(size, calls, failed)| {
		let stop = if failed { StopReason::Aborted } else { StopReason::Completed };
		Body::Assistant(Assistant { size, said: size.units, thinking: 0, calls, stop, model: model(), usage: None })
	});
	prop_oneof![
		4 => result,
		3 => answer,
		2 => size().prop_map(Body::User),
		1 => size().prop_map(Body::Custom),
		1 => size().prop_map(|size| Body::BranchSummary(Some(size))),
		1 => size().prop_map(|summary| Body::Compaction { first_kept: Some("0".into()), system: None, summary }),
		1 => (0..20usize).prop_map(|at| Body::ContextEdit { target: at.to_string().into(), replacement: Replacement::Omitted }),
		1 => Just(Body::Inert),
	]
}

fn branch() -> impl Strategy<Value = Branch> {
	prop::collection::vec(body(), 1..60).prop_map(|bodies| {
		let mut branch = Branch::default();
		for (number, body) in bodies.into_iter().enumerate() {
			branch.push(Entry { id: number.to_string().into(), at: 0, body });
		}
		branch
	})
}

proptest! {
	#[test]
	fn the_fixed_part_fits_and_quotes_what_is_there(branch in branch(), until in 0..70usize, most in 2_000..40_000u32) {
		let fixed = fixed(&branch, &Ask { from: 0, until, own: &[], units: most });
		let mut length = 0;
		for part in &fixed.parts {
			match part {
				Part::Words(words) => length += units(words),
				Part::Quote(source, span) => {
					length += span.len();
					let (entry, whole) = match source {
						Source::Text(entry) => (*entry, match &branch.entries()[*entry].body {
							Body::User(size) | Body::BranchSummary(Some(size)) => size.units,
							Body::Compaction { summary, .. } => summary.units,
							Body::Assistant(answer) if answer.calls.is_empty() => answer.size.units,
							other => panic!("{other:?} is quoted"),
						}),
						Source::Argument { entry, call, name } => {
							let Body::Assistant(answer) = &branch.entries()[*entry].body else { panic!("no answer") };
							let call = &answer.calls[*call];
							(*entry, call.arg(ARGUMENTS[*name]).map_or(8_192, units))
						}
					};
					prop_assert!(entry < until && span.end <= whole, "{source:?} {span:?} of {whole}");
				}
			}
		}
		// Headings with their counts come on top.
		prop_assert!(length <= most + 9 * 60, "{length} units of {most}");
	}

	#[test]
	fn a_cut_parts_no_pair(branch in branch(), wanted in 0..60usize) {
		let mut branch = branch;
		let before = orphan_results(&branch, &Projection::of(&branch));
		if let Some(place) = cut(&branch, 0, wanted) {
			prop_assert!(0 < place && place <= wanted);
			let id = branch.entries()[place].id.clone();
			let body = Body::Compaction { first_kept: Some(id), system: None, summary: Size::default() };
			branch.push(Entry { id: "end".into(), at: 0, body });
			let after = orphan_results(&branch, &Projection::of(&branch));
			for orphan in after.iter().filter(|orphan| !before.contains(orphan)) {
				// What was hidden by an older compaction comes back into view as it stands on the branch.
				let Body::ToolResult(result) = &branch.entries()[*orphan].body else { panic!("no result") };
				let call = branch.entries()[..*orphan].iter().rposition(|entry| {
					matches!(&entry.body, Body::Assistant(it) if it.calls.iter().any(|call| call.id == result.call_id))
				});
				prop_assert!(call.is_none_or(|call| call >= place), "{orphan} lost its call at {call:?}, cut at {place}");
			}
		}
	}
}
