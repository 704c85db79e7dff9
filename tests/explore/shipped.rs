//! The shipped graphs, explored as tests/explore/shipped.yaml says. `docs/explored.md` has what comes of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::compile::compile;
use loopwright::explore::{
    AnswerExamples, Exploration, FindingKind, SearchLimits, StateSearch, StateSpace, TakenCounts,
    WorldSettings,
};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::value::{Map, Str, Value};

use crate::documents::similar_asserts;
use crate::flows::checked;

/// The most states of a graph that the list does not name, and the walks beyond.
const STATES: usize = 500;
const WALKS: u64 = 20;

const PAGE: &str = "docs/explored.md";

/// One exploration.
#[derive(serde::Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct ShippedCase {
    pub(super) graph: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    input: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    open: bool,
    answers: Option<String>,
    states: Option<usize>,
    #[serde(default)]
    long: bool,
    #[serde(default)]
    broken: BTreeSet<String>,
}

pub(super) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Those of the list, and one for each other graph.
pub(super) fn cases() -> Vec<ShippedCase> {
    let mut cases: Vec<ShippedCase> =
        serde_yaml::from_str(&read("tests/explore/shipped.yaml")).expect("the list can be read");
    for graph in graph_files() {
        if !cases.iter().any(|case| case.graph == graph) {
            cases.push(ShippedCase { graph, ..ShippedCase::default() });
        }
    }
    cases.sort_by(|one, other| (&one.graph, &one.name).cmp(&(&other.graph, &other.name)));
    cases
}

/// The graph files that are no parts of others.
fn graph_files() -> impl Iterator<Item = String> {
    let is_graph = |name: &String| {
        read(name).lines().any(|line| line.starts_with("graph:") || line.starts_with("graph "))
    };
    crate::graphs::files().into_iter().map(|path| path.to_string_lossy().into_owned()).filter(is_graph)
}

pub(super) fn settings(case: &ShippedCase, program: &Program) -> WorldSettings {
    let input: Map =
        case.input.iter().map(|(name, value)| (Str::from(name.as_str()), Value::from_json(value))).collect();
    let Some(answers) = &case.answers else {
        let inputs = program.graphs[0].slots.iter().take(program.graphs[0].inputs as usize);
        let open = inputs.filter(|_| case.open).map(|slot| slot.name.clone()).collect();
        return WorldSettings { open, input, ..WorldSettings::default() };
    };
    let path = format!("tests/explore/answers/{answers}");
    let mut sources = Sources::new();
    let file = sources.add(path.clone(), read(&path));
    let (examples, findings) = AnswerExamples::read(&sources, file);
    assert!(findings.is_empty(), "{path}: {findings:?}");
    WorldSettings { input, tools: examples.tools(), examples, ..WorldSettings::default() }
}

fn explored(case: &ShippedCase) -> Exploration {
    let mut sources = Sources::new();
    let model = checked(&root().join(&case.graph), &mut sources).model.expect("a model");
    let program = compile(&model).expect("a program");
    let space = StateSpace::new(&model, &program, &settings(case, &program));
    let max_states = match case.states {
        Some(0) => usize::MAX,
        Some(states) => states,
        None => STATES,
    };
    let mut search = StateSearch::new(&space, SearchLimits { depth: None, max_states });
    search.run();
    if search.is_cut() {
        let mut counts = TakenCounts::default();
        for seed in 0..WALKS {
            let walked = search.walk(seed, &counts);
            search.merge_walks(vec![walked], &mut counts);
        }
    }
    let found = search.report(&case.graph);
    let broken: BTreeSet<String> = found
        .findings
        .iter()
        .filter_map(|finding| match finding.key.kind {
            FindingKind::Broken(property) => {
                let (name, _) = &program.graphs[finding.key.graph as usize].properties[property as usize];
                Some(name.to_string())
            }
            _ => None,
        })
        .collect();
    assert_eq!(broken, case.broken, "{} {}: broken properties", case.graph, case.name);
    for finding in &found.findings {
        let is_known = matches!(finding.key.kind, FindingKind::Broken(_) | FindingKind::Unanswered(_));
        assert!(is_known, "{} {}: {}\n{:?}", case.graph, case.name, finding.message, finding.scenario);
    }
    found
}

/// A row of the page.
fn row(case: &ShippedCase, found: &Exploration) -> String {
    let reach = if found.is_whole { "all".to_owned() } else { format!("{} answers", found.depth) };
    let longest = found.longest.map_or_else(
        || "-".to_owned(),
        |longest| {
            let amounts = longest.iter().zip(found.bound).map(|(most, bound)| {
                bound.map_or_else(|| most.to_string(), |bound| format!("{most} of {bound}"))
            });
            amounts.collect::<Vec<_>>().join(", ")
        },
    );
    let mut outcomes: Vec<String> = found
        .outcomes
        .iter()
        .map(|(end, answers)| {
            let outcome = if end.outcome.is_empty() { "(none)" } else { end.outcome.as_str() };
            format!("{outcome} {answers}")
        })
        .collect();
    outcomes.dedup();
    let unanswered = found.findings.iter().filter(|one| matches!(one.key.kind, FindingKind::Unanswered(_)));
    format!(
        "{} {} | {reach} | {} | {} | {longest} | {} |",
        first_cell(case),
        found.states,
        found.transitions,
        outcomes.join(", "),
        unanswered.count(),
    )
}

/// The beginning of a case's row.
fn first_cell(case: &ShippedCase) -> String {
    let name = if case.name.is_empty() { String::new() } else { format!(", {}", case.name) };
    format!("| `{}`{name} |", case.graph)
}

/// Compares the rows of the page, in order of the cases, with what was found, or writes them. A case that was not explored keeps its
/// row.
fn compare(rows: &[(String, Option<String>)]) {
    let page = read(PAGE);
    let own: Vec<&str> = page.lines().filter(|line| line.starts_with("| `graphs/")).collect();
    let wanted: Vec<String> = rows
        .iter()
        .map(|(start, row)| {
            let old = own.iter().find(|line| line.starts_with(start.as_str()));
            row.clone().or_else(|| old.map(|old| (*old).to_owned())).unwrap_or_else(|| format!("{start} ? |"))
        })
        .collect();
    let mut lines: Vec<&str> = page.lines().filter(|line| !line.starts_with("| `graphs/")).collect();
    lines.extend(wanted.iter().map(String::as_str));
    let text = lines.join("\n") + "\n";
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(root().join(PAGE), text).expect("the page can be written");
    } else {
        similar_asserts(Path::new(PAGE), &page, &text);
    }
}

#[test]
fn every_shipped_graph_keeps_its_properties() {
    let is_long = crate::long::is_long();
    let mut rows = Vec::new();
    for case in &cases() {
        let is_explored = is_long || !case.long;
        rows.push((first_cell(case), is_explored.then(|| row(case, &explored(case)))));
    }
    compare(&rows);
}
