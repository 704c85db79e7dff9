//! The models that a configuration binds for the roles of a graph.

#[cfg(feature = "models")]
mod live;
#[cfg(feature = "models")]
mod test;

#[cfg(feature = "models")]
pub use live::ModelsError;
#[cfg(feature = "models")]
pub(super) use live::live;
#[cfg(feature = "models")]
pub use test::{TestedEntry, test_models};

use crate::config::Config;
#[cfg(feature = "models")]
use crate::config::ModelTarget;
use crate::diag::nearest;
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, NameCode};
use crate::value::Str;
#[cfg(feature = "models")]
use crate::value::{Value, digest};

/// Roles that a graph asks for and nobody serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unserved {
    /// Roles of the graph, sorted.
    Roles {
        /// The roles.
        missing: Vec<Str>,
        /// The role of the configuration that is spelled nearly as the first one.
        near: Option<Str>,
    },
    /// Roles that are worked out on the way, and none at all is bound.
    Computed,
}

/// The roles that nobody serves. A role that is worked out on the way is not known yet.
#[must_use]
pub fn unserved(program: &Program, config: &Config) -> Option<Unserved> {
    let (roles, is_computed) = roles(program);
    let mut missing: Vec<&str> = roles.into_iter().filter(|role| !config.serves(role)).collect();
    missing.sort_unstable();
    missing.dedup();
    let Some(first) = missing.first() else {
        // Whichever roles come of it, nobody serves them.
        return (is_computed && config.models.is_empty()).then_some(Unserved::Computed);
    };
    let near = nearest(first, config.roles().map(Str::as_str)).map(Into::into);
    Some(Unserved::Roles { missing: missing.into_iter().map(Into::into).collect(), near })
}

/// Returns true if a program asks models at all.
#[must_use]
pub fn asks_models(program: &Program) -> bool {
    let (named, is_computed) = roles(program);
    is_computed || !named.is_empty()
}

/// The digest of all that answers depend on beside the request: with another temperature, say, a model answers anew.
#[cfg(feature = "models")]
pub(super) fn models_digest(config: &Config) -> String {
    let identity = config.models.iter().map(|model| {
        let role = &model.role;
        let ModelTarget { provider, base_url, model, temperature, seed, max_tokens, reasoning, structured } =
            &model.target;
        // Without it the digest is that of earlier versions.
        let reasoning = reasoning.map(|reasoning| format!(" reasoning {reasoning}")).unwrap_or_default();
        format!(
            "{role} {provider:?} {base_url} {model} {temperature:?} {seed:?} {max_tokens:?} {structured:?}{reasoning}\n"
        )
    });
    let lists = config
        .fallbacks
        .iter()
        .map(|list| format!("{} uses {} also on {:?}\n", list.role, list.entries.join(", "), list.also_on));
    let identity = identity.chain(lists).collect::<Vec<_>>().concat();
    digest(&Value::from(identity.as_str())).to_string()
}

/// The roles that a program asks for by name, and true if it works others out.
fn roles(program: &Program) -> (Vec<&str>, bool) {
    let mut is_computed = false;
    let nodes = program.graphs.iter().flat_map(|graph| graph.nodes.iter());
    let named = nodes.filter_map(|node| match &node.kind {
        LinkedNodeKind::Model(model) => match &model.role {
            NameCode::Fixed(role) => Some(role.as_str()),
            NameCode::Computed(_) => {
                is_computed = true;
                None
            }
        },
        _ => None,
    });
    (named.collect(), is_computed)
}
