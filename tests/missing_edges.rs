//! Scenarios that guard edges: without the edge, one of them fails.

use std::path::Path;

use loopwright::model::Loader;
use loopwright::scenario::Suite;
use loopwright::source::Sources;

use super::graphs::Repository;

use crate::rebuilt;

/// The repository, in which an edge of one file is missing.
struct Without<'a> {
    file: &'a str,
    label: &'a str,
    rest: Repository,
}

impl Loader for Without<'_> {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let (name, text) = self.rest.load(from, path)?;
        let text = if name != self.file {
            text
        } else if Path::new(&name).extension().is_some_and(|extension| extension == "loop") {
            without_arrow(&text, self.label)
        } else {
            without(&text, self.label)
        };
        Ok((name, text))
    }
}

/// The text of a graph without the first edge of this label: from its `-` to the next line that is not deeper.
fn without(text: &str, label: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let short = [format!("label: {label},"), format!("label: {label}}}")];
    let at = lines.iter().position(|line| {
        line.trim() == format!("label: {label}") || short.iter().any(|short| line.contains(short))
    });
    let at = at.unwrap_or_else(|| panic!("no edge has the label {label}"));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first =
        lines[..=at].iter().rposition(|line| line.trim_start().starts_with("- ")).expect("an edge begins");
    let behind = lines[at + 1..].iter().position(|line| indent(line) <= indent(lines[first]));
    let behind = behind.map_or(lines.len(), |behind| at + 1 + behind);
    [&lines[..first], &lines[behind..]].concat().join("\n") + "\n"
}

/// The same in the other syntax: from the arrow over all lines that are deeper, and to the end of its braces.
fn without_arrow(text: &str, label: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines
        .iter()
        .position(|line| line.trim_start().starts_with("->") && line.contains(&format!("\"{label}\"")))
        .unwrap_or_else(|| panic!("no edge has the label {label}"));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let open = |part: &[&str]| {
        let braces = part.iter().flat_map(|line| line.bytes());
        braces.fold(0, |open, byte| open + i32::from(byte == b'{') - i32::from(byte == b'}'))
    };
    let mut behind = first + 1;
    while open(&lines[first..behind]) > 0 || indent(lines[behind]) > indent(lines[first]) {
        behind += 1;
    }
    [&lines[..first], &lines[behind..]].concat().join("\n") + "\n"
}

/// The scenarios that fail without the edge.
fn failing(graph: &str, label: &str) -> Vec<String> {
    let mut files = Without { file: graph, label, rest: Repository::whole() };
    let scenarios = format!("{}.scenarios.yaml", graph.trim_end_matches(".yaml").trim_end_matches(".loop"));
    let loaded = Suite::load(&mut Sources::new(), &mut files, &scenarios);
    let suite =
        loaded.suite.unwrap_or_else(|| panic!("without {label} the graph cannot run: {:?}", loaded.findings));
    rebuilt::play_all(&suite)
        .filter(|report| !report.passed())
        .map(|report| report.name.to_string())
        .collect()
}

#[test]
fn a_scenario_fails_without_a_gate_or_a_rule() {
    for (graph, label, scenario) in [
        ("graphs/react/v1.yaml", "max_iterations", "the rounds are used up, and the model wants a tool"),
        ("graphs/react/v1.yaml", "in the wrap-up", "no decision is made again in the wrap-up"),
        ("graphs/react/v1.yaml", "no context read left", "the context reads are used up"),
        ("graphs/react/v2.yaml", "max_iterations", "the rounds are used up"),
        ("graphs/react/v2.yaml", "plan_not_completed", "what is in progress is not done"),
        ("graphs/react/v2.yaml", "budget_exhausted:explore", "the other strategy without budget"),
        (
            "graphs/okso/react.yaml",
            "once too often",
            "\"asks the planner for a new outline\": two failures, then a better plan",
        ),
        (
            "graphs/okso/react.yaml",
            "the plan is left",
            "coming back to the plan ends the episode, and leaving it again asks for another plan",
        ),
        (
            "graphs/okso/react.yaml",
            "declined",
            "\"The `step` counter only increases when a tool run succeeds\": a declined tool is no success",
        ),
        (
            "graphs/arkhon/main.loop",
            "Fail: terminal",
            "a rule that must not be broken ends the run, whatever else is wrong",
        ),
        ("graphs/arkhon/main.loop", "Rollback N steps", "back to the third step, and on from there"),
        ("graphs/arkhon/action.loop", "Transient failure", "busy twice, then it works"),
    ] {
        let failing = failing(graph, label);
        assert!(failing.iter().any(|name| name == scenario), "without {label} these fail: {failing:?}");
    }
}
