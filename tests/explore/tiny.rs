//! Graphs under `tests/explore/tiny/`, each about one thing that two values can come together in.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::path::{Path, PathBuf};

use loopwright::compile::compile;
use loopwright::explore::{FindingKind, SearchLimits, StateSearch, StateSpace, WorldSettings};
use loopwright::scenario::ProgramPart;
use loopwright::source::Sources;

use super::concrete::{Reached, Searched, outcome};
use crate::flows::checked;

/// The states after which the search of all values gives up: the graphs are to be tiny.
const MAX_STATES: usize = 400_000;

pub(super) fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/tiny");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.file_name().is_some_and(|name| {
                !name.to_string_lossy().starts_with("lane.") && !name.to_string_lossy().starts_with("lane-")
            })
        })
        .collect();
    paths.sort();
    paths
}

/// What the search reached, in the words of the other one.
fn reached(search: &mut StateSearch<'_, '_>) -> (Reached, Vec<String>) {
    let StateSpace { program, model, .. } = *search.space();
    let report = search.report("graph.yaml");
    let missed: BTreeSet<ProgramPart> = report.missed.iter().map(|own| own.part).collect();
    let mut reached = Reached::default();
    for (graph, own) in (0..).zip(&program.graphs) {
        let nodes = (0..own.nodes.len()).map(|node| u32::try_from(node).expect("few nodes"));
        reached.nodes.extend(
            nodes.filter(|node| !missed.contains(&ProgramPart::Node(graph, *node))).map(|n| (graph, n)),
        );
        let edges = (0..own.edges.len()).map(|edge| u32::try_from(edge).expect("few edges"));
        reached.edges.extend(
            edges.filter(|edge| !missed.contains(&ProgramPart::Edge(graph, *edge))).map(|e| (graph, e)),
        );
    }
    reached.outcomes =
        report.outcomes.iter().map(|(end, _)| (outcome(model, &end.outcome), end.ok)).collect();
    reached.broken = report
        .findings
        .iter()
        .filter_map(|finding| match finding.key.kind {
            FindingKind::Broken(property) => Some((finding.key.graph, property)),
            _ => None,
        })
        .collect();
    let sampled = report.sampled.iter().map(|own| format!("{}: {}", own.name, own.why)).collect();
    (reached, sampled)
}

/// What the search found, beside what a search of all values did.
pub(super) struct Comparison {
    /// The states of the search.
    states: usize,
    all: Searched,
    /// What is not searched with all its values, and why.
    pub(super) sampled: Vec<String>,
    /// What no run comes to and the search found, and what some run comes to and it did not find.
    extra: Vec<String>,
    missed: Vec<String>,
}

impl Comparison {
    /// Searches a space in both ways. None if there are more states than so many for the one with all values.
    pub(super) fn of(space: &StateSpace<'_>, max_states: usize, name: &str) -> Option<Self> {
        let all = Searched::all(space, max_states)?;
        let mut search = StateSearch::new(space, SearchLimits::default());
        search.run();
        let mut rebuilt = StateSearch::new(space, SearchLimits::default()).holding(1);
        rebuilt.run();
        assert_eq!(rebuilt.digests(), search.digests(), "{name}: states that are built again");
        let states = search.states();
        let (found, sampled) = reached(&mut search);
        let (extra, missed) = (beyond(&found, &all.reached), beyond(&all.reached, &found));
        Some(Self { states, all, sampled, extra, missed })
    }

    /// What is wrong. What is found happens; what is not found does not, unless values are sampled.
    pub(super) fn faults(&self) -> Vec<String> {
        let extra = self.extra.iter().map(|own| format!("found, and no run has it: {own}"));
        let is_whole = self.sampled.is_empty();
        let missed = self.missed.iter().filter(|_| is_whole);
        extra.chain(missed.map(|own| format!("not found, and a run has it: {own}"))).collect()
    }
}

/// What one has and not the other.
fn beyond(one: &Reached, other: &Reached) -> Vec<String> {
    fn of<T: Ord + Debug>(what: &str, one: &BTreeSet<T>, other: &BTreeSet<T>) -> Vec<String> {
        one.difference(other).map(|own| format!("{what} {own:?}")).collect()
    }
    [
        of("node", &one.nodes, &other.nodes),
        of("edge", &one.edges, &other.edges),
        of("outcome", &one.outcomes, &other.outcomes),
        of("broken property", &one.broken, &other.broken),
    ]
    .concat()
}

#[test]
fn a_search_by_uses_reaches_what_a_search_of_all_values_does() {
    let mut said = String::new();
    for path in fixtures() {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("plain names").to_owned();
        let checked = checked(&path, &mut Sources::new());
        let model = checked.model.expect("a model");
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        let compared = Comparison::of(&space, MAX_STATES, &name).expect("the graph is tiny");
        assert_eq!(compared.faults(), [""; 0], "{name}: sampled: {:?}", compared.sampled);
        let same = if compared.missed.is_empty() { "the same" } else { "less" };
        let _ = writeln!(said, "{name}: {} states for {}, {same}", compared.states, compared.all.states);
        for part in compared.sampled {
            let _ = writeln!(said, "  sampled {part}");
        }
    }
    insta::assert_snapshot!(said);
}
