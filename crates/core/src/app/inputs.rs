//! The inputs of a run: those of its configuration, and those that are given over them.

use super::trust::Configuration;
use crate::config::{Gathered, gather};
use crate::diag::Diagnostic;
use crate::program::Program;
use crate::value::{Map, Str};

/// The inputs of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// Their values, by name.
    pub values: Map,
    /// Findings about variables of the environment that nothing given replaces.
    pub warnings: Vec<Diagnostic>,
}

/// An input without a default that has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingInput {
    /// Its name.
    pub name: Str,
    /// Its type in words.
    pub wanted: String,
}

/// The inputs that a configuration has for a program.
///
/// # Errors
/// Its findings: a name that is no input of the graph, a value that does not fit.
pub fn gather_inputs(program: &Program, configuration: &Configuration) -> Result<Gathered, Vec<Diagnostic>> {
    gather(&configuration.config.inputs, program, &|name| configuration.variable(name))
}

/// Puts inputs that are given over those of a configuration.
///
/// # Errors
/// Inputs that have no default and no value.
pub fn settle_inputs(
    program: &Program,
    gathered: Gathered,
    given: &Map,
) -> Result<Inputs, Vec<MissingInput>> {
    let Gathered { mut input, unread } = gathered;
    let open = unread.into_iter().filter(|unread| !given.contains_key(&unread.input));
    let warnings = open.map(|unread| unread.warning).collect();
    for (name, value) in given {
        input.insert(name.clone(), value.clone());
    }
    let missing = missing_inputs(program, &input);
    if missing.is_empty() { Ok(Inputs { values: input, warnings }) } else { Err(missing) }
}

/// The inputs that have no default and no value.
#[must_use]
pub fn missing_inputs(program: &Program, input: &Map) -> Vec<MissingInput> {
    let graph = &program.graphs[0];
    let inputs = graph.slots[..graph.inputs as usize].iter();
    let missing = inputs.filter(|slot| slot.is_required(&program.shapes) && !input.contains_key(&slot.name));
    let missing = missing
        .map(|slot| MissingInput { name: slot.name.clone(), wanted: program.shapes.describe(slot.shape) });
    missing.collect()
}
