//! The formats for programs, from the table that reads the command line.

use clap::CommandFactory;

use super::super::args::CommandLine;
use loopwright_core::reference::ReferencePart;

/// The schemas in the book: the command and the format, and the file.
const SCHEMAS: [(&str, &str); 10] = [
    ("check json", "check"),
    ("diff json", "diff"),
    ("log jsonl", "event"),
    ("resume json", "run"),
    ("resume jsonl", "event"),
    ("run json", "run"),
    ("run jsonl", "event"),
    ("runs json", "runs"),
    ("show json", "show"),
    ("test json", "test"),
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
            let prints = match value.get_name() {
                "json" => "one JSON document",
                "jsonl" => "one JSON object a line",
                "junit" => "JUnit XML",
                _ => continue,
            };
            let (command, value) = (command.get_name(), value.get_name());
            let key = format!("{command} {value}");
            let schema = SCHEMAS.iter().find(|(own, _)| *own == key);
            let schema =
                schema.map_or("none yet".to_owned(), |(_, file)| format!("[{file}](schemas/{file}.json)"));
            let name = format!("{command} --format {value}");
            part.entry("format", &name, format!("| `{name}` | {prints} | {schema} |"));
        }
    }
    part
}
