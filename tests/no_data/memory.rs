//! The memory that commands take.

use std::fmt::Write as _;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{doubling, keeping, nested_macros, refused};
use crate::cli::Desk;

/// The most memory that a command may take above that of a run of two nodes, in KiB. That one is mostly pages of the program's file, which are more
/// with each feature: it took 52 MiB when commands were held to 200 MiB in all.
const MOST: u64 = 148 << 10;

/// A run of two nodes.
const SMALL: &str = "graph: small\nstate: {n: int = 0}\nstart: add\nnodes:\n  add: {do: n += 1, next: [{to: end}]}\n  end: {kind: final}\noutput: {n: n}\n";

/// The most memory that a command takes while it runs, in KiB.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("the child is ours").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let now = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        most = most.max(now.and_then(|number| number.parse().ok()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

/// Runs a command and looks at its memory; also gives its exit code. No signal may end it.
fn measured(desk: &Desk, words: &str) -> (u64, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(words.split(' '))
        .current_dir(desk.folder.path())
        // A state that is held in memory twice does not fit.
        .env_remove("LOOPWRIGHT_REBUILD")
        // Of large pages a part that nobody uses is counted, too, and how many of them there are to give differs from one hour to the next.
        .env("MIMALLOC_ALLOW_THP", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let most = peak(&mut child);
    let code = child.wait().expect("it ended").code();
    (most, code.unwrap_or_else(|| panic!("`{words}` was ended by a signal")))
}

/// True if a command that ends as it did before takes less another time: what an allocator keeps differs by some MiB from one time to the next.
fn takes_less(desk: &Desk, words: &str, (bound, code): (u64, i32)) -> bool {
    (0..2).any(
        |_| matches!(measured(desk, words), (most, again) if (1..=bound).contains(&most) && again == code),
    )
}

/// Holds commands to the memory they may take, where the system says what they do.
fn hold(desk: &Desk, commands: &[&str]) {
    desk.write("small.yaml", SMALL);
    let (own, code) = measured(desk, "run small.yaml --db small.db");
    assert_eq!(code, 0);
    let bound = own + MOST;
    for words in commands {
        let (most, code) = measured(desk, words);
        if cfg!(target_os = "linux") {
            assert!(own > 0 && most > 0, "`{words}` ended before anybody looked");
            assert!(
                most <= bound || takes_less(desk, words, (bound, code)),
                "`{words}` took {} MiB, and may take {}",
                most >> 10,
                bound >> 10
            );
        }
    }
}

#[test]
fn runs_take_bounded_memory() {
    let desk = Desk::new();
    for (name, text) in refused(0, "") {
        desk.write(
            name,
            &text.replace("lists.range(0)", "xs").replace("state:", "input: {xs: 'list<int>'}\nstate:"),
        );
    }
    for (name, items) in [("million.json", 1_000_000), ("three.json", 3_000_000)] {
        desk.write(name, &format!("{{\"xs\": [{}]}}", vec!["1"; items].join(",")));
    }
    desk.write("lanes.yaml", &refused(100_000, "")[0].1);
    desk.write("types.yaml", &doubling(30));
    desk.write("text.yaml", GROWING);
    desk.write("macros.yaml", &keeping(&nested_macros(5, "{'k': a4}")));
    hold(
        &desk,
        &[
            "run g.yaml --input @million.json --db runs.db --run-id million",
            "show million --db runs.db",
            "log million --db runs.db",
            "run g.yaml --input @three.json --db runs.db",
            "run lanes.yaml --db runs.db",
            "check types.yaml",
            "run types.yaml --db runs.db",
            "run text.yaml --db runs.db",
            "run macros.yaml --db runs.db",
        ],
    );
}

#[test]
fn large_graphs_take_bounded_memory() {
    let desk = Desk::new();
    desk.write("one.yaml", &chain(20_000, 1));
    desk.write("other.yaml", &chain(20_000, 2));
    desk.write("dense.yaml", &dense(100));
    hold(
        &desk,
        &[
            "check one.yaml",
            "convert one.yaml",
            "diff one.yaml other.yaml",
            "run one.yaml --db runs.db",
            "diff dense.yaml dense.yaml",
        ],
    );
}

/// Nodes in a row, each of which adds to a number.
fn chain(nodes: usize, add: u8) -> String {
    let mut text = "graph: g\nstate: {n: int = 0}\nstart: n0\nnodes:\n".to_owned();
    for node in 1..nodes {
        let _ = writeln!(text, "  n{}: {{do: n += {add}, next: [{{to: n{node}}}]}}", node - 1);
    }
    let _ = writeln!(text, "  n{}: {{kind: final}}\noutput: {{n: n}}", nodes - 1);
    text
}

/// Nodes each of which has an edge to every one, and spends one of 40 budgets.
fn dense(nodes: usize) -> String {
    let mut text = "graph: g\nstate: {n: int = 0}\nbudgets:\n".to_owned();
    for budget in 0..40 {
        let _ = writeln!(text, "  b{budget}: 100");
    }
    text += "start: n0\nnodes:\n  e: {kind: final}\n";
    for node in 0..nodes {
        let _ = writeln!(text, "  n{node}:\n    do: |\n      spend b{}\n      n += 1\n    next:", node % 40);
        for to in 0..nodes {
            let _ = writeln!(text, "      - {{to: n{to}, when: n == {to}}}");
        }
        text += "      - {to: e}\n";
    }
    text
}

/// A text that grows by a sign in each round.
const GROWING: &str = "
graph: g
state: {s: string = \"\", n: int = 0}
budgets: {rounds: 20000}
start: a
nodes:
  a:
    do: |
      spend rounds
      s = s + 'x'
      n += 1
    next: [{to: a, when: n < 20000}, {to: e}, {to: e, on: exhausted(rounds)}]
  e: {kind: final}
output: {n: n}
";
