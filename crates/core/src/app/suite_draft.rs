//! The scenario file of a graph, and the scenarios that are added to it.

use std::collections::BTreeSet;

use super::extended_suite::{ExtendedSuite, UncoveredPart};
use super::graph::Graph;
use super::played_suite::PlayedSuite;
use super::suite_fault::SuiteFault;
use crate::diag::{Diagnostic, rule};
use crate::explore::{CoverTask, CoveringSuite, Exploration, StateSearch, StateSpace, WorldSettings};
use crate::machine::EventCursor;
use crate::model::Loader;
use crate::model::expr::SlotKind;
use crate::program::Program;
use crate::scenario::{
    InheritedDefaults, ListRefusal, ProgramPart, Report, Scenario, ScenarioItem, append, each_taken,
    plain_tool, print, program_parts, scenario_file_opening,
};
use crate::source::{Sources, Span};
use crate::value::Str;

/// The comment above a file that is written anew.
const HEAD: &str =
    "# Written by `loopwright test --write`: a run for every part of the graph that a search reached.\n";

/// The scenario file of a graph, before scenarios are added to it.
#[derive(Debug)]
pub struct SuiteDraft {
    path: String,
    /// Its text; none where there is no file yet.
    text: Option<String>,
    /// Its scenarios.
    names: Vec<Str>,
    covered: BTreeSet<ProgramPart>,
    defaults: Scenario,
}

impl SuiteDraft {
    /// The draft of a file that is not there yet.
    #[must_use]
    pub fn new(path: String) -> Self {
        Self { path, text: None, names: Vec::new(), covered: BTreeSet::new(), defaults: Scenario::default() }
    }

    /// The draft of a file with a text, whose scenarios are played.
    ///
    /// # Errors
    /// Any [`SuiteFault`] in what is there.
    pub fn read(
        path: String,
        text: String,
        graph: &Graph,
        loader: &mut dyn Loader,
    ) -> Result<Self, SuiteFault> {
        let played = PlayedSuite::play(&path, &text, loader)?;
        let suite = played.suite;
        if suite.program.digest != graph.program.digest {
            let own = suite.file.graph.map(|own| own.value).unwrap_or_default();
            return Err(SuiteFault::OtherGraph(own));
        }
        if suite.file.defaults.given.is_some() {
            return Err(SuiteFault::Midway);
        }
        let names = suite.file.scenarios.iter().map(|own| own.name.value.clone()).collect();
        let covered = taken(&suite.program, &played.reports);
        Ok(Self { path, text: Some(text), names, covered, defaults: suite.file.defaults })
    }

    /// Adds to a world what every scenario of the file has by default, and which the command does not say: inputs with a default in
    /// the graph, too, and tools on offer.
    pub fn settle(&self, settings: &mut WorldSettings, graph: &Graph) {
        for slot in graph.model.root().slots.iter().filter(|slot| slot.kind == SlotKind::Input) {
            let name = &slot.name.value;
            let is_free = slot.init.is_some() || slot.ty.nullable;
            let is_settled = settings.open.contains(name) || settings.input.contains_key(name);
            if is_free
                && !is_settled
                && let Some(value) = self.defaults.input.values.get(name)
            {
                settings.input.insert(name.clone(), value.clone());
            }
        }
        if settings.tools.is_empty() {
            settings.tools = self.defaults.catalogue.clone().unwrap_or_else(|| {
                let names: BTreeSet<Str> = InheritedDefaults::of(&self.defaults).tools.into_iter().collect();
                names.into_iter().map(plain_tool).collect()
            });
        }
    }

    /// Adds scenarios for all that a search reached and that none of the file takes. `graph_file` is the path of the graph file as the
    /// scenario file names it. The whole file is played before it is given out.
    ///
    /// # Errors
    /// [`SuiteFault::Layout`], or [`SuiteFault::Internal`] where it does not come out as the search says.
    pub fn extend(
        &self,
        search: &mut StateSearch<'_, '_>,
        graph: &Graph,
        graph_file: &str,
        loader: &mut dyn Loader,
    ) -> Result<ExtendedSuite, SuiteFault> {
        let names = self.names.iter().cloned().collect();
        let task = CoverTask {
            covered: &self.covered,
            names: &names,
            inherited: &InheritedDefaults::of(&self.defaults),
            is_explicit: !self.defaults.input.values.is_empty(),
            graph_file,
            sources: &graph.sources,
        };
        let suite = search.covering(&task);
        let text = self.text_with(&suite, graph_file)?;
        if let Some(text) = &text {
            self.verify(text, &suite, loader)?;
        }
        let exploration = search.report(graph_file);
        let uncovered = self.uncovered(&suite, search.space(), graph, &exploration);
        Ok(ExtendedSuite {
            path: self.path.clone(),
            text,
            present: self.names.len(),
            added: suite.scenarios,
            uncovered,
            parts: program_parts(&graph.model, &graph.program).len(),
            exploration,
        })
    }

    fn text_with(&self, suite: &CoveringSuite, graph_file: &str) -> Result<Option<String>, ListRefusal> {
        let items: Vec<ScenarioItem> = suite.scenarios.iter().map(|own| own.item.clone()).collect();
        if items.is_empty() {
            return Ok(None);
        }
        let new = || format!("{HEAD}{}", scenario_file_opening(graph_file));
        append(&self.text.clone().unwrap_or_else(new), &items).map(Some)
    }

    /// Plays the file as it will be.
    fn verify(&self, text: &str, suite: &CoveringSuite, loader: &mut dyn Loader) -> Result<(), SuiteFault> {
        let played = PlayedSuite::play(&self.path, text, loader).map_err(|fault| match fault {
            SuiteFault::Failing(reports, sources) => SuiteFault::Internal(failing(&reports, &sources)),
            SuiteFault::Findings(findings, _) => {
                let message = findings.into_iter().next().map(|found| found.message).unwrap_or_default();
                SuiteFault::Internal(format!("the file would be wrong: {message}"))
            }
            other => other,
        })?;
        let own = played.suite.file.scenarios.iter().map(|own| own.name.value.as_str());
        let wanted = self.names.iter().map(Str::as_str);
        if !own.eq(wanted.chain(suite.scenarios.iter().map(|own| own.name.as_str()))) {
            return Err(SuiteFault::Internal("the file would have other scenarios".to_owned()));
        }
        let taken = taken(&played.suite.program, &played.reports);
        for scenario in &suite.scenarios {
            if let Some(own) = scenario.covers.iter().find(|own| !taken.contains(&own.part)) {
                let message = format!("`{}` does not take {} {}", scenario.name, own.part.word(), own.name);
                return Err(SuiteFault::Internal(message));
            }
        }
        Ok(())
    }

    fn uncovered(
        &self,
        suite: &CoveringSuite,
        space: &StateSpace<'_>,
        graph: &Graph,
        exploration: &Exploration,
    ) -> Vec<UncoveredPart> {
        let never = match (exploration.is_whole, exploration.sampled.is_empty()) {
            (true, true) => "no run takes it",
            (true, false) => "no run with the values that were tried takes it",
            (false, _) => "not reached before the search was cut",
        };
        let mut all = Vec::new();
        for part in program_parts(space.model, space.program) {
            if let Some((_, why)) = suite.unsaid.iter().find(|(own, _)| own.part == part.part) {
                let why = format!("reached, and no scenario can say it: {why}");
                all.push(UncoveredPart { part, why, is_reached: true });
            } else if exploration.missed.iter().any(|own| own.part == part.part)
                && !self.covered.contains(&part.part)
            {
                let known = known_reason(&graph.findings, part.span);
                all.push(UncoveredPart {
                    why: known.unwrap_or_else(|| never.to_owned()),
                    part,
                    is_reached: false,
                });
            }
        }
        all
    }
}

/// The finding of `check` that says why nothing comes to a place.
fn known_reason(findings: &[Diagnostic], span: Span) -> Option<String> {
    let rules = [rule::DEAD_EDGE, rule::UNREACHABLE_NODE, rule::UNREACHABLE_STATEMENT];
    let lies_within = |found: &Diagnostic| {
        let own = found.span();
        own.file == span.file && span.start <= own.start && own.end <= span.end
    };
    let found = findings.iter().find(|found| rules.contains(&found.rule) && lies_within(found))?;
    Some(found.message.clone())
}

/// The parts that played scenarios take.
fn taken(program: &Program, reports: &[Report]) -> BTreeSet<ProgramPart> {
    let mut parts = BTreeSet::new();
    for report in reports {
        each_taken(program, EventCursor::new(), &report.run.events, &mut |part| {
            parts.insert(part);
        });
    }
    parts
}

/// The first failing scenario, in words.
fn failing(reports: &[Report], sources: &Sources) -> String {
    let Some(report) = reports.iter().find(|report| !report.passed()) else { return String::new() };
    let fault = report.faults.first().map(|fault| print::fault_text(fault, sources)).unwrap_or_default();
    let fault = fault.lines().next().unwrap_or_default().trim().to_owned();
    format!("the scenario `{}` would not pass: {fault}", report.name)
}
