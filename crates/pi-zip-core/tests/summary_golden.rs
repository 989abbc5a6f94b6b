//! The cases of `tests/golden/summary.txt`: sessions, and the fixed part that stands for some of their entries.

mod session_text;
mod summary_cases;

#[test]
fn summaries_say_what_the_cases_say() {
	let failures = summary_cases::failures(include_str!("../../../tests/golden/summary.txt"));
	assert!(failures.is_empty(), "{}", failures.join("\n"));
}
