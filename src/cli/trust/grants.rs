//! The question for a grant, and the words where one is missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use super::configuration::trust_words;
use crate::cli::run::agrees;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::{Grant, Grants, digest};
use loopwright_core::config::server_of;
use loopwright_core::value::Str;

/// The longest description that a question shows, in characters.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// The grants that were reported so far.
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reads the flags `--grant`.
pub(in crate::cli) fn given(flags: &[String]) -> Result<Vec<Grant>, Exit> {
    let grant = |flag: &String| match flag.split_once('@') {
        None => Ok(Grant { tool: flag.clone(), digest: None }),
        Some((tool, text)) => {
            let refuse = |why| screen::refuse(&format!("--grant {}: {why}", screen::line(flag)));
            Ok(Grant { tool: tool.to_owned(), digest: Some(digest(text).map_err(refuse)?) })
        }
    };
    flags.iter().map(grant).collect()
}

/// The path of the configuration, as it is shown.
fn configuration(grants: &Grants) -> String {
    grants.configuration().map(|path| screen::path(path)).unwrap_or_default()
}

/// Says what is run under a name that was granted, and who says so. With a digest it was seen before.
pub(in crate::cli) fn say_granted(grants: &Grants, tool: &str) {
    if let Some(granted) = grants.tool(tool).filter(|_| grants.allow_by_name(tool)) {
        let work = screen::asked(&granted.work);
        let words =
            of_server(tool).map_or_else(String::new, |server| format!("of the MCP server {server}, which "));
        let line = format!("{tool} {words}{work} ({})\n", configuration(grants));
        // Whoever drives many runs grants each of them the same.
        if REPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
            screen::say(&line);
        }
    }
}

/// Asks the person at the terminal, and notes a yes.
pub(in crate::cli) fn ask_grant(grants: &Grants, tool: &str) -> bool {
    let Some(asked) = grants.tool(tool) else { return false };
    let changed = if grants.was_granted(tool) { "it changed since it was granted\n" } else { "" };
    // Its author's words are before the question and in quotes, so that they cannot be taken for it.
    let about = match &*asked.description {
        "" => String::new(),
        words => format!("its configuration says of it: \"{}\"\n", clipped(&screen::asked(words))),
    };
    let words =
        of_server(tool).map_or_else(String::new, |server| format!("is of the MCP server {server}, which "));
    let question = format!(
        "{tool} {words}{}\n{about}{changed}May this graph use the tool `{tool}` on this machine?",
        screen::asked(&asked.work)
    );
    if !agrees(&question) {
        return false;
    }
    if let Err(why) = grants.note(tool) {
        screen::say(&format!("warning: it is granted for this command alone: {}\n", screen::line(&why)));
    }
    true
}

/// Names the line that grants what is missing, and shows what that would run.
pub(in crate::cli) fn missing_grants(grants: &Grants, command: &str, names: &[Str]) -> Exit {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    say_missing(grants, command, names, format!("the graph may use these tools on this machine: {list}\n"))
}

/// The same for one tool that is called without a graph.
pub(in crate::cli) fn missing_tool_grant(grants: &Grants, command: &str, name: &Str) -> Exit {
    let names = std::slice::from_ref(name);
    say_missing(grants, command, names, format!("`{}` was not granted:\n", screen::line(name)))
}

fn say_missing(grants: &Grants, command: &str, names: &[Str], mut text: String) -> Exit {
    let mut words = String::new();
    let mut more = Vec::new();
    for name in names {
        // A shell reads a star.
        let _ = write!(
            words,
            " --grant {}",
            if name.contains('*') { format!("'{name}'") } else { name.to_string() }
        );
        let Some(declared) = grants.tool(name) else { continue };
        let of =
            of_server(name).map_or_else(String::new, |server| format!("of the MCP server {server}, which "));
        let _ = writeln!(text, "  {name} {of}{}", screen::asked(&declared.work));
        if !declared.by_name {
            let _ = write!(words, "@{}", declared.digest);
            more.push(format!("`{name}`"));
        }
    }
    if !more.is_empty() {
        let trust = grants.configuration().map(|path| trust_words(path)).unwrap_or_default();
        let _ = writeln!(
            text,
            "a name alone grants nothing that has variables, names files or reaches out of its folder ({}): a digest does, or \
             allow all of it with `loopwright trust {}`",
            more.join(", "),
            screen::line(&trust)
        );
    }
    let _ = writeln!(text, "to allow it, run:\n  {command}{words}");
    screen::say(&text);
    Exit::Waiting
}

/// The name of the server that a tool belongs to, if it belongs to one.
fn of_server(tool: &str) -> Option<&str> {
    server_of(tool).map(|(server, _)| server)
}

fn clipped(words: &str) -> String {
    let short: String = words.chars().take(MAX_DESCRIPTION_CHARS).collect();
    if short.len() < words.len() { format!("{short}…") } else { short }
}
