//! Each fault that the guard knows, planted into a plan that it accepts.

mod session_text;

use pi_zip_core::cache::{Kind, Survival};
use pi_zip_core::guard::{Fault, Refusal, accept};
use pi_zip_core::pace::Stretches;
use pi_zip_core::placeholder::handle;
use pi_zip_core::plan::{Edit, Settings, Situation, plan};
use pi_zip_core::prices::{Prices, Tariff};
use pi_zip_core::session::{Body, Branch, Entry, Projection, Replacement, Size};
use pi_zip_core::situation::Floor;
use pi_zip_core::tokens::Calibration;

const SESSION: &str = "
u1 user 10
a1 answer 10
  c1 bash command=make
  c2 grep pattern=x
  c3 zip_recall handle=@r9
  c4 read path=a.png
  c8 read path=b.rs
r1 result c1 2000
r2 result c2 2000
r3 result c3 2000
r4 result c4 2000 odd
r8 result c8 2000
u2 user 10
a2 answer 10
  c5 bash command=make
  c6 grep pattern=x
  c7 bash command=make
r5 result c5 2000
r6 result c6 2000
r7 result c7 2000
e7 edit r7 100
u3 user 10
";

const FLOOR: Floor = Floor { warm: 0, age: 0, working_set: 0, recalled: 0, head: 0 };
const COLD: Situation = Situation {
	warm: 0.0,
	survival: Survival::NONE,
	stretches: Stretches { count: 0.0, requests: 0.0 },
	now: 0,
	lifetime: 300_000,
	kind: Kind::Automatic,
	tariff: Tariff { base: Prices { input: 1.0, output: 5.0, read: 0.1, write: 1.25 }, tier: None },
	recallable: true,
	sees_images: true,
	trigger: None,
	keep: 0,
};
const CALIBRATION: Calibration = Calibration { factor: 1.0, constant: 0.0, from_reports: true };

struct Case {
	branch: Branch,
	edits: Vec<Edit>,
	situation: Situation,
	settings: Settings,
}

impl Case {
	fn new() -> Self {
		let branch = session_text::branch(SESSION);
		let settings = Settings { fold_min: 500, target: 1_000, in_turn_age: 4, floor: FLOOR, ..Settings::default() };
		let edits = plan(&branch, &Projection::of(&branch), &CALIBRATION, &settings, &COLD, &[]).edits;
		Self { branch, edits, situation: COLD, settings }
	}

	fn judge(&self) -> Result<(), Refusal> {
		let projection = Projection::of(&self.branch);
		accept(&self.branch, &projection, &CALIBRATION, &self.edits, &self.settings, &self.situation, &[])
	}

	/// Makes the request a warm one.
	fn warm(&mut self) {
		self.situation.warm = 1.0;
	}

	/// Puts one of our edits behind the newest answer.
	fn edit_last(&mut self) {
		let replacement = Replacement::Content { size: Size::default(), placeholder: true };
		self.branch.push(Entry {
			id: "e8".into(),
			at: 0,
			body: Body::ContextEdit { target: "r4".into(), replacement },
		});
	}

	/// Points the last edit at another entry, with all that names it in order.
	fn aim(&mut self, id: &str) {
		let entry = self.branch.find(id).expect("the session holds it");
		let projection = Projection::of(&self.branch);
		let slot = projection.slots().iter().find(|slot| slot.entry == entry).expect("it is in view");
		let last = self.edits.pop().expect("something was folded");
		self.edits.retain(|edit| edit.entry < entry);
		let handle = handle(id);
		let placeholder = last.placeholder.replace(&last.handle, &handle);
		self.edits.push(Edit { entry, position: slot.position, handle, placeholder, ..last });
	}
}

#[test]
fn an_untouched_plan_is_accepted() {
	let case = Case::new();
	let ids: Vec<_> = case.edits.iter().map(|edit| &*case.branch.entries()[edit.entry].id).collect();
	assert_eq!(ids, ["r1", "r2", "r3", "r8", "r6"]);
	assert_eq!(case.judge(), Ok(()));
}

#[test]
fn each_planted_fault_is_refused() {
	type Plant = fn(&mut Case);
	let cases: [(&str, Plant, Fault); 20] = [
		(
			"warm and small",
			|case| {
				case.warm();
				case.settings.floor.warm = 20_000;
			},
			Fault::Small,
		),
		(
			"warm and edited in the last request",
			|case| {
				case.warm();
				case.edit_last();
			},
			Fault::Twice,
		),
		("at the head of an automatic cache", |case| case.settings.floor.head = 8_192, Fault::Head),
		("young", |case| case.settings.floor.age = 2, Fault::Young),
		(
			"young for a warm request, two user turns ago though it is",
			|case| {
				case.warm();
				case.edits.truncate(1);
				case.settings.floor.age = 99;
			},
			Fault::Young,
		),
		("a file that is being worked on", |case| case.settings.floor.working_set = 2, Fault::WorkingSet),
		("out of order", |case| case.edits.swap(0, 1), Fault::Disordered),
		("twice", |case| case.edits.insert(0, case.edits[0].clone()), Fault::Disordered),
		("not on the branch", |case| case.edits[4].entry = 9_999, Fault::NotInView),
		("wrong position", |case| case.edits[0].position += 1, Fault::NotInView),
		("a prompt", |case| case.aim("u2"), Fault::NoResult),
		("an answer", |case| case.aim("a2"), Fault::NoResult),
		("edited before", |case| case.aim("r7"), Fault::Edited),
		("blocks of an unknown kind", |case| case.aim("r4"), Fault::Unknown),
		(
			"a recalled text in use",
			|case| {
				case.aim("r3");
				case.settings.floor.recalled = 3;
			},
			Fault::Recall,
		),
		("another text", |case| case.edits[0].placeholder = "(output removed)".to_owned(), Fault::NoPlaceholder),
		("another handle", |case| case.edits[0].handle = handle("r2"), Fault::NoPlaceholder),
		("a long text", |case| case.edits[0].placeholder += &"x".repeat(9_000), Fault::NotSmaller),
		("a protected turn", |case| case.aim("r5"), Fault::Protected),
		("no recall", |case| case.situation.recallable = false, Fault::Unreachable),
	];
	for (name, plant, fault) in cases {
		let mut case = Case::new();
		plant(&mut case);
		assert_eq!(case.judge().map_err(|refusal| refusal.fault), Err(fault), "{name}");
	}
}

#[test]
fn an_entry_without_an_id_is_refused() {
	let mut case = Case::new();
	let mut branch = Branch::default();
	for (index, entry) in case.branch.entries().iter().enumerate() {
		let id = if index == case.edits[0].entry { "".into() } else { entry.id.clone() };
		branch.push(Entry { id, ..entry.clone() });
	}
	case.branch = branch;
	assert_eq!(case.judge().map_err(|refusal| refusal.fault), Err(Fault::Unaddressable));
}

#[test]
fn one_unacceptable_edit_voids_the_set_and_is_named() {
	let mut case = Case::new();
	case.aim("r5");
	let refusal = case.judge().expect_err("it is in the previous turn");
	assert_eq!(refusal.entry, case.branch.find("r5"));
	assert_eq!(refusal.to_string(), format!("entry {}: target in a protected turn", refusal.entry.unwrap_or(0)));
}
