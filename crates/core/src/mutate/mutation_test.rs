//! Scenario files with the mutants of all graph files that they play.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::known::KnownTypes;
use super::mutant::{Mutant, mutants};
use super::original::OriginalSuite;
use super::stored_files::{StoredFiles, StoringLoader};
use super::verdict::{EquivalenceJudge, MutantVerdict};
use crate::check::disjoint_edges;
use crate::diag::{Diagnostic, Severity};
use crate::model::Loader;
use crate::scenario::{Loaded, Report, Suite};
use crate::source::{FileId, Sources};
use crate::syntax::tree::Tree;

/// Scenario files with the mutants of all graph files that they play.
#[derive(Debug)]
pub struct MutationTest {
    sources: Sources,
    files: StoredFiles,
    suites: Vec<OriginalSuite>,
    /// The graph files, in the order in which they were read.
    graphs: Vec<MutatedGraph>,
}

/// A graph file with its mutants.
#[derive(Debug)]
pub struct MutatedGraph {
    /// The tree of the file.
    tree: Arc<Tree>,
    /// The scenario files that play it, by their number: its own first.
    suites: Vec<usize>,
    /// Its mutants, in order of the text.
    pub mutants: Vec<Mutant>,
}

impl MutatedGraph {
    /// The tree of the file.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> FileId {
        self.tree.file
    }
}

/// A scenario file as it is, before anything is planted.
#[derive(Debug)]
pub struct OriginalPlay {
    /// The path of the file.
    pub path: String,
    /// The errors that keep it from being played.
    pub findings: Vec<Diagnostic>,
    /// The reports of scenarios that fail, and so can notice nothing.
    pub failed: Vec<Report>,
    /// The number of those that pass.
    pub passed: usize,
}

impl MutationTest {
    /// Reads scenario files with their graphs, plays them, and makes the mutants.
    pub fn load(
        paths: impl IntoIterator<Item = String>,
        loader: &mut dyn Loader,
    ) -> (Self, Vec<OriginalPlay>) {
        let files = StoredFiles::new(loader.functions());
        let mut test = Self { sources: Sources::new(), files, suites: Vec::new(), graphs: Vec::new() };
        let plays = paths.into_iter().map(|path| test.add(path, loader)).collect();
        test.graphs = test.mutated_graphs();
        (test, plays)
    }

    fn add(&mut self, path: String, loader: &mut dyn Loader) -> OriginalPlay {
        let mut storing = StoringLoader { loader, stored: &mut self.files };
        let Loaded { suite, mut findings, mut trees } = Suite::load(&mut self.sources, &mut storing, &path);
        findings.retain(|finding| finding.severity == Severity::Error);
        let (mut failed, mut passing) = (Vec::new(), Vec::new());
        if let Some(suite) = suite {
            for (number, report) in suite.play_all().enumerate() {
                if report.passed() {
                    passing.push(number);
                } else {
                    failed.push(report);
                }
            }
            // A graph in place is in the tree of its file.
            trees.retain(|tree| tree.place.is_none());
            let passing = passing.clone();
            let disjoint = disjoint_edges(&suite.model, &self.sources);
            self.suites.push(OriginalSuite { path: path.clone(), suite, trees, disjoint, passing });
        }
        OriginalPlay { path, findings, failed, passed: passing.len() }
    }

    fn mutated_graphs(&self) -> Vec<MutatedGraph> {
        let mut known = KnownTypes::default();
        self.suites.iter().for_each(|suite| known.add(&suite.suite.model));
        let mut seen = FxHashSet::default();
        let trees = self.suites.iter().flat_map(|suite| &suite.trees);
        let first = trees.filter(|tree| seen.insert(tree.file));
        let mut graphs: Vec<MutatedGraph> = first.map(|tree| self.mutated_graph(tree, &known)).collect();
        graphs.retain(|graph| !graph.mutants.is_empty());
        graphs
    }

    fn mutated_graph(&self, tree: &Arc<Tree>, known: &KnownTypes) -> MutatedGraph {
        let playing = |(number, suite): (usize, &OriginalSuite)| {
            let plays = suite.reads(tree.file) && !suite.passing.is_empty();
            plays.then_some((!suite.is_of(tree.file), number))
        };
        let mut suites: Vec<_> = self.suites.iter().enumerate().filter_map(playing).collect();
        suites.sort_unstable();
        let mutants = if suites.is_empty() { Vec::new() } else { mutants(tree, known) };
        MutatedGraph {
            tree: Arc::clone(tree),
            suites: suites.into_iter().map(|(_, number)| number).collect(),
            mutants,
        }
    }

    /// The graph files with their mutants; one without mutants is not among them.
    #[must_use]
    pub fn graphs(&self) -> &[MutatedGraph] {
        &self.graphs
    }

    /// The texts that findings, reports and mutants point into.
    #[must_use]
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The paths of the scenario files that play a graph file.
    pub fn players<'t>(&'t self, graph: &'t MutatedGraph) -> impl Iterator<Item = &'t str> {
        graph.suites.iter().map(|number| self.suites[*number].path.as_str())
    }

    /// The fate of a mutant of one of these graph files. `judge` is asked of survivors whether any run of them differs.
    #[must_use]
    pub fn judge(
        &self,
        graph: &MutatedGraph,
        mutant: &Mutant,
        judge: Option<&EquivalenceJudge<'_>>,
    ) -> MutantVerdict {
        let mut edited: BTreeMap<FileId, Arc<Tree>> = BTreeMap::new();
        let playing = || graph.suites.iter().map(|number| &self.suites[*number]);
        // What was read is not read again.
        for tree in playing().flat_map(|suite| &suite.trees) {
            edited.insert(tree.file, Arc::clone(tree));
        }
        edited.insert(graph.file(), Arc::new(mutant.tree(&graph.tree)));
        let (mut sources, mut files) = (self.sources.clone(), self.files.clone());
        let mut verdict = MutantVerdict::Equivalent;
        for suite in playing() {
            match suite.judge((mutant, &edited), (&mut sources, &mut files), judge) {
                MutantVerdict::Equivalent => {}
                MutantVerdict::Survived => verdict = MutantVerdict::Survived,
                dead => return dead,
            }
        }
        verdict
    }
}
