//! The question whether a store of somebody else may be continued.

use super::consent;
use crate::cli::run::agrees;
use crate::cli::stored_runs::not_open;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::StorePlace;
use loopwright_core::store::StoreAddress;

/// The place of a store, if the way to it may be gone.
pub(in crate::cli) fn store_at(store: &StoreAddress, trust: &[String]) -> Result<StorePlace, Exit> {
    StorePlace::at(store, consent(trust)?).map_err(|error| not_open(&error))
}

/// Looks whether a store may be used; it is not opened.
///
/// # Errors
/// It is somebody else's, and nobody says that it may be continued. `command` is the one that asks.
pub(in crate::cli) fn admit_store(store: &StoreAddress, trust: &[String], command: &str) -> Result<(), Exit> {
    let mut place = store_at(store, trust)?;
    if place.is_own() { Ok(()) } else { ask_store(&mut place, command, "") }
}

/// The same for who makes a store where there is none.
pub(in crate::cli) fn store_to_write(
    store: &StoreAddress,
    trust: &[String],
    command: &str,
) -> Result<StorePlace, Exit> {
    let mut place = store_at(store, trust)?;
    if !place.is_own_or_made() {
        ask_store(&mut place, command, "")?;
    }
    Ok(place)
}

/// Asks whether a store of somebody else may be continued; `about` are lines that say what that means.
///
/// # Errors
/// Nobody says so. `command` is the one that asks.
pub(in crate::cli) fn ask_store(place: &mut StorePlace, command: &str, about: &str) -> Result<(), Exit> {
    let shown = place.path().map(screen::path).unwrap_or_default();
    let content = place.content();
    let content = content.map_err(|why| screen::refuse(&format!("{shown}: {}", screen::line(&why))))?;
    let warning = format!("{shown} is not a store that you created here: its runs may be anybody's");
    let question =
        || format!("{warning}, and what they do, they do with your rights.\n{about}Continue with it?");
    if place.is_allowed(&content) || agrees(&question()) {
        place.agree();
        return Ok(());
    }
    screen::say(&format!(
        "{warning}\n{about}look at them with `loopwright runs` and `loopwright show`; to continue with it, run:\n  {command} \
         --trust {content}\n"
    ));
    Err(Exit::Waiting)
}
