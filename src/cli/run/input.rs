//! `--input`: fields by name, or a whole file of them.

use std::path::Path;

use crate::cli::screen::{self, line};
use loopwright_core::app::trust::Configuration;
use loopwright_core::app::{Inputs, MissingInput, gather_inputs, missing_inputs, settle_inputs};
use loopwright_core::config::{InputFault, input_of_text, inputs_of_map};
use loopwright_core::diag::Diagnostic;
use loopwright_core::program::Program;
use loopwright_core::value::json::{JsonLimits, parse_strict};
use loopwright_core::value::{Map, Value};

/// Inputs of the configuration, then those of the command line over them.
pub(super) fn collect(
    program: &Program,
    configuration: &Configuration,
    flags: &[String],
) -> Result<Inputs, InputError> {
    let gathered = gather_inputs(program, configuration).map_err(InputError::Findings)?;
    let given = given(program, flags)?;
    settle_inputs(program, gathered, &given)
        .map_err(|missing| InputError::Usage(missing_text(&program.graphs[0].id, &missing)))
}

/// The inputs of the command line alone, as `check` takes them.
pub(in crate::cli) fn of_flags(program: &Program, flags: &[String]) -> Result<Map, String> {
    let input = of_open_flags(program, flags)?;
    let missing = missing_inputs(program, &input);
    if missing.is_empty() { Ok(input) } else { Err(missing_text(&program.graphs[0].id, &missing)) }
}

/// The inputs of the command line alone, of which any may be left out.
pub(in crate::cli) fn of_open_flags(program: &Program, flags: &[String]) -> Result<Map, String> {
    given(program, flags).map_err(|error| match error {
        InputError::Usage(message) => message,
        InputError::Findings(_) => String::new(),
    })
}

/// The message about inputs that have no default and are not given.
fn missing_text(graph: &str, missing: &[MissingInput]) -> String {
    let lines: Vec<String> =
        missing.iter().map(|input| format!("  --input {}=…  ({})", input.name, input.wanted)).collect();
    let what = if lines.len() == 1 { "a required input" } else { "required inputs" };
    format!("the graph {graph} lacks {what}:\n{}", lines.join("\n"))
}

/// Reads inputs from the flags.
fn given(program: &Program, flags: &[String]) -> Result<Map, InputError> {
    let mut input = Map::new();
    for flag in flags {
        if let Some(path) = flag.strip_prefix('@') {
            let fields = inputs_of_map(program, &file(Path::new(path))?)
                .map_err(|faults| InputError::Usage(fault_text(flag, &faults)))?;
            for (name, value) in &fields {
                input.insert(name.clone(), value.clone());
            }
        } else {
            let Some((name, text)) = flag.split_once('=') else {
                return Err(InputError::Usage(format!(
                    "--input {}: write name=value, or @FILE.json",
                    line(flag)
                )));
            };
            let value = input_of_text(program, name, text)
                .map_err(|fault| InputError::Usage(fault_text(flag, &[fault])))?;
            input.insert(name.into(), value);
        }
    }
    Ok(input)
}

/// The faults in the inputs of a flag, each with its cure.
fn fault_text(flag: &str, faults: &[InputFault]) -> String {
    let fault_text = faults
        .iter()
        .map(|fault| format!("{}\nhelp: {}", line(&format!("--input {flag}: {fault}")), line(&fault.help)));
    fault_text.collect::<Vec<_>>().join("\nerror: ")
}

/// A fault in the inputs.
pub(super) enum InputError {
    /// The configuration is wrong.
    Findings(Vec<Diagnostic>),
    /// The command line is wrong.
    Usage(String),
}

fn file(path: &Path) -> Result<Map, InputError> {
    let shown = screen::path(path);
    let text =
        crate::cli::files::data(path).map_err(|why| InputError::Usage(format!("--input @{shown}: {why}")))?;
    match parse_strict(&text, JsonLimits::default()) {
        Ok(Value::Map(map)) => Ok(map),
        Ok(other) => Err(InputError::Usage(format!(
            "--input @{shown}: found {}, wanted a JSON object",
            other.type_name()
        ))),
        Err(fault) => Err(InputError::Usage(format!("--input @{shown}: {}", line(&fault.to_string())))),
    }
}
