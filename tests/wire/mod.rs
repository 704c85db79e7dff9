//! What goes over the wire to each provider, and what is read of its replies.

mod calls;
mod chat;
mod encoded;
mod random;
mod refusals;
mod replies;
mod requests;
mod world;
