//! Commands that outlive their driver, and what becomes of their calls.
//!
//! `LOOPWRIGHT_GUARD` says how many moments are tried for each way to die (2 where it says nothing), `LOOPWRIGHT_SEED` where to
//! begin.

use std::fs;
use std::process::Child;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::cli::{Desk, Ran};
use crate::driver::{self, signal};
use crate::signals::number;
use crate::until::until;

/// One call of a tool.
const GRAPH: &str = "
graph: work
state: {said: string?}
start: work
nodes:
  work: {kind: tool, tool: work, into: said, next: [{to: end}, {to: lost, on: unknown}]}
  end: {kind: final}
  lost: {kind: final, ok: false}
output: {said: said}
";

/// How a command begins that looks whether another of its key is alive: one that is writes its number in a folder of the
/// key, and finds those of others there.
const ALONE: &str = r#"
key=$(echo "$IDEMPOTENCY_KEY" | tr -c 'a-zA-Z0-9' _)
mkdir -p "alive/$key"
alone() {
    for other in "alive/$key"/*; do
        id=${other##*/}
        [ "$id" = "$1" ] && continue
        kill -0 "$id" 2>/dev/null && grep -qv ') [ZX] ' "/proc/$id/stat" 2>/dev/null && echo "$1 and $id of $key" >> two
    done
    : > "alive/$key/$1"
}
alone $$
"#;

/// What the command does beside: nothing, with a child, with one in a session of its own that keeps what it inherited, with
/// one in a group of its own, without the lock it inherited.
const WAYS: [(&str, &str); 5] = [
    ("alone", ""),
    ("with a grandchild", "(sh -c 'sleep 2; echo late >> late' &) &\n"),
    ("with another session", SESSION),
    ("with another group", "timeout 60 sh -c 'sleep 2; echo late >> late' > /dev/null 2>&1 &\n"),
    ("without its lock", "exec 3>&-\n(sh -c 'sleep 2; echo late >> late' > /dev/null 2>&1 &) &\n"),
];

/// A child in a session of its own.
const SESSION: &str = "setsid sh -c 'echo $$ > session; exec sleep 2' > /dev/null 2>&1 &\n";

/// How a call is delivered, and with a probe or without.
const DELIVERIES: [(&str, bool); 4] =
    [("at_most_once", false), ("at_most_once", true), ("idempotent", false), ("pure", false)];

/// A desk with a command that works for so many seconds, and shortly where it is called again.
fn desk(delivery: &str, probe: bool, beside: &str, seconds: f64) -> Desk {
    let desk = Desk::new();
    desk.write("work.yaml", GRAPH);
    let probe = if probe { "probe = \"did\"\n" } else { "" };
    desk.write(
        "loopwright.toml",
        &format!(
            "[tools.work]\ndescription = \"Works.\"\ncommand = [\"sh\", \"work.sh\"]\nparse = \"text\"\ndelivery = \"{delivery}\"\n{probe}\n[tools.did]\ndescription = \"Whether it did.\"\ncommand = [\"sh\", \"did.sh\"]\nparse = \"json\"\ndelivery = \"pure\"\n"
        ),
    );
    desk.write(
        "work.sh",
        &format!(
            "{ALONE}{beside}echo $$ >> begun\n[ $(wc -l < begun) = 1 ] && sleep {seconds} || sleep 0.5\necho \"$IDEMPOTENCY_KEY\" >> ledger\nprintf said\n"
        ),
    );
    desk.write(
        "did.sh",
        "if grep -qsxF \"$IDEMPOTENCY_KEY\" ledger; then echo '{\"happened\": true, \"result\": \"said\"}'; else echo '{\"happened\": false}'; fi\n",
    );
    desk.trust(".");
    desk
}

fn start(desk: &Desk) -> Child {
    driver::start(desk, "run work.yaml --run-id one --grant work --grant did")
}

fn lines(desk: &Desk, name: &str) -> Vec<String> {
    desk.text(name).lines().map(str::to_owned).collect()
}

/// The guard of a command.
fn guard(command: Pid) -> Pid {
    let status = fs::read_to_string(format!("/proc/{command}/status")).expect("it is there");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).expect("it has a parent");
    Pid::from_raw(parent.trim().parse().expect("a number"))
}

/// Goes on as soon as the run is nobody's. `writing` is done where the driver was struck while it wrote in the store: a driver
/// that is only stopped then holds the store for all others.
fn resume(desk: &Desk, mut writing: impl FnMut()) -> Ran {
    let mut last = None;
    until("the run is nobody's", || {
        let ran = desk.run("resume one --grant work --grant did");
        let written = ran.stderr.contains("another process is writing in the store");
        if written {
            writing();
        }
        let held = written || ran.stderr.contains("is driven by");
        last = Some(ran);
        !held
    });
    last.expect("it was tried")
}

/// Nothing is left of calls: no lock, no folder of locks.
fn tidy(desk: &Desk) {
    let folder = desk.folder.path().join(".loopwright/runs.db-calls");
    until("the locks are gone", || !folder.exists());
}

/// Nothing that works in the desk's folder is left.
fn quiet(desk: &Desk) {
    let folder = desk.folder.path().canonicalize().expect("it is there");
    let works = |entry: &fs::DirEntry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
    until("nothing works there", || {
        !fs::read_dir("/proc").expect("processes").flatten().any(|one| works(&one))
    });
}

/// What must hold behind a run that was cut off and went on.
fn holds(told: &str, desk: &Desk, delivery: &str, probe: bool, ran: &Ran) {
    let told = format!("{told}: {}", ran.transcript());
    assert_eq!(lines(desk, "two"), Vec::<String>::new(), "{told}");
    let done = lines(desk, "ledger").len();
    match (delivery, probe, ran.code) {
        // What may be made at most once and has no probe is in doubt.
        ("at_most_once", false, Some(1)) => assert!(done <= 1, "{done} times; {told}"),
        ("at_most_once", true, Some(0)) => assert_eq!(done, 1, "{told}"),
        ("idempotent" | "pure", _, Some(0)) => assert!((1..=2).contains(&done), "{done} times; {told}"),
        _ => panic!("{told}"),
    }
}

/// Strikes drivers in the middle of a command of so many seconds, and goes on. `writing` is done with a driver that was struck while it wrote in
/// the store, `after` with each that was struck.
fn struck(seconds: u32, strike: fn(&mut Child), writing: fn(&mut Child), after: fn(&mut Child)) {
    let seed = number("LOOPWRIGHT_SEED", 1);
    let moments = number("LOOPWRIGHT_GUARD", 2);
    // Where few are tried they come early.
    let longest = if moments > 2 { u64::from(seconds) * 1000 - 500 } else { 700 };
    let mut dice = StdRng::seed_from_u64(seed);
    for moment in 0..moments {
        // Side by side: where the driver lives, each waits for its lease.
        std::thread::scope(|scope| {
            for (place, (delivery, probe)) in DELIVERIES.into_iter().enumerate() {
                let (way, beside) = WAYS[(usize::try_from(moment).unwrap_or_default() + place) % WAYS.len()];
                let wait = Duration::from_millis(dice.random_range(0..longest));
                let told =
                    format!("seed {seed}, moment {moment}, {delivery}, probe {probe}, {way}, after {wait:?}");
                scope.spawn(move || {
                    let desk = desk(delivery, probe, beside, f64::from(seconds));
                    let mut child = start(&desk);
                    until("the command works", || !lines(&desk, "begun").is_empty());
                    std::thread::sleep(wait);
                    strike(&mut child);
                    let ran = resume(&desk, || writing(&mut child));
                    // The driver may have been faster.
                    if ran.stderr.contains("ended: end") {
                        assert_eq!(lines(&desk, "ledger").len(), 1, "{told}");
                    } else {
                        holds(&told, &desk, delivery, probe, &ran);
                    }
                    let done = lines(&desk, "ledger");
                    after(&mut child);
                    assert_eq!(lines(&desk, "two"), Vec::<String>::new(), "{told}");
                    assert_eq!(lines(&desk, "ledger"), done, "{told}");
                    tidy(&desk);
                    quiet(&desk);
                });
            }
        });
    }
}

#[test]
fn what_a_killed_driver_called_is_ended_before_the_call_is_made_again() {
    struck(10, driver::kill, |_| panic!("who is dead writes nothing"), |_| {});
}

#[test]
fn a_stopped_driver_keeps_its_command_until_somebody_goes_on() {
    let wake = |child: &mut Child| {
        signal(child, Signal::SIGCONT);
        child.wait().expect("it was started here");
    };
    let stop = |child: &mut Child| signal(child, Signal::SIGSTOP);
    // It ends what it writes, and is stopped once more.
    let writing = |child: &mut Child| {
        signal(child, Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(20));
        signal(child, Signal::SIGSTOP);
    };
    // It works for longer than the lease lasts.
    struck(14, stop, writing, wake);
}

#[test]
fn what_made_itself_a_session_is_ended_before_the_call_is_made_again() {
    for (delivery, code) in [("at_most_once", 1), ("idempotent", 0)] {
        let desk = desk(delivery, false, &SESSION.replace("sleep 2", "sleep 600"), 10.0);
        let mut child = start(&desk);
        until("both work", || !lines(&desk, "begun").is_empty() && !lines(&desk, "session").is_empty());
        let by: i32 = lines(&desk, "session")[0].parse().expect("a number");
        driver::kill(&mut child);
        let ran = resume(&desk, || panic!("who is dead writes nothing"));
        assert_eq!(ran.code, Some(code), "{delivery}: {}", ran.transcript());
        assert!(
            ran.stderr.contains("of the call one:work#1.1 something was still at work; ended:"),
            "{}",
            ran.transcript()
        );
        until("it is gone", || kill(Pid::from_raw(by), None).is_err());
        // What the call made again started is nobody's.
        for other in &lines(&desk, "session")[..] {
            let _gone = kill(Pid::from_raw(other.parse().expect("a number")), Signal::SIGKILL);
        }
    }
}

#[test]
fn a_guard_that_is_killed_leaves_nothing_that_goes_on() {
    // What stays in the group and has given the lock back is found by the mark of the call.
    let desk = desk("idempotent", false, "(exec 3>&-; sleep 600) & echo $! > child\n", 10.0);
    let mut child = start(&desk);
    until("both work", || !lines(&desk, "begun").is_empty() && !lines(&desk, "child").is_empty());
    let number = |name: &str| Pid::from_raw(lines(&desk, name)[0].parse().expect("a number"));
    let (group, other) = (number("begun"), number("child"));
    kill(guard(group), Signal::SIGKILL).expect("it is there");
    child.wait().expect("it was started here");
    let dead = || {
        let stat = fs::read_to_string(format!("/proc/{other}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    until("nothing of it is left", dead);
}

#[test]
fn a_driver_that_lost_the_run_begins_no_call_that_waits_for_its_turn() {
    let desk = desk("at_most_once", true, "", 0.5);
    desk.write("leaf.yaml", &GRAPH.replace("graph: work\n", "graph: work\ninput: {what: string}\n"));
    desk.write(
        "work.yaml",
        "graph: all\nstate:\n  said: list<outputs('leaf.yaml')> = []\nstart: all\nnodes:\n  all: {kind: each, over: \"['a', 'b', 'c', 'd']\", as: what, graph: leaf.yaml, with: {what: what}, into: said, limit: 4, next: [{to: end}]}\n  end: {kind: final}\noutput: {said: said}\n",
    );
    let toml = fs::read_to_string(desk.folder.path().join("loopwright.toml")).expect("it was written");
    desk.write("loopwright.toml", &format!("{toml}\n[run]\nat_once = 1\n"));
    desk.trust(".");
    let mut child = start(&desk);
    until("the first works", || !lines(&desk, "begun").is_empty());
    signal(&child, Signal::SIGSTOP);
    let writing = || {
        signal(&child, Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(20));
        signal(&child, Signal::SIGSTOP);
    };
    let ran = resume(&desk, writing);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    signal(&child, Signal::SIGCONT);
    child.wait().expect("it was started here");
    let mut keys = lines(&desk, "ledger");
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((all, keys.len()), (4, 4), "{keys:?}");
    assert_eq!(lines(&desk, "two"), Vec::<String>::new());
}

#[test]
fn a_signal_that_reaches_everybody_interrupts_the_run() {
    // As where a machine stops: the command first, then its guard, then the driver.
    let desk = desk("idempotent", false, "", 10.0);
    let mut child = start(&desk);
    until("the command works", || !lines(&desk, "begun").is_empty());
    let group = Pid::from_raw(lines(&desk, "begun")[0].parse().expect("a number"));
    kill(guard(group), Signal::SIGTERM).expect("it is there");
    killpg(group, Signal::SIGTERM).expect("it is there");
    std::thread::sleep(Duration::from_millis(30));
    signal(&child, Signal::SIGTERM);
    assert_eq!(child.wait().expect("it was started here").code(), Some(130));
    let ran = resume(&desk, || panic!("who is dead writes nothing"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(lines(&desk, "ledger").len(), 1);
}

#[test]
fn at_its_timeout_a_command_is_asked_to_end_and_then_killed() {
    for (script, said) in [
        // It tidies up as it is asked.
        (
            "trap 'echo asked >> told; exit 0' TERM\necho $$ > begun\nwhile :; do sleep 0.05; done\n",
            &["asked"][..],
        ),
        // It does not hear, and neither does what it started.
        (
            "trap '' TERM\n(sleep 30; echo late >> told) &\necho $$ > begun\nwhile :; do sleep 0.05; done\n",
            &[],
        ),
    ] {
        let desk = desk("pure", false, "", 0.5);
        let toml = fs::read_to_string(desk.folder.path().join("loopwright.toml")).expect("it was written");
        desk.write(
            "loopwright.toml",
            &toml.replacen("parse = \"text\"", "parse = \"text\"\ntimeout = \"2s\"", 1),
        );
        desk.write("work.sh", script);
        desk.trust(".");
        let ran = desk.run("run work.yaml --grant work --grant did");
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        assert!(ran.stdout.contains("`work` did not end within 2s"), "{}", ran.transcript());
        assert_eq!(lines(&desk, "told"), said, "{}", ran.transcript());
        let group = Pid::from_raw(lines(&desk, "begun")[0].parse().expect("a number"));
        until("nothing of it is left", || killpg(group, None).is_err());
        tidy(&desk);
    }
}

#[test]
fn a_call_whose_guard_cannot_be_started_never_began() {
    // Where the folder of the locks must be there is a file.
    for (delivery, kind) in [("at_most_once", "tool_failed"), ("pure", "tool_failed")] {
        let desk = desk(delivery, false, "", 0.5);
        fs::create_dir(desk.folder.path().join(".loopwright")).expect("a folder can be made");
        desk.write(".loopwright/runs.db-calls", "");
        let ran = desk.run("run work.yaml --grant work --grant did");
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        assert!(ran.stdout.contains(kind), "{delivery}: {}", ran.transcript());
        assert!(ran.stdout.contains("the lock of the call cannot be taken"), "{}", ran.transcript());
        assert_eq!(lines(&desk, "begun"), Vec::<String>::new());
    }
}

#[test]
fn a_call_that_ends_well_leaves_nothing_behind() {
    let desk = desk("pure", false, "", 0.5);
    let mut child = start(&desk);
    assert!(child.wait().expect("it was started here").success());
    assert_eq!(lines(&desk, "ledger").len(), 1);
    tidy(&desk);
    // A command inherits the lock of its call, and no pipe of its guard.
    let inherits = "for n in 3 4 5; do readlink /proc/$$/fd/$n; done > inherited\nprintf said\n";
    desk.write("work.sh", inherits);
    desk.trust(".");
    let ran = desk.run("run work.yaml --grant work --grant did");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let inherited = lines(&desk, "inherited");
    assert!(matches!(&inherited[..], [lock] if lock.contains("/runs.db-calls/")), "{inherited:?}");
    tidy(&desk);
}

#[test]
fn a_program_that_cannot_be_executed_never_began() {
    let desk = desk("at_most_once", false, "", 0.5);
    let toml = fs::read_to_string(desk.folder.path().join("loopwright.toml")).expect("it was written");
    desk.write("loopwright.toml", &toml.replace(r#"["sh", "work.sh"]"#, r#"["./broken"]"#));
    desk.write("broken", "#!/no/such/interpreter\n");
    let path = desk.folder.path().join("broken");
    let mode: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode).expect("it is mine");
    desk.trust(".");
    let ran = desk.run("run work.yaml --grant work --grant did");
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    let why = "`work` could not be started: No such file or directory";
    assert!(ran.stdout.contains(why), "{}", ran.transcript());
    tidy(&desk);
}

#[test]
fn started_by_hand_a_guard_does_nothing() {
    let desk = Desk::new();
    for words in [
        &["_guard"][..],
        &["_guard", "f", "l", "touch", "made"],
        &["_start"],
        &["_start", "1", "touch", "made"],
    ] {
        let ran = desk.run_words(words, &[]);
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    }
    assert!(!desk.folder.path().join("made").exists());
}
