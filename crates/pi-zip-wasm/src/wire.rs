//! What crosses the boundary: plain structs, `camelCase` on the JavaScript side, with their TypeScript types; and entries,
//! which are many, packed.

mod answer;
mod entry;
mod question;

pub use answer::{WireCache, WireFileCheck, WirePlan, WireSizes, WireStatus};
pub use entry::entries;
pub use question::{WireSettings, WireSituation};
