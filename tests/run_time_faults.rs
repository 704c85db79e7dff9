//! The faults that `check` leaves to the run: each example comes to its own, and the page says what the list says.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use loopwright::check::check_file;
use loopwright::diag::{Diagnostic, Severity};
use loopwright::model::Files;
use loopwright::program::{FaultExample, RUN_TIME_FAULTS};
use loopwright::scenario::Suite;
use loopwright::source::Sources;

use crate::functions::{Came, work_out};
use crate::rebuilt;

const OPENING: &str = "\
# Run-time faults

A graph that passes `check --strict` ends, within its printed bound, by an outcome that it declares (a final, or a kind of
error that its own `fail` names), unless the world does something that this table names. This page is generated from the program's own list:
`LOOPWRIGHT_UPDATE=1 cargo test --test main run_time_faults` updates it.

Everything else that can go wrong needs an edge, and `check` reports where it is missing: an error of a model, a tool or
a called graph, a person who does not answer in time, a budget that is used up
([`unhandled`](../../rules/unhandled.md)), and guards that may all be false
([`no-otherwise`](../../rules/no-otherwise.md)).

An error of this table is answered by edges as any other is ([Errors](errors.md)). If no edge matches, the run ends
without success, and the kind is its outcome.

| fault | example | kind of error | ruled out or answered by |
|---|---|---|---|
";

const CLOSING: &str = "
A fault of the program itself has the kind `internal`. Please report it.
";

fn page() -> String {
    let mut page = OPENING.to_owned();
    for fault in RUN_TIME_FAULTS {
        let example = match &fault.example {
            FaultExample::Expression { input, text } => {
                let input = input.replace('"', "");
                format!("`{text}` with `{input}`")
            }
            FaultExample::Scenario { shown, .. } => (*shown).to_owned(),
        };
        let _ = writeln!(page, "| {} | {example} | `{}` | {} |", fault.title, fault.kind, fault.cure);
    }
    page + CLOSING
}

#[test]
fn the_page_says_what_the_list_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/language/run-time-faults.md");
    let wanted = page();
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, &wanted).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is stale: run LOOPWRIGHT_UPDATE=1 cargo test --test main run_time_faults",
        path.display()
    );
}

#[test]
fn every_example_comes_to_its_fault() {
    for fault in RUN_TIME_FAULTS {
        match &fault.example {
            FaultExample::Expression { input, text } => {
                match work_out(&format!("input: {{{input}}}\n"), &[text]) {
                    Came::Failed(kind) => assert_eq!(kind, fault.kind, "{text}"),
                    other => panic!("{text}: {other:?}"),
                }
            }
            FaultExample::Scenario { shown, graph, world } => {
                let graph = format!("graph: example\n{graph}");
                let mut files = Files::new().with("example.yaml", graph);
                let checked = check_file(&mut Sources::new(), &mut files, "example.yaml");
                let severe = |finding: &&Diagnostic| finding.severity > Severity::Note;
                let found = checked.findings.iter().find(severe);
                assert!(found.is_none(), "{shown}: {found:?}");
                let expected = if fault.kind == "unknown" {
                    "waiting: pay".to_owned()
                } else {
                    format!("outcome: {}", fault.kind)
                };
                let world = if world.is_empty() { String::new() } else { format!("    {world}\n") };
                let text = format!(
                    "graph: example.yaml\nscenarios:\n  - name: example\n{world}    expect: {{{expected}}}\n"
                );
                let mut files = files.with("example.scenarios.yaml", text);
                let loaded = Suite::load(&mut Sources::new(), &mut files, "example.scenarios.yaml");
                let suite = loaded.suite.unwrap_or_else(|| panic!("{shown}: {:?}", loaded.findings));
                for report in rebuilt::play_all(&suite) {
                    assert!(report.passed(), "{shown}: {report:?}");
                }
            }
        }
    }
}
