//! `--input`: fields by name, or a whole file of them.

use std::path::Path;

use crate::config::{gather, input_of_text};
use crate::diag::Diagnostic;
use crate::program::Program;
use crate::value::json::{Limits, parse_strict};
use crate::value::{Map, Value};

/// Inputs of the configuration, then those of the command line over them.
pub(super) fn collect(
    program: &Program,
    origins: &[crate::config::Origin],
    flags: &[String],
) -> Result<Map, Fault> {
    let env = |name: &str| std::env::var(name).ok();
    let mut input = gather(origins, program, &env).map_err(Fault::Findings)?;
    for flag in flags {
        if let Some(path) = flag.strip_prefix('@') {
            for (name, value) in &file(Path::new(path))? {
                input.insert(name.clone(), value.clone());
            }
        } else {
            let Some((name, text)) = flag.split_once('=') else {
                return Err(Fault::Usage(format!("--input {flag}: write name=value, or @FILE.json")));
            };
            let value = input_of_text(program, name, text)
                .map_err(|fault| Fault::Usage(format!("--input {flag}: {fault}\nhelp: {}", fault.help)))?;
            input.insert(name.into(), value);
        }
    }
    Ok(input)
}

/// Why there are no inputs.
pub(super) enum Fault {
    /// The configuration is wrong.
    Findings(Vec<Diagnostic>),
    /// The command line is wrong.
    Usage(String),
}

fn file(path: &Path) -> Result<Map, Fault> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Fault::Usage(format!("--input @{shown}: {}", crate::cli::files::reason(&e))))?;
    match parse_strict(&text, Limits::default()) {
        Ok(Value::Map(map)) => Ok(map),
        Ok(other) => {
            Err(Fault::Usage(format!("--input @{shown}: found {}, wanted a JSON object", other.type_name())))
        }
        Err(fault) => Err(Fault::Usage(format!("--input @{shown}: {fault}"))),
    }
}
