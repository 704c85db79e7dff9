//! Graphs under `tests/explore/tiny/`, each about one thing that two values can come together in.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use loopwright::compile::compile;
use loopwright::explore::{FindingKind, SearchLimits, StateSearch, StateSpace, WorldSettings};
use loopwright::scenario::ProgramPart;
use loopwright::source::Sources;

use super::concrete::{Reached, outcome};
use crate::flows::checked;

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
    let program = search.space().program;
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
    reached.outcomes = report.outcomes.iter().map(|(end, _)| (outcome(&end.outcome), end.ok)).collect();
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

#[test]
fn a_search_by_uses_reaches_what_a_search_of_all_values_does() {
    let mut said = String::new();
    for path in fixtures() {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("plain names").to_owned();
        let mut sources = Sources::new();
        let checked = checked(&path, &mut sources);
        let model = checked.model.expect("a model");
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        let mut search = StateSearch::new(&space, SearchLimits::default());
        search.run();
        let mut rebuilt = StateSearch::new(&space, SearchLimits::default()).holding(1);
        rebuilt.run();
        assert_eq!(rebuilt.digests(), search.digests(), "{name}: states that are built again");
        let states = search.states();
        let (found, sampled) = reached(&mut search);
        let (all, concrete) = Reached::of(&space);
        if sampled.is_empty() {
            assert_eq!(found, all, "{name}: not the same, and nothing is said to be sampled");
        } else {
            // What is found happens; what is not found may.
            assert!(found.edges.is_subset(&all.edges), "{name}: an edge that no run takes");
            assert!(found.outcomes.is_subset(&all.outcomes), "{name}: an outcome that no run has");
            assert!(found.broken.is_subset(&all.broken), "{name}: a property that no run breaks");
        }
        let same = if found == all { "the same" } else { "less" };
        let _ = writeln!(said, "{name}: {states} states for {concrete}, {same}");
        for part in sampled {
            let _ = writeln!(said, "  sampled {part}");
        }
    }
    insta::assert_snapshot!(said);
}
