//! The results of an exploration.

use super::finding::{FindingKey, FindingKind};
use super::search::{RunEnd, StateSearch};
use super::space::SampledPart;
use super::trail::Trail;
use crate::check::bound;
use crate::machine::{InputKind, beginning};
use crate::scenario::{NamedPart, ProgramPart, program_parts};
use crate::source::Span;
use crate::value::Str;

/// The results of an exploration.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// The graph's id.
    pub graph: Str,
    /// The distinct states.
    pub states: usize,
    /// The inputs that were played.
    pub inputs: u64,
    /// The transitions that were made.
    pub transitions: u64,
    /// The most inputs of a searched run, its start not counted.
    pub depth: u32,
    /// True if every state was searched.
    pub is_whole: bool,
    /// The random walks after the search.
    pub walks: u64,
    /// The outcomes that were reached, each with the inputs of the shortest run to it.
    pub outcomes: Vec<(RunEnd, usize)>,
    /// The parts of the graph that no run took.
    pub missed: Vec<NamedPart>,
    /// The parts of the world whose values are not all stood for.
    pub sampled: Vec<SampledPlace>,
    /// The most transitions of a run, where the space was searched in full.
    pub longest: Option<u64>,
    /// The most that `check` says, for the inputs that were explored.
    pub bound: Option<u64>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A part of the world that is sampled, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledPlace {
    /// The field: `decide.reason`, or the name of an input.
    pub name: String,
    /// The use because of which it is sampled.
    pub why: &'static str,
    /// The place of that use.
    pub span: Span,
}

/// A finding.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its kind and its place.
    pub key: FindingKey,
    /// The fault, in a sentence.
    pub message: String,
    /// The place in the text.
    pub span: Span,
    /// The inputs of the shortest run to it that was found.
    pub inputs: usize,
    /// The scenario that shows it, or the reason for which none can.
    pub scenario: Result<String, String>,
}

impl StateSearch<'_, '_> {
    /// The results. `graph_file` is the path of the graph file, as scenario files name it.
    pub fn report(&mut self, graph_file: &str) -> Exploration {
        let longest = self.longest();
        let bound = self.bound();
        if let (Some(most), Some(made)) = (bound, longest)
            && made > most
        {
            let key = FindingKey {
                kind: FindingKind::PastBound,
                graph: 0,
                node: self.space().program.graphs[0].start,
            };
            self.findings.entry(key).or_insert(Trail::Whole(Vec::new()));
        }
        let findings =
            self.findings.iter().map(|(key, trail)| self.finding(key, trail, graph_file)).collect();
        let outcomes = self.ends.iter().map(|(end, trail)| (end.clone(), self.length(trail))).collect();
        Exploration {
            graph: self.space().program.graphs[0].id.clone(),
            states: self.states(),
            inputs: self.inputs,
            transitions: self.transitions,
            depth: self.depth,
            is_whole: !self.is_cut,
            walks: self.walks,
            outcomes,
            missed: self.missed(),
            sampled: self.sampled(),
            longest,
            bound,
            findings,
        }
    }

    /// The number of inputs of a run, its start not counted.
    fn length(&self, trail: &Trail) -> usize {
        self.numbers(trail).len().saturating_sub(1)
    }

    fn finding(&self, key: &FindingKey, trail: &Trail, graph_file: &str) -> Finding {
        let space = self.space();
        let graph = &space.model.graphs[key.graph as usize];
        let node = graph.graph.node_weights().nth(key.node as usize);
        let property = match key.kind {
            FindingKind::Broken(property) => graph.properties.get(property as usize).map(|own| own.name.span),
            _ => None,
        };
        let span = property.or_else(|| node.map(|node| node.name.span)).unwrap_or_default();
        Finding {
            key: key.clone(),
            message: key.message(space.program),
            span,
            inputs: self.length(trail),
            scenario: self.counterexample(key, trail, graph_file),
        }
    }

    /// The most transitions that `check` says of a run with any of the explored inputs.
    fn bound(&self) -> Option<u64> {
        let space = self.space();
        let starts =
            space.choices(&super::space::State::default(), &mut super::space::AnswerCache::default());
        let mut most = 0;
        for input in starts {
            let InputKind::Started(start) = input.kind else { continue };
            // Inputs that the graph refuses begin no run.
            let Ok(begins) = beginning(space.program, &start.input) else { continue };
            most = most.max(bound(space.model, &begins)?.transitions.number?);
        }
        Some(most)
    }

    fn missed(&self) -> Vec<NamedPart> {
        let mut parts = program_parts(self.space().model, self.space().program);
        parts.retain(|own| !self.covered.has(own.part));
        parts
    }

    fn sampled(&self) -> Vec<SampledPlace> {
        let space = self.space();
        let is_reached = |graph, node| self.covered.has(ProgramPart::Node(graph, node));
        let name = |own: &SampledPart| match own.place {
            Some((graph, node)) => {
                let node = &space.program.graphs[graph as usize].nodes[node as usize].name;
                format!("{node}{}", own.field.path)
            }
            None => own.field.path.clone(),
        };
        let place = |own: SampledPart| SampledPlace {
            name: name(&own),
            why: own.field.used.why,
            span: own.field.used.span,
        };
        let mut all: Vec<SampledPlace> = space.sampled(&is_reached).into_iter().map(place).collect();
        all.dedup();
        all
    }
}
