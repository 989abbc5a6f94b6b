//! What crosses the boundary: plain structs, `camelCase` on the JavaScript side, with their TypeScript types.

mod answer;
mod entry;
mod question;

pub use answer::{WireCache, WireFileCheck, WirePlan, WireSizes, WireStatus};
pub use entry::WireEntry;
pub use question::{WireSettings, WireSituation};
