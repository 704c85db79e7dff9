//! The results of an exploration.

use std::collections::BTreeMap;

use super::counterexample::PlayedTrail;
use super::finding::{FindingKey, FindingKind};
use super::replayed::diverges;
use super::run_work::AMOUNTS;
use super::search::{LongestPath, RunEnd, StateSearch};
use super::space::SampledPart;
use super::trail::Trail;
use crate::check::bound;
use crate::machine::{Event, EventKind, InputKind, beginning};
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
    /// The most work of a run, amount by amount, where the space was searched in full.
    pub longest: Option<[u64; 3]>,
    /// The most that `check` says of each amount, for the inputs that were explored.
    pub bound: [Option<u64>; 3],
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

/// The findings that are told together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum FindingGroup<'f> {
    /// One by itself.
    Own(&'f FindingKey),
    /// Errors that nothing answers, at a node of a graph.
    Unanswered(u32, u32),
}

impl StateSearch<'_, '_> {
    /// The results. `graph_file` is the path of the graph file, as scenario files name it.
    pub fn report(&mut self, graph_file: &str) -> Exploration {
        let longest = self.longest();
        let bound = self.bound();
        if let Some(longest) = &longest {
            self.compare_with_bound(longest, bound);
        }
        self.replay();
        let findings = self.grouped(graph_file);
        let outcomes = self.ends.iter().map(|(end, trail)| (end.clone(), self.length(trail))).collect();
        let longest = longest.map(|paths| paths.map(|path| path.amount));
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

    /// The findings so far, each with the shortest run to it.
    pub fn found(&self) -> impl Iterator<Item = (&FindingKey, &Trail)> {
        self.findings.iter()
    }

    /// Adds a finding for each amount of work that is above its bound.
    fn compare_with_bound(&mut self, longest: &[LongestPath; 3], bound: [Option<u64>; 3]) {
        let start = self.space().program.graphs[0].start;
        for (at, (path, name)) in longest.iter().zip(AMOUNTS).enumerate() {
            if bound[at].is_some_and(|most| path.amount > most) {
                let numbers = self.numbers_through(&path.states, at);
                let key = FindingKey { kind: FindingKind::PastBound(name), graph: 0, node: start };
                self.findings.entry(key).or_insert(Trail::Whole(numbers));
            }
        }
    }

    /// Builds the runs that are shown once more from their inputs.
    fn replay(&mut self) {
        let trails: Vec<Trail> = self.ends.values().chain(self.findings.values()).cloned().collect();
        for trail in trails {
            let inputs = self.inputs(&trail);
            if diverges(self.space().program, &inputs) {
                let played = self.space().play(&inputs);
                let node = played.state.snapshot.root().map_or(0, |root| root.frame.node);
                let key = FindingKey { kind: FindingKind::Diverged, graph: 0, node };
                self.findings.entry(key).or_insert(trail);
            }
        }
    }

    /// The findings. Errors that nothing answers are one for each node, with the shortest run to any of them.
    fn grouped(&self, graph_file: &str) -> Vec<Finding> {
        let mut groups: BTreeMap<FindingGroup<'_>, Vec<(&FindingKey, &Trail)>> = BTreeMap::new();
        for (key, trail) in &self.findings {
            let group = match &key.kind {
                FindingKind::Unanswered(_) => FindingGroup::Unanswered(key.graph, key.node),
                _ => FindingGroup::Own(key),
            };
            groups.entry(group).or_default().push((key, trail));
        }
        let shortest = |group: Vec<(&FindingKey, &Trail)>| {
            let others: Vec<&FindingKey> = group.iter().map(|(key, _)| *key).collect();
            let (key, trail) = group.into_iter().min_by_key(|(_, trail)| self.length(trail))?;
            Some(self.finding(key, trail, &others, graph_file))
        };
        groups.into_values().filter_map(shortest).collect()
    }

    /// The number of inputs of a run, its start not counted.
    fn length(&self, trail: &Trail) -> usize {
        self.numbers(trail).len().saturating_sub(1)
    }

    /// A finding with the others of its group.
    fn finding(&self, key: &FindingKey, trail: &Trail, group: &[&FindingKey], graph_file: &str) -> Finding {
        let space = self.space();
        let graph = &space.model.graphs[key.graph as usize];
        let node = graph.graph.node_weights().nth(key.node as usize);
        let property = match key.kind {
            FindingKind::Broken(property) => graph.properties.get(property as usize).map(|own| own.name.span),
            _ => None,
        };
        let span = property.or_else(|| node.map(|node| node.name.span)).unwrap_or_default();
        let played = self.shortened(key, trail);
        Finding {
            key: key.clone(),
            message: self.message(key, group, &played),
            span,
            inputs: self.length(trail),
            scenario: self.counterexample(key, played, graph_file),
        }
    }

    /// The finding in a sentence: with the other errors of its group, and the message of the error.
    fn message(&self, key: &FindingKey, group: &[&FindingKey], played: &PlayedTrail) -> String {
        let mut message = key.message(self.space().program);
        let others = group.iter().filter(|other| **other != key).filter_map(|other| match &other.kind {
            FindingKind::Unanswered(kind) => Some(format!("`{kind}`")),
            _ => None,
        });
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            message = format!("{message}; nor are {} answered there", others.join(", "));
        }
        if let FindingKind::Fault(kind) | FindingKind::Unanswered(kind) = &key.kind
            && let Some(why) = error_message(&played.events, kind)
        {
            message = format!("{message}: {why}");
        }
        message
    }

    /// The most that `check` says of a run with any of the explored inputs, of each amount of work.
    fn bound(&self) -> [Option<u64>; 3] {
        let space = self.space();
        let starts =
            space.choices(&super::space::State::default(), &mut super::space::AnswerCache::default());
        let mut most = [Some(0); 3];
        for input in starts {
            let InputKind::Started(start) = input.kind else { continue };
            // Inputs that the graph refuses begin no run.
            let Ok(begins) = beginning(space.program, &start.input) else { continue };
            let own = bound(space.model, &begins);
            let amounts = own.as_ref().map(|own| own.amounts().map(|(_, amount)| amount.number));
            for (most, amount) in most.iter_mut().zip(amounts.unwrap_or_default()) {
                *most = most.zip(amount).map(|(most, amount)| most.max(amount));
            }
        }
        most
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

/// The message of the last error of a kind.
fn error_message(events: &[Event], kind: &str) -> Option<String> {
    events.iter().rev().find_map(|event| {
        let EventKind::Failed { error, .. } = &event.kind else { return None };
        let error = error.as_map().filter(|error| error.get("kind").is_some_and(|own| own.is_str(kind)))?;
        let message = error.get("message")?.as_str()?;
        (!message.is_empty()).then(|| message.to_owned())
    })
}
