//! Runs and answers that are left to workers, as a user leaves them.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::crew::Crew;
use crate::desk::Desk;
use crate::postgres::server::shared;
use crate::until::until;

const GRAPH: &str = "\
graph: notice
title: A notice that a person publishes
input: {text: string}
state:
  decision: enum(publish, reject)?
start: decide
nodes:
  decide:
    kind: human
    ask: text
    options: [publish, reject]
    into: decision
    next:
      - {to: published, when: decision == 'publish'}
      - {to: rejected}
  published: {kind: final}
  rejected: {kind: final, ok: false}
output:
  text: text
";

#[test]
fn a_run_and_its_answer_are_left_to_a_worker() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("notice.yaml", GRAPH)]);
    let address = server.database();
    let with = |words: &str| desk.run(&words.replace("DB", &address));
    let left = with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "a\n"), "{left:?}");
    let listed = with("runs --db DB");
    assert!(listed.stdout.contains("ready"), "{listed:?}");
    let again = with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    assert_eq!(again.code, Some(2), "{again:?}");
    let worked = with("work notice.yaml --db DB --until-idle");
    assert_eq!(worked.stdout, "a: taken\na: waits for a person at decide\n", "{worked:?}");
    let misfit = with("resume a --db DB --answer perhaps --detach");
    assert_eq!(
        misfit.stderr,
        "error: the answer does not fit the question at decide: wanted enum(publish, reject), found \"perhaps\"\n"
    );
    let answered = with("resume a --db DB --answer publish --detach");
    assert_eq!(answered.stdout, "the run `a` is left to a worker\n", "{answered:?}");
    let worked = with("work notice.yaml --db DB --until-idle --format json");
    let ended = "{\"run\":\"a\",\"note\":\"ended\",\"outcome\":\"published\",\"ok\":true}\n";
    assert!(worked.stdout.ends_with(ended), "{worked:?}");
    let late = with("resume a --db DB --answer publish --detach");
    assert_eq!(late.stderr, "error: the run `a` ended: published; `loopwright show` shows it\n");
}

#[test]
fn a_worker_leaves_the_runs_of_other_versions() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("notice.yaml", GRAPH), ("other.yaml", &GRAPH.replace("rejected", "dropped"))]);
    let address = server.database();
    let with = |words: &str| desk.run(&words.replace("DB", &address));
    with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    with("run other.yaml --db DB --input text=Plums. --run-id b --detach");
    let worked = with("work other.yaml --db DB --until-idle");
    assert_eq!(worked.stdout, "b: taken\nb: waits for a person at decide\n", "{worked:?}");
    let both = with("work notice.yaml other.yaml --db DB --until-idle");
    assert_eq!(both.stdout, "a: taken\na: waits for a person at decide\n", "{both:?}");
    let cancelled = with("cancel a --db DB");
    assert_eq!(cancelled.stdout, "the run `a` was cancelled\n", "{cancelled:?}");
}

#[test]
fn workers_take_nothing_from_a_file() {
    let desk = Desk::new(&[("notice.yaml", GRAPH)]);
    let wanted = "error: work: runs in runs.db are driven by the command that begins or resumes them\nhelp: workers share a database: --db postgres://USER@HOST/DATABASE\n";
    assert_eq!(desk.run("work notice.yaml --db runs.db").stderr, wanted);
    let left = desk.run("run notice.yaml --input text=Plums. --db runs.db --detach");
    assert_eq!(left.stderr, wanted.replace("work:", "--detach:"));
}

#[test]
fn a_worker_of_many_graphs_has_one_way_to_its_database() {
    let Some(server) = shared() else { return };
    let graphs: Vec<(String, String)> =
        (0..4).map(|n| (format!("{n}.yaml"), GRAPH.replace("rejected", &format!("rejected_{n}")))).collect();
    let files: Vec<(&str, &str)> = graphs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let desk = Desk::new(&files);
    let address = server.database();
    let words = ["--db", &address, "0.yaml", "1.yaml", "2.yaml", "3.yaml"];
    let _crew = Crew::start(&desk, &words, 1);
    let name = address.rsplit('/').next().expect("a name");
    let connections = |what: &str| {
        let sql =
            format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND query LIKE '{what}'");
        server.sql("postgres", &sql).parse::<u32>().expect("a number")
    };
    until("the worker listens", || connections("LISTEN%") == 1);
    assert_eq!(connections("%"), 2, "one looks for runs, one hears of changes");
}

#[test]
fn a_run_that_no_worker_has_taken_is_cancelled_and_not_resumed() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("notice.yaml", GRAPH)]);
    let address = server.database();
    let with = |words: &str| desk.run(&words.replace("DB", &address));
    with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    let resumed = with("resume a --db DB --detach");
    assert_eq!(
        (resumed.code, resumed.stderr.as_str()),
        (
            Some(2),
            "error: the run `a` has not begun\nhelp: the worker that takes it begins it; `loopwright cancel` ends it before\n"
        )
    );
    let cancelled = with("cancel a --db DB");
    assert_eq!(cancelled.stdout, "the run `a` was cancelled\n", "{cancelled:?}");
    let worked = with("work notice.yaml --db DB --until-idle");
    assert_eq!((worked.code, worked.stdout.as_str()), (Some(0), ""), "{worked:?}");
    let listed = with("runs --db DB");
    assert!(listed.stdout.contains("cancelled"), "{listed:?}");
    // Whoever looks at it sees that, too.
    for look in ["show a --db DB", "log a --db DB", "replay a --db DB", "doctor --db DB"] {
        let looked = with(look);
        assert_eq!((looked.code, looked.stderr.as_str()), (Some(0), ""), "{look}: {looked:?}");
    }
    let again = with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    assert_eq!(again.stderr, "error: there is a run `a` already\n");
}

#[test]
fn a_damaged_message_is_the_fault_of_its_run_alone() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("notice.yaml", GRAPH)]);
    let address = server.database();
    let with = |words: &str| desk.run(&words.replace("DB", &address));
    with("run notice.yaml --db DB --input text=Plums. --run-id a --detach");
    with("run notice.yaml --db DB --input text=Pears. --run-id b --detach");
    let name = address.rsplit_once('/').expect("an address").1;
    server.sql(name, "UPDATE loopwright.messages SET body = replace(body, 'Plums', 'Grapes')");
    let worked = with("work notice.yaml --db DB --until-idle --at-once 1");
    assert_eq!(worked.code, Some(1), "{worked:?}");
    assert!(worked.stdout.contains("\nb: taken\nb: waits for a person at decide\n"), "{worked:?}");
    let failed = "a: taken\na: cannot be driven here: message 1 for the run `a` is damaged: ";
    assert!(worked.stdout.starts_with(failed), "{worked:?}");
}

const SLEEPER: &str = "\
graph: sleeper
start: sleep
nodes:
  sleep: {kind: wait, delay: 10m, next: [{to: end}, {to: tidied, on: error(cancelled)}]}
  tidied: {kind: final}
  end: {kind: final}
";

#[test]
fn a_command_that_drives_a_run_hears_that_it_is_to_end_it() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("sleeper.yaml", SLEEPER)]);
    let address = server.database();
    let mut program = desk.program();
    program.args(["run", "sleeper.yaml", "--db", &address, "--run-id", "a"]);
    let driving = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    until("it is driven", || desk.run(&format!("runs --db {address}")).stdout.contains("running"));
    let told = desk.run(&format!("cancel a --db {address}"));
    assert_eq!(told.stdout, "the run `a` is driven, and whoever drives it was told to end it\n", "{told:?}");
    let driven = driving.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&driven.stdout), "outcome: tidied\n", "{driven:?}");
}

const SLOW: &str = "\
graph: slow
start: work
nodes:
  work: {kind: tool, tool: slow, next: [{to: end}]}
  end: {kind: final}
";

const SLOW_TOOL: &str = "\
[tools.slow]
description = \"Waits.\"
command = [\"sh\", \"-c\", \"touch begun; sleep 600\"]
timeout = \"20m\"
delivery = \"pure\"
";

#[test]
fn a_second_signal_ends_a_worker_at_once() {
    let Some(server) = shared() else { return };
    let desk = Desk::new(&[("slow.yaml", SLOW), ("loopwright.toml", SLOW_TOOL)]);
    desk.trust();
    let address = server.database();
    let name = address.rsplit('/').next().expect("a name").to_owned();
    let left = desk.run(&format!("run slow.yaml --db {address} --run-id a --detach"));
    assert_eq!(left.code, Some(0), "{left:?}");
    let mut crew = Crew::start(&desk, &["--db", &address, "slow.yaml", "--grant", "slow"], 1);
    until("the command runs", || desk.path().join("begun").exists());
    // Somebody else has the journal, so that what says that the run was interrupted has to wait.
    let (holder, database) = (Arc::clone(&server), name.clone());
    let locked = "BEGIN; LOCK TABLE loopwright.journal; SELECT pg_sleep(600)";
    let holds = std::thread::spawn(move || holder.sql(&database, locked));
    let locks = "FROM pg_locks WHERE relation = 'loopwright.journal'::regclass AND mode = 'AccessExclusiveLock' AND granted";
    until("it is locked", || server.sql(&name, &format!("SELECT count(*) {locks}")) == "1");
    crew.signal(0, Signal::SIGTERM);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(crew.code(0), None, "it says first what became of its runs");
    crew.signal(0, Signal::SIGTERM);
    until("it has ended", || crew.code(0).is_some());
    assert_eq!(crew.code(0), Some(130));
    server.sql(&name, &format!("SELECT pg_terminate_backend(pid) {locks}"));
    assert!(holds.join().is_err(), "its connection was ended");
}
