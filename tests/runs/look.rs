//! `runs`, `show`, `log`.

use super::desk::{steps, talk, timeless};
use crate::cli::Desk;

const CALLED: &str = "run graphs/tour/05-called-graphs.yaml --script graphs/tour/05-called-graphs.script.yaml \
     --input topics=[\"tower\",\"bridge\"] --run-id called";

fn transcript(desk: &Desk, commands: &[&str]) -> String {
    timeless(&commands.iter().map(|words| desk.run(words).transcript() + "\n").collect::<String>())
}

#[test]
fn runs_are_listed_shown_and_logged() {
    let desk = talk();
    desk.write("steps.yaml", super::desk::STEPS);
    let all = transcript(
        &desk,
        &[
            "runs",
            "run talk.yaml --run-id first",
            "run steps.yaml --run-id second",
            "runs",
            "runs --format json",
            "show first",
            "show second --at 2",
            "show second",
            "show second --at 7",
            "show second --at 4 --format json",
            "log first",
            "log nobody",
            "show nobody",
            "runs --db steps.yaml",
        ],
    );
    insta::assert_snapshot!(all);
}

#[test]
fn the_log_is_what_the_run_printed() {
    let desk = Desk::new();
    let live = desk.run(&format!("{CALLED} --format jsonl"));
    assert_eq!(live.code, Some(0), "{}", live.transcript());
    let log = desk.run("log called --format jsonl");
    assert_eq!(log.code, Some(0), "{}", log.transcript());
    assert_eq!(log.stdout, live.stdout);
    let human = desk.run("log called");
    // The date has a line of its own.
    assert_eq!(human.stdout.lines().count(), live.stdout.lines().count() + 1);
    // Every step was a place, also between two calls: about to enter what the last transition leads to.
    for step in 0..2 {
        let at = desk.run(&format!("show called --at {step}"));
        assert!(at.stdout.contains(&format!("step: {step}\n")), "{}", at.transcript());
        assert!(!at.stdout.contains("waits for"), "{}", at.transcript());
    }
}

/// What comes from outside does not move the cursor, ring the bell or hide.
#[test]
fn what_a_terminal_would_obey_is_written_out() {
    let desk = Desk::new();
    desk.write(
        "odd.yaml",
        "graph: odd\ninput: {key: string}\nstate:\n  seen: map<int> = {}\n  word: string?\nstart: note\nnodes:\n  note: {do: 'seen[key] = 1', next: [{to: ask}]}\n  ask: {kind: human, ask: \"'Is ' + key + ' right?'\", into: word, next: [{to: end}]}\n  end: {kind: final}\n",
    );
    desk.write("input.json", "{\"key\": \"a\\u001b[2Jb\\u0007\\u202ec\"}");
    for words in ["run odd.yaml --run-id odd --input @input.json", "show odd", "log odd"] {
        let ran = desk.run(words);
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!ran.stdout.contains(bad) && ran.stdout.contains('a'), "{:?}", ran.stdout);
    }
    assert!(desk.run("log odd").stdout.contains("\\u{1b}[2J"), "{}", desk.run("log odd").transcript());
}

#[test]
fn a_damaged_run_is_named_and_the_others_are_read() {
    let desk = steps();
    desk.write("talk.yaml", super::desk::TALK);
    desk.run("run talk.yaml --run-id first");
    desk.run("run steps.yaml --run-id second");
    let path = desk.folder.path().join(".loopwright/runs.db");
    let conn = rusqlite::Connection::open(path).expect("SQLite opens it");
    conn.execute_batch("UPDATE journal SET at = at + 1 WHERE id < (2 << 32)").expect("it is changed");
    drop(conn);
    let all = transcript(&desk, &["runs", "show first", "resume first", "show second"]);
    assert!(all.contains("first   talk   damaged (see `doctor`)"), "{all}");
    assert_eq!(all.matches("`loopwright doctor` says what can still be read").count(), 2, "{all}");
    assert!(all.contains("outcome: end"), "{all}");
}
