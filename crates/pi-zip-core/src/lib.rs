//! What pi-zip decides, as pure functions of a session: no clock, file, environment, log, JavaScript or serde.
//!
//! Lower modules know nothing of higher ones: `text < session < tokens, classify, cache < prices, pace, need < payback,
//! guard, placeholder < plan, summary`;
//! `recall` and `search` use `text` only.

pub mod cache;
pub mod classify;
pub mod edit;
pub mod folded;
pub mod guard;
pub mod need;
pub mod orphans;
pub mod pace;
pub mod pairing;
pub mod payback;
pub mod placeholder;
pub mod plan;
pub mod prices;
pub mod recall;
pub mod search;
pub mod session;
pub mod situation;
pub mod summary;
pub mod text;
pub mod tokens;
pub mod warming;
