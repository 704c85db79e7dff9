//! The functions that a stored program calls and that are not there.

use std::fmt;

use super::journal::ProgramText;
use crate::program::function::Functions;
use crate::value::Str;

/// A run whose program calls functions that are not registered in the version that it began with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the run `{run}` calls functions that are not registered here: {}; open it with a program that registers them",
    list(.functions)
)]
pub struct UnmetFunctions {
    /// The run.
    pub run: Str,
    /// The functions.
    pub functions: Vec<UnmetFunction>,
}

/// A function that a stored program calls and that is not registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetFunction {
    /// Its name.
    pub name: Str,
    /// The version that the program calls.
    pub version: u32,
    /// The version that is registered, if one is.
    pub registered: Option<u32>,
}

impl ProgramText {
    /// Looks whether a table has all functions that the program calls.
    ///
    /// # Errors
    /// Those that a table lacks, or has in another version.
    pub fn check_functions(&self, run: &str, functions: &Functions) -> Result<(), UnmetFunctions> {
        let all = self.functions.iter().map(|(name, version)| UnmetFunction {
            name: name.clone(),
            version: *version,
            registered: functions.version(name),
        });
        let unmet: Vec<_> = all.filter(|function| function.registered != Some(function.version)).collect();
        if unmet.is_empty() { Ok(()) } else { Err(UnmetFunctions { run: run.into(), functions: unmet }) }
    }
}

impl fmt::Display for UnmetFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` version {}", self.name, self.version)?;
        match self.registered {
            Some(registered) => write!(f, " (registered is version {registered})"),
            None => Ok(()),
        }
    }
}

fn list(functions: &[UnmetFunction]) -> String {
    functions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
