//! The question whether a configuration is allowed, and the words where it is not.

use std::fmt::Write as _;

use super::configuration::trust_words;
use super::notes;
use crate::cli::run::agrees;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::{
    Admitted, Configuration, ConfigurationFile, NotAllowed, Note, NoteChange, Wants,
};

/// Settles what counts of a configuration. A person at the terminal is asked for what was not allowed.
///
/// # Errors
/// The run needs what was not allowed. What is to be done about it was reported.
pub(in crate::cli) fn admit(configuration: Configuration, wants: &Wants<'_>) -> Result<Configuration, Exit> {
    let admitted = configuration.admit(wants, is_agreed_to);
    let Admitted { configuration, without } = admitted.map_err(|refused| refuse(&refused))?;
    if let Some(file) = configuration.file.as_ref().filter(|_| !without.is_empty()) {
        let list: Vec<String> = without.iter().map(|reach| screen::asked(&reach.to_string())).collect();
        screen::say(&format!(
            "note: {} was not allowed, so this has no effect: {}\nto see it all and allow it, run: loopwright trust {}\n",
            screen::path(&file.path),
            list.join("; "),
            screen::line(&trust_words(&file.path)),
        ));
    }
    Ok(configuration)
}

/// The requests of a file, line by line, and how they differ from what was allowed.
pub(super) fn summary(file: &ConfigurationFile) -> String {
    let path = screen::path(&file.path);
    let mut summary = format!("{path} asks for nothing beyond its folder\n");
    if !file.reaches.is_empty() {
        summary = format!("{path}:\n");
    }
    for reach in &file.reaches {
        let _ = writeln!(summary, "  {}", screen::asked(&reach.to_string()));
    }
    let now = file.note();
    let noted = file.noted(&notes()).filter(|noted| noted.digest != now.digest);
    summary + &noted.map(|noted| difference(&noted, &now)).unwrap_or_default()
}

/// The difference between what was allowed and what is there now.
fn difference(noted: &Note, now: &Note) -> String {
    let mut text = "it changed since it was allowed:\n".to_owned();
    for change in noted.changes(now) {
        let (what, about) = match change {
            NoteChange::New(ask) => ("new", ask),
            NoteChange::Gone(ask) => ("gone", ask),
            NoteChange::File(name) => ("changed", name),
            NoteChange::Text => ("changed", "its text, but not what it asks for"),
        };
        let _ = writeln!(text, "  {what}: {}", screen::asked(about));
    }
    text
}

/// Asks the person at the terminal, and notes a yes.
pub(super) fn is_agreed_to(file: &ConfigurationFile) -> bool {
    let question = format!("{}Allow all of it, until one of these files changes?", summary(file));
    if !agrees(&question) {
        return false;
    }
    if let Err(why) = file.allow(&notes()) {
        screen::say(&format!("warning: it is allowed for this command alone: {}\n", screen::line(&why)));
    }
    true
}

fn refuse(refused: &NotAllowed) -> Exit {
    let path = screen::path(&refused.file.path);
    let mut text = format!("{path} was not allowed, and this run needs what it asks for:\n");
    for reach in &refused.reaches {
        let _ = writeln!(text, "  {}", screen::asked(&reach.to_string()));
    }
    let _ = writeln!(
        text,
        "to see it all and allow it, run:\n  loopwright trust {}",
        screen::line(&trust_words(&refused.file.path))
    );
    screen::say(&text);
    Exit::Waiting
}
