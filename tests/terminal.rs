//! What only shows over time and on a terminal: `--watch`, Ctrl-C, the live line, questions. Every test waits for what
//! it wants to see; the long limit only ends one that has failed.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::cli::Desk;
use crate::parts::skip;
use crate::until::{LIMIT, until};

/// A program under way, with all it has printed.
pub(crate) struct Running {
    child: Child,
    pieces: Receiver<Vec<u8>>,
    seen: String,
    /// When the test is given up.
    given_up: Instant,
}

impl Running {
    /// Starts the program in the desk's folder; both of its streams are one, in the order they were written.
    pub(crate) fn start(desk: &Desk, words: &[&str]) -> Self {
        // Where the tests themselves are to outlive their terminal, the program would, too.
        let start = "env --default-signal=HUP true 2>/dev/null && exec env --default-signal=HUP \"$0\" \"$@\" 2>&1; exec \"$0\" \"$@\" 2>&1";
        let line = ["-c", start, env!("CARGO_BIN_EXE_loopwright")];
        Self::of(Command::new("sh").args(line).args(words), desk)
    }

    /// The same before a terminal of its own.
    pub(crate) fn on_terminal(desk: &Desk, words: &[&str]) -> Self {
        let line = [&[env!("CARGO_BIN_EXE_loopwright")], words].concat().join(" ");
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
        Self::of(&mut command, desk)
    }

    fn of(command: &mut Command, desk: &Desk) -> Self {
        let mut child = command
            .env("XDG_STATE_HOME", desk.state())
            .current_dir(desk.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let (send, pieces) = channel();
        let mut stream = child.stdout.take().expect("it is piped");
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, pieces, seen: String::new(), given_up: Instant::now() + LIMIT }
    }

    /// What the program prints next. The limit is no judgement of speed: without it a test that failed would hang.
    fn next(&self) -> Result<Vec<u8>, RecvTimeoutError> {
        self.pieces.recv_timeout(self.given_up.saturating_duration_since(Instant::now()))
    }

    /// Waits until the text was printed, behind what was waited for before, and gives all up to there.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(text) {
                let behind = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, behind);
            }
            match self.next() {
                Ok(piece) => self.seen.push_str(&String::from_utf8_lossy(&piece)),
                Err(why) => panic!("`{text}` was not printed ({why}), but: {}", self.seen),
            }
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().expect("it is piped");
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
    }

    fn interrupt(&self) {
        self.signal(Signal::SIGINT);
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).expect("an id of a process");
        kill(Pid::from_raw(id), signal).expect("the program is there");
    }

    /// Sends a signal; a program that has ended gets none.
    pub(crate) fn signal_if_there(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).expect("an id of a process");
        let _ended = kill(Pid::from_raw(id), signal);
    }

    /// Waits for the end; gives what was printed since, and the status.
    pub(crate) fn end(mut self) -> (String, ExitStatus) {
        loop {
            match self.next() {
                Ok(piece) => self.seen.push_str(&String::from_utf8_lossy(&piece)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill().expect("it can be ended");
                    panic!("the program does not end: {}", self.seen);
                }
            }
        }
        let status = self.child.wait().expect("it was started here");
        (self.seen, status)
    }
}

/// Whether `script`, which gives a program a terminal, is there.
pub(crate) fn terminal() -> bool {
    let there = Command::new("script").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        skip("what only shows on a terminal", "`script` of util-linux is missing");
    }
    there
}

const GOOD: &str =
    "graph: g\nstart: a\nnodes:\n  a: {next: [{to: b}]}\n  b: {kind: final, outcome: \"'left'\"}\n";

#[test]
fn check_watches_the_file() {
    let desk = Desk::new();
    desk.write("g.yaml", GOOD);
    let mut running = Running::start(&desk, &["check", "g.yaml", "--watch"]);
    running.wait_for("waiting for a change");
    desk.write("g.yaml", &GOOD.replace("to: b", "to: c"));
    running.wait_for("there is no node `c`");
    running.wait_for("waiting for a change");
    desk.write("g.yaml", GOOD);
    running.wait_for("no findings");
    running.wait_for("waiting for a change");
    running.interrupt();
    let (_, status) = running.end();
    assert_eq!(status.code(), Some(130));
}

#[test]
fn test_watches_the_scenarios_and_the_graph() {
    let desk = Desk::new();
    desk.write("g.yaml", GOOD);
    let scenarios = "graph: g.yaml\nscenarios:\n  - name: leaves\n    expect: {outcome: left}\n";
    desk.write("g.scenarios.yaml", scenarios);
    let mut running = Running::start(&desk, &["test", "g.scenarios.yaml", "--watch"]);
    let first = running.wait_for("waiting for a change");
    assert!(!first.contains("right"), "{first}");
    desk.write("g.yaml", &GOOD.replace("left", "right"));
    running.wait_for("right");
    running.wait_for("waiting for a change");
    desk.write("g.scenarios.yaml", &scenarios.replace("outcome: left", "outcome: middle"));
    running.wait_for("middle");
    running.wait_for("waiting for a change");
    running.interrupt();
    let (_, status) = running.end();
    assert_eq!(status.code(), Some(130));
}

#[test]
fn render_watches_the_graph_and_what_it_includes() {
    let desk = Desk::new();
    let variant = "graph: v\nextends: g.yaml\n";
    desk.write("g.yaml", GOOD);
    desk.write("v.yaml", variant);
    let mut running = Running::start(&desk, &["render", "v.yaml", "--watch"]);
    let first = running.wait_for("waiting for a change");
    assert!(first.contains("a --> b"), "{first}");
    desk.write("g.yaml", &GOOD.replace("a: {", "a: {title: renamed, "));
    running.wait_for("renamed");
    running.wait_for("waiting for a change");
    desk.write("v.yaml", &format!("{variant}nodes:\n  a: {{next: [{{to: c}}]}}\n"));
    let broken = running.wait_for("waiting for a change");
    assert!(broken.contains("there is no node `c`") && !broken.contains("stateDiagram"), "{broken}");
    desk.write("v.yaml", &format!("{variant}nodes:\n  a: {{title: mended}}\n"));
    running.wait_for("mended");
    running.interrupt();
    let (_, status) = running.end();
    assert_eq!(status.code(), Some(130));
}

#[test]
fn render_watches_a_document_and_its_graphs() {
    let desk = Desk::new();
    desk.write("g.yaml", GOOD);
    desk.write("doc.md", "<!-- loopwright: g.yaml -->\n<!-- /loopwright -->\n");
    let path = desk.folder.path().join("doc.md");
    let document = || fs::read_to_string(&path).expect("the document can be read");
    let mut running = Running::start(&desk, &["render", "--into", "doc.md", "--watch"]);
    running.wait_for("waiting for a change");
    assert!(document().contains("a --> b"), "{}", document());
    desk.write("g.yaml", &GOOD.replace("a: {next", "a: {title: renamed, next"));
    until("the drawing has the new title", || document().contains("renamed"));
    let before = document();
    desk.write("g.yaml", &GOOD.replace("to: b", "to: c"));
    running.wait_for("doc.md:1: the graph has errors");
    running.wait_for("there is no node `c`");
    running.wait_for("waiting for a change");
    assert_eq!(document(), before, "a broken graph changes nothing");
    desk.write("doc.md", "# New\n\n<!-- loopwright: g.yaml --as flow -->\n<!-- /loopwright -->\n");
    running.wait_for("doc.md:3: the graph has errors");
    desk.write("g.yaml", GOOD);
    until("it is drawn as asked for now", || document().contains("flowchart"));
    running.interrupt();
    let (_, status) = running.end();
    assert_eq!(status.code(), Some(130));
}

/// A graph that calls a command, which goes on until a file `go` is there, and asks a person.
fn with_command() -> Desk {
    let desk = Desk::new();
    desk.write(
        "slow.yaml",
        "graph: slow\nstate:\n  word: string?\nbudgets:\n  rounds: 3\nstart: work\nnodes:\n  work:\n    kind: tool\n    tool: slow\n    do: spend rounds\n    next: [{to: ask}, {to: end, on: error}]\n  ask:\n    kind: human\n    ask: \"'Shall it go on?'\"\n    options: [onward, back]\n    into: word\n    timeout: 1h\n    next: [{to: end}, {to: end, on: timeout}]\n  end: {kind: final, outcome: word ?? 'nothing said'}\n",
    );
    desk.write(
        "loopwright.toml",
        "[tools.slow]\ndescription = \"Waits.\"\ncommand = [\"sh\", \"slow.sh\"]\nparse = \"text\"\ntimeout = \"10m\"\ndelivery = \"pure\"\n",
    );
    // The child of the shell is to end with it.
    desk.write(
        "slow.sh",
        "sleep 600 &\necho $$ $! > ids.part\nmv ids.part ids\nwhile [ ! -e go ]; do sleep 0.05; done\nkill $!\n",
    );
    desk.trust(".");
    desk
}

/// The processes the command wrote down, as long as they run.
fn alive(ids: &str) -> Vec<&str> {
    let runs = |id: &&str| {
        // The state stands behind the name in brackets. A process that has ended and was not fetched is a Z.
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    ids.split_whitespace().filter(runs).collect()
}

#[test]
fn ctrl_c_interrupts_a_run_and_ends_its_commands() {
    ends_with_its_commands(Signal::SIGINT);
}

#[test]
fn a_signal_that_ends_a_process_ends_its_commands_too() {
    ends_with_its_commands(Signal::SIGTERM);
    ends_with_its_commands(Signal::SIGHUP);
}

fn ends_with_its_commands(signal: Signal) {
    let desk = with_command();
    let words = ["run", "slow.yaml", "--grant", "slow", "--format", "jsonl"];
    let mut running = Running::start(&desk, &words);
    let ids = desk.folder.path().join("ids");
    until("the command runs", || ids.exists());
    running.wait_for("\"called\"");
    let ids = fs::read_to_string(ids).expect("it is there");
    assert_eq!(alive(&ids).len(), 2, "the shell and its child run: {ids}");
    running.signal(signal);
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(130), "{printed}");
    until("the command and its child have ended", || alive(&ids).is_empty());
    let end = format!("was interrupted by {}; to continue, run:\n  loopwright resume ", signal.as_str());
    assert!(printed.contains(&end) && printed.ends_with(" --grant slow\n"), "{printed}");
}

#[test]
fn a_terminal_shows_the_live_line_and_asks() {
    if !terminal() {
        return;
    }
    let desk = with_command();
    let mut running = Running::on_terminal(&desk, &["run", "slow.yaml"]);
    running.wait_for("May this graph use the tool `slow` on this machine? [y/N]");
    running.write("y\n");
    running.wait_for("work  step 0  rounds 1/3");
    desk.write("go", "");
    running.wait_for("Shall it go on? [onward/back]");
    // What fits no option is asked for again.
    running.write("sideways\n");
    let between = running.wait_for("Shall it go on? [onward/back]");
    assert!(!between.contains("step "), "the live line writes over the question: {between:?}");
    let told = r#"not taken: wanted enum(onward, back), found "sideways"; write "onward" | "back", for example "onward""#;
    assert!(between.contains(told), "it is not said why the question comes again: {between:?}");
    running.write("onward\n");
    running.wait_for("outcome: onward");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}

#[test]
fn a_pause_tells_which_answers_it_takes() {
    if !terminal() {
        return;
    }
    let desk = Desk::new();
    desk.write("g.yaml", &format!("{GOOD}pause: {{when: \"true\", ask: \"'Look?'\"}}\n"));
    let mut running = Running::on_terminal(&desk, &["run", "g.yaml"]);
    running.wait_for("Look? [resume/abort/{\"rollback\": …}]");
    running.write("{\"rollback\": 99}\n");
    let between = running.wait_for("Look? [");
    let told = "not taken: step 99 has not happened yet; the run is at step 0; write \"resume\" | \"abort\"";
    assert!(between.contains(told), "{between:?}");
    running.write("Resume\n");
    running.wait_for("outcome: left");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}

/// Who sits before the question needs not type what it shows.
#[test]
fn a_call_is_approved_at_the_terminal() {
    if !terminal() {
        return;
    }
    let desk = crate::runs::approve::desk();
    let mut running = Running::on_terminal(&desk, &["run", "pays.yaml", "--grant", "pay"]);
    running.wait_for("be called with {\"amount\":5,\"to\":\"bob\"}? [approve ");
    running.write("yes\n");
    let between = running.wait_for("[approve ");
    assert!(between.contains("not taken: wanted {\"approve\": \""), "{between:?}");
    assert!(!desk.folder.path().join("paid").exists());
    running.write("Approve\n");
    running.wait_for("outcome: end");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
    assert!(desk.folder.path().join("paid").exists());
}

#[test]
fn a_grant_that_is_refused_at_the_terminal_ends_the_run() {
    if !terminal() {
        return;
    }
    let desk = with_command();
    let mut running = Running::on_terminal(&desk, &["run", "slow.yaml"]);
    running.wait_for("[y/N]");
    running.write("n\n");
    running.wait_for("--grant slow");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(3), "{printed}");
    assert!(!desk.folder.path().join("ids").exists(), "the command ran");
}

#[test]
fn ctrl_c_at_a_question_leaves_it_open() {
    if !terminal() {
        return;
    }
    let desk = with_command();
    desk.write("go", "");
    let mut running = Running::on_terminal(&desk, &["run", "slow.yaml", "--grant", "slow"]);
    running.wait_for("[onward/back]");
    running.wait_for("> ");
    running.write("\u{3}");
    running.wait_for("was interrupted by SIGINT; to continue, run:");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(130), "{printed}");
    let id = printed.split_whitespace().nth(2).expect("the command names the run");
    let ran = desk.run(&format!("resume {id} --grant slow --answer onward"));
    assert_eq!(ran.stdout, "outcome: onward\n", "{}", ran.transcript());
}

#[test]
fn a_question_without_a_terminal_waits_with_exit_code_3() {
    let desk = with_command();
    desk.write("go", "");
    let running = Running::start(&desk, &["run", "slow.yaml", "--grant", "slow"]);
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(3), "{printed}");
    assert!(printed.contains("waiting for a person at ask: Shall it go on?"), "{printed}");
}

#[test]
fn a_run_that_waits_goes_on_at_the_terminal() {
    if !terminal() {
        return;
    }
    let desk = with_command();
    desk.write("go", "");
    let run = ["run", "slow.yaml", "--grant", "slow", "--run-id", "one"];
    let (printed, status) = Running::start(&desk, &run).end();
    assert_eq!(status.code(), Some(3), "{printed}");
    let mut running = Running::on_terminal(&desk, &["resume", "one", "--grant", "slow"]);
    running.wait_for("[onward/back]");
    running.wait_for("> ");
    running.write("onward\n");
    running.wait_for("outcome: onward");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}

/// Two lanes that ask; the first of them has another question after the time of one is over.
fn with_two_lanes() -> Desk {
    let desk = Desk::new();
    desk.write(
        "two.yaml",
        "graph: two\nstate: {left: any = null, right: any = null}\nstart: both\nnodes:\n  both:\n    kind: parallel\n    branches:\n      left: {graph: early.yaml, into: left}\n      right: {graph: late.yaml, into: right}\n    next: [{to: end}]\n  end: {kind: final}\noutput: {left: left.word, right: right.word}\n",
    );
    desk.write(
        "early.yaml",
        "graph: early\nstate: {word: string?}\nstart: soon\nnodes:\n  soon: {kind: human, ask: \"'Quick, what?'\", timeout: 1s, into: word, next: [{to: end}, {to: calm, on: timeout}]}\n  calm: {kind: human, ask: \"'And in peace?'\", into: word, next: [{to: end}]}\n  end: {kind: final}\noutput: {word: word}\n",
    );
    desk.write(
        "late.yaml",
        "graph: late\nstate: {word: string?}\nstart: sleep\nnodes:\n  sleep: {kind: wait, delay: 1500ms, next: [{to: ask}]}\n  ask: {kind: human, ask: \"'What else?'\", into: word, next: [{to: end}]}\n  end: {kind: final}\noutput: {word: word}\n",
    );
    desk
}

/// A question whose time is over takes no line from the next one, and two lanes do not talk at once.
#[test]
fn questions_of_lanes_are_put_one_after_another() {
    if !terminal() {
        return;
    }
    let desk = with_two_lanes();
    let mut running = Running::on_terminal(&desk, &["run", "two.yaml"]);
    running.wait_for("Quick, what?");
    running.wait_for("And in peace?");
    std::thread::sleep(Duration::from_secs(2));
    running.write("first\n");
    let between = running.wait_for("What else?");
    assert!(between.contains("first"), "the second lane asks before the first is answered: {between:?}");
    running.write("second\n");
    running.wait_for("left: first");
    running.wait_for("right: second");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}
