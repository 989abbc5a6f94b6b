//! Whether it pays to refresh the cache of a session whose user is away.
//!
//! Pi sends the last request once more before the cache expires, if that is cheaper than to write the whole context again
//! times the chance of a return. But a return to a cold cache is folded first: what is written again is smaller, and so
//! is each request after it. From what is believed of the cache and how long the user has stayed away before. Times
//! nothing and refreshes nothing.

use crate::cache::{BINS, EDGES, Survival};
use crate::session::Millis;

/// How often the user came back after a gap, by its bin; the last number is how often not at all.
pub type Returns = [f64; BINS + 1];

/// The chance of a return within one lifetime where nothing is known, as Pi has measured it on its own users, and how
/// many absences that counts for.
const USUAL_RETURN: f64 = 0.15;
const USUAL_RETURN_WEIGHT: f64 = 4.0;

/// Requests that follow the first of a run: the median of recorded runs.
const REQUESTS: f64 = 3.0;

/// Moments of the time to come at which a return is looked at.
const MOMENTS: i64 = 10;

/// A refresh that may be sent now. Tokens are real ones, prices those of a token.
#[derive(Clone, Copy, Debug)]
pub struct Refresh<'a> {
	pub survival: &'a Survival,
	/// Milliseconds since the cache was last touched.
	pub idle: Millis,
	/// Milliseconds since the user's last run came to rest.
	pub away: Millis,
	/// Milliseconds that the refresh would gain by what is declared.
	pub span: Millis,
	pub returns: &'a Returns,
	pub read: f64,
	pub write: f64,
	/// The context as it is, and as a cold return would leave it.
	pub context: f64,
	pub folded: f64,
}

/// What a refresh costs and is worth, in the unit of the prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
	pub cost: f64,
	/// What a return to a cold cache costs more than one to a warm one; negative where folding makes it cheaper.
	pub miss: f64,
	/// The chance that the user returns in time.
	pub returns: f64,
	/// By how much the refresh raises the chance that such a return finds the cache alive.
	pub kept: f64,
}

impl Account {
	pub fn of(refresh: &Refresh) -> Self {
		let Refresh { survival, read, write, context, folded, .. } = *refresh;
		let alive = survival.chance(refresh.idle);
		let later = REQUESTS * read * (context - folded);
		let kept = (0..MOMENTS).map(|moment| {
			let gap = refresh.span * (2 * moment + 1) / (2 * MOMENTS);
			survival.chance(gap) - survival.chance(refresh.idle.saturating_add(gap))
		});
		Self {
			cost: context * (alive * read + (1.0 - alive) * write),
			miss: folded * write - context * read - later,
			returns: chance_of_return(refresh.returns, refresh.away, refresh.span),
			kept: kept.sum::<f64>() / MOMENTS as f64,
		}
	}

	/// Whether the refresh is worth what it costs.
	pub fn pays(&self) -> bool {
		self.returns * self.kept * self.miss >= self.cost
	}
}

/// The chance that a user who has been away for `away` milliseconds returns within the next `span`.
fn chance_of_return(returns: &Returns, away: Millis, span: Millis) -> f64 {
	let until = away.saturating_add(span);
	let (mut soon, mut any) = (USUAL_RETURN * USUAL_RETURN_WEIGHT, USUAL_RETURN_WEIGHT);
	for (bin, from) in EDGES.into_iter().enumerate() {
		let to = EDGES.get(bin + 1).copied().unwrap_or(2 * from);
		// Returns lie evenly in their bin.
		let share = |since: Millis| ((to - since.clamp(from, to)) as f64) / (to - from) as f64;
		soon += returns[bin] * (share(away) - share(until));
		any += returns[bin] * share(away);
	}
	soon / (any + returns[BINS])
}

#[cfg(test)]
mod tests {
	use super::*;

	const MINUTE: Millis = 60_000;
	const NOBODY: Returns = [0.0; BINS + 1];

	/// A five-minute cache shortly before it expires, 100,000 tokens at the prices of an explicit cache.
	fn refresh<'a>(survival: &'a Survival, returns: &'a Returns, folded: f64) -> Refresh<'a> {
		Refresh {
			survival,
			idle: 270_000,
			away: 270_000,
			span: 5 * MINUTE,
			returns,
			read: 0.1,
			write: 1.25,
			context: 100_000.0,
			folded,
		}
	}

	fn returned(bins: &[(usize, f64)]) -> Returns {
		let mut returns = NOBODY;
		for (bin, count) in bins {
			returns[*bin] = *count;
		}
		returns
	}

	#[test]
	fn a_miss_costs_what_is_left_after_folding() {
		let five = Survival::declared(5 * MINUTE);
		let whole = Account::of(&refresh(&five, &NOBODY, 100_000.0));
		// 100,000 tokens read now, against 1.15 of their price more at a return, which one of seven makes in time.
		assert_eq!((whole.cost, whole.miss, whole.returns), (10_000.0, 115_000.0, USUAL_RETURN));
		// In the first thirty seconds of the five minutes it would have lived without.
		assert!((whole.kept - 0.9).abs() < 1e-9);
		assert!(whole.pays());
		let folded = Account::of(&refresh(&five, &NOBODY, 40_000.0));
		// 40,000 written against 100,000 read, and 60,000 less to read in each of three more requests.
		assert!((folded.miss - (50_000.0 - 10_000.0 - 18_000.0)).abs() < 1e-9);
		assert!(!folded.pays());
		assert!(Account::of(&refresh(&five, &NOBODY, 15_000.0)).miss < 0.0, "a cold return is the cheaper one");
	}

	#[test]
	fn whoever_comes_back_soon_is_worth_a_refresh() {
		let five = Survival::declared(5 * MINUTE);
		// Bins of 5, 6 and 8 minutes.
		let soon = returned(&[(5, 10.0), (6, 10.0), (7, 10.0)]);
		let account = Account::of(&refresh(&five, &soon, 40_000.0));
		assert!(account.returns > 0.75 && account.pays(), "{account:?}");
		let never = returned(&[(BINS, 30.0)]);
		let account = Account::of(&refresh(&five, &never, 100_000.0));
		assert!(account.returns < 0.05 && !account.pays(), "{account:?}");
		let before = returned(&[(0, 30.0), (1, 30.0)]);
		assert_eq!(Account::of(&refresh(&five, &before, 100_000.0)).returns, USUAL_RETURN, "those say nothing of now");
	}

	#[test]
	fn a_cache_that_lives_by_itself_or_is_gone_already_needs_none() {
		let hour = Survival::declared(60 * MINUTE);
		let account = Account::of(&refresh(&hour, &NOBODY, 100_000.0));
		assert_eq!(account.kept, 0.0);
		assert!(!account.pays());
		let gone = Survival::declared(2 * MINUTE);
		let account = Account::of(&refresh(&gone, &NOBODY, 100_000.0));
		assert_eq!(account.cost, 125_000.0);
		assert!(!account.pays());
	}
}
