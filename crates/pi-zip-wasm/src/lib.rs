//! The only crate that knows JavaScript: wire structs, conversion, errors. It decides nothing.

mod orphans;
mod recall;
