//! What a stranger wrote is shown, never obeyed: one hostile text in every place that a stranger controls, every command,
//! every format, in a pipe and at a terminal.

mod desk;
mod source;

use std::process::Command;

use desk::{FILE, TEXT, folder, kept};

use crate::cli::Desk;
use crate::terminal::{Running, terminal};

/// What must not be in anything that is printed: a character that a terminal obeys or does not show. The program's own list is
/// not asked.
fn is_odd(c: char) -> bool {
    matches!(u32::from(c),
        0..=0x08 | 0x0b..=0x1f | 0x7f..=0x9f | 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0xe0000..=0xe0fff)
}

/// Returns true for a line of the hostile text that stands where our own lines stand.
fn is_forged(line: &str) -> bool {
    ["outcome: FORGED", "help: FORGED", "to go on", "  FORGED"].iter().any(|forged| line.starts_with(forged))
}

/// A command line, and whether its standard output is for programs and so byte for byte what was asked for.
type Line = (&'static str, bool);

/// Commands that look at files. `{}` stands for words that hold the hostile text, split at blanks by nobody.
const ABOUT_FILES: &[Line] = &[
    ("check good.yaml", false),
    ("check good.yaml --format json", false),
    ("check bad.yaml", false),
    ("check bad.yaml --format json", false),
    ("check .", false),
    ("check . --format json", false),
    ("check . --bound-max 1", false),
    ("check @file", false),
    ("check @missing", false),
    ("check @missing --format json", false),
    ("check --explain @text", false),
    ("check --@text", false),
    ("@text", false),
    ("render good.yaml", true),
    ("render good.yaml --as flow", true),
    ("render good.yaml --as dot", true),
    ("render good.yaml --format json", false),
    ("render good.yaml --node @text", false),
    ("render good.yaml --view @text", false),
    ("render good.yaml --run @text", false),
    ("render bad.yaml", false),
    ("render --into doc.md --check", false),
    ("render --into faults.md", false),
    ("diff good.yaml other.yaml", false),
    ("diff good.yaml other.yaml --format json", false),
    ("diff bad.yaml @missing", false),
    ("fmt --check .", false),
    ("fmt --check . --format json", false),
    ("fmt --check bad.yaml @missing", false),
    ("convert good.yaml", true),
    ("convert bad.yaml", false),
    ("test good.scenarios.yaml --coverage", false),
    ("test good.scenarios.yaml --coverage --format json", false),
    ("test good.scenarios.yaml --format junit", false),
    ("test bad.scenarios.yaml", false),
    ("test bad.scenarios.yaml --format json", false),
    ("test bad.scenarios.yaml --format junit", false),
    ("test @missing --format junit", false),
    ("new @text", false),
    ("run good.yaml --script bad.script.yaml", false),
    ("run good.yaml --script @missing", false),
    ("run good.yaml --config bad.toml", false),
    ("run good.yaml --config broken.toml", false),
    ("run good.yaml --config @missing", false),
    ("run good.yaml --script good.script.yaml --grant @text", false),
    ("run good.yaml --script good.script.yaml --input @text", false),
    ("run good.yaml --script good.script.yaml --input topic=1 --input @assign", false),
    ("run good.yaml --script good.script.yaml --input @at", false),
    ("run good.yaml --script good.script.yaml --interrupt-when @text", false),
    ("run good.yaml --script good.script.yaml --record @missing", false),
    ("doctor --db text.db", false),
    ("doctor --db @missing", false),
    ("runs --db text.db", false),
];

/// Commands that run something or look at what was kept, in this order.
const ABOUT_RUNS: &[Line] = &[
    ("run good.yaml --script good.script.yaml --run-id h --log trace --summary", false),
    ("run good.yaml --script good.script.yaml --run-id b --format json", false),
    ("run good.yaml --script good.script.yaml --run-id c --format jsonl", false),
    ("run good.yaml --script dry.script.yaml --run-id d --log trace", false),
    ("run ask.yaml --script ask.script.yaml --run-id e", false),
    ("run ask.yaml --script ask.script.yaml --run-id f --format json", false),
    ("run @file --run-id @other", false),
    ("resume e --script ask.script.yaml --answer @text", false),
    ("resume e --script ask.script.yaml --answer yes --ask @text", false),
    ("resume e --script ask.script.yaml --with good.yaml", false),
    ("resume @text", false),
    ("show @text", false),
    ("show @text --format json", false),
    ("replay a --against bad.yaml", false),
    ("fork a --at 99", false),
    ("resume @missing", false),
    ("runs", false),
    ("runs --format json", false),
    ("show a", false),
    ("show a --format json", false),
    ("show e", false),
    ("show e --format json", false),
    ("show @missing", false),
    ("show a --at 1", false),
    ("log a", false),
    ("log a --format jsonl", false),
    ("log e", false),
    ("log e --format jsonl", false),
    ("doctor", false),
    ("doctor --format json", false),
    ("doctor --db foreign.db", false),
    ("doctor --db foreign.db --format json", false),
    ("runs --db foreign.db", false),
    ("runs --db foreign.db --format json", false),
    ("show @text --db foreign.db", false),
    ("log a --db foreign.db", false),
    ("replay a", false),
    ("replay a --format json", false),
    ("replay a --against other.yaml", false),
    ("replay a --against other.yaml --format json", false),
    ("render good.yaml --run a", true),
    ("render --run a", true),
    ("rollback a --to 1 --keep", false),
    ("rollback a --to 1 --keep --yes --format json", false),
    ("fork a --at 1 --run-id @other", false),
    ("fork a --at 1 --run-id g --format json", false),
    ("purge --dry-run --keep 0", false),
    ("purge --dry-run --keep 0 --format json", false),
    ("purge @missing", false),
];

/// The words of a line, with the hostile ones put in.
fn words(line: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "@file" => FILE.to_owned(),
        "@missing" => format!("missing {TEXT}"),
        "@text" => TEXT.to_owned(),
        "--@text" => format!("--{TEXT}"),
        "@other" => format!("other{TEXT}"),
        "@assign" => format!("count={TEXT}"),
        "@at" => format!("@missing{TEXT}"),
        word => word.to_owned(),
    };
    line.split(' ').map(word).collect()
}

#[test]
fn in_a_pipe_nothing_is_printed_that_is_obeyed() {
    let desk = kept();
    let mut said = 0;
    let mut wrong = Vec::new();
    for (line, data) in ABOUT_FILES.iter().chain(ABOUT_RUNS) {
        let words = words(line);
        let ran = desk.run_words(&words.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
        assert_ne!(ran.code, Some(101), "{line}: {}", ran.transcript());
        let streams = [(&ran.stdout, *data), (&ran.stderr, false)];
        said += streams.iter().filter(|(text, _)| text.contains("HOSTILE")).count();
        for (text, _) in streams.iter().filter(|(text, data)| !data && text.contains(is_odd)) {
            wrong.push(format!("{line}: {text:?}"));
        }
        // Nor is a line of it taken for ours. JUnit is no text for people.
        if !line.ends_with("junit") {
            for (text, _) in streams.iter().filter(|(text, data)| !data && text.lines().any(is_forged)) {
                wrong.push(format!("{line}: {text}"));
            }
        }
        if line.ends_with("--format json") && !ran.stdout.is_empty() {
            let read = serde_json::from_str::<serde_json::Value>(&ran.stdout);
            assert!(read.is_ok(), "{line}: {}", ran.transcript());
        }
        if line.contains("jsonl") {
            let lines = ran.stdout.lines().map(serde_json::from_str::<serde_json::Value>);
            assert!(
                lines.clone().count() >= 3 && lines.clone().all(|line| line.is_ok()),
                "{}",
                ran.transcript()
            );
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    let all = ABOUT_FILES.len() + ABOUT_RUNS.len();
    assert!(said > all * 3 / 4, "only {said} of {all} commands said anything of it");
}

/// What our own colours and the live line never are.
const SEQUENCES: [&str; 19] = [
    "\u{1b}]",
    "\u{1b}[2J",
    "\u{1b}c",
    "\u{1b}[35;45m",
    "\rFORGED",
    "\u{c}",
    "\u{7f}",
    "\u{85}",
    "\u{9b}",
    "\u{9d}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{e0041}",
    "\u{3164}",
    "\u{e0100}",
    "\u{8}",
];

#[test]
fn at_a_terminal_nothing_is_printed_that_is_obeyed() {
    if !terminal() {
        return;
    }
    let desk = kept();
    let mut wrong = Vec::new();
    let mut coloured = 0;
    for (line, data) in ABOUT_FILES.iter().chain(ABOUT_RUNS) {
        let words: Vec<String> = words(line).iter().map(|word| quoted(word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let running = Running::on_terminal(&desk, &[&words[..], &["</dev/null"]].concat());
        let (printed, _) = running.end();
        coloured += usize::from(printed.contains("\u{1b}[1m"));
        if printed.contains("\\u{1b}[1m") {
            wrong.push(format!("{line}: its own colours are written out in {printed:?}"));
        }
        for sequence in SEQUENCES.iter().filter(|sequence| printed.contains(**sequence)) {
            wrong.push(format!("{line}: {sequence:?} in {printed:?}"));
        }
        if !data && !line.ends_with("junit") && printed.lines().any(is_forged) {
            wrong.push(format!("{line}: a line of ours in {printed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    assert!(coloured > 5, "only {coloured} commands printed colours of their own");
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[test]
fn questions_at_the_terminal_are_shown() {
    if !terminal() {
        return;
    }
    let desk = folder();
    let mut running = Running::on_terminal(&desk, &["run", "ask.yaml"]);
    let asked = running.wait_for("> ");
    assert!(asked.contains("HOSTILE"), "{asked:?}");
    running.write("no such word\n");
    let again = running.wait_for("> ");
    running.write("yes\n");
    let (rest, _) = running.end();
    let printed = [asked, again, rest].concat();
    let found: Vec<_> = SEQUENCES.iter().filter(|sequence| printed.contains(**sequence)).collect();
    assert!(found.is_empty(), "{found:?} in {printed:?}");
    assert!(!printed.lines().any(is_forged), "{printed:?}");
}

#[test]
fn what_is_for_programs_stays_byte_for_byte() {
    let desk = Desk::new();
    // A joiner in a comment: a graph file that is only warned of.
    let graph = "# a\u{200d}b\ngraph: g\nstart: e\nnodes:\n  e: {kind: final}\n";
    desk.write("g.yaml", graph);
    let formatted = Command::new("sh")
        .args(["-c", "\"$0\" fmt - < g.yaml", env!("CARGO_BIN_EXE_loopwright")])
        .current_dir(desk.folder.path())
        .output()
        .expect("the shell starts");
    assert!(String::from_utf8_lossy(&formatted.stdout).contains("# a\u{200d}b"), "{formatted:?}");
    if terminal() {
        let (printed, _) = Running::on_terminal(&desk, &["convert", "g.yaml"]).end();
        assert!(printed.contains("a\\u{200d}b"), "{printed:?}");
    }
}

#[test]
fn json_means_the_same_as_before_it_was_escaped() {
    let desk = kept();
    let ran = desk.run("show a --format json");
    let shown: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    assert_eq!(shown["outcome"], TEXT);
    assert_eq!(shown["output"]["word"], TEXT);
}
