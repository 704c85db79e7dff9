//! The requests of a folder, and what its user allowed.
//!
//! A configuration, a command and a store may come from whoever wrote the folder. Each has a digest; what was allowed
//! is noted with it in the [user's own folder](super::state), so that what changed is asked for again.

mod admit;
mod choice;
mod command;
mod configuration;
mod digests;
mod grants;
mod ground;
mod note;
mod seal;
mod showable;
mod store;

pub(super) use admit::Wants;
pub(super) use choice::Choice;
pub(super) use command::{TrustArgs, run};
pub(super) use configuration::Configuration;
pub(super) use digests::{Digests, digest};
pub(super) use grants::Grants;
pub(super) use store::StorePlace;

use std::sync::OnceLock;

use super::screen;
use super::state::State;

/// The user's notes. Where they may be anybody's that is reported once, and nothing in them counts.
fn notes() -> Option<&'static State> {
    static NOTES: OnceLock<Option<State>> = OnceLock::new();
    let find = || {
        State::of_user().unwrap_or_else(|why| {
            screen::say(&format!(
                "warning: what was allowed before does not count: {}\n",
                screen::line(&why)
            ));
            None
        })
    };
    NOTES.get_or_init(find).as_ref()
}
