//! What is allowed is the place that a folder's name leads to, not the name.

use std::fs;
use std::os::unix::fs::symlink;

use super::digest;
use crate::cli::{Desk, Ran};

const CANARY: &str = "canary-of-another-folder-0123456789";

const GRAPH: &str = "
graph: looks
state: {found: string = ''}
start: look
nodes:
  look:
    kind: tool
    tool: TOOL
    args: {ARGS}
    into: found
    next: [{to: end}, {to: end, on: error, do: found = error.kind}]
  end: {kind: final}
output: {found: found}
";

const CONFIG: &str = "
[builtin]
read_file = {root = \"data\"}
[models.any]
provider = \"ollama\"
model = \"m\"
[tools.list]
command = [\"ls\"]
folder = \"data\"
parse = \"text\"
";

/// A folder `mine` whose `data` holds a note, and a folder beside it that nobody allowed.
fn desk() -> Desk {
    let desk = Desk::new();
    for folder in ["mine", "mine/data", "other"] {
        fs::create_dir(desk.folder.path().join(folder)).expect("a folder can be made");
    }
    desk.write("mine/loopwright.toml", CONFIG);
    desk.write("mine/reads.yaml", &GRAPH.replace("TOOL", "read_file").replace("ARGS", "path: \"'note'\""));
    desk.write("mine/lists.yaml", &GRAPH.replace("TOOL", "list").replace("ARGS", ""));
    desk.write("mine/data/note", "mine");
    desk.write("other/note", CANARY);
    desk.write(&format!("other/{CANARY}"), "");
    desk
}

/// Puts a link in the place of the folder.
fn lead_away(desk: &Desk) {
    let data = desk.folder.path().join("mine/data");
    fs::remove_dir_all(&data).expect("it is there");
    symlink("../other", data).expect("a link can be made");
}

fn found(ran: &Ran) -> &str {
    ran.stdout.lines().find_map(|line| line.strip_prefix("found: ")).unwrap_or_default()
}

#[test]
fn a_folder_that_became_a_link_is_asked_for_again() {
    let desk = desk();
    let shown = desk.run("trust mine");
    let before = digest(&shown, "--digest ").to_owned();
    desk.trust("mine");
    let ran = desk.run("run mine/reads.yaml");
    assert_eq!(found(&ran), "mine", "{}", ran.transcript());
    lead_away(&desk);
    let other = desk.folder.path().join("other").canonicalize().expect("it is there");
    let shown = desk.run("trust mine");
    assert_eq!(shown.code, Some(3), "{}", shown.transcript());
    for text in [
        format!("  reads files below data, which leads to {} (tool read_file)\n", other.display()),
        format!("  runs `ls` in data, which leads to {} (tool list)\n", other.display()),
        "it changed since it was allowed:\n".to_owned(),
        "  changed: data\n".to_owned(),
    ] {
        assert!(shown.stdout.contains(&text), "{text}: {}", shown.transcript());
    }
    for env in [&[][..], &[("LOOPWRIGHT_TRUST", before.as_str())]] {
        for (graph, words) in [("reads", ""), ("lists", " --grant list")] {
            let ran = desk.run_with(&format!("run mine/{graph}.yaml{words}"), env);
            assert!(!ran.transcript().contains(CANARY), "{}", ran.transcript());
        }
    }
    // As it is now it can be allowed, and then it holds.
    desk.trust("mine");
    for (graph, words) in [("reads", ""), ("lists", " --grant list")] {
        let ran = desk.run(&format!("run mine/{graph}.yaml{words}"));
        assert!(found(&ran).contains(CANARY), "{}", ran.transcript());
    }
}

#[test]
fn a_grant_by_digest_is_for_the_place_where_it_was_given() {
    let desk = desk();
    let document = desk.run("trust mine --format json");
    let document: serde_json::Value = serde_json::from_str(&document.stdout).expect("it is JSON");
    let own = document["commands"]["list"].as_str().expect("a digest").to_owned();
    let granted = format!("run mine/lists.yaml --grant list@{own}");
    assert_eq!(found(&desk.run(&granted)), "note");
    lead_away(&desk);
    let ran = desk.run(&granted);
    assert!(ran.code == Some(3) && !ran.transcript().contains(CANARY), "{}", ran.transcript());
    let now = ran.stderr.rsplit("--grant list@").next().and_then(|rest| rest.get(..64));
    assert_ne!(now, Some(own.as_str()), "{}", ran.transcript());
}

/// A folder that is made later is the one that was named; a link that is laid in its place is not.
#[test]
fn a_folder_that_is_not_there_yet_is_the_one_that_is_named() {
    let desk = desk();
    let data = desk.folder.path().join("mine/data");
    fs::remove_dir_all(&data).expect("it is there");
    desk.trust("mine");
    fs::create_dir(&data).expect("a folder can be made");
    assert_eq!(desk.run("trust mine").code, Some(0));
    fs::remove_dir(&data).expect("it is there");
    symlink("not-there", &data).expect("a link can be made");
    let shown = desk.run("trust mine");
    assert_eq!(shown.code, Some(3), "{}", shown.transcript());
    assert!(shown.stdout.contains("below data, which leads to nothing"), "{}", shown.transcript());
}
