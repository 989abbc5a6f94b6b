//! A recorded session as the lab replays it: entries, requests in time, and the real tokens of each part.

use pi_zip_core::placeholder::{KEY_LINES, digest};
use pi_zip_core::session::{Body, Millis, ModelKey, StopReason, Usage};

use crate::need::Needs;
use crate::session_file::{Cost, Recorded, SessionFile};
use crate::weights::{Weights, weigh};

/// Outputs up to this many UTF-16 units are never folded by any policy, so that their digest is not taken.
const SMALLEST_DIGESTED: u32 = 600;

/// A session and what is derived from it once, whatever the policy.
#[derive(Debug)]
pub struct Recording {
	/// Root to leaf.
	pub entries: Vec<Recorded>,
	/// Lines of the file that could not be read.
	pub skipped: u32,
	/// In the order in which they were answered.
	pub requests: Vec<Request>,
	/// The recall tool is declared: the session ran with pi-zip.
	pub declares_ours: bool,
	pub weights: Weights,
	pub needs: Needs,
}

/// One call of the provider that the session tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
	/// Index of the entry that it led to: an answer, or the note of a refresh.
	pub entry: usize,
	pub kind: Kind,
	/// When it went out.
	pub sent: Millis,
	/// When its answer was complete.
	pub done: Millis,
	pub model: ModelKey,
	/// The report, where it makes sense.
	pub usage: Option<Usage>,
	/// Dollars as recorded.
	pub cost: Option<Cost>,
	/// It is the first of a run: a user's message came in front of it.
	pub opens_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
	Answer,
	/// Pi's own, which keeps an idle cache alive: the last request once more.
	Refresh,
}

impl Request {
	/// Tokens that the provider counted in the request, read from the cache or not.
	pub fn reported(&self) -> Option<f64> {
		self.usage?.request()
	}
}

impl Recording {
	pub fn of(file: SessionFile) -> Self {
		let SessionFile { branch: mut entries, skipped } = file;
		for recorded in &mut entries {
			if let Body::ToolResult(result) = &mut recorded.entry.body
				&& result.size.units > SMALLEST_DIGESTED
			{
				result.digest = Some(digest(&result.tool, result.is_error, &recorded.text, KEY_LINES));
			}
		}
		let requests = requests(&entries);
		let weights = weigh(&entries, &requests);
		let needs = Needs::of(&entries);
		Self {
			declares_ours: entries.iter().any(|recorded| recorded.declares_ours),
			entries,
			skipped,
			requests,
			weights,
			needs,
		}
	}

	/// Milliseconds between the end of the request before and the start of this one; zero for the first.
	pub fn idle(&self, request: usize) -> Millis {
		let before = request.checked_sub(1).map(|before| self.requests[before].done);
		before.map_or(0, |done| (self.requests[request].sent - done).max(0))
	}
}

fn requests(entries: &[Recorded]) -> Vec<Request> {
	let mut requests: Vec<Request> = Vec::new();
	let mut prompted = false;
	for (index, recorded) in entries.iter().enumerate() {
		let (kind, model, usage) = match &recorded.entry.body {
			Body::User(_) | Body::Custom(_) => {
				prompted = true;
				continue;
			}
			Body::Assistant(answer) if is_billed(answer.stop, answer.usage) => {
				(Kind::Answer, &answer.model, answer.usage.filter(|usage| usage.request().is_some()))
			}
			Body::CacheTouch(model) => {
				(Kind::Refresh, model, recorded.refreshed.filter(|usage| usage.request().is_some()))
			}
			_ => continue,
		};
		let done = recorded.written.max(recorded.entry.at);
		let opens_run = kind == Kind::Answer && std::mem::take(&mut prompted);
		let sent = recorded.entry.at;
		let cost = recorded.cost;
		requests.push(Request { entry: index, kind, sent, done, model: model.clone(), usage, cost, opens_run });
	}
	requests
}

/// Whether an answer stands for a request that was answered: one that failed or was aborted counts only with a report.
fn is_billed(stop: StopReason, usage: Option<Usage>) -> bool {
	stop == StopReason::Completed || usage.is_some_and(|usage| usage.request().is_some())
}
