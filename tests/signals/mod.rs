//! Signals at any moment: a run that was interrupted goes on as if nothing had happened.
//!
//! `LOOPWRIGHT_SIGNALS` says how many moments are tried (12 where it says nothing), `LOOPWRIGHT_SEED` where to begin.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::cli::{Desk, Ran};
use crate::terminal::Running;

/// What a run is begun with, and each time it goes on.
const GRANTS: &str = "--grant look --grant note --grant pay --grant paid";

/// The signals that interrupt a run, and their names.
const SIGNALS: [(Signal, &str); 3] =
    [(Signal::SIGTERM, "SIGTERM"), (Signal::SIGINT, "SIGINT"), (Signal::SIGHUP, "SIGHUP")];

/// A number from the environment.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("lanes.yaml", include_str!("lanes.yaml"));
    desk.write("leaf.yaml", include_str!("leaf.yaml"));
    desk.write("loopwright.toml", include_str!("loopwright.toml"));
    desk.write("look.sh", "sleep 0.02\nprintf \"saw $1\"\n");
    // What is idempotent does nothing a second time.
    desk.write(
        "note.sh",
        "sleep 0.02\ngrep -qsxF \"note $1 $IDEMPOTENCY_KEY\" ledger || echo \"note $1 $IDEMPOTENCY_KEY\" >> ledger\nprintf noted\n",
    );
    desk.write(
        "pay.sh",
        "sleep 0.02\necho \"pay $1 $IDEMPOTENCY_KEY\" >> ledger\nsleep 0.02\nprintf \"paid $1\"\n",
    );
    desk.write(
        "paid.sh",
        "set -- $(grep -sF \" $IDEMPOTENCY_KEY\" ledger | grep '^pay ')\nif [ -n \"$2\" ]; then echo \"{\\\"happened\\\": true, \\\"result\\\": \\\"paid $2\\\"}\"; else echo '{\"happened\": false}'; fi\n",
    );
    desk.trust(".");
    desk
}

/// What was done outside, in any order.
fn ledger(desk: &Desk) -> Vec<String> {
    let text = desk.text("ledger");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// Goes on with the run until it has ended, and answers what it asks.
fn to_its_end(desk: &Desk) -> Ran {
    for _ in 0..4 {
        let ran = desk.run(&format!("resume one {GRANTS}"));
        let ran = match ran.code {
            Some(3) => desk.run(&format!("resume one {GRANTS} --answer onward")),
            // Nothing of it was kept: it begins again.
            Some(2)
                if ["begin it again", "no run `one`", "no such file"]
                    .iter()
                    .any(|why| ran.stderr.contains(why)) =>
            {
                desk.run(&format!("run lanes.yaml --run-id one {GRANTS}"))
            }
            _ => ran,
        };
        if ran.code != Some(3) {
            return ran;
        }
    }
    panic!("the run does not come to its end");
}

/// What comes of a run that nobody disturbs, and how long that takes.
fn undisturbed() -> (String, Vec<String>, Duration) {
    let desk = desk();
    let begun = Instant::now();
    let ran = desk.run(&format!("run lanes.yaml --run-id one {GRANTS}"));
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let took = begun.elapsed();
    let ran = to_its_end(&desk);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    (ran.stdout, ledger(&desk), took)
}

/// How a status is told: the word that stands for it in `runs`.
fn word(desk: &Desk) -> String {
    let ran = desk.run("runs --format json");
    let rows: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    rows[0]["status"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_run_that_is_interrupted_anywhere_ends_as_it_would_have() {
    let (end, lines, took) = undisturbed();
    assert_eq!(lines.len(), 11, "{lines:?}");
    let seed = number("LOOPWRIGHT_SEED", 1);
    let mut dice = StdRng::seed_from_u64(seed);
    for moment in 0..number("LOOPWRIGHT_SIGNALS", 12) {
        let (signal, name) = SIGNALS[usize::try_from(moment).unwrap_or_default() % SIGNALS.len()];
        let wait = took.mul_f64(dice.random_range(0.0..1.0));
        let told = format!("seed {seed}, moment {moment}: {name} after {wait:?}");
        let desk = desk();
        let words = format!("run lanes.yaml --run-id one {GRANTS}");
        let running = Running::start(&desk, &words.split_whitespace().collect::<Vec<_>>());
        std::thread::sleep(wait);
        running.signal_if_there(signal);
        let (printed, status) = running.end();
        match status.code() {
            Some(130) => {
                let last = printed.lines().last().unwrap_or_default();
                assert_eq!(last, format!("  loopwright resume one {GRANTS}"), "{told}: {printed}");
                assert!(
                    printed.contains(&format!("the run one was interrupted by {name}")),
                    "{told}: {printed}"
                );
                let now = word(&desk);
                assert!(["interrupted", "waiting"].contains(&now.as_str()), "{told}: {now}");
                let log = desk.run("log one").stdout;
                assert!(log.contains(&format!("the run was interrupted by {name}")), "{told}: {log}");
            }
            // It waits for the person already.
            Some(3) => assert_eq!(word(&desk), "waiting", "{told}"),
            // It had not begun to listen: at most what it was about to do is printed.
            None => assert!(!printed.contains("interrupted"), "{told}: {printed}"),
            code => panic!("{told}: exit code {code:?}: {printed}"),
        }
        let ran = to_its_end(&desk);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), end.as_str()), "{told}: {}", ran.transcript());
        assert_eq!(ledger(&desk), lines, "{told}");
        assert_eq!(word(&desk), "ended", "{told}");
        let doctor = desk.run("doctor");
        assert_eq!(doctor.code, Some(0), "{told}: {}", doctor.transcript());
        let replay = desk.run("replay one");
        assert_eq!(replay.code, Some(0), "{told}: {}", replay.transcript());
    }
}

/// Calls that may be made at most once and wait for their turn.
const MANY: &str = "
graph: many
state: {paid: \"list<outputs('one.yaml')> = []\"}
start: gather
nodes:
  gather:
    kind: each
    over: \"['a', 'b', 'c', 'd', 'e']\"
    as: what
    graph: one.yaml
    with: {what: what}
    into: paid
    limit: 5
    next: [{to: end}]
  end: {kind: final}
output: {paid: paid}
";

const ONE: &str = "
graph: one
input: {what: string}
state: {paid: string?}
start: pay
nodes:
  pay: {kind: tool, tool: pay, args: {what: what}, into: paid, next: [{to: end}, {to: lost, on: unknown}]}
  end: {kind: final}
  lost: {kind: final}
output: {line: paid ?? 'nobody knows'}
";

#[test]
fn a_call_that_had_not_begun_is_no_call_in_doubt() {
    let desk = Desk::new();
    desk.write("many.yaml", MANY);
    desk.write("one.yaml", ONE);
    desk.write(
        "loopwright.toml",
        "[run]\nat_once = 1\n[tools.pay]\ndescription = \"Pays.\"\ncommand = [\"sh\", \"pay.sh\", \"{what}\"]\nparse = \"text\"\n",
    );
    desk.write("pay.sh", "echo $1 >> ledger\nwhile [ ! -e go ]; do sleep 0.02; done\nprintf \"paid $1\"\n");
    desk.trust(".");
    let running = Running::start(&desk, &["run", "many.yaml", "--run-id", "one", "--grant", "pay"]);
    crate::until::until("the first call was made", || ledger(&desk).len() == 1);
    running.signal_if_there(Signal::SIGTERM);
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(130), "{printed}");
    assert_eq!(word(&desk), "interrupted");
    desk.write("go", "");
    let ran = desk.run("resume one --grant pay");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    // Of the call that was under way nobody knows. The others were wanted, and had not begun.
    assert_eq!(ran.stdout.matches(r#""line":"nobody knows""#).count(), 1, "{}", ran.transcript());
    assert_eq!(ledger(&desk).len(), 5, "{}", ran.transcript());
    let log = desk.run("log one").stdout;
    assert!(log.contains("  -  ") && log.contains("the run went on"), "{log}");
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let desk = Desk::new();
    desk.write("slow.yaml", "graph: slow\nstart: work\nnodes:\n  work: {kind: tool, tool: slow, next: [{to: end}]}\n  end: {kind: final}\n");
    desk.write(
        "loopwright.toml",
        "[tools.slow]\ndescription = \"Waits.\"\ncommand = [\"sh\", \"slow.sh\"]\ntimeout = \"10m\"\ndelivery = \"pure\"\n",
    );
    desk.write("slow.sh", "echo begun > begun\nsleep 600\n");
    desk.trust(".");
    let running = Running::start(&desk, &["run", "slow.yaml", "--run-id", "one", "--grant", "slow"]);
    crate::until::until("the command runs", || desk.folder.path().join("begun").exists());
    // Somebody else writes on the store, so that the entry of the interruption has to wait.
    let held = rusqlite::Connection::open(desk.folder.path().join(".loopwright/runs.db")).expect("the store");
    held.execute_batch("BEGIN IMMEDIATE").expect("nobody writes now");
    running.signal_if_there(Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(100));
    running.signal_if_there(Signal::SIGINT);
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(130), "{printed}");
    assert!(
        printed.contains("the run one was stopped; to continue, run:\n  loopwright resume one"),
        "{printed}"
    );
    drop(held);
}

#[test]
fn a_run_says_in_one_word_how_it_stands() {
    let desk = desk();
    let running = Running::start(
        &desk,
        &[
            "run",
            "lanes.yaml",
            "--run-id",
            "one",
            "--grant",
            "look",
            "--grant",
            "note",
            "--grant",
            "pay",
            "--grant",
            "paid",
        ],
    );
    crate::until::until("it runs", || word(&desk) == "running");
    let show = desk.run("show one --format json").stdout;
    if show.contains("\"running\"") {
        assert!(show.contains("\"driver\": \"process "), "{show}");
    }
    let (printed, _) = running.end();
    assert_eq!(word(&desk), "waiting", "{printed}");
    let ended = to_its_end(&desk);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert_eq!(word(&desk), "ended");
    assert_eq!(desk.run("rollback one --to 1 --yes --keep").code, Some(0));
    assert_eq!(word(&desk), "ready");
    let shown = desk.run("show one").stdout;
    assert!(shown.contains("\nstatus: ready\n"), "{shown}");
    assert!(desk.run("doctor").stdout.contains("one (ready): "), "{}", desk.run("doctor").stdout);
    assert_eq!(desk.run("fork one --at 1 --run-id two").code, Some(0));
    assert!(desk.run("doctor").stdout.contains("two (ready): "), "{}", desk.run("doctor").stdout);
}
