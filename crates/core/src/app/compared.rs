//! One of two versions of a graph that are compared.

use crate::check::{Checked, check_file};
use crate::compile::compile;
use crate::diag::{Diagnostic, Severity};
use crate::diff::Version;
use crate::model::{Loader, Model};
use crate::program::Program;
use crate::source::Sources;

/// One version of a graph, sound and compiled.
#[derive(Debug)]
pub struct ComparedGraph {
    model: Model,
    checked: Checked,
    program: Program,
}

impl ComparedGraph {
    /// Reads and compiles a version.
    ///
    /// # Errors
    /// The fault that keeps it from being compared.
    pub fn read(path: &str, sources: &mut Sources, loader: &mut dyn Loader) -> Result<Self, Vec<Diagnostic>> {
        Self::compiled(Self::checked(path, sources, loader)?)
    }

    /// Reads a version, and judges it.
    fn checked(
        path: &str,
        sources: &mut Sources,
        loader: &mut dyn Loader,
    ) -> Result<(Model, Checked), Vec<Diagnostic>> {
        let mut checked = check_file(sources, loader, path);
        let is_sound = checked.is_sound();
        if let Some(mut model) = checked.model.take().filter(|_| is_sound) {
            // Nobody types expressions in it, and of a large graph its names take much.
            model.scopes = Vec::new();
            return Ok((model, checked));
        }
        let mut findings = std::mem::take(&mut checked.findings);
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            findings.retain(|finding| finding.severity == Severity::Error);
        }
        Err(findings)
    }

    fn compiled((model, checked): (Model, Checked)) -> Result<Self, Vec<Diagnostic>> {
        match compile(&model) {
            Ok(program) => Ok(Self { model, checked, program }),
            Err(faults) => Err(faults.iter().map(Diagnostic::from).collect()),
        }
    }

    /// Reads two versions.
    ///
    /// # Errors
    /// The faults that keep them from being compared; of a file that both are made of, once.
    pub fn pair(
        (before, after): (&str, &str),
        sources: &mut Sources,
        loader: &mut dyn Loader,
    ) -> Result<(Self, Self), Vec<Diagnostic>> {
        let one = Self::checked(before, sources, loader);
        // What is looked up to judge a version takes much, so that no program is there beside it.
        let other = Self::checked(after, sources, loader);
        match (one.and_then(Self::compiled), other.and_then(Self::compiled)) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (one, other) => {
                let mut findings: Vec<Diagnostic> = Vec::new();
                for finding in [one.err(), other.err()].into_iter().flatten().flatten() {
                    if !findings.contains(&finding) {
                        findings.push(finding);
                    }
                }
                Err(findings)
            }
        }
    }

    /// The version, as it is compared.
    #[must_use]
    pub fn version(&self) -> Version<'_> {
        Version {
            model: &self.model,
            program: &self.program,
            trees: &self.checked.trees,
            bound: self.checked.bound.as_ref(),
        }
    }
}
