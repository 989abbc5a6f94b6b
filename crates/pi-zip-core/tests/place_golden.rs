//! The golden cases of handles, commands, digests and placeholders.

mod place_cases;

fn holds(failures: Vec<String>) {
	assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn handles_are_those_of_version_0_2() {
	holds(place_cases::handles(include_str!("../../../tests/golden/handles.txt")));
}

#[test]
fn commands_only_read_where_the_cases_say() {
	holds(place_cases::commands(include_str!("../../../tests/golden/commands.txt")));
}

#[test]
fn one_unsafe_token_spoils_any_command() {
	let commands = include_str!("../../../tests/golden/commands.txt");
	holds(place_cases::unsafe_tokens(commands, include_str!("../../../tests/golden/unsafe-tokens.txt")));
}

#[test]
fn digests_keep_what_the_cases_say() {
	holds(place_cases::digests(include_str!("../../../tests/golden/digests.txt")));
}

#[test]
fn placeholders_read_as_the_cases_say() {
	holds(place_cases::placeholders(include_str!("../../../tests/golden/placeholders.txt")));
}
