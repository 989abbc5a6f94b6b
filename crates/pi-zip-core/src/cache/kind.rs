//! Whether a prompt cache is explicit or automatic: by how it is asked for and what the reports show, never by whether
//! writes are billed, since there are automatic caches that bill them.

use crate::session::Usage;

/// APIs whose requests carry cache marks.
const MARKING_APIS: [&str; 2] = ["anthropic-messages", "bedrock-converse-stream"];

/// Reports with reads and no writes after which marks count as ignored: a relay that speaks the API in front of a cache
/// of its own. The first report of a session may read what another session wrote.
const IGNORED_REPORTS: usize = 2;

/// How a prefix gets into the cache, and how a request finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
	/// Entries stand at marked blocks; one is looked for at and shortly in front of each mark.
	Explicit,
	/// Every prefix that was sent can be read, up to the first difference.
	Automatic,
}

impl Kind {
	/// `marks` says whether requests carry cache marks: see [`carries_marks`]. `reports` are those of one model.
	pub fn of<'a>(marks: bool, reports: impl IntoIterator<Item = &'a Usage>) -> Self {
		if !marks {
			return Self::Automatic;
		}
		let mut unwritten = 0;
		for usage in reports.into_iter().filter(|usage| usage.request().is_some()) {
			if usage.cache_write > 0.0 {
				return Self::Explicit;
			}
			unwritten += usize::from(usage.cache_read > 0.0);
		}
		if unwritten >= IGNORED_REPORTS { Self::Automatic } else { Self::Explicit }
	}
}

/// Whether requests of an API carry cache marks. Some models of other APIs take them as well, which only Pi's model list
/// tells.
pub fn carries_marks(api: &str) -> bool {
	MARKING_APIS.contains(&api)
}

#[cfg(test)]
mod tests {
	use super::*;

	fn report(cache_read: f64, cache_write: f64) -> Usage {
		Usage { input: 10.0, output: 10.0, cache_read, cache_write, cache_write_1h: None }
	}

	#[test]
	fn the_api_decides_and_the_reports_correct_it() {
		let read = report(9_000.0, 0.0);
		let written = report(9_000.0, 200.0);
		let kind = |api: &str, reports: &[Usage]| Kind::of(carries_marks(api), reports);
		assert_eq!(kind("anthropic-messages", &[]), Kind::Explicit);
		assert_eq!(kind("anthropic-messages", &[read, written]), Kind::Explicit);
		assert_eq!(
			kind("bedrock-converse-stream", &[read]),
			Kind::Explicit,
			"one report may read another session's cache"
		);
		assert_eq!(kind("anthropic-messages", &[report(0.0, 0.0); 9]), Kind::Explicit, "nothing shown");
		assert_eq!(kind("anthropic-messages", &[read, read]), Kind::Automatic, "a relay that ignores marks");
		assert_eq!(kind("openai-responses", &[written, written]), Kind::Automatic, "billed writes");
		assert_eq!(kind("openai-completions", &[]), Kind::Automatic);
	}
}
