//! `log`, as people read it.

use super::{says, small};
use crate::cli::Desk;
use crate::terminal::{Running, terminal};

/// A sentence that is longer than what a line shows of a value.
const LONG: &str =
    "select name, price from fruits where colour = 'red' and price < 3 order by price limit 10";

fn run() -> Desk {
    let desk = small();
    let graph = "graph: priced
state: {said: string = ''}
budgets: {cost: {limit: \"usd('1')\", charge: model.cost}}
start: ask
nodes:
  ask: {kind: model, role: m, prompt: \"'go'\", output: string, into: said, next: [{to: end}, {to: end, on: error}, {to: end, on: exhausted(cost)}]}
  end: {kind: final, ok: \"said != ''\"}
output: {said: said}
";
    desk.write("priced.yaml", graph);
    desk.write("priced.script.yaml", &format!("model: [{{ok: \"{LONG}\", usage: {{cost: 0.3}}}}]\n"));
    let ran = desk.run("run priced.yaml --script priced.script.yaml --run-id one");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    desk
}

#[test]
fn amounts_are_read_and_times_are_short() {
    let desk = run();
    let log = says(&desk, "log one", 0, &["charged cost by $0.3", " (UTC)"]);
    let line =
        log.stdout.lines().find(|line| line.contains("at ask")).unwrap_or_else(|| panic!("{}", log.stdout));
    let time = line.split_whitespace().nth(1).unwrap_or_default();
    assert!(time.len() == "12:34:56.789".len() && !line.contains('Z'), "{line}");
    assert!(!log.stdout.contains(LONG) && log.stdout.contains('…'), "{}", log.stdout);
}

#[test]
fn values_are_whole_where_that_is_wanted() {
    says(&run(), "log one --full", 0, &[LONG]);
}

#[test]
fn the_events_of_one_node_are_printed_alone() {
    let desk = run();
    let log = says(&desk, "log one --node end", 0, &["at end"]);
    assert!(!log.stdout.contains("asks the model") && !log.stdout.contains("started"), "{}", log.stdout);
    let log = says(&desk, "log one --node ask", 0, &["at ask", "ask asks the model m", "ask -> end"]);
    assert!(!log.stdout.contains("at end"), "{}", log.stdout);
    says(&desk, "log one --node ende", 2, &["has no node `ende`", "did you mean `end`?"]);
    let lines = says(&desk, "log one --node end --format jsonl", 0, &[]);
    assert!(
        lines.stdout.lines().all(|line| line.contains("\"entered\"") || line.contains("\"done\"")),
        "{}",
        lines.stdout
    );
}

#[test]
fn a_log_is_followed_until_the_run_has_ended() {
    let desk = small();
    desk.write("talk.yaml", crate::runs::desk::TALK);
    desk.run("run talk.yaml --run-id two");
    let mut log = Running::start(&desk, &["log", "two", "--follow"]);
    log.wait_for("ask asks");
    desk.run("resume two --answer more");
    log.wait_for("a person answered");
    desk.run("resume two --answer stop");
    log.wait_for("ended: end");
    assert_eq!(log.end().1.code(), Some(0));
    says(&desk, "log two --follow", 0, &["ended: end"]);
}

#[test]
fn lines_are_folded_to_the_terminal() {
    if !terminal() {
        return;
    }
    let desk = run();
    let mut log = Running::on_terminal(&desk, &["log", "one", "--full"]);
    let told = log.wait_for("ended: end");
    assert!(told.contains("select name, price"), "{told}");
}
