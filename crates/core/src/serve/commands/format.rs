//! `format`.

use serde::Deserialize;
use serde_json::{Map, json};

use super::files::{FileMap, findings_schema, names_schema, schema};
use super::{CommandInfo, CommandReply};
use crate::source::Sources;
use crate::source::display::line;
use crate::syntax::{Refusal, Syntax, write};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormatArguments {
    files: FileMap,
    #[serde(default)]
    names: Vec<String>,
}

pub(super) fn info() -> CommandInfo {
    CommandInfo {
        title: "Format graph files",
        description: "Writes graph files anew in their usual layout; comments stay, and the meaning stays the same. Returns the \
                      new texts. A file with errors of syntax is not formatted; its findings are returned.",
        input: json!({
            "type": "object",
            "properties": {
                "files": schema("The graph files."),
                "names": names_schema("The files that are formatted; by default all but scenario files."),
            },
            "required": ["files"],
            "additionalProperties": false,
        }),
        output: json!({
            "type": "object",
            "properties": {
                "findings": findings_schema(),
                "files": {
                    "type": "object",
                    "description": "The new texts by the names of their files.",
                    "additionalProperties": {"type": "string"},
                },
                "changed": {"type": "array", "items": {"type": "string"}, "description": "The files that changed."},
            },
        }),
    }
}

pub(super) fn run(arguments: FormatArguments) -> Result<CommandReply, String> {
    let FormatArguments { files, names } = arguments;
    files.files()?;
    let names = files.sources(&names)?;
    let mut sources = Sources::new();
    let mut faults = Vec::new();
    let (mut texts, mut changed) = (Map::new(), Vec::new());
    for name in &names {
        let old = files.text(name)?;
        let file = sources.add(name.as_str(), old);
        match write(&sources, file, Syntax::of(name)) {
            Ok(new) => {
                if new != old {
                    changed.push(name.as_str());
                }
                texts.insert(name.clone(), new.into());
            }
            Err(Refusal::Faults(found)) => faults.extend(found),
            Err(Refusal::Changed(why)) => {
                return Err(format!("{}: it cannot be written so that it means the same: {why}", line(name)));
            }
        }
    }
    if !faults.is_empty() {
        return Ok(CommandReply::not_done("nothing was formatted", &faults, &sources));
    }
    let text = match texts.values().next() {
        Some(only) if texts.len() == 1 => only.as_str().unwrap_or_default().to_owned(),
        _ if changed.is_empty() => format!("{} files, none changed\n", texts.len()),
        _ => {
            let names: Vec<_> = changed.iter().map(|name| line(name)).collect();
            format!("formatted {}\n", names.join(", "))
        }
    };
    Ok(CommandReply::done(text, json!({"files": texts, "changed": changed})))
}
