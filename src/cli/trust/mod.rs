//! The questions and words about what a folder asks for; the [application layer](loopwright_core::app::trust) decides what counts.

mod admit;
mod command;
mod configuration;
mod grants;
mod store;

pub(super) use admit::admit;
pub(super) use command::{TrustArgs, run};
pub(super) use configuration::{
    choose, find, find_named, find_with_servers, is_trusted_in, policy, requests,
};
pub(super) use grants::{ask_grant, given, missing_grants, missing_tool_grant, say_granted};
pub(super) use store::{admit_store, ask_store, store_at, store_to_write};

use std::sync::{Arc, LazyLock};

use super::{Exit, screen};
use loopwright_core::app::mcp::UserLogins;
use loopwright_core::app::trust::{Consent, Digests, Notes, NotesWarning};
use loopwright_core::tool::mcp::McpLogins;

/// The user's notes.
static NOTES: LazyLock<Notes> = LazyLock::new(|| Notes::new(warn));

fn warn(warning: NotesWarning<'_>) {
    let text = match warning {
        NotesWarning::Foreign(why) => {
            format!("what was allowed before does not count: {}", screen::line(why))
        }
        NotesWarning::StoreNotNoted(why) => {
            format!("the next command will ask whether this store is yours: {}", screen::line(why))
        }
    };
    screen::say(&format!("warning: {text}\n"));
}

/// The user's notes. Where they may be anybody's that is reported once.
pub(super) fn notes() -> Notes {
    NOTES.clone()
}

/// The user's logins at MCP servers; none where there is no place for them.
pub(super) fn logins() -> Option<Arc<dyn McpLogins>> {
    let folder = NOTES.folder()?.clone();
    Some(Arc::new(UserLogins::of(folder)))
}

/// The consents that count for this command, with the digests of its flags `--trust`.
pub(super) fn consent(flags: &[String]) -> Result<Consent, Exit> {
    let digests = Digests::with_environment(flags).map_err(|error| screen::refuse(&error.to_string()))?;
    Ok(Consent { notes: notes(), digests })
}

/// The consents that the user noted, and no others.
fn noted_consent() -> Consent {
    Consent { notes: notes(), digests: Digests::default() }
}
