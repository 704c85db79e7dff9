//! The programs that runs go by.

use std::sync::Arc;

use crate::program::Program;

/// Programs by their digests. A run that continued with an edited graph has several.
#[derive(Debug, Clone, Default)]
pub struct Programs<'p>(Vec<&'p Program>);

impl<'p> Programs<'p> {
    /// The program of that digest.
    #[must_use]
    pub fn get(&self, digest: &str) -> Option<&'p Program> {
        self.0.iter().find(|program| program.digest == digest).copied()
    }
}

impl<'p> From<&'p Program> for Programs<'p> {
    fn from(program: &'p Program) -> Self {
        Self(vec![program])
    }
}

impl<'p> From<&'p Arc<Program>> for Programs<'p> {
    fn from(program: &'p Arc<Program>) -> Self {
        Self(vec![program])
    }
}

impl<'p> FromIterator<&'p Arc<Program>> for Programs<'p> {
    fn from_iter<I: IntoIterator<Item = &'p Arc<Program>>>(programs: I) -> Self {
        Self(programs.into_iter().map(|program| &**program).collect())
    }
}
