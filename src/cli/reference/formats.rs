//! The formats for programs, from the table that reads the command line.

use clap::CommandFactory;

use super::super::args::CommandLine;
use loopwright_core::reference::ReferencePart;

/// The schemas in the book: the command and the format, and the files.
const SCHEMAS: [(&str, &[&str]); 25] = [
    ("cancel json", &["cancel"]),
    ("cancel jsonl", &["event", "cancel"]),
    ("check json", &["check"]),
    ("diff json", &["diff"]),
    ("doctor json", &["doctor"]),
    ("explore json", &["explore"]),
    ("fmt json", &["fmt"]),
    ("fork json", &["fork"]),
    ("log jsonl", &["event"]),
    ("models json", &["models"]),
    ("purge json", &["purge"]),
    ("render json", &["render"]),
    ("replay json", &["replay"]),
    ("resume json", &["run"]),
    ("resume jsonl", &["event"]),
    ("rollback json", &["rollback"]),
    ("rollback jsonl", &["rollback"]),
    ("run json", &["run"]),
    ("run jsonl", &["event"]),
    ("runs json", &["runs"]),
    ("show json", &["show"]),
    ("test json", &["test"]),
    ("tools json", &["tools"]),
    ("trust json", &["trust"]),
    ("work json", &["work"]),
];

/// A row for each format of each command that is not for people.
pub(super) fn part() -> ReferencePart {
    let mut part = ReferencePart::new("formats.md", "formats");
    part.table(&["command", "prints", "schema"]);
    let root = CommandLine::command();
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        let Some(format) = command.get_arguments().find(|argument| argument.get_long() == Some("format"))
        else {
            continue;
        };
        for value in format.get_possible_values() {
            let (command, value) = (command.get_name(), value.get_name());
            let prints = match (command, value) {
                ("work", "json") | (_, "jsonl") => "one JSON object a line",
                (_, "json") => "one JSON document",
                (_, "junit") => "JUnit XML",
                _ => continue,
            };
            let key = format!("{command} {value}");
            let files = SCHEMAS.iter().find(|(own, _)| *own == key).map_or(&[][..], |(_, files)| files);
            let links: Vec<String> =
                files.iter().map(|file| format!("[{file}](schemas/{file}.json)")).collect();
            // The form of JUnit XML is that of other programs.
            let schema = if links.is_empty() { "–".to_owned() } else { links.join(", ") };
            let name = format!("{command} --format {value}");
            part.entry("format", &name, format!("| `{name}` | {prints} | {schema} |"));
        }
    }
    part
}
