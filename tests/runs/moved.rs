//! `resume --with`: a kept run goes on with an edited graph.

use std::sync::Arc;

use loopwright::drive::{DriveError, Driver, Finished, Programs, rebuild};
use loopwright::machine::{Snapshot, Start};
use loopwright::port::{EntryCause, ProgramText, Store, StoredRun};
use loopwright::store::Memory;
use loopwright::value::Value;

use super::desk::{STEPS, TALK, talk, timeless};
use crate::cli::Desk;
use crate::played::compiled;

/// The loop of questions in other words: with a third answer, a field more and another budget.
fn talk_more() -> String {
    let edits = [
        ("options: [more, stop]", "options: [more, stop, later]"),
        ("more or stop?", "go on?"),
        ("  word: string?", "  word: string?\n  mood: string = 'good'"),
        ("{rounds: 2000}", "{rounds: 3000, pauses: 5}"),
        ("output: {rounds: size(said)}", "output: {rounds: size(said), mood: mood}"),
    ];
    edits.iter().fold(TALK.to_owned(), |text, (was, is)| {
        assert!(text.contains(was), "there is no {was:?} in it");
        text.replace(was, is)
    })
}

/// A run that waits in its second round.
fn waiting() -> Desk {
    let desk = talk();
    assert_eq!(desk.run("run talk.yaml --run-id one").code, Some(3));
    assert_eq!(desk.run("resume one --answer more").code, Some(3));
    desk
}

#[test]
fn a_run_goes_on_with_an_edited_graph() {
    let desk = waiting();
    desk.write("more.yaml", &talk_more());
    let mut all = String::new();
    for words in [
        "resume one --with more.yaml",
        "show one",
        "show one --at 1",
        "log one",
        "resume one --answer later",
        "resume one --with more.yaml",
        "resume one --answer stop",
        "resume one --with talk.yaml",
        "doctor",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(timeless(&all));
}

/// A letter that a person is asked about in a graph in place, in a composite with a state and budgets of its own.
const LETTER: &str = "\
graph: letter
input: {topic: string}
state: {draft: string?}
budgets: {spent: {each: \"['a', 'b']\", as: key, meters: {calls: 3}}}
start: work
nodes:
  work:
    start: ask
    state: {round: int = 0}
    budgets: {rounds: 5}
    nodes:
      ask:
        kind: call
        do: round += 1; spend rounds; spend spent['a'].calls
        graph:
          input: {about: string}
          state: {said: string?}
          start: person
          nodes:
            person:
              kind: human
              ask: \"'What about ' + about + '?'\"
              answer: string
              into: said
              next: [{to: done}, {to: done, on: error}]
            done: {kind: final}
          output: {said: said}
        with: {about: topic}
        then: draft = result.said
        next:
          - {to: enough, when: round >= 2}
          - {to: ask}
          - {to: enough, on: error}
          - {to: enough, on: exhausted(rounds)}
          - {to: enough, on: \"exhausted(spent['a'].calls)\"}
      enough: {kind: final}
    next: done
  done: {kind: final}
output: {draft: draft, spent: \"used(spent['a'].calls)\"}
";

/// The letter with another name for everything that has one, and a migration of all of them.
fn renamed_letter() -> String {
    let words = [
        ("letter", "epistle"),
        ("topic", "subject"),
        ("draft", "text"),
        ("rounds", "turns"),
        ("round", "turn"),
        ("spent", "costs"),
        ("work", "job"),
        ("ask:\n        kind", "inquire:\n        kind"),
        ("start: ask", "start: inquire"),
        ("to: ask}", "to: inquire}"),
        ("person", "listener"),
        ("said", "heard"),
    ];
    let text = words.iter().fold(LETTER.to_owned(), |text, (was, is)| {
        assert!(text.contains(was), "there is no {was:?} in it");
        text.replace(was, is)
    });
    let inner = "          input: {about: string}\n";
    let own = "          migrate: {graph: letter.ask, fields: {said: heard}, nodes: {person: listener}}\n";
    text.replace(inner, &format!("{own}{inner}"))
        + "migrate:
  graph: letter
  fields: {topic: subject, draft: text, round: turn}
  nodes: {work: job, ask: inquire}
  budgets: {spent: costs, rounds: turns}
"
}

/// Names that the edited graph declares to be earlier ones are found, in lanes, composites and families, too; a run goes back
/// over the switch, and is rebuilt over it.
#[test]
fn earlier_names_are_found() {
    let desk = Desk::new();
    desk.write("letter.yaml", LETTER);
    desk.write("renamed.yaml", &renamed_letter());
    desk.write("unsaid.yaml", &renamed_letter().replace("{work: job, ask: inquire}", "{work: job}"));
    let mut all = String::new();
    for words in [
        "run letter.yaml --run-id one --input topic=rain",
        "resume one --answer wet",
        "resume one --with unsaid.yaml",
        "resume one --with renamed.yaml",
        "show one",
        "log one",
        "rollback one --to 1",
        "resume one",
        "resume one --answer dry",
        "doctor",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(timeless(&all));
    let ran = desk.run("replay one");
    assert_eq!((ran.code, ran.stdout.contains("all as stored")), (Some(0), true), "{}", ran.transcript());
}

/// Everything that does not fit is told, and nothing is changed.
#[test]
fn what_does_not_fit_is_told_and_nothing_changes() {
    let desk = waiting();
    let edited = TALK
        .replace("said", "heard")
        .replace("rounds: 2000", "turns: 2000")
        .replace("spend rounds", "spend turns");
    desk.write("other.yaml", &edited);
    desk.write("broken.yaml", &TALK.replace("{to: ask}", "{to: asks}"));
    let before = (desk.run("doctor").stdout, desk.run("show one").stdout, desk.run("log one").stdout);
    let mut all = String::new();
    for words in [
        "resume one --with other.yaml",
        "resume one --with broken.yaml",
        "resume one --with nowhere.yaml",
        "resume one --with graphs/mini.yaml --answer more",
        "resume one --with other.yaml --format json",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(all);
    assert_eq!(before, (desk.run("doctor").stdout, desk.run("show one").stdout, desk.run("log one").stdout));
    assert_eq!(desk.run("resume one --answer stop").code, Some(0));
}

/// An answer given at once is for the question as the edited graph puts it, and is looked at before anything is done.
#[test]
fn an_answer_may_come_with_the_graph() {
    let desk = waiting();
    desk.write("more.yaml", &talk_more());
    let before = desk.run("log one").stdout;
    let ran = desk.run("resume one --with more.yaml --answer never");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("wanted enum(more, stop, later), found \"never\""), "{}", ran.transcript());
    assert_eq!(desk.run("log one").stdout, before);
    let ran = desk.run("resume one --with more.yaml --answer later");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stdout.contains("Round 2: go on?"), "{}", ran.transcript());
    let ran = desk.run("resume one --answer stop");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "outcome: end\nrounds: 3\nmood: good\n"));
}

/// The events of a run that goes on are those of its edited graph.
#[test]
fn events_are_told_by_the_graph_in_force() {
    let desk = waiting();
    desk.write("more.yaml", &talk_more());
    let ran = desk.run("resume one --with more.yaml --answer stop --format jsonl");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let logged = desk.run("log one --format jsonl").stdout;
    assert!(logged.ends_with(&ran.stdout), "{logged}\n--- is not the end of\n{}", ran.stdout);
    assert!(ran.stdout.contains("go on?"), "{}", ran.stdout);
}

/// The operator's stops are read again over the edited graph.
#[test]
fn stops_of_the_operator_are_kept_or_refused() {
    let desk = Desk::new();
    desk.write("steps.yaml", STEPS);
    let words = ["run", "steps.yaml", "--run-id", "one", "--interrupt-when", "n == 2 || n == 4"];
    assert_eq!(desk.run_words(&words, &[]).code, Some(3));
    desk.write(
        "m.yaml",
        &STEPS
            .replace("n: int = 0", "m: int = 0")
            .replace("n += 1", "m += 1")
            .replace("n >= 5", "m >= 5")
            .replace("n: n", "n: m"),
    );
    let ran = desk.run("resume one --with m.yaml");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("there is no `n`"), "{}", ran.transcript());
    desk.write("far.yaml", &STEPS.replace("n >= 5", "n >= 7"));
    let ran = desk.run("resume one --with far.yaml --answer resume");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(desk.run("show one").stdout.contains("n: 4"));
    let ran = desk.run("resume one --answer resume");
    assert_eq!((ran.code, ran.stdout.contains("n: 7")), (Some(0), true), "{}", ran.transcript());
}

/// A step that lies before the edit is one of the run: the run goes back to it and on from there by the edited graph.
#[test]
fn a_run_goes_back_behind_its_edit() {
    let desk = Desk::new();
    desk.write("steps.yaml", STEPS);
    assert_eq!(desk.run("run steps.yaml --run-id one --interrupt-every 3").code, Some(3));
    let far = STEPS
        .replace("n >= 5", "n >= 8")
        .replace("{rounds: 9}", "{rounds: 12}")
        .replace("last: int?", "last: int?, late: int = 40");
    desk.write("far.yaml", &far.replace("n += 1", "n += 1\n      late += 1"));
    let ran = desk.run("resume one --with far.yaml --answer resume");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let shown = desk.run("show one").stdout;
    assert!(shown.contains("step: 6"), "{shown}");
    let ran = desk.run(r#"resume one --answer {"rollback":1}"#);
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let shown = desk.run("show one").stdout;
    assert!(shown.contains("step: 3") && shown.contains("late: 43"), "{shown}");
    let mut all = desk.run("log one").stdout;
    while desk.run("resume one --answer resume").code == Some(3) {}
    all += &desk.run("show one").stdout;
    all += &desk.run("doctor").stdout;
    insta::assert_snapshot!(timeless(&all));
}

/// What was kept of a run across an edit gives the same state from every place on, and needs both programs.
#[tokio::test]
async fn the_journal_holds_across_an_edit() {
    let (was, is) = (compiled(&[("talk.yaml", TALK)]), compiled(&[("talk.yaml", &talk_more())]));
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let old = Driver::new(was.clone()).store(store.clone());
    let mut run = old.start(Start { run: "one".into(), ..Start::default() }).await.expect("it starts");
    let asks = |run: &loopwright::drive::Run| run.snapshot().asks().next().expect("it asks").id.clone();
    run.drive().await.expect("it waits");
    run.answer(&asks(&run), Value::from("more")).expect("it fits");
    run.drive().await.expect("it waits");
    let new = Driver::new(is.clone()).earlier([was.clone()]).store(store.clone());
    let text = ProgramText {
        digest: is.digest.clone(),
        main: "talk.yaml".into(),
        files: Vec::new(),
        functions: Vec::new(),
    };
    let mut run = new.adopt("one", &text).await.expect("it fits");
    assert!(store.program(&is.digest).await.expect("it is read").is_some());
    run.answer(&asks(&run), Value::from("later")).expect("it fits");
    assert!(matches!(run.drive().await, Ok(Finished::Waiting { .. })));
    let last = run.snapshot().clone();

    let entries = store.entries("one").await.expect("they are read");
    assert!(
        entries
            .iter()
            .any(|entry| matches!(&entry.cause, EntryCause::Moved { program, .. } if *program == is.digest))
    );
    let kept = store.load("one", None).await.expect("it is read");
    let all = StoredRun { info: kept.info.clone(), from: 0, snapshot: Snapshot::new(), entries };
    let both: Vec<_> = vec![was.clone(), is.clone()];
    let again = rebuild(both.iter().collect::<Programs<'_>>(), &all).expect("the same way");
    assert_eq!(again, last);
    let short = rebuild(both.iter().collect::<Programs<'_>>(), &kept).expect("the same way");
    assert_eq!(short, last);
    assert!(rebuild(&is, &all).is_err(), "the first program is not there");

    assert!(matches!(old.reopen("one").await, Err(DriveError::Program { .. })));
    let unfit = compiled(&[("talk.yaml", &TALK.replace("said", "heard"))]);
    let other = Driver::new(unfit).earlier([was, is.clone()]).store(store.clone());
    assert!(matches!(other.adopt("one", &text).await, Err(DriveError::Unfit(_))));
    assert!(new.reopen("one").await.is_ok());
}
