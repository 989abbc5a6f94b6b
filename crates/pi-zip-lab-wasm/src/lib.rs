//! The lab for JavaScript: bytes of a session file in, figures out. It converts and decides nothing.
//!
//! A module of its own beside the one that Pi loads, so that what Pi loads stays small.

mod panic;
mod replayed;
mod report;
mod session;

pub use report::{WireReport, report_session};
pub use session::{WireSession, replay_session};
