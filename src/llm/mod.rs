//! Models: real and scripted ones, and a cache in front of any.
//!
//! - [`Live`]: models behind HTTP.
//! - [`Scripted`]: models, tools and people that answer what a script says.
//! - [`Cached`]: gives equal requests equal answers, where the graph allows it.

mod cache;
mod live;
mod scripted;

pub use cache::Cached;
#[cfg(feature = "models")]
pub use live::Http;
pub use live::{ConnectionError, HttpReply, HttpRequest, Live, ReplyBody, Transport};
pub use scripted::{Scripted, read_script};

pub use crate::wire::Secret;
