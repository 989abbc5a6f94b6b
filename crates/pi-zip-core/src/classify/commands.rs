//! Commands that only read, and the options with which they still do.
//!
//! A command that can write or run something (git, find, file, rg) is known by the options it may have; of the others only
//! those it may not have are listed.

use super::shell::Word;

/// Words that make any command suspect, wherever they stand: options by which one of these tools writes or runs
/// something. Each also forbids what begins with it.
const NEVER: &str = "\
	-delete -exec -ok -fprint -fls -files0-from --output --ext-diff --textconv --pre= --pre- --hostname-bin \
	--search-zip --exec --compile";

/// Words that make any command suspect as they stand.
const NEVER_ALONE: &str = "--pre";

/// Whether a simple command only reads.
pub(super) fn only_reads(words: &[Word]) -> bool {
	let Some((name, words)) = words.split_first() else { return false };
	let suspect = |word: &Word| {
		NEVER.split_ascii_whitespace().any(|start| word.text.starts_with(start)) || word.text == NEVER_ALONE
	};
	if name.quoted || words.iter().any(suspect) {
		return false;
	}
	let options = || words.iter().map(|word| &*word.text).filter(|word| word.starts_with('-') && word.len() > 1);
	match &*name.text {
		"ls" | "cat" | "head" | "wc" | "stat" | "du" | "pwd" | "echo" | "cd" => true,
		"tail" => options().all(|option| !follows(option)),
		"grep" => options().all(|option| !option.starts_with("--") || is_listed(option, GREP_LONG)),
		"rg" => options().all(|option| !unzips(option) && !option.starts_with("--pr") || option == "--pretty"),
		"find" => options().all(|option| is_listed(option, FIND) || is_number(option)),
		"file" => options().all(|option| is_listed(option, FILE)),
		"git" => git(words),
		_ => false,
	}
}

/// `-f` and its kin never end.
fn follows(option: &str) -> bool {
	let long = option.starts_with("--");
	option.starts_with("--f") || option.starts_with("--r") || !long && option.contains(['f', 'F'])
}

/// `-z` runs a program for each compressed file; `--hostname-bin` runs one.
fn unzips(option: &str) -> bool {
	let long = option.starts_with("--");
	option.starts_with("--search-z") || option.starts_with("--host") || !long && option.contains('z')
}

fn git(words: &[Word]) -> bool {
	let mut words = words.iter();
	loop {
		let Some(word) = words.next() else { return false };
		match &*word.text {
			"--no-pager" => {}
			"-C" => {
				if words.next().is_none_or(|folder| folder.text.starts_with('-')) {
					return false;
				}
			}
			"log" | "show" | "diff" | "status" | "blame" | "shortlog" if !word.quoted => break,
			_ => return false,
		}
	}
	words.all(|word| !word.text.starts_with('-') || is_listed(&word.text, GIT) || is_git_number(&word.text))
}

/// `-5`, `-n5`, `-U3`, `-L10,20:file`.
fn is_git_number(option: &str) -> bool {
	let value = ["-n", "-U", "-L", "-"].iter().find_map(|start| option.strip_prefix(start)).unwrap_or_default();
	value.starts_with(|first: char| first.is_ascii_digit())
}

/// `-7`, `-10k`, as in `-mtime -7`.
fn is_number(option: &str) -> bool {
	option[1..].starts_with(|first: char| first.is_ascii_digit())
}

/// Whether `option`, up to a value behind `=`, is in `list`. Abbreviations are not.
fn is_listed(option: &str, list: &str) -> bool {
	let name = option.split_once('=').map_or(option, |(name, _)| name);
	list.split_ascii_whitespace().any(|listed| listed == name)
}

const GREP_LONG: &str = "\
	-- --after-context --basic-regexp --before-context --binary-files --color --colour --context --count \
	--exclude --exclude-dir --extended-regexp --files-with-matches --files-without-match --fixed-strings \
	--ignore-case --include --invert-match --line-number --line-regexp --max-count --no-filename \
	--no-ignore-case --no-messages --null --only-matching --perl-regexp --quiet --recursive --regexp --text \
	--with-filename --word-regexp";

const FIND: &str = "\
	-H -L -P -a -amin -and -atime -cmin -ctime -daystart -depth -empty -executable -false -follow -group \
	-iname -inum -ipath -iregex -links -ls -maxdepth -mindepth -mmin -mount -mtime -name -newer -newermt \
	-noleaf -not -o -or -path -perm -print -print0 -printf -prune -quit -readable -regex -regextype -size \
	-true -type -user -wholename -xdev";

const FILE: &str = "\
	-- -b --brief -i -I -L --dereference --mime --mime-type";

const GIT: &str = "\
	-- --abbrev --abbrev-commit --after --all --author --before --branch --branches --cached --color \
	--committer --cumulative --date --decorate --diff-filter --dirstat --email --find-copies --find-renames \
	--first-parent --follow --format --full-index --graph --grep --histogram --ignore-all-space \
	--ignore-blank-lines --ignore-space-change --ignored --inter-hunk-context --long --max-count --merges \
	--minimal --name-only --name-status --no-color --no-ext-diff --no-merges --no-patch --no-renames \
	--no-textconv --numbered --numstat --oneline --patch --patience --porcelain --pretty --raw --reverse \
	--shortstat --short --since --skip --staged --stat --summary --unified --until --untracked-files \
	--word-diff -M -S -G -b -i -n -p -s -u -w -sb -sn -sne";
