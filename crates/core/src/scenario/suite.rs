//! A scenario file with its graph, ready to be played.

use std::sync::Arc;

use super::bind::{BoundExpressions, bind};
use super::check::check;
use super::coverage::{Coverage, Keys};
use super::file::{Scenario, ScenarioFile};
use super::play::play_rebuilding;
use super::read::{is_scenario_file, read};
use super::report::Report;
use crate::check::check_named;
use crate::compile::compile;
use crate::diag::{Diagnostic, Severity, rule};
use crate::model::{Loader, Model};
use crate::program::Program;
use crate::source::{Sources, Span};
use crate::syntax::tree::Tree;

/// A scenario file with its graph: checked, compiled, every name and expression of the scenarios resolved.
#[derive(Debug)]
pub struct Suite {
    /// The scenario file.
    pub file: ScenarioFile,
    /// Its graph and all that graph calls.
    pub model: Model,
    /// The same, compiled.
    pub program: Program,
    /// The expressions of the answers.
    pub bound: Arc<BoundExpressions>,
}

/// The result of loading a scenario file.
#[derive(Debug)]
pub struct Loaded {
    /// The suite, if nothing is wrong that keeps it from being played.
    pub suite: Option<Suite>,
    /// The findings in the scenario file and in its graph.
    pub findings: Vec<Diagnostic>,
    /// The trees of all graph files that were read.
    pub trees: Vec<Arc<Tree>>,
}

impl Suite {
    /// Reads a scenario file and the graph it names. All faults of both come in one run.
    pub fn load(sources: &mut Sources, loader: &mut dyn Loader, path: &str) -> Loaded {
        let mut trees = Vec::new();
        let (suite, findings) = Self::read(sources, loader, path, &mut trees);
        Loaded { suite, findings, trees }
    }

    fn read(
        sources: &mut Sources,
        loader: &mut dyn Loader,
        path: &str,
        trees: &mut Vec<Arc<Tree>>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let (name, text) = match loader.load(None, path) {
            Ok(read) => read,
            Err(why) => {
                let file = sources.add(path, "");
                let findings = vec![why.finding(path, Span::new(file, 0, 0))];
                return (None, findings);
            }
        };
        if !is_scenario_file(&text) {
            // Its text is not shown: it may be anything.
            let file = sources.add(name, "");
            let message =
                format!("`{path}` is not a scenario file: no line starts with `graph` or `scenarios`");
            let found = Diagnostic::error(rule::NOT_A_GRAPH, Span::new(file, 0, 0), message);
            return (None, vec![found]);
        }
        let id = sources.add(name.as_str(), text);
        let (file, mut findings) = read(sources, id);
        let Some(graph) = &file.graph else { return (None, findings) };
        let mut checked = check_named(sources, loader, graph);
        *trees = std::mem::take(&mut checked.trees);
        let sound = checked.is_sound();
        if checked.model.is_none() && checked.findings.iter().all(|found| found.span() != graph.span) {
            let message = format!("the graph `{}` cannot be loaded", graph.value);
            findings.push(Diagnostic::error(rule::SCENARIO_NAME, graph.span, message));
        }
        findings.extend(checked.findings);
        let Some(model) = checked.model else { return (None, findings) };
        if !sound {
            // What seems to be missing may only be in the part of the graph that is faulty.
            return (None, findings);
        }
        findings.extend(check(&file, &model));
        let bound = match bind(&model, file.scenarios.iter().map(|s| &s.answers)) {
            Ok(bound) => Arc::new(bound),
            Err(faults) => {
                findings.extend(faults);
                return (None, findings);
            }
        };
        if findings.iter().any(|f| f.severity == Severity::Error) {
            return (None, findings);
        }
        match compile(&model) {
            Ok(program) => (Some(Self { file, model, program, bound }), findings),
            Err(faults) => {
                findings.extend(faults.iter().map(Diagnostic::from));
                (None, findings)
            }
        }
    }

    /// Plays a scenario and compares.
    #[must_use]
    pub fn play(&self, scenario: &Scenario) -> Report {
        Report::of(&self.program, &self.bound, scenario)
    }

    /// The same with [`play_rebuilding`].
    #[must_use]
    pub fn play_rebuilding(&self, scenario: &Scenario) -> Report {
        let run = play_rebuilding(&self.program, &self.bound, scenario);
        Report::judge(&self.program, scenario, run)
    }

    /// Plays all scenarios in order of the text.
    pub fn play_all(&self) -> impl Iterator<Item = Report> {
        self.file.scenarios.iter().map(|scenario| self.play(scenario))
    }

    /// Adds the graph's nodes, edges and branches to a coverage.
    pub fn cover(&self, coverage: &mut Coverage, sources: &Sources) -> Keys {
        coverage.add(&self.model, &self.program, sources)
    }
}
