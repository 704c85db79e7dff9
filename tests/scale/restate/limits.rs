//! Limits of the operator and of the graph hold over segments as they do on one machine.

use super::desk::{Desk, Stage, Worker};

const SLOW: &str = "graph: slow
start: first
nodes:
  first: {kind: wait, delay: 20s, next: [{to: early}, {to: second, on: error(cancelled)}]}
  second: {kind: wait, delay: 1500ms, next: [{to: third}, {to: twice, on: error(cancelled)}]}
  third:
    kind: tool
    tool: calculator
    args: {expression: \"'1 + 1'\"}
    next: [{to: fourth}, {to: twice, on: error}, {to: twice, on: error(cancelled)}]
  fourth: {kind: wait, delay: 1500ms, next: [{to: late}, {to: twice, on: error(cancelled)}]}
  late: {kind: final}
  twice: {kind: final, ok: false}
  early: {kind: final, ok: false}
";

const GROW: &str = "graph: grow
state: {a: string = 'x', b: string = '', c: string = '', rounds: int = 0}
budgets: {steps: 40}
start: grow
nodes:
  grow:
    kind: action
    do: a = a + a; rounds += 1; spend steps
    next: [{to: grow, when: rounds < 23}, {to: first}, {to: end, on: exhausted(steps)}]
  first: {kind: tool, tool: calculator, args: {expression: \"'1'\"}, then: b = a, next: [{to: second}, {to: end, on: error}]}
  second: {kind: tool, tool: calculator, args: {expression: \"'1'\"}, then: c = a, next: [{to: third}, {to: end, on: error}]}
  third: {kind: tool, tool: calculator, args: {expression: \"'1'\"}, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {rounds: rounds}
";

const OFTEN: &str = "graph: often
state: {made: int = 0}
budgets: {calls: 10}
start: note
nodes:
  note:
    kind: tool
    tool: pure
    args: {text: string(made)}
    do: spend calls
    then: made += 1
    next: [{to: note, when: made < 5}, {to: end}, {to: end, on: error}, {to: end, on: exhausted(calls)}]
  end: {kind: final}
output: {made: made}
";

const LANES: &str = "graph: lanes
state:
  said: list<outputs('pause.yaml')> = []
start: all
nodes:
  all:
    kind: each
    graph: pause.yaml
    over: \"['3', '0']\"
    as: item
    with: {time: item}
    into: said
    next: [{to: end}, {to: failed, on: error}]
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {said: said}
";

const PAUSE: &str = "graph: pause
input: {time: string}
state: {late: bool = false}
start: first
nodes:
  first: {kind: tool, tool: pause, args: {time: time}, next: [{to: second}, {to: failed, on: error}]}
  second:
    kind: tool
    tool: pure
    args: {text: time}
    timeout: 1s
    next: [{to: done}, {to: done, on: error, do: late = true}]
  done: {kind: final}
  failed: {kind: final, ok: false}
output: {late: late}
";

#[test]
fn limits_hold_over_segments() {
    let desk = Desk::new();
    desk.write("slow.yaml", SLOW);
    desk.write("often.yaml", OFTEN);
    desk.configure("[run]\ntimeout = '1s'\n");
    let Some(stage) = Stage::of("limits over segments", desk, &["slow.yaml", "--effects-per-segment", "1"])
    else {
        return;
    };
    // The limit of a run's time cuts a wait off, once.
    let ran = stage.desk.at(&stage.server, &["run", "slow.yaml", "--run-id", "a"]);
    assert_eq!(ran.stdout, "outcome: late\n", "{}", ran.stderr);
    let log = stage.desk.at(&stage.server, &["log", "a"]).well();
    assert_eq!(log.matches("the run took longer than 1s").count(), 1, "{log}");
    // The limit of a tool counts the calls of earlier segments. The time of a busy machine is not what is tried.
    let toml = std::fs::read_to_string(stage.desk.path("loopwright.toml")).expect("it can be read");
    stage.desk.write("loopwright.toml", &toml.replace("[run]\ntimeout = '1s'\n", ""));
    stage.desk.configure("[limits.tools.pure]\ncalls = 3\n");
    let worker = Worker::start(&stage.desk, &["often.yaml", "--grant", "pure", "--effects-per-segment", "1"]);
    stage.register(&worker.url());
    let ran = stage.desk.at(&stage.server, &["run", "often.yaml", "--run-id", "b"]);
    assert!(ran.stdout.contains("made: 3\n"), "{}{}", ran.stdout, ran.stderr);
    // The history of the run is not read again for that.
    let read =
        stage.server.query("SELECT count(*) AS n FROM sys_journal WHERE invoked_target LIKE '%/entries'");
    assert_eq!(read[0]["n"], 0, "{read:?}");
}

#[test]
fn a_state_that_is_too_long_ends_its_run_with_that_reason() {
    let desk = Desk::new();
    desk.write("grow.yaml", GROW);
    let Some(stage) =
        Stage::of("a state that is too long", desk, &["grow.yaml", "--effects-per-segment", "1"])
    else {
        return;
    };
    let ran = stage.desk.at(&stage.server, &["run", "grow.yaml", "--run-id", "a"]);
    assert!(ran.stdout.starts_with("outcome: cancelled (not ok)\n"), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("bytes; Restate passes on 25165824 at a time"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_call_does_not_wait_for_another_lane() {
    let desk = Desk::new();
    desk.write("lanes.yaml", LANES);
    desk.write("pause.yaml", PAUSE);
    desk.configure("[tools.pause]\ncommand = ['sleep', '{time}']\nparse = 'text'\ndelivery = 'idempotent'\n");
    let words = ["lanes.yaml", "--grant", "pure", "--grant", "pause", "--effects-per-segment", "1"];
    let Some(stage) = Stage::of("calls of lanes", desk, &words) else { return };
    let ran = stage.desk.at(&stage.server, &["run", "lanes.yaml", "--run-id", "a"]).well();
    assert!(!ran.contains("\"late\":true"), "{ran}");
}
