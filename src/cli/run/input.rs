//! `--input`: fields by name, or a whole file of them.

use std::ffi::OsString;
use std::path::Path;

use crate::cli::screen::{self, line};
use crate::config::{Gathered, InputFault, gather, input_of_text, inputs_of_map};
use crate::diag::Diagnostic;
use crate::program::Program;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Map, Value};

/// The inputs of a run.
pub(super) struct Collected {
    /// Their values.
    pub(super) input: Map,
    /// Findings about environment variables that no flag replaces.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Inputs of the configuration, then those of the command line over them. `env` looks a variable of the environment up.
pub(super) fn collect(
    program: &Program,
    origins: &[crate::config::InputOrigin],
    flags: &[String],
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Collected, InputError> {
    let Gathered { mut input, unread } = gather(origins, program, env).map_err(InputError::Findings)?;
    let given = given(program, flags)?;
    let open = unread.into_iter().filter(|unread| !given.contains_key(&unread.input));
    let warnings = open.map(|unread| unread.warning).collect();
    for (name, value) in &given {
        input.insert(name.clone(), value.clone());
    }
    match missing(program, &input) {
        None => Ok(Collected { input, warnings }),
        Some(message) => Err(InputError::Usage(message)),
    }
}

/// The inputs of the command line alone, as `check` takes them.
pub(in crate::cli) fn of_flags(program: &Program, flags: &[String]) -> Result<Map, String> {
    let input = given(program, flags).map_err(|error| match error {
        InputError::Usage(message) => message,
        InputError::Findings(_) => String::new(),
    })?;
    match missing(program, &input) {
        None => Ok(input),
        Some(message) => Err(message),
    }
}

/// The message about inputs that have no default and are not given.
fn missing(program: &Program, input: &Map) -> Option<String> {
    let graph = &program.graphs[0];
    let inputs = graph.slots[..graph.inputs as usize].iter();
    let needed = inputs.filter(|slot| slot.is_required(&program.shapes) && !input.contains_key(&slot.name));
    let lines: Vec<String> = needed
        .map(|slot| format!("  --input {}=…  ({})", slot.name, program.shapes.describe(slot.shape)))
        .collect();
    let what = if lines.len() == 1 { "a required input" } else { "required inputs" };
    let list = lines.join("\n");
    (!lines.is_empty()).then(|| format!("the graph {} lacks {what}:\n{list}", graph.id))
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
