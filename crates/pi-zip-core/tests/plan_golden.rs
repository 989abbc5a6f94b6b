//! The cases of `tests/golden/plan.txt`: sessions and what is folded in them.

mod plan_cases;
mod session_text;

#[test]
fn plans_fold_what_the_cases_say() {
	let cases = include_str!("../../../tests/golden/plan.txt");
	let failures = plan_cases::failures(cases);
	assert!(failures.is_empty(), "{}", failures.join("\n"));
}
