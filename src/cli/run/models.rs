//! Words for models that cannot be asked.

use crate::cli::args::Ports;
use crate::cli::{Exit, screen};
use loopwright_core::app::{ModelsError, Unserved, unserved};
use loopwright_core::config::{ANY_ROLE, Config};
use loopwright_core::diag::did_you_mean;
use loopwright_core::program::Program;

/// The refusal of models that cannot be asked, with what helps.
pub(super) fn refuse(error: &ModelsError) -> Exit {
    match error.help() {
        Some(help) => screen::refuse_with(&error.to_string(), &help),
        None => screen::refuse(&error.to_string()),
    }
}

/// Says that a graph asks for a role which nobody serves, and what helps, unless a script answers.
pub(super) fn unserved_role(ports: &Ports, program: &Program, config: &Config) -> Option<(String, String)> {
    if ports.script.is_some() || config.replay.is_some() {
        return None;
    }
    let (missing, near) = match unserved(program, config)? {
        Unserved::Roles { missing, near } => (missing, near),
        Unserved::Computed => {
            let help = format!(
                "write [models.\"{ANY_ROLE}\"] in loopwright.toml (see docs/models.md), or let a script answer: --script FILE"
            );
            return Some(("the graph asks for models, and none is bound".to_owned(), help));
        }
    };
    let first = missing.first().map_or("", |role| role.as_str());
    let help = near.map_or_else(
        || {
            format!(
                "write [models.{first}] in loopwright.toml, or [models.\"{ANY_ROLE}\"] for every role (see docs/models.md), \
                 or let a script answer: --script FILE"
            )
        },
        |near| {
            format!("the configuration has [models.{near}]; {}", did_you_mean(&format!("[models.{first}]")))
        },
    );
    let list = missing.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ");
    Some((format!("no model serves {list}"), help))
}
