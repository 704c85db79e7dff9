//! Keys: a run uses them, and nobody sees them.

use std::collections::BTreeSet;

use crate::cli::trust::requests;
use crate::cli::{Exit, screen, traces};
use loopwright_core::app::trust::Configuration;
use loopwright_core::app::{file_with_secret, secret};
use loopwright_core::port::{Mask, ProgramText};

/// The cure where a key is in what is stored.
const TAKE_OUT: &str = "remove it; keys belong in the environment only";

/// The mask over the keys that the configuration names. What is printed and sent as a trace is rid of those for a
/// collector, too; of these a run knows nothing.
pub(in crate::cli) fn mask(configuration: &Configuration) -> Mask {
    let keys: BTreeSet<String> = configuration.keys.iter().filter_map(|name| secret(name)).collect();
    let own = traces::secrets();
    let requests = requests(configuration);
    // A file that was not allowed must not choose what is left out of the question about it. What it says itself is no
    // secret.
    let shown = |key: &&String| configuration.trusted || !Mask::new([key.as_str()]).finds(&requests);
    screen::hide(Mask::new(keys.iter().filter(shown).chain(&own).map(String::as_str)));
    warn(configuration);
    Mask::new(keys.iter().map(String::as_str))
}

/// Says which commands are given a key.
fn warn(configuration: &Configuration) {
    let config = &configuration.config;
    let tools = config.tools.iter().map(|tool| ("tools", tool));
    let hooks = config.hooks.iter().map(|hook| ("hooks", &hook.command));
    let servers = config.mcp.iter().filter_map(|server| Some(("mcp", server.command()?)));
    for (table, command) in tools.chain(hooks).chain(servers) {
        if let Some(variable) = configuration.keys.iter().find(|key| command.env.contains(key)) {
            let name = &command.name;
            screen::say(&format!(
                "warning: [{table}.{name}] hands on {variable}, which holds the key of a model; of what the command prints the \
                 key is hidden, but what else it does with it nobody sees\n"
            ));
        }
    }
}

/// Refuses a condition that holds a key: it is stored with the run as well.
pub(super) fn without_key(condition: &str, mask: &Mask) -> Result<(), Exit> {
    if !mask.finds(condition) {
        return Ok(());
    }
    Err(screen::refuse_with(
        "--interrupt-when: the condition contains the key of a model, which would be stored with the run",
        TAKE_OUT,
    ))
}

/// Refuses a graph that holds a key: its text is stored with the run.
pub(super) fn without_keys(text: &ProgramText, mask: &Mask) -> Result<(), Exit> {
    match file_with_secret(text, mask) {
        None => Ok(()),
        Some(name) => {
            let why =
                format!("{name}: the file contains the key of a model, which would be stored with the run");
            Err(screen::refuse_with(&why, TAKE_OUT))
        }
    }
}
