//! The commands with their flags, from the table that reads the command line.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory};

use super::super::args::CommandLine;
use loopwright_core::reference::ReferencePart;

const PAGE: &str = "command-line.md";

/// A part for each command, and one for each command below another.
pub(super) fn parts() -> Vec<ReferencePart> {
    let mut root = CommandLine::command();
    root.build();
    let mut parts = vec![list(&root)];
    for command in visible(&root) {
        parts.push(part(command, command.get_name()));
        parts.extend(
            visible(command)
                .map(|inner| part(inner, &format!("{} {}", command.get_name(), inner.get_name()))),
        );
    }
    parts
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

/// The list of commands.
fn list(root: &Command) -> ReferencePart {
    let mut part = ReferencePart::new(PAGE, "commands");
    part.table(&["command", ""]);
    for command in visible(root) {
        let name = command.get_name();
        part.entry("command", name, format!("| [{name}](#loopwright-{name}) | {} |", about(command)));
    }
    part
}

fn part(command: &Command, name: &str) -> ReferencePart {
    let mut part =
        ReferencePart::new(PAGE, format!("command-{}", name.replace(' ', "-"))).about("command", name);
    let level = if name.contains(' ') { "###" } else { "##" };
    part.write(&format!("{level} loopwright {name}\n\n{}.\n", about(command)));
    let mut usage = command.clone();
    let usage = usage.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    part.write(&format!("`{}`\n", usage.split_whitespace().collect::<Vec<_>>().join(" ")));
    let mut arguments: Vec<&Arg> =
        command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help").collect();
    arguments.sort_by_key(|arg| arg.get_long().is_some());
    if !arguments.is_empty() {
        part.table(&["argument", ""]);
        for argument in arguments {
            let name = written(argument);
            part.entry("argument", &name, format!("| `{name}` | {} |", help(argument)));
        }
    }
    part
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default().replace('|', "\\|")
}

/// An argument as it is written on the command line.
fn written(argument: &Arg) -> String {
    let values: Vec<String> = argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| if argument.get_long().is_some() { name.to_string() } else { format!("<{name}>") })
        .collect();
    let values = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
    let name = match (argument.get_long(), argument.get_short()) {
        (Some(long), Some(short)) => format!("-{short}, --{long} {values}"),
        (Some(long), None) => format!("--{long} {values}"),
        (None, Some(short)) => format!("-{short} {values}"),
        (None, None) => values,
    };
    name.trim().replace('|', "\\|")
}

/// The help of an argument, with its values and its default.
fn help(argument: &Arg) -> String {
    let mut help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    let names: Vec<String> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if argument.get_action().takes_values() && !names.is_empty() {
        let _ = write!(help, ". One of {}", names.join(", "));
    }
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(help, ". By default `{}`", defaults.join(" "));
    }
    help.replace('|', "\\|").replace('\n', " ").replace("..", ".")
}
