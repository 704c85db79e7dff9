//! The real models of a run.

use std::sync::Arc;

use super::keys;
use crate::cli::args::Ports;
use crate::cli::{Exit, screen};
use crate::config::{ANY_ROLE, Config, ModelTarget};
use crate::diag::{did_you_mean, nearest};
use crate::llm::{Http, Live, Secret};
use crate::port::{Clock, Mask};
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, NameCode};
use crate::value::{Value, digest};

/// The models that the configuration binds, with their keys out of the environment; none where it binds none.
pub(super) fn live(config: &Config, clock: Arc<dyn Clock>) -> Result<Option<Live>, Exit> {
    if config.models.is_empty() {
        return Ok(None);
    }
    let http = Http::new().map_err(|error| screen::refuse(&format!("models cannot be reached: {error}")))?;
    let mut live = Live::new(Arc::new(http), clock);
    for model in &config.models {
        let key = match &model.key {
            None => None,
            Some(variable) => Some(key(&model.role, variable)?),
        };
        live = live.bind(model.clone(), key);
    }
    Ok(Some(live))
}

/// What answers depend on beside the request: with another temperature, say, a model answers anew.
pub(super) fn world(config: &Config) -> String {
    let told = config.models.iter().map(|model| {
        let role = &model.role;
        let ModelTarget { provider, base_url, model, temperature, seed, max_tokens, structured } =
            &model.target;
        format!(
            "{role} {provider:?} {base_url} {model} {temperature:?} {seed:?} {max_tokens:?} {structured:?}\n"
        )
    });
    let told = told.collect::<Vec<_>>().concat();
    digest(&Value::from(told.as_str())).to_string()
}

/// A key out of the environment.
fn key(role: &str, variable: &str) -> Result<Secret, Exit> {
    let Some(found) = keys::key(variable) else {
        return Err(screen::refuse_with(
            &format!("[models.{role}]: the variable {variable} is not set, and the key is to be in it"),
            &format!("export {variable}=…"),
        ));
    };
    if found.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) {
        return Err(screen::refuse(&format!(
            "[models.{role}]: what the variable {variable} holds is no key"
        )));
    }
    if found.len() < Mask::MIN_BYTES {
        let least = Mask::MIN_BYTES;
        return Err(screen::refuse_with(
            &format!(
                "[models.{role}]: what the variable {variable} holds is shorter than {least} characters, and such a key cannot \
                 be hidden"
            ),
            "where the server wants no key, leave `key` out; else give it a longer one",
        ));
    }
    Ok(Secret::new(found))
}

/// Says that a graph asks for a role which nobody serves, and what helps, unless a script answers. A role that is worked out on
/// the way is not known yet.
pub(super) fn unserved(ports: &Ports, program: &Program, config: &Config) -> Option<(String, String)> {
    if ports.script.is_some() {
        return None;
    }
    let bound = || config.models.iter().map(|model| model.role.as_str());
    let (roles, computed) = roles(program);
    let mut missing: Vec<&str> = roles.into_iter().filter(|role| !config.serves(role)).collect();
    missing.sort_unstable();
    missing.dedup();
    let Some(first) = missing.first() else {
        // Whichever roles come of it, nobody serves them.
        return (computed && config.models.is_empty()).then(|| {
            let help = format!(
                "write [models.\"{ANY_ROLE}\"] in loopwright.toml (see docs/models.md), or let a script answer: --script FILE"
            );
            ("the graph asks for models, and none is bound".to_owned(), help)
        });
    };
    let help = nearest(first, bound()).map_or_else(
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

/// Returns true if a program asks models at all.
pub(super) fn asked(program: &Program) -> bool {
    let (named, computed) = roles(program);
    computed || !named.is_empty()
}

/// The roles that a program asks for by name, and whether it works others out.
fn roles(program: &Program) -> (Vec<&str>, bool) {
    let mut computed = false;
    let nodes = program.graphs.iter().flat_map(|graph| graph.nodes.iter());
    let named = nodes.filter_map(|node| match &node.kind {
        LinkedNodeKind::Model(model) => match &model.role {
            NameCode::Fixed(role) => Some(role.as_str()),
            NameCode::Computed(_) => {
                computed = true;
                None
            }
        },
        _ => None,
    });
    (named.collect(), computed)
}
