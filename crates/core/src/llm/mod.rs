//! Models: real and scripted ones, and a cache in front of any.
//!
//! - [`Live`]: models over HTTP.
//! - [`Scripted`]: models, tools and people that answer what a script says.
//! - [`Cached`]: gives equal requests equal answers, where the graph allows it.
//!
//! # Why
//! - Only answers that fit their schema are cached, and a second attempt always asks the model: a bad answer must not
//!   come back for ever.
//! - A run with a role that no model serves does not begin, nor continue where it was stored: the first call may come
//!   late. A computed role is known only when it is asked for, so its call fails with `denied`.
//! - Servers that run a model locally are asked not to cut a prompt: otherwise they leave out what has no room, and nobody
//!   knows.

mod cache;
mod fit;
mod live;
mod scripted;

pub use cache::Cached;
#[cfg(feature = "models")]
pub use live::Http;
pub use live::{ConnectionError, HttpReply, HttpRequest, Live, Paces, ReplyBody, Transport};
pub use scripted::{Scripted, read_script};

pub use crate::wire::Secret;
