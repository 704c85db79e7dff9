//! Models: scripted ones, and a cache in front of any.
//!
//! - [`Scripted`]: models, tools and people that answer what a script says.
//! - [`Cached`]: gives equal requests equal answers, where the graph allows it.

mod cache;
mod scripted;

pub use cache::Cached;
pub use scripted::{Scripted, read_script};
