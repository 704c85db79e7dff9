//! `new`: every template, more than once in a folder.

use super::{empty, says, small};

#[test]
fn every_template_is_clean_and_its_scenarios_pass() {
    for template in ["small", "chat", "react", "plan", "review", "empty"] {
        for dsl in ["", " --loop"] {
            let desk = empty();
            says(
                &desk,
                &format!("new mine --from {template}{dsl}"),
                0,
                &["wrote .gitignore", "loopwright run mine."],
            );
            let graph = if dsl.is_empty() && template != "chat" { "mine.yaml" } else { "mine.loop" };
            says(&desk, &format!("check --strict {graph}"), 0, &["no findings"]);
            says(&desk, "test", 0, &[", 0 failed\n"]);
            says(&desk, "fmt --check", 0, &[]);
            assert!(!desk.text(graph).contains("NAME"), "{template}");
        }
    }
}

#[test]
fn a_script_of_a_template_runs() {
    for (template, wanted) in
        [("react", "86400 seconds"), ("plan", "bread and cheese"), ("review", "outcome: published")]
    {
        let desk = empty();
        says(&desk, &format!("new mine --from {template}"), 0, &[]);
        says(&desk, "run mine.yaml --script mine.script.yaml", 0, &[wanted]);
    }
    let desk = empty();
    says(&desk, "new mine --from empty", 0, &[]);
    says(&desk, "run mine.yaml", 0, &["Hello, world!"]);
}

#[test]
fn a_second_graph_begins_in_the_same_folder() {
    let desk = small();
    desk.write("loopwright.toml", "[models.mine]\nprovider = \"openai\"\nmodel = \"m\"\n");
    let before = desk.text("loopwright.toml");
    let ran = says(&desk, "new other --from react", 0, &["wrote other.yaml"]);
    assert_eq!(desk.text("loopwright.toml"), before, "nothing of it was missing: {}", ran.stdout);
    says(&desk, "new talk --from chat", 0, &["added to loopwright.toml"]);
    let after = desk.text("loopwright.toml");
    assert!(
        after.starts_with(&before) && after.contains("[builtin]") && after.contains("write_file = "),
        "{after}"
    );
    says(&desk, "check --strict", 0, &["no findings"]);
    says(&desk, "new other", 2, &["other.yaml is there already; nothing was written"]);
}

#[test]
fn stored_runs_are_left_out_of_git() {
    let desk = empty();
    desk.write(".gitignore", "target");
    says(&desk, "new one", 0, &["added to .gitignore"]);
    assert_eq!(desk.text(".gitignore"), "target\n.loopwright/\n");
    let ran = says(&desk, "new two", 0, &[]);
    assert!(!ran.stdout.contains(".gitignore"), "{}", ran.stdout);
}

#[test]
fn a_name_that_graphs_cannot_have_is_changed_and_that_is_said() {
    let desk = empty();
    says(
        &desk,
        "new my-agent --in deep/down",
        0,
        &["the graph is named `my_agent`", "wrote deep/down/my_agent.yaml"],
    );
    says(&desk, "test deep/down", 0, &["2 passed"]);
    says(&desk, "new 1st", 2, &["is not a valid name for a graph"]);
}

#[test]
fn nothing_is_added_through_a_link() {
    let desk = empty();
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("file");
    std::fs::write(&target, "mine\n").expect("it can be written");
    std::os::unix::fs::symlink(&target, desk.folder.path().join(".gitignore")).expect("a link");
    says(&desk, "new one", 2, &[".gitignore is a link; nothing was written"]);
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "mine\n");
    assert!(!desk.folder.path().join("one.yaml").exists());
}
