//! What a recorded session cost, and what it would have cost: the instrument by which decisions about money are measured.
//!
//! Pure: bytes of session files in, figures out. `session_file` reads, `recording` adds requests, real tokens (`weights`)
//! and needs (`need`); `replay` runs a `policy` in its `world` against a `cache_model` at `prices`; `bill` accounts for what
//! was recorded, `validation` compares the simulation with it, and `table` shows policies side by side. Nothing here reads
//! a file, a clock or the environment; the program beside it does.

pub mod bill;
pub mod cache_model;
pub mod compaction;
pub mod comparison;
pub mod declared;
pub mod learning;
pub mod need;
pub mod policy;
pub mod prices;
pub mod rates;
pub mod recording;
pub mod replay;
pub mod session_file;
pub mod table;
pub mod trial;
pub mod validation;
pub mod weights;
pub mod world;
