//! Files of another kind than a command reads: the refusal names the command that reads them.

use std::path::Path;

use super::args::{Command, Line};
use super::files::{self, FileKind, STDIN};
use super::{Exit, screen};

/// Files that a command names, and the kind that it reads there.
type NamedFiles<'a> = (Vec<&'a str>, FileKind);

/// Refuses the first file that is of another kind of ours than the command reads. Nothing is refused of which that is not sure.
pub(super) fn refuse(command: &Command) -> Option<Exit> {
    let named = read(command)?;
    let mut files =
        named.into_iter().flat_map(|(paths, wanted)| paths.into_iter().map(move |path| (path, wanted)));
    files.find_map(|(path, wanted)| refuse_file(path, wanted))
}

/// The refusal of a file that is of another kind than is wanted.
fn refuse_file(path: &str, wanted: FileKind) -> Option<Exit> {
    let found = kind(path)?;
    if found == wanted {
        return None;
    }
    let why = format!("{path}: this is {}, and {} wanted", one(found), wanted_words(wanted));
    Some(screen::refuse_with(&why, &help(path, found)))
}

/// The kind of a file of ours; none where it is not sure.
pub(super) fn kind(path: &str) -> Option<FileKind> {
    let place = Path::new(path);
    if path == STDIN || !place.metadata().is_ok_and(|about| about.is_file()) {
        return None;
    }
    FileKind::of(place, &files::data(place).ok()?)
}

/// The files that a command names, with the kinds that it reads; none where it names no file, or finds their kinds itself.
fn read(command: &Command) -> Option<Vec<NamedFiles<'_>>> {
    Some(match command {
        Command::Check(check) => vec![(words(&check.paths), FileKind::Graph)],
        Command::Test(test) if test.write || test.mutants => return None,
        Command::Test(test) => vec![(words(&test.paths), FileKind::Scenarios)],
        Command::Render(render) => vec![(words(render.file.as_slice()), FileKind::Graph)],
        Command::Diff(diff) => vec![(vec![&diff.before, &diff.after], FileKind::Graph)],
        Command::Convert(convert) => vec![(vec![&convert.file], FileKind::Graph)],
        Command::Explore(explore) => vec![(vec![explore.file()], FileKind::Graph)],
        Command::Replay(replay) => vec![(words(replay.against.as_slice()), FileKind::Graph)],
        Command::Run(run) => {
            vec![(vec![&run.file], FileKind::Graph), (words(run.ports.script.as_slice()), FileKind::Script)]
        }
        Command::Resume(resume) => vec![
            (words(resume.with.as_slice()), FileKind::Graph),
            (words(resume.ports.script.as_slice()), FileKind::Script),
        ],
        _ => return None,
    })
}

fn words(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}

const fn one(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Graph | FileKind::Source => "a graph file",
        FileKind::Scenarios => "a scenario file",
        FileKind::Script => "a script",
        FileKind::Configuration => "a configuration",
    }
}

/// The kind that is wanted, with its verb.
const fn wanted_words(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Graph | FileKind::Source => "a graph is",
        FileKind::Scenarios => "scenarios are",
        FileKind::Script => "a script is",
        FileKind::Configuration => "a configuration is",
    }
}

/// The command that reads a file.
pub(super) fn help(path: &str, kind: FileKind) -> String {
    let advice = |line: Line| format!("run `{}`", line.text());
    match kind {
        FileKind::Scenarios => advice(Line::of("test").word(path)),
        FileKind::Script => match graph_of(path, ".script") {
            Some(graph) => advice(Line::of("run").word(&graph).flag("--script", [path])),
            None => format!("it goes with a graph: `loopwright run GRAPH --script {path}`"),
        },
        FileKind::Configuration => "`loopwright doctor` says what is wrong with it, `loopwright models` and `loopwright tools` what it has".to_owned(),
        FileKind::Graph | FileKind::Source => scenarios_help(path, scenarios_of(path).as_deref()),
    }
}

/// The commands that read a graph, or its scenarios.
fn scenarios_help(path: &str, scenarios: Option<&str>) -> String {
    let advice = |line: Line| format!("run `{}`", line.text());
    if let Some(scenarios) = scenarios {
        return format!("its scenarios are in another file: {}", advice(Line::of("test").word(scenarios)));
    }
    let begins = Line::of("test").word("--write").word(path).text();
    format!("{}, or write scenarios for it with `{begins}`", advice(Line::of("check").word(path)))
}

/// The scenario file beside a graph.
fn scenarios_of(graph: &str) -> Option<String> {
    ["scenarios.yaml", "scenarios.yml"]
        .iter()
        .map(|ending| Path::new(graph).with_extension(ending))
        .find(|path| path.is_file())
        .map(|path| path.to_string_lossy().into_owned())
}

/// The graph beside a file `NAME.script.yaml`.
fn graph_of(path: &str, middle: &str) -> Option<String> {
    let stem = Path::new(path).with_extension("");
    let name = stem.to_string_lossy();
    let name = name.strip_suffix(middle)?;
    ["yaml", "yml", "loop"]
        .iter()
        .map(|ending| format!("{name}.{ending}"))
        .find(|graph| Path::new(graph).is_file())
}
