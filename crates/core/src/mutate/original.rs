//! A scenario file with its graph, against which mutants are played.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::mutant::Mutant;
use super::stored_files::StoredFiles;
use super::verdict::{Equivalence, EquivalenceJudge, MutantVerdict};
use crate::check::{Checked, check_edited};
use crate::compile::compile;
use crate::diag::{Diagnostic, Severity};
use crate::diff::{ChangeEffect, Version, diff};
use crate::model::Model;
use crate::program::Program;
use crate::scenario::{Report, Suite, bind, check};
use crate::source::{FileId, Sources, Span};
use crate::syntax::tree::Tree;

/// A scenario file with its graph as it is.
#[derive(Debug)]
pub(super) struct OriginalSuite {
    /// The path of the scenario file.
    pub(super) path: String,
    pub(super) suite: Suite,
    /// The trees of its graph's files.
    pub(super) trees: Vec<Arc<Tree>>,
    /// Edges that may stand in any order.
    pub(super) disjoint: FxHashSet<(Span, Span)>,
    /// The scenarios that pass, by their number. The others can notice nothing.
    pub(super) passing: Vec<usize>,
}

/// A mutant of the graph of one scenario file.
struct MutatedProgram {
    model: Model,
    program: Program,
    trees: Vec<Arc<Tree>>,
}

impl OriginalSuite {
    /// True if its graph is made of that file.
    pub(super) fn reads(&self, file: FileId) -> bool {
        self.trees.iter().any(|tree| tree.file == file)
    }

    /// True if that file is its graph.
    pub(super) fn is_of(&self, file: FileId) -> bool {
        self.trees.first().is_some_and(|tree| tree.file == file)
    }

    /// The fate of a mutant among these scenarios alone.
    pub(super) fn judge(
        &self,
        (mutant, edited): (&Mutant, &BTreeMap<FileId, Arc<Tree>>),
        (sources, files): (&mut Sources, &mut StoredFiles),
        judge: Option<&EquivalenceJudge<'_>>,
    ) -> MutantVerdict {
        let mutated = match self.mutated(edited, sources, files) {
            Ok(mutated) => mutated,
            Err(fault) => return MutantVerdict::Refused(fault),
        };
        if mutated.program.digest == self.suite.program.digest {
            return MutantVerdict::Equivalent;
        }
        if let Some(killed) = self.killed(&mutated) {
            return killed;
        }
        let version = |model, program, trees| Version { model, program, trees, bound: None };
        let original = version(&self.suite.model, &self.suite.program, &self.trees);
        let mutated = version(&mutated.model, &mutated.program, &mutated.trees);
        let is_same = mutant.mutation.swapped.is_some_and(|edges| self.disjoint.contains(&edges))
            || diff(&original, &mutated).count(ChangeEffect::Run) == 0
            || judge.is_some_and(|judge| judge(&original, &mutated) == Equivalence::Same);
        if is_same { MutantVerdict::Equivalent } else { MutantVerdict::Survived }
    }

    /// The mutant, or why there is no program of it.
    fn mutated(
        &self,
        edited: &BTreeMap<FileId, Arc<Tree>>,
        sources: &mut Sources,
        files: &mut StoredFiles,
    ) -> Result<MutatedProgram, String> {
        let Some(link) = &self.suite.file.graph else { return Err("there is no graph".to_owned()) };
        let Checked { model, findings, trees, .. } = check_edited(sources, files, link, edited);
        let error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        if let Some(finding) = findings.iter().find(error) {
            return Err(format!("{}: {}", finding.rule.slug(), finding.message));
        }
        let Some(model) = model else { return Err("there is no graph".to_owned()) };
        match compile(&model) {
            Ok(program) => Ok(MutatedProgram { model, program, trees }),
            Err(faults) => {
                Err(faults.first().map(|fault| Diagnostic::from(fault).message).unwrap_or_default())
            }
        }
    }

    /// The first scenario that notices a mutant.
    fn killed(&self, mutated: &MutatedProgram) -> Option<MutantVerdict> {
        let killed =
            |scenario: Option<String>| Some(MutantVerdict::Killed { file: self.path.clone(), scenario });
        let file = &self.suite.file;
        if check(file, &mutated.model).iter().any(|finding| finding.severity == Severity::Error) {
            return killed(None);
        }
        let Ok(bound) = bind(&mutated.model, file.scenarios.iter().map(|scenario| &scenario.answers)) else {
            return killed(None);
        };
        let bound = Arc::new(bound);
        let mut scenarios = self.passing.iter().map(|at| &file.scenarios[*at]);
        let failed = scenarios.find(|one| !Report::of(&mutated.program, &bound, one).passed())?;
        killed(Some(failed.name.value.to_string()))
    }
}
