//! Before a terminal: grants, questions of servers, progress.

use super::client::Bench;
use crate::terminal::{Running, terminal};

#[test]
fn a_person_grants_a_tool_and_answers_its_server() {
    if !terminal() {
        return;
    }
    let bench = Bench::new("");
    bench.graph("ask", "{}");
    let mut running = Running::on_terminal(&bench.desk, &["run", "g.yaml"]);
    running.wait_for("t.ask is of the MCP server t, which starts `python3 server.py` in .");
    running.wait_for("May this graph use the tool `t.ask` on this machine? [y/N]");
    running.write("y\n");
    running.wait_for("The MCP server t asks, in its own words: \"Which colour?\"");
    running.write("green\n");
    running.wait_for("said: {\"action\": \"accept\", \"content\": {\"colour\": \"green\"}}");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
    // The grant was noted.
    let mut running = Running::on_terminal(&bench.desk, &["run", "g.yaml"]);
    running.wait_for("Which colour?");
    running.write("decline\n");
    running.wait_for("said: {\"action\": \"decline\"}");
    running.end();
}

#[test]
fn progress_is_on_the_live_line() {
    if !terminal() {
        return;
    }
    let bench = Bench::new("");
    bench.graph("progress", "{}");
    let mut running = Running::on_terminal(&bench.desk, &["run", "g.yaml", "--grant", "t.progress"]);
    running.wait_for("t.progress  1/2 working");
    running.wait_for("said: done");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}

#[test]
fn a_lock_is_agreed_to_at_the_terminal() {
    if !terminal() {
        return;
    }
    let bench = Bench::new("");
    bench.desk.write("loopwright.toml", "[mcp.t]\ncommand = [\"python3\", \"server.py\", \"x\"]\n");
    let mut running = Running::on_terminal(&bench.desk, &["mcp", "lock"]);
    running.wait_for("May it be started to be asked for its tools? [y/N]");
    running.write("y\n");
    running.wait_for("t: 17 tools are locked now");
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(0), "{printed}");
}
