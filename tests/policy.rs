//! `[policy]` on the command line: what is refused before it runs, by whom, and what is said of a wrong one.

use crate::cli::Desk;
use crate::config::{good, read};

const BILL: &str = "
graph: bill
input: {text: string = 'pay me'}
state: {to: string = ''}
start: read
nodes:
  read: {kind: model, role: clerk, prompt: text, into: to, next: [{to: ask}, {to: end, on: error}]}
  ask: {kind: human, ask: \"'Go on?'\", options: [yes, no], timeout: 24h, next: [{to: pay}, {to: end, on: error}]}
  pay: {kind: tool, tool: pay, args: {to: to}, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

const SCRIPT: &str = "model: {clerk: [me]}\ntools: [{tool: pay, ok: done}]\n";
const DENY: &str = "[policy]\ndeny = [{from = \"model:clerk\", to = \"tool:pay.to\"}]\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("bill.yaml", BILL);
    desk.write("bill.script.yaml", SCRIPT);
    desk
}

#[test]
fn a_denied_flow_is_refused_before_it_runs() {
    let desk = desk();
    desk.write("loopwright.toml", DENY);
    let commands = [
        "check bill.yaml",
        "check --flows --format json bill.yaml",
        "run bill.yaml --script bill.script.yaml",
    ];
    let said: Vec<String> = commands.iter().map(|words| desk.run(words).transcript()).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_stored_run_is_refused_by_the_policy_of_today() {
    let desk = desk();
    let run = desk.run("run bill.yaml --script bill.script.yaml --run-id one");
    assert_eq!(run.code, Some(3), "{}", run.transcript());
    desk.write("loopwright.toml", DENY);
    let resumed = desk.run("resume one --script bill.script.yaml --answer yes");
    assert_eq!(resumed.code, Some(1), "{}", resumed.transcript());
    assert!(resumed.stderr.contains("error[denied-flow]"), "{}", resumed.transcript());
    let edited = desk.run("resume one --with bill.yaml --script bill.script.yaml --answer yes");
    assert!(edited.stderr.contains("error[denied-flow]"), "{}", edited.transcript());
    desk.write("loopwright.toml", &DENY.replace("clerk", "other"));
    let resumed = desk.run("resume one --script bill.script.yaml --answer yes");
    assert_eq!(resumed.code, Some(0), "{}", resumed.transcript());
}

/// A file that nobody allowed restricts all the same, and so does the one of two that is left.
#[test]
fn a_policy_counts_in_files_that_nobody_allowed() {
    let desk = desk();
    std::fs::create_dir(desk.folder.path().join("clone")).expect("a folder can be made");
    desk.write("clone/bill.yaml", BILL);
    let asks = "[models.\"*\"]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n";
    desk.write("clone/loopwright.toml", &format!("{asks}{DENY}"));
    let run = desk.run("run clone/bill.yaml --script bill.script.yaml");
    assert!(run.stderr.contains("error[denied-flow]"), "{}", run.transcript());
    desk.write("loopwright.toml", "[run]\ntimeout = \"1m\"\n");
    let run = desk.run("run clone/bill.yaml --script bill.script.yaml");
    assert!(
        run.stderr.contains("loopwright.toml is used, not clone/loopwright.toml"),
        "{}",
        run.transcript()
    );
    assert!(run.stderr.contains("error[denied-flow]"), "{}", run.transcript());
}

/// The file that is left counts for the graphs beside it, whichever graph is judged first.
#[test]
fn each_graph_is_judged_by_its_own_policies() {
    let desk = desk();
    std::fs::create_dir(desk.folder.path().join("clone")).expect("a folder can be made");
    desk.write("clone/bill.yaml", BILL);
    desk.write("clone/loopwright.toml", DENY);
    desk.write("loopwright.toml", "[run]\ntimeout = \"1m\"\n");
    for graphs in ["bill.yaml clone/bill.yaml", "clone/bill.yaml bill.yaml"] {
        let ran = desk.run(&format!("check {graphs}"));
        assert_eq!(ran.transcript().matches("error[denied-flow]").count(), 1, "{}", ran.transcript());
    }
}

/// Neither the graph nor `[check]` takes it away.
#[test]
fn a_graph_cannot_silence_it() {
    let desk = desk();
    let silent = BILL.replace("graph: bill\n", "graph: bill\nignore: {denied-flow: \"I know better.\"}\n");
    desk.write("bill.yaml", &silent);
    desk.write("loopwright.toml", &format!("{DENY}[check]\ndenied-flow = \"off\"\n"));
    let run = desk.run("run bill.yaml --script bill.script.yaml");
    assert!(run.stderr.contains("error[denied-flow]"), "{}", run.transcript());
}

#[test]
fn a_policy_is_read() {
    let config = good(
        "[policy]\ndeny = [{from = \"tool:web.*\", to = \"tool:shell.*.command\", unless = [\"approved\", \"enum\"]},\n{from = \"person\", to = \"outcome\"}]\n",
    );
    assert_eq!(config.policy.deny.len(), 2);
    assert_eq!(config.policy.deny[0].unless.iter().count(), 2);
    assert!(config.policy.deny[1].unless.is_empty());
}

#[test]
fn faults_of_a_policy_have_their_places() {
    let said = read(
        r#"
[policy]
allow = []
deny = [
  "tool:web",
  {from = "tool:web"},
  {from = "web", to = "call:pay"},
  {from = "tool:", to = "person"},
  {from = "operator:me", to = "tool:a b"},
  {from = "person", to = "outcome", unless = ["aproved", 3]},
  {form = "person", to = "outcome", because = "no"},
]
"#,
    );
    insta::assert_snapshot!(said.expect_err("it has faults"));
    insta::assert_snapshot!(read("[policy]\ndeny = 5\n").expect_err("it has faults"));
}
