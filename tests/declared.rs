//! What a configuration declares of tools is looked at where a graph is checked.

use crate::cli::{Desk, Ran};

const PAYS: &str = r"
graph: pays
state: {receipt: string?}
start: pay
nodes:
  pay:
    kind: tool
    tool: TOOL
    into: receipt
    retry: 3
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final}
output: {receipt: receipt}
";

/// The finding about a call that is not repeated.
const SAID: &str = "warning[retried-once]: the call of `pay` may be made at most once";

fn pays(tool: &str) -> String {
    PAYS.replace("TOOL", tool)
}

fn declares(delivery: &str) -> String {
    format!("[tools.pay]\ncommand = [\"pay\"]\ndelivery = \"{delivery}\"\n")
}

/// The graph and a configuration in a folder of their own.
fn beside(configuration: &str) -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("shop")).expect("a folder can be made");
    desk.write("shop/pays.yaml", &pays("pay"));
    desk.write("shop/loopwright.toml", configuration);
    desk
}

/// True where the finding is there, and false where there is none at all.
fn warned(ran: &Ran) -> bool {
    let warned = ran.stdout.contains(SAID);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(warned || ran.stdout.ends_with(": no findings\n"), "{}", ran.transcript());
    warned
}

#[test]
fn a_call_that_its_configuration_allows_once_is_reported_where_it_is_retried() {
    // Nobody allowed what the file says; nothing of it is started, so it is looked at.
    let desk = beside(&declares("at_most_once"));
    let ran = desk.run("check shop/pays.yaml");
    assert!(warned(&ran), "{}", ran.transcript());
    insta::assert_snapshot!(ran.transcript());
    let json = desk.run("check shop/pays.yaml --format json");
    assert!(json.stdout.contains("\"retried-once\""), "{}", json.transcript());
    // The same is said of all graphs of a folder, and before a run.
    assert!(desk.run("check shop").stdout.contains(SAID));
    let ran = desk.run("run shop/pays.yaml");
    assert!(ran.stderr.contains(SAID), "{}", ran.transcript());
    // A file that the operator names goes before the one beside the graph.
    desk.write("bears.toml", &declares("idempotent"));
    let ran = desk.run("run shop/pays.yaml --config bears.toml");
    assert!(!ran.stderr.contains("retried-once"), "{}", ran.transcript());
}

#[test]
fn what_a_configuration_does_not_say_counts_as_in_a_run() {
    // A command may be called once unless it says otherwise.
    assert!(warned(&beside("[tools.pay]\ncommand = [\"pay\"]\n").run("check shop/pays.yaml")));
    for delivery in ["at_least_once", "idempotent", "pure"] {
        assert!(!warned(&beside(&declares(delivery)).run("check shop/pays.yaml")), "{delivery}");
    }
    // Of a tool that nobody declares nothing is known.
    assert!(!warned(&beside("").run("check shop/pays.yaml")));
    let desk = beside("");
    desk.write("shop/pays.yaml", &pays("clock"));
    assert!(!warned(&desk.run("check shop/pays.yaml")), "a built-in tool can be called again");
    // An author who answers `unknown` knows of it.
    let desk = beside(&declares("at_most_once"));
    desk.write(
        "shop/pays.yaml",
        &pays("pay").replace("{to: end, on: error}", "{to: end, on: unknown}, {to: end, on: error}"),
    );
    let ran = desk.run("check shop/pays.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.contains("note[retried-once]"), "{}", ran.transcript());
}

#[test]
fn tools_that_are_chosen_at_run_time_are_reported_where_none_bears_it() {
    let chooses = |allow: &str| {
        let graph =
            pays("pay").replace("tool: pay", &format!("tool_of: receipt ?? 'pay'\n    allow: {allow}"));
        let desk =
            beside(&(declares("at_most_once") + "[tools.look]\ncommand = [\"look\"]\ndelivery = \"pure\"\n"));
        desk.write("shop/pays.yaml", &graph);
        desk.run("check shop/pays.yaml")
    };
    let all = chooses("[pay]");
    assert!(all.stdout.contains(SAID), "{}", all.transcript());
    let some = chooses("[pay, look]");
    assert!(!some.stdout.contains("retried-once"), "{}", some.transcript());
}

#[test]
fn the_configuration_of_a_check_is_that_of_a_run() {
    let desk = beside(&declares("at_most_once"));
    // Not allowed, it does not go before the one in the working folder.
    desk.write("loopwright.toml", &declares("idempotent"));
    let words = "check shop/pays.yaml";
    assert!(!warned(&desk.run(words)));
    desk.trust("shop");
    assert!(warned(&desk.run(words)));
    // One that cannot be read says nothing of tools, and that is told.
    let desk = beside("[tools.pay\n");
    let ran = desk.run(words);
    assert!(!warned(&ran));
    assert!(ran.stderr.starts_with("note: shop/loopwright.toml cannot be used"), "{}", ran.transcript());
}

#[test]
fn a_node_that_asks_for_less_than_its_tool_is_reported() {
    let desk = beside(&declares("at_most_once"));
    let graph = pays("pay").replace("tool: pay\n", "tool: pay\n    delivery: idempotent\n");
    desk.write("shop/pays.yaml", &graph);
    let ran = desk.run("check shop/pays.yaml");
    assert!(ran.stdout.contains("warning[weak-delivery]"), "{}", ran.transcript());
    insta::assert_snapshot!(ran.transcript());
    // Of a tool that is not declared nothing is known, and one may ask for more.
    for configuration in ["", &declares("pure"), &declares("idempotent")] {
        let desk = beside(configuration);
        desk.write("shop/pays.yaml", &graph);
        assert!(!desk.run("check shop/pays.yaml").stdout.contains("weak-delivery"), "{configuration}");
    }
}
