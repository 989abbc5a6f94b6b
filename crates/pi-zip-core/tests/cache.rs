//! Golden cases of the prompt cache's state and lifetime.

mod cache_cases;
mod timed_session;

#[test]
fn judges_the_golden_sessions() {
	timed_session::check(include_str!("../../../tests/golden/cache.txt"), cache_cases::judged);
}
