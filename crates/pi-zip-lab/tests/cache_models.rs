//! The cache models, worked out by hand: a session a rule, a request a line.
//!
//! A line is `SECONDS PARTS => USE  # WHY`. A part is `name=tokens`, `name=tokens/blocks` where it has more than one block;
//! the first is the head, with the system's mark. `+` stands for all parts of the line before, `-name` leaves one of
//! them out, `back` sets pi-zip's mark, and a name that comes again with other tokens in it is another content (`r'=10`). Names that begin with `a`
//! are answers. The use is what is read, written and neither; zero where it is not named.

use pi_zip_lab::cache_model::{Automatic, Cache, CacheUse, Explicit, Part, Prompt, Survival, Tier};

#[track_caller]
fn check(mut cache: Cache, session: &str) {
	let mut parts: Vec<Part> = Vec::new();
	for line in session.trim().lines().map(str::trim) {
		let (request, expected) = line.split_once("=>").expect("a use");
		let expected = served(expected.split('#').next().unwrap_or(""));
		let (seconds, words) = request.trim().split_once(' ').expect("a time");
		let now = seconds.parse::<i64>().expect("seconds") * 1_000;
		let before = std::mem::take(&mut parts);
		let reaches_back = words.ends_with(" back");
		for word in words.split_whitespace().filter(|word| *word != "back") {
			match word.strip_prefix('-') {
				_ if word == "+" => parts.clone_from(&before),
				Some(name) => parts.retain(|part| part.key != key(name)),
				None => parts.push(part(word)),
			}
		}
		let found = cache.send(Prompt { scope: 1, parts: &parts, head: 1, reaches_back }, (now, now));
		assert_eq!(found, expected, "{line}");
	}
}

fn part(word: &str) -> Part {
	let (name, size) = word.split_once('=').expect("name=tokens");
	let (tokens, blocks) = size.split_once('/').unwrap_or((size, "1"));
	Part {
		key: key(name),
		origin: key(name),
		tokens: tokens.parse().expect("tokens"),
		blocks: blocks.parse().expect("blocks"),
		is_answer: name.starts_with('a'),
		is_folded: false,
	}
}

fn key(name: &str) -> u64 {
	name.bytes().fold(7, |key, byte| key * 257 + u64::from(byte))
}

fn served(text: &str) -> CacheUse {
	let mut served = CacheUse::default();
	let mut words = text.split_whitespace();
	while let (Some(kind), Some(tokens)) = (words.next(), words.next()) {
		let tokens = tokens.parse().expect("tokens");
		match kind {
			"read" => served.read = tokens,
			"write" => served.write = tokens,
			"hour" => served.write_hour = tokens,
			"input" => served.input = tokens,
			_ => panic!("{kind}"),
		}
	}
	served
}

fn explicit() -> Cache {
	Cache::Explicit(Explicit::new(Tier::Short, 300_000))
}

fn automatic(survival: Survival, holds_answers: bool) -> Cache {
	Cache::Automatic(Automatic::new(survival, 128.0, holds_answers))
}

#[test]
fn explicit_reads_what_the_last_request_wrote() {
	check(
		explicit(),
		"0  s=2000 u=100      => write 2100            # nothing is there
		 10 + a=50 r=350      => read 2100 write 400   # up to the last mark; 50 + 350 new
		 20 + b=60 q=40       => read 2500 write 100
		 30 +                 => read 2600             # the very same request
		 40 s=2000 v=500      => read 2000 write 500   # another conversation finds the system's entry
		 50 t=2000 v=500      => write 2500            # another system prompt finds nothing
		 60 s=2000 u=100 a=50 r=350 b=60 q=40 n=7 => read 2600 write 7  # the first conversation is still there",
	);
}

#[test]
fn explicit_looks_back_twenty_blocks() {
	check(
		explicit(),
		"0  s=2000 u=1000       => write 3000
		 10 + a=10/10 r=500/9   => read 3000 write 510   # 19 blocks back is the twentieth position: found
		 20 + b=10/10 q=500/10  => read 2000 write 2020  # 20 back is out of reach: only the system's entry, 4020 - 2000
		 30 + c=5 p=45          => read 4020 write 50    # what that request wrote is right in front
		 40 + d=10/12 o=90/12   => read 2000 write 2170  # twelve calls and their results: 24 blocks",
	);
}

#[test]
fn a_mark_of_ours_makes_the_last_written_place_readable() {
	check(
		explicit(),
		"0  s=2000 u=1000              => write 3000
		 10 + a=10/10 r=500/10 back    => read 3000 write 510   # 20 back is out of reach without
		 20 + b=10/8 q=500/10 back     => read 3510 write 510   # 18 back is found in any case
		 30 s=2000 u=1000 a=10/10 r'=30/10 c=9/9 back => read 3000 write 49  # r is folded: the first request's end, 29 back
		 400 + d=7/30 back             => write 3056            # expired: a mark there finds nothing
		 410 + e=4/30 back             => read 3056 write 4",
	);
}

#[test]
fn explicit_finds_the_nearest_entry_in_front_of_an_edit() {
	check(
		explicit(),
		"0  s=2000 u=100        => write 2100
		 10 + a=50 r=4000       => read 2100 write 4050
		 20 + b=60 q=40         => read 6150 write 100
		 30 s=2000 u=100 a=50 r'=30 b=60 q=40 c=9 => read 2100 write 189  # r is folded: the end of the first request is 5 back
		 40 + p=11              => read 2289 write 11
		 50 s=2000 u'=90 a=50 r'=30 => read 2000 write 170  # the very first prompt changed: only the system is left",
	);
}

#[test]
fn explicit_entries_have_at_least_1024_tokens() {
	check(
		explicit(),
		"0  s=500 u=523         => input 1023           # too small to be written
		 10 +                   => input 1023
		 20 + a=1               => write 1024           # just large enough; the system alone still is not
		 30 + r=76              => read 1024 write 76
		 40 s=500 v=800         => write 1300           # the system's 500 were never an entry
		 50 s=500 w=100         => input 600",
	);
}

#[test]
fn explicit_entries_live_from_their_last_use() {
	check(
		explicit(),
		"0    s=2000 u=100      => write 2100
		 299  +                 => read 2100            # renewed: now until 599
		 598  +                 => read 2100            # until 898
		 898  +                 => write 2100           # exactly 300 s later it is gone
		 1100 + r=10            => read 2100 write 10   # renews the shorter entry on its way, until 1400
		 1399 s=2000 u=100 v=5  => read 2100 write 5
		 1800 s=2000 w=5        => write 2005           # the system's entry went with the rest",
	);
}

#[test]
fn hour_entries_live_an_hour() {
	check(
		Cache::Explicit(Explicit::new(Tier::Hour, 300_000)),
		"0    s=2000 u=100      => hour 2100
		 3599 + r=50            => read 2100 hour 50    # until 7199
		 7198 +                 => read 2150
		 10798 +                => hour 2150            # exactly an hour later
		 10799 s=2000 v=24      => read 2000 hour 24",
	);
}

#[test]
fn automatic_reads_whole_steps() {
	check(
		automatic(Survival::until(300_000), false),
		"0  s=1000 u=100        => write 1024 input 76         # 8 steps of 128 are 1024
		 10 + a=20 r=200        => read 1024 write 256 input 40 # of 1100, 8 steps were there; 1320 has 10
		 20 +                   => read 1280 input 40
		 30 s=1000 u=100 a=20 r'=500 => read 1024 write 512 input 84 # the same up to 1120: 8 steps; 1620 has 12
		 40 s=1000 u'=23        => input 1023                  # under 1,024 nothing is cached
		 50 s=1000 v=200        => write 1152 input 48         # the same up to 1000: 7 steps, too few to be read",
	);
}

#[test]
fn automatic_finds_a_prefix_however_far_back_it_ends() {
	check(
		automatic(Survival::until(300_000), false),
		"0  s=1280 u=1280 a=10/20 r=1270/20 => write 3840
		 10 s=1280 u=1280 a=10/20 r'=118/20 => read 2560 write 128  # folded 40 blocks back: what is in front is read",
	);
}

#[test]
fn automatic_prefixes_survive_with_a_chance() {
	// 1 up to 300 s, 0.3 at 600 s, 0 from an hour on, straight lines between.
	check(
		automatic(Survival::documented(), false),
		"0    s=1280 u=1280     => write 2560
		 300  +                 => read 2560            # until 300 s certain
		 900  +                 => read 768 write 1792  # 600 s: 0.3 of 2560
		 3000 +                 => read 384 write 2176  # 2100 s is half the way from 600 s to an hour: 0.15
		 7000 +                 => write 2560           # over an hour",
	);
}

#[test]
fn some_automatic_caches_hold_the_answer_too() {
	check(
		automatic(Survival::until(300_000), true),
		"0  s=1280 u=1280       => write 2560
		 10 + a=256 r=128       => read 2816 write 128   # the answer was made there
		 20 + ab=128            => read 3072             # and so was this one",
	);
	check(
		automatic(Survival::until(300_000), false),
		"0  s=1280 u=1280       => write 2560
		 10 + a=256 r=128       => read 2560 write 384
		 20 + ab=128            => read 2944 write 128",
	);
}
