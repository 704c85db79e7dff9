//! `doctor`: what of a folder and of its stored runs is in order.

mod setup;
mod store;

use std::path::Path;

use serde_json::json;

use self::setup::SetupReport;
use super::args::{DB, Doctor, Format};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::Runs;
use loopwright_core::store::StoreAddress;

pub(super) fn run(args: &Doctor) -> Exit {
    // Who names a store asks after that store alone.
    if let Some(db) = &args.db {
        return stored_runs::look(store_alone(db, args.format));
    }
    match SetupReport::of(args) {
        Ok(setup) => stored_runs::look(whole(&setup, args.format)),
        Err(exit) => exit,
    }
}

/// Examines a store.
async fn store_alone(db: &StoreAddress, format: Format) -> Result<Exit, Exit> {
    let survey = Runs::survey(db).await.map_err(|error| stored_runs::not_open(&error))?;
    let text = match format {
        Format::Human => store::human(db, &survey),
        Format::Json => screen::json(&store::json(&survey)),
    };
    let exit = if survey.is_whole() { Exit::Ok } else { Exit::Findings };
    Ok(screen::print(&text).worse(exit))
}

/// Reports what the folder is set up with, and the store in it, if there is one.
async fn whole(setup: &SetupReport, format: Format) -> Result<Exit, Exit> {
    let db = StoreAddress::from(Path::new(DB));
    // A folder that is a link is refused as by every command.
    let is_link = Path::new(DB).parent().is_some_and(Path::is_symlink);
    let survey = if is_link || Path::new(DB).symlink_metadata().is_ok() {
        Some(Runs::survey(&db).await.map_err(|error| stored_runs::not_open(&error))?)
    } else {
        None
    };
    let text = match (format, &survey) {
        (Format::Human, None) => format!("{}store: no run is stored here\n", setup.human()),
        (Format::Human, Some(survey)) => format!("{}{}", setup.human(), store::human(&db, survey)),
        (Format::Json, survey) => {
            let none = || json!({"whole": true, "wrong": [], "runs": []});
            let mut document = survey.as_ref().map_or_else(none, store::json);
            if let (Some(document), serde_json::Value::Object(setup)) =
                (document.as_object_mut(), setup.json())
            {
                document.extend(setup);
            }
            screen::json(&document)
        }
    };
    let is_whole = setup.is_whole() && survey.is_none_or(|survey| survey.is_whole());
    Ok(screen::print(&text).worse(if is_whole { Exit::Ok } else { Exit::Findings }))
}
