//! A grant is for a command as it was shown.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::digest;
use crate::cli::Desk;

const GRAPH: &str = "
graph: works
state: {said: string?}
start: work
nodes:
  work: {kind: tool, tool: TOOL, into: said, ignore: {unhandled: A failure ends it.}, next: [{to: end}]}
  end: {kind: final}
output: {said: said}
";

const CONFIG: &str = "
[tools.list]
description = \"The files.\"
command = [\"sh\", \"-c\", \"echo 'all of it'; ls >> listed\"]
parse = \"text\"
[tools.sees]
command = [\"sh\", \"-c\", \"echo $A_WORD\"]
env = [\"PATH\", \"A_WORD\"]
parse = \"text\"
[tools.own]
command = [\"./own\"]
parse = \"text\"
[tools.away]
command = [\"pwd\"]
folder = \"..\"
parse = \"text\"
";

fn desk() -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("mine")).expect("a folder can be made");
    for tool in ["list", "sees", "own", "away"] {
        desk.write(&format!("mine/{tool}.yaml"), &GRAPH.replace("TOOL", tool));
    }
    desk.write("mine/loopwright.toml", CONFIG);
    desk.write("mine/own", "#!/bin/sh\necho mine\n");
    let own = desk.folder.path().join("mine/own");
    fs::set_permissions(own, fs::Permissions::from_mode(0o755)).expect("it can be changed");
    desk
}

#[test]
fn the_question_shows_what_would_be_run() {
    let desk = desk();
    let shown = ["list", "sees", "own", "away"].map(|tool| {
        let ran = desk.run(&format!("run mine/{tool}.yaml"));
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        ran.transcript()
    });
    insta::assert_snapshot!(shown.join("\n"));
    assert!(!desk.folder.path().join("mine/listed").exists(), "nothing was run");
}

#[test]
fn a_name_grants_what_stays_in_the_folder_and_a_digest_the_rest() {
    let desk = desk();
    let env = [("A_WORD", "of-the-variable")];
    let ran = desk.run_with("run mine/list.yaml --grant list", &env);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    for (tool, said) in [("sees", "said: of-the-variable\n"), ("own", "said: mine\n"), ("away", "said: /")] {
        let refused = desk.run_with(&format!("run mine/{tool}.yaml --grant {tool}"), &env);
        assert_eq!(refused.code, Some(3), "{}", refused.transcript());
        let digest = digest(&refused, &format!("--grant {tool}@"));
        let ran = desk.run_with(&format!("run mine/{tool}.yaml --grant {tool}@{digest}"), &env);
        assert!(ran.code == Some(0) && ran.stdout.contains(said), "{}", ran.transcript());
        let other = "0".repeat(64);
        let ran = desk.run_with(&format!("run mine/{tool}.yaml --grant {tool}@{other}"), &env);
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    }
    // Where all of it was allowed, a name is enough.
    desk.trust("mine");
    for tool in ["sees", "own", "away"] {
        let ran = desk.run_with(&format!("run mine/{tool}.yaml --grant {tool}"), &env);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
    // Trust is no grant.
    let ran = desk.run("run mine/list.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
}

/// A stranger's file calls a variable a key whose value is part of the command line.
#[test]
fn a_key_of_the_same_file_hides_nothing_of_the_question() {
    let desk = desk();
    let model = "[models.any]\nprovider = \"ollama\"\nmodel = \"m\"\nkey = {env = \"A_KEY\"}\n";
    desk.write("mine/loopwright.toml", &format!("{CONFIG}{model}"));
    let env = [("A_KEY", "'all of it'\\''; ls >> listed")];
    let whole = "list runs `sh -c 'echo '\\''all of it'\\''; ls >> listed'` in mine";
    for words in ["", " --grant list"] {
        let ran = desk.run_with(&format!("run mine/list.yaml{words}"), &env);
        assert!(ran.stderr.contains(whole), "{}", ran.transcript());
    }
    // What the file does not say itself is hidden, whether or not anything was allowed.
    let ran = desk.run_with("run mine/sees.yaml", &[("A_KEY", "no-such-graph")]);
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = desk.run_with("run mine/list.yaml --grant no-such-graph", &[("A_KEY", "no-such-graph")]);
    assert!(ran.stderr.contains("***") && !ran.stderr.contains("no-such"), "{}", ran.transcript());
}

#[test]
fn a_grant_by_digest_is_for_that_declaration_and_that_program() {
    let desk = desk();
    let granted = |tool: &str| {
        let ran = desk.run(&format!("run mine/{tool}.yaml --grant {tool}@{}", "0".repeat(64)));
        // What its name grants is not pinned by the program; whoever wants to pins it.
        let pinned = ran.stderr.contains(&format!("--grant {tool}@{}", "0".repeat(64)));
        assert!(pinned, "{}", ran.transcript());
        ran
    };
    granted("list");
    let refused = granted("own");
    let digest =
        refused.stderr.rsplit("--grant own@").next().and_then(|rest| rest.get(..64)).expect("a digest");
    let run = || desk.run(&format!("run mine/own.yaml --grant own@{digest}"));
    assert_eq!(run().code, Some(0), "{}", run().transcript());
    let changes = [
        (
            "mine/own",
            fs::read_to_string(desk.folder.path().join("mine/own")).expect("it is there"),
            "#!/bin/sh\necho other\n".to_owned(),
        ),
        ("mine/loopwright.toml", CONFIG.to_owned(), CONFIG.replace("[\"./own\"]", "[\"./own\", \"--all\"]")),
        (
            "mine/loopwright.toml",
            CONFIG.to_owned(),
            CONFIG.replace("[\"./own\"]", "[\"./own\"]\nset_env = {A = \"b\"}"),
        ),
    ];
    for (file, old, new) in changes {
        desk.write(file, &new);
        assert_eq!(run().code, Some(3), "{}", run().transcript());
        desk.write(file, &old);
    }
    // What is said elsewhere in the file does not touch it.
    desk.write("mine/loopwright.toml", &CONFIG.replace("The files.", "All files."));
    assert_eq!(run().code, Some(0), "{}", run().transcript());
}
