//! What goes over the wire to each provider, and what is read of its replies.

mod calls;
mod chat;
mod encoded;
mod media;
mod random;
mod reasoning;
mod refusals;
mod replies;
mod requests;
mod usage;
mod world;
