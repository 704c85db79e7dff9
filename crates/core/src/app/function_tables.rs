//! The functions that graphs of stored runs may call.

use crate::port::{ProgramText, UnmetFunctions};
use crate::program::function::Functions;

/// The table of functions, and those with earlier versions.
#[derive(Clone, Default)]
pub(super) struct FunctionTables {
    pub(super) now: Functions,
    pub(super) earlier: Vec<Functions>,
}

impl FunctionTables {
    /// The first table that has all functions that a stored program calls.
    pub(super) fn of(&self, run: &str, text: &ProgramText) -> Result<&Functions, UnmetFunctions> {
        let Err(fault) = text.check_functions(run, &self.now) else { return Ok(&self.now) };
        self.earlier.iter().find(|table| text.check_functions(run, table).is_ok()).ok_or(fault)
    }
}
