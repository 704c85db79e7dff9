//! `doctor`: what a folder is set up with.

use super::{empty, run, says, small};

#[test]
fn a_folder_is_examined() {
    let desk = small();
    let version = format!("loopwright {}", env!("CARGO_PKG_VERSION"));
    says(&desk, "doctor", 0, &[&version, "configuration: loopwright.toml", "store: no run is stored here"]);
    run(&desk, "one");
    says(&desk, "doctor", 0, &["1 run, 1 whole"]);
    says(&empty(), "doctor", 0, &["configuration: there is no loopwright.toml here"]);
}

#[test]
fn models_tools_and_servers_are_listed_with_what_they_lack() {
    let desk = empty();
    let config = "[models.decider]\nprovider = \"openai\"\nmodel = \"m\"\nkey = {env = \"DESK_TEST_KEY\"}\n\n[tools.count]\ndescription = \"Counts.\"\ncommand = [\"wc\"]\nargs = {text = \"string\"}\n\n[mcp.fs]\ncommand = [\"fs-server\"]\n";
    desk.write("loopwright.toml", config);
    let wanted = [
        "not all it asks for is allowed (see `loopwright trust`)",
        "model decider: m of openai, the key DESK_TEST_KEY is not set",
        "tool count: not granted",
        "server fs: not locked (see `loopwright mcp lock`)",
    ];
    says(&desk, "doctor", 1, &wanted);
    desk.trust("loopwright.toml");
    let set = desk.run_with("doctor --format json", &[("DESK_TEST_KEY", "secret-of-the-test")]);
    assert_eq!(set.code, Some(0), "{}", set.transcript());
    let document: serde_json::Value = serde_json::from_str(&set.stdout).expect("it is JSON");
    assert_eq!(document["models"][0]["key"]["set"], true, "{document}");
    assert_eq!(document["configuration"]["allowed"], true, "{document}");
    assert_eq!(document["whole"], true, "{document}");
    assert!(!set.stdout.contains("secret-of-the-test"));
}

#[test]
fn a_configuration_that_cannot_be_read_is_reported() {
    let desk = empty();
    desk.write("loopwright.toml", "[models.decider]\nprovder = \"openai\"\n");
    says(&desk, "doctor", 1, &["provder", "configuration: it cannot be used"]);
}

#[test]
fn a_named_store_is_examined_alone() {
    let desk = small();
    run(&desk, "one");
    let ran = says(&desk, "doctor --db .loopwright/runs.db", 0, &["1 run, 1 whole"]);
    assert!(!ran.stdout.contains("configuration"), "{}", ran.stdout);
}
