//! `test`.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::json;

use super::files::{FileMap, findings_schema, names_schema, schema};
use super::{CommandInfo, CommandReply};
use crate::app::{PlayOrder, PlayedFile};
use crate::diag;
use crate::scenario::{Coverage, print};
use crate::source::Sources;
use crate::source::display::line;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestArguments {
    files: FileMap,
    #[serde(default)]
    scenarios: Vec<String>,
    #[serde(default)]
    coverage: bool,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Test graphs",
        description: "Plays the scenarios of a graph and compares: outcome, path, state, calls. Models, tools and people answer \
                      what the scenario says; no model is asked, no tool runs, and time does not pass.",
        input: json!({
            "type": "object",
            "properties": {
                "files": schema("Scenario files (NAME.scenarios.yaml), their graphs, and all files that those name."),
                "scenarios": names_schema("The scenario files that are played; by default all with a name in `.scenarios.yaml`."),
                "coverage": {"type": "boolean", "description": "Count the nodes, edges and branches that were taken, and list the others."},
            },
            "required": ["files"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {
                "ok": {"type": "boolean", "description": "True if every scenario passed."},
                "passed": {"type": "integer"},
                "failed": {"type": "integer"},
                "files": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "file": {"type": "string"},
                            "findings": findings_schema(),
                            "scenarios": {"type": "array", "items": {"type": "object"}},
                        },
                        "required": ["file", "findings", "scenarios"],
                    },
                },
                "coverage": {"type": "object"},
            },
            "required": ["ok", "passed", "failed", "files"],
        }),
    }
}

pub(super) fn run(arguments: TestArguments) -> Result<CommandReply, String> {
    let TestArguments { files, scenarios, coverage: is_counted } = arguments;
    let mut loader = files.files()?;
    let paths = files.scenarios(&scenarios)?;
    let mut sources = Sources::new();
    let mut coverage = Coverage::new();
    let mut played = Vec::new();
    for path in paths {
        played.push(PlayedFile::play(path, &mut sources, &mut loader, &mut coverage, PlayOrder::default()));
    }
    let reports = || played.iter().flat_map(|file| &file.reports);
    let passed = reports().filter(|report| report.passed()).count();
    let failed = reports().count() - passed;
    let mut structured = json!({
        "ok": played.iter().all(PlayedFile::passed),
        "passed": passed,
        "failed": failed,
        "files": played.iter().map(|file| file.json(&sources)).collect::<Vec<_>>(),
    });
    let mut text = text(&played, &sources);
    if is_counted {
        structured["coverage"] = coverage.json();
        let _ = write!(text, "\n{}", coverage.text());
    }
    let _ = write!(text, "\n{passed} passed, {failed} failed\n");
    Ok(CommandReply::done(text, structured))
}

fn text(played: &[PlayedFile], sources: &Sources) -> String {
    let mut text = String::new();
    for file in played {
        text += &diag::text::render(&file.findings, sources, false);
        text += &diag::text::render(&file.hints, sources, false);
        for report in &file.reports {
            if report.passed() {
                let _ = writeln!(text, "ok    {}: {}", line(&file.path), line(&report.name));
            } else {
                text += &print::text(report, sources);
            }
        }
    }
    text
}
