//! The only crate that knows JavaScript: wire structs, conversion, errors. It decides nothing.
//!
//! One stateful object, [`Core`], takes the branch and answers questions about it; recall pages, searches and orphan
//! results are free functions. Wire structs are plain (an internally tagged enum costs thirty times as much at the
//! boundary) and hold no output text: a text crosses once, through [`Core::digest`].

mod core;
mod learning;
mod orphans;
mod panic;
mod recall;
mod summary;
mod wire;

pub use self::core::Core;
