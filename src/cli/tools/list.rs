//! The list of tools as it is printed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::ToolsArgs;
use super::catalogue::{Listed, ListedTool, LockState, listed};
use crate::cli::args::Format;
use crate::cli::files::Disk;
use crate::cli::run::mask;
use crate::cli::{Exit, limits, screen, trust};
use loopwright_core::app::Graph;
use loopwright_core::app::trust::{Grants, Wants};
use loopwright_core::drive::named_tools;
use loopwright_core::source::Sources;
use loopwright_core::value::Str;

/// The longest purpose that is shown to people, in characters.
const MAX_PURPOSE: usize = 100;

pub(super) fn list(args: &ToolsArgs) -> Result<Exit, Exit> {
    let graph = args.graph.as_deref().unwrap_or_default();
    let called = if graph.is_empty() { BTreeSet::new() } else { called(graph)? };
    let flags = &args.flags;
    let (config, servers) = (flags.config.as_deref(), flags.mcp_config.as_deref());
    let found = trust::find_with_servers(config, servers, &flags.trust, graph, &mut Sources::new())?;
    let mask = mask(&found);
    let wants = Wants { models: false, inputs: None, tools: BTreeSet::new(), hooks: false };
    let configuration = trust::admit(found, &wants)?;
    let grants = Grants::of(trust::given(&flags.grant)?, &configuration, graph, trust::notes());
    let mut found = limits::runtime(true)?.block_on(listed(&configuration, &grants))?;
    for tool in &mut found.tools {
        tool.info.description = mask.text(&tool.info.description).into_owned().into();
    }
    let missing: Vec<&Str> =
        called.iter().filter(|name| !found.tools.iter().any(|tool| tool.info.name == **name)).collect();
    let text = match args.format {
        Format::Human => human(&found, &called, &missing),
        Format::Json => screen::json(&document(&found, &called, &missing)),
    };
    for note in &found.notes {
        screen::say(&format!("note: {}\n", screen::line(note)));
    }
    Ok(screen::print(&text))
}

/// The tools that a graph names.
fn called(file: &str) -> Result<BTreeSet<Str>, Exit> {
    let graph = Graph::load(file, &mut Disk::default());
    let graph = graph.map_err(|error| screen::refuse(&format!("{file}: {error}")))?;
    Ok(named_tools(&graph.program).into_iter().map(Str::from).collect())
}

fn human(found: &Listed, called: &BTreeSet<Str>, missing: &[&Str]) -> String {
    let mut text = String::new();
    for tool in &found.tools {
        let ListedTool { info, source, granted, lock } = tool;
        let mut facts = vec![source.clone(), info.delivery.name().to_owned()];
        if info.approval.is_needed() {
            facts.push("asks before each call".to_owned());
        }
        facts.push(match granted {
            None => "needs no grant".to_owned(),
            Some(true) => "granted".to_owned(),
            Some(false) => "not granted".to_owned(),
        });
        facts.extend(lock.map(|lock| lock.word().to_owned()));
        if called.contains(&info.name) {
            facts.push("called by the graph".to_owned());
        }
        let _ = writeln!(text, "{}: {}", screen::line(&info.name), facts.join(", "));
        let purpose = info.description.lines().next().unwrap_or_default();
        if !purpose.is_empty() {
            let short: String = purpose.chars().take(MAX_PURPOSE).collect();
            let more = if short.len() < info.description.trim_end().len() { "…" } else { "" };
            let _ = writeln!(text, "  {}{more}", screen::asked(&short));
        }
    }
    for name in missing {
        let _ = writeln!(text, "{}: called by the graph, and there is no such tool", screen::line(name));
    }
    if text.is_empty() {
        text.push_str("there are no tools: declare commands under [tools] and MCP servers under [mcp] (docs/tools.md)\n");
    }
    text
}

fn document(found: &Listed, called: &BTreeSet<Str>, missing: &[&Str]) -> Json {
    let tools = found.tools.iter().map(|tool| {
        let ListedTool { info, source, granted, lock } = tool;
        json!({
            "name": info.name.as_str(),
            "source": source,
            "description": info.description.as_str(),
            "schema": info.schema.to_json(),
            "delivery": info.delivery.name(),
            "approval": info.approval.is_needed(),
            "granted": granted,
            "lock": lock.map(LockState::word),
            "called": called.contains(&info.name),
        })
    });
    let tools: Vec<Json> = tools.collect();
    let missing: Vec<&str> = missing.iter().map(|name| name.as_str()).collect();
    json!({"tools": tools, "missing": missing, "notes": found.notes})
}
