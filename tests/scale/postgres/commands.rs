//! Every command does with a database what it does with a file.

use std::fmt::Write;

use super::server::shared;
use crate::desk::{Desk, Printed};

/// Asks whether it shall go on until somebody says `stop`.
pub(super) const TALK: &str = "
graph: talk
ignore: {unhandled: Nobody goes on for so long.}
state:
  said: list<string> = []
  word: string?
budgets: {rounds: 2000}
start: ask
nodes:
  ask:
    kind: human
    ask: \"'Round ' + string(size(said)) + ': more or stop?'\"
    options: [more, stop]
    into: word
    then: said += word ?? ''
    do: spend rounds
    next: [{to: end, when: word == 'stop'}, {to: ask}]
  end: {kind: final}
output: {rounds: size(said)}
";

/// Asks a model, which a script answers.
const ASKS: &str = "
graph: asks
state: {answer: string?}
start: think
nodes:
  think: {kind: model, role: writer, prompt: \"'Say a word.'\", cache: true, into: answer, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {answer: answer}
";

/// One after the other, as a user would type them. `DB` is the store.
const COMMANDS: &[&str] = &[
    "doctor --db DB",
    "runs --db DB",
    "run talk.yaml --run-id one --db DB",
    "run talk.yaml --run-id one --db DB",
    "runs --db DB",
    "show one --db DB",
    "resume one --db DB --answer more",
    "resume one --db DB --answer nonsense",
    "resume one --db DB --answer more",
    "show one --at 1 --db DB",
    "log one --db DB",
    "log one --db DB --format jsonl",
    "fork one --at 1 --run-id two --db DB",
    "runs --db DB",
    "rollback one --to 1 --db DB",
    "resume one --db DB --answer stop",
    "show one --db DB --format json",
    "replay one --db DB",
    "replay one --db DB --against talk.yaml",
    "render --run one --db DB",
    "render talk.yaml --run one --db DB",
    "cancel two --db DB",
    "run asks.yaml --script asks.script.yaml --run-id three --db DB",
    "run asks.yaml --script asks.script.yaml --run-id four --db DB",
    "run asks.yaml --script asks.script.yaml --run-id five --db DB --format jsonl",
    "runs --db DB --format json",
    "show nobody --db DB",
    "resume three --db DB",
    "doctor --db DB",
    "doctor --db DB --format json",
    "run talk.yaml --run-id six --db DB",
    "purge six --db DB",
    "purge six --unfinished --dry-run --db DB",
    "purge six --unfinished --db DB",
    "purge nobody --db DB",
    "purge --keep 1 --dry-run --db DB",
    "purge --answers --db DB",
    "purge --keep 1 --db DB",
    "runs --db DB",
    "doctor --db DB",
];

fn desk() -> Desk {
    let files = [
        ("talk.yaml", TALK),
        ("asks.yaml", ASKS),
        ("asks.script.yaml", "model:\n  writer: [yes, no, maybe]\n"),
    ];
    Desk::new(&files)
}

/// A text without times, bytes and the name of the store.
fn plain(text: &str, db: &str) -> String {
    let text = text.replace("the database: ", "the file: ").replace(db, "DB");
    let times =
        regex::Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|\b\d\d:\d\d:\d\d\.\d{3}\b|\d{4}-\d\d-\d\d \(UTC\)")
            .expect("a pattern");
    let bytes = regex::Regex::new(r"freed \d+ of \d+ bytes\n").expect("a pattern");
    let sizes = regex::Regex::new(r#""bytes_(before|after)": \d+"#).expect("a pattern");
    let owners = regex::Regex::new(r"process \d+").expect("a pattern");
    let text = times.replace_all(&text, "TIME");
    let text = bytes.replace_all(&text, "");
    let text = sizes.replace_all(&text, "BYTES");
    let text = owners.replace_all(&text, "PROCESS");
    // That of a state that has times in it.
    let text = regex::Regex::new("\ndigest: [0-9a-f]{64}")
        .expect("a pattern")
        .replace_all(&text, "\ndigest: DIGEST")
        .into_owned();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn all(db: &str) -> Vec<(String, Printed)> {
    let desk = desk();
    let run = |words: &&str| {
        let printed = desk.run(&words.replace("DB", db));
        let (stdout, stderr) = (plain(&printed.stdout, db), plain(&printed.stderr, db));
        ((*words).to_owned(), Printed { code: printed.code, stdout, stderr })
    };
    COMMANDS.iter().map(run).collect()
}

#[test]
fn every_command_prints_the_same_for_a_file_and_a_database() {
    let Some(server) = shared() else { return };
    let (file, database) = (all("some.db"), all(&server.database()));
    let mut differ = String::new();
    for ((words, file), (_, database)) in file.iter().zip(&database) {
        // Before the first run there is nothing, which a file and a database say each in its own way.
        let none = words == "doctor --db DB" && file.code == Some(2) && database.code == Some(2);
        let none = none || (words == "runs --db DB" && file.stderr.contains("no such file"));
        if file != database && !none {
            let _ = writeln!(differ, "{words}\n  file: {file:#?}\n  database: {database:#?}");
        }
    }
    assert!(differ.is_empty(), "{differ}");
    let mut text = String::new();
    for (words, printed) in &database {
        let _ = writeln!(text, "$ {words}\n{}{}[{:?}]", printed.stdout, printed.stderr, printed.code);
    }
    insta::assert_snapshot!(text);
}
