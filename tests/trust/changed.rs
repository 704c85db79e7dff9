//! What was allowed is a content, in its place: another one is asked for again, and the difference is told.

use std::fs;

use crate::cli::Desk;

const CONFIG: &str = "
[inputs]
word = {env = \"A_WORD\"}
[tools.pay]
command = [\"./tools/pay\", \"{to}\"]
[tools.list]
command = [\"sh\", \"list.sh\", \"notes.md\"]
folder = \"tools\"
";

const GRAPH: &str = "
graph: says
input: {word: string = 'nothing'}
start: end
nodes: {end: {kind: final}}
output: {word: word}
";

fn desk() -> Desk {
    let desk = Desk::new();
    for folder in ["mine", "mine/tools"] {
        fs::create_dir(desk.folder.path().join(folder)).expect("a folder can be made");
    }
    desk.write("mine/says.yaml", GRAPH);
    desk.write("mine/loopwright.toml", CONFIG);
    desk.write("mine/tools/pay", "#!/bin/sh\necho paid\n");
    desk.write("mine/tools/list.sh", "ls\n");
    desk.write("mine/tools/notes.md", "Notes.\n");
    desk
}

/// The word that a run gets.
fn word(desk: &Desk, graph: &str) -> String {
    let ran = desk.run_with(&format!("run {graph}"), &[("A_WORD", "of-the-variable")]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    ran.stdout.lines().find_map(|line| line.strip_prefix("word: ")).expect("it is told").to_owned()
}

#[test]
fn trust_shows_all_that_is_asked_for() {
    let desk = desk();
    desk.write(
        "mine/loopwright.toml",
        &format!("{CONFIG}env = [\"PATH\", \"HOME\"]\nset_env = {{MODE = \"a b\"}}\n[builtin]\nread_file = {{root = \"..\"}}\n[models.\"*\"]\nprovider = \"anthropic\"\nmodel = \"m\\u001b[31m\"\nkey = {{env = \"A_KEY\"}}\n"),
    );
    let shown = ["trust mine", "trust mine/loopwright.toml --format json"].map(|words| {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        ran.transcript()
            .replace(&*desk.folder.path().canonicalize().expect("it is there").to_string_lossy(), "DESK")
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn another_content_is_asked_for_again_with_the_difference() {
    let desk = desk();
    assert_eq!(word(&desk, "mine/says.yaml"), "nothing");
    desk.trust("mine");
    assert_eq!(word(&desk, "mine/says.yaml"), "of-the-variable");
    let before = desk.run("trust mine");
    assert_eq!(before.code, Some(0), "{}", before.transcript());
    // What it asks for changed, a program below it, a file that a command names, or only its text.
    let changes = [
        ("mine/loopwright.toml", CONFIG.replace("{to}", "--all"), "  new: runs `./tools/pay --all`"),
        ("mine/tools/pay", "#!/bin/sh\necho stolen\n".to_owned(), "  changed: ./tools/pay\n"),
        ("mine/tools/list.sh", "ls /\n".to_owned(), "  changed: tools/list.sh\n"),
        ("mine/tools/notes.md", "More.\n".to_owned(), "  changed: tools/notes.md\n"),
        (
            "mine/loopwright.toml",
            format!("{CONFIG}# More.\n"),
            "  changed: its text, but not what it asks for\n",
        ),
    ];
    for (file, text, told) in changes {
        let path = desk.folder.path().join(file);
        let old = fs::read_to_string(&path).expect("it is there");
        fs::write(&path, text).expect("it can be written");
        assert_eq!(word(&desk, "mine/says.yaml"), "nothing", "{file}");
        let ran = desk.run("trust mine");
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        assert!(ran.stdout.contains("it changed since it was allowed:\n"), "{}", ran.transcript());
        assert!(ran.stdout.contains(told), "{told}: {}", ran.transcript());
        assert!(desk.run("trust --list").stdout.ends_with(": changed since\n"));
        fs::write(&path, old).expect("it can be written");
        assert_eq!(word(&desk, "mine/says.yaml"), "of-the-variable", "{file}");
    }
}

#[test]
fn a_folder_that_was_moved_is_another_one() {
    let desk = desk();
    desk.trust("mine");
    let path = |name: &str| desk.folder.path().join(name);
    fs::rename(path("mine"), path("yours")).expect("it can be moved");
    assert_eq!(word(&desk, "yours/says.yaml"), "nothing");
    assert!(desk.run("trust --list").stdout.ends_with(": gone, or cannot be read\n"));
    // A link in its old place leads to the new one, and that was not allowed.
    std::os::unix::fs::symlink("yours", path("mine")).expect("a link can be made");
    assert_eq!(word(&desk, "mine/says.yaml"), "nothing");
    fs::remove_file(path("mine")).expect("it is there");
    fs::rename(path("yours"), path("mine")).expect("it can be moved");
    assert_eq!(word(&desk, "mine/says.yaml"), "of-the-variable");
}

#[test]
fn what_was_allowed_is_taken_back() {
    let desk = desk();
    desk.trust("mine");
    let ran = desk.run("trust mine --remove");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(word(&desk, "mine/says.yaml"), "nothing");
    let ran = desk.run("trust mine --remove");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert_eq!(desk.run("trust --list").stdout, "no configuration was allowed\n");
}
