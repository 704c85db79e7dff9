//! `check`.

use serde::Deserialize;
use serde_json::json;

use super::files::{FileMap, findings_schema, names_schema, schema};
use super::{CommandInfo, CommandReply};
use crate::app::{CheckRound, deliveries, examine};
use crate::config::Config;
use crate::diag::{self, Severity};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckArguments {
    files: FileMap,
    #[serde(default)]
    graphs: Vec<String>,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Check graphs",
        description: "Checks agent loops written as graph files, without running them: names, types, guards, budgets, that \
                      every loop ends, that every error is answered. Each finding has file, line, column, rule, and cures. \
                      Prints how many transitions and calls a run makes at most.",
        input: json!({
            "type": "object",
            "properties": {
                "files": schema("The graph files, and all files that they name."),
                "graphs": names_schema("The files that are checked; by default every file with `graph: NAME`."),
            },
            "required": ["files"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {
                "ok": {"type": "boolean", "description": "True if no finding is an error: the graphs can be run."},
                "findings": findings_schema(),
                "bounds": {"type": "array", "items": {"type": "object"}},
                "ignored": {"type": "array", "items": {"type": "object"}},
                "off": {"type": "array", "items": {"type": "object"}},
            },
            "required": ["ok", "findings", "bounds"],
        }),
    }
}

pub(super) fn run(arguments: &CheckArguments) -> Result<CommandReply, String> {
    let mut files = arguments.files.files()?;
    let graphs = arguments.files.graphs(&arguments.graphs)?;
    let config = Config::default();
    let deliveries = deliveries(&config);
    let mut round = CheckRound::new(false);
    for path in &graphs {
        let declared = &mut |tool: &str| deliveries.get(tool).copied();
        let examined = examine(path, &mut round.sources, &mut files, declared);
        round.add(examined.checked, Vec::new(), &config.check);
    }
    round.leave_to_callers();
    let text = diag::text::render(round.findings(), &round.sources, false) + &round.summary(graphs.len());
    let mut structured = round.json();
    structured["ok"] = round.findings().iter().all(|finding| finding.severity != Severity::Error).into();
    Ok(CommandReply::done(text, structured))
}
