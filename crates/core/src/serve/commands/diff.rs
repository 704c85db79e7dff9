//! `diff`.

use serde::Deserialize;
use serde_json::json;

use super::files::{FileMap, findings_schema, schema};
use super::{CommandInfo, CommandReply};
use crate::app::ComparedGraph;
use crate::diff;
use crate::source::Sources;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiffArguments {
    files: FileMap,
    before: String,
    after: String,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Compare two versions of a graph",
        description: "What changed in meaning between two versions of a graph, part by part: in what runs do, in order only, in \
                      what is shown only. Layout is no difference, and nor is the syntax (YAML or `.loop`).",
        input: json!({
            "type": "object",
            "properties": {
                "files": schema("Both versions under different names, and all files that they name."),
                "before": {"type": "string", "description": "The file of the old version."},
                "after": {"type": "string", "description": "The file of the new version."},
            },
            "required": ["files", "before", "after"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {
                "findings": findings_schema(),
                "changes": {"type": "array", "items": {"type": "object"}},
            },
        }),
    }
}

pub(super) fn run(arguments: DiffArguments) -> Result<CommandReply, String> {
    let DiffArguments { files, before, after } = arguments;
    let mut loader = files.files()?;
    files.text(&before)?;
    files.text(&after)?;
    let mut sources = Sources::new();
    match ComparedGraph::pair((&before, &after), &mut sources, &mut loader) {
        Ok((one, other)) => {
            let found = diff::diff(&one.version(), &other.version());
            let text = diff::text::render(&found, &sources, false);
            Ok(CommandReply::done(text, diff::json::render(&found, &sources)))
        }
        Err(findings) => Ok(CommandReply::not_done("not compared", &findings, &sources)),
    }
}
