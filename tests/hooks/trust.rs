//! Hooks of a folder that nobody allowed are not started.

use crate::cli::Desk;

const CONFIG: &str =
    "[hooks.audit]\ncommand = [\"touch\", \"started\"]\non = [\"run.started\", \"run.ended\"]\n";
const GRAPH: &str = "graph: ends\nstart: end\nnodes: {end: {kind: final}}\n";

#[test]
fn a_hook_runs_only_after_its_configuration_was_allowed() {
    let desk = Desk::new();
    desk.write("loopwright.toml", CONFIG);
    desk.write("ends.yaml", GRAPH);
    let file = desk.folder.path().join("started");
    let stranger = desk.run("run ends.yaml");
    assert!(stranger.code == Some(0) && !file.exists(), "{}", stranger.transcript());
    let shown = desk.run("trust .");
    desk.trust(".");
    let allowed = desk.run("run ends.yaml");
    assert!(allowed.code == Some(0) && file.exists(), "{}", allowed.transcript());
    std::fs::remove_file(&file).expect("it is there");
    // Another command in it is another content.
    desk.write("loopwright.toml", &CONFIG.replace("started\"]", "started\", \"too\"]"));
    let changed = desk.run("run ends.yaml");
    assert!(changed.code == Some(0) && !file.exists(), "{}", changed.transcript());
    // Nor do commands that only look start any.
    desk.trust(".");
    for words in ["check ends.yaml", "test graphs/mini.scenarios.yaml", "trust .", "runs", "models"] {
        assert_eq!(desk.run(words).code, Some(0), "{words}");
    }
    assert!(!file.exists(), "a hook was started");
    let said = [stranger, shown, allowed, changed].map(|ran| ran.transcript()).join("\n");
    let lines: Vec<&str> = said.lines().filter(|line| !line.contains("--digest")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_program_of_a_hook_is_part_of_what_was_allowed() {
    let desk = Desk::new();
    desk.write("loopwright.toml", &CONFIG.replace("\"touch\", \"started\"", "\"sh\", \"audit.sh\""));
    desk.write("audit.sh", "touch started");
    desk.write("ends.yaml", GRAPH);
    desk.trust(".");
    desk.write("audit.sh", "touch other");
    let ran = desk.run("run ends.yaml");
    assert!(
        ran.stderr.contains("was not allowed, so this has no effect: runs `sh audit.sh`"),
        "{}",
        ran.transcript()
    );
    assert!(!desk.folder.path().join("other").exists() && !desk.folder.path().join("started").exists());
}
