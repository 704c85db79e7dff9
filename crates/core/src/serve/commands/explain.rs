//! `explain`.

use serde::Deserialize;
use serde_json::json;

use super::{CommandInfo, CommandReply};
use crate::app;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainArguments {
    name: String,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Explain a rule or a kind of error",
        description: "The page of a rule that `check` names in a finding, with an example that breaks it and how to fix it; or \
                      what a kind of error of a run means, such as `invalid_output`.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "A rule, as `endless-loop`, or a kind of error, as `timeout`."},
            },
            "required": ["name"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "page": {"type": "string", "description": "Markdown."}},
            "required": ["name", "page"],
        }),
    }
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<CommandReply, String> {
    let page = app::explain(&arguments.name)?;
    let structured = json!({"name": arguments.name, "page": page});
    Ok(CommandReply::done(page, structured))
}
