//! What is no regular file is not read: nothing hangs, nothing fills the memory.

use std::fmt::Write;
use std::fs;
use std::os::unix::net::UnixListener;

use super::{ASKS, PLAIN, Place};

/// A stranger's folder with a file of each kind.
fn place() -> Place {
    let place = Place::new();
    for name in ["pipe.yaml", "pipe.scenarios.yaml", "pipe.loop"] {
        nix::unistd::mkfifo(&place.path(&format!("clone/{name}")), nix::sys::stat::Mode::S_IRWXU)
            .expect("a pipe can be made");
    }
    UnixListener::bind(place.path("clone/socket.yaml")).expect("a socket can be made");
    fs::create_dir(place.path("clone/folder.yaml")).expect("a folder can be made");
    let huge = fs::File::create(place.path("clone/huge.yaml")).expect("a file can be made");
    huge.set_len(8 << 30).expect("it has holes");
    place
}

#[test]
fn a_folder_with_files_of_other_kinds_is_searched() {
    let place = place();
    fs::remove_file(place.path("clone/huge.yaml")).expect("it can be removed");
    place.lay();
    place.link("/dev/zero", "clone/zero.yaml");
    place.link("pipe.yaml", "clone/to-a-pipe.yaml");
    place.link("plain.yaml", "clone/to-plain.yaml");
    place.write(
        "clone/plain.scenarios.yaml",
        "graph: plain.yaml\nscenarios: [{name: s, expect: {outcome: end}}]\n",
    );
    let said = place.run(&["check", "../clone"]);
    assert_eq!((said.code, said.text.ends_with("2 files: no findings\n")), (Some(0), true), "{}", said.text);
    let said = place.run(&["fmt", "--check", "../clone"]);
    assert!(said.text.contains("2 unchanged") && !said.text.contains("pipe"), "{}", said.text);
    let said = place.run(&["test", "../clone"]);
    assert_eq!((said.code, said.text.contains("1 passed, 0 failed")), (Some(0), true), "{}", said.text);
}

#[test]
fn only_regular_files_are_read() {
    let place = place();
    let mut said = String::new();
    let mut say = |place: &Place, words: &str| {
        let ran = place.run(&words.split_whitespace().collect::<Vec<_>>());
        let first = ran.text.lines().next().unwrap_or_default();
        let _ = writeln!(said, "$ {words}\n{first}");
        assert!(matches!(ran.code, Some(1 | 2)), "{words}: {}", ran.text);
    };
    for file in ["pipe.yaml", "socket.yaml", "folder.yaml", "huge.yaml"] {
        say(&place, &format!("render ../clone/{file}"));
        place.write("clone/a.yaml", &ASKS.replace("TEXT", &format!("{{file: {file}}}")));
        say(&place, "check ../clone/a.yaml");
        place.write("clone/a.yaml", &format!("use: {file}\n{PLAIN}"));
        say(&place, "check ../clone/a.yaml");
    }
    place.write("clone/a.yaml", &format!("use: .\n{PLAIN}"));
    for words in [
        "check ../clone/a.yaml",
        "check ../clone/plain.yaml/further.yaml",
        "run ../clone/plain.yaml --config ../clone",
        "run ../clone/plain.yaml --config ../clone/pipe.yaml",
        "check /dev/zero",
        "fmt ../clone/pipe.yaml",
        "test ../clone/pipe.scenarios.yaml",
        "run ../clone/plain.yaml --script ../clone/pipe.yaml",
        "run ../clone/plain.yaml --input @/dev/zero",
        "run ../clone/plain.yaml --input @../clone/pipe.yaml",
        "run ../clone/plain.yaml --input @../clone",
        "run ../clone/plain.yaml --input @../clone/huge.yaml",
        "run ../clone/plain.yaml --input @nowhere.json",
        "render ../clone/plain.yaml --run ../clone/pipe.yaml",
        "render ../clone/plain.yaml --run /dev/zero",
        "render --into ../clone/pipe.yaml",
        "run ../clone/plain.yaml --record ../clone/pipe.scenarios.yaml",
        "run ../clone/plain.yaml --record ../clone/pipe.scenarios.yaml --force",
    ] {
        say(&place, words);
    }
    insta::assert_snapshot!(said);
}
