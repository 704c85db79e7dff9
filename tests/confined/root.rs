//! Which folder is the root of a graph.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use super::{PLAIN, Place};

/// A graph in `deep/graphs` that uses a file of `deep`, and one in `deep` beside it.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("deep/graphs")).expect("a folder can be made");
    place.write("deep/shared.yaml", "types: {T: {a: int}}\n");
    place.write(
        "deep/graphs/a.yaml",
        &PLAIN.replace("graph:", "use: ../shared.yaml\nstate: {t: \"T = T{a: 1}\"}\noutput: {t: t}\ngraph:"),
    );
    place
}

fn check(place: &Place, home: &Path, words: &[&str]) -> Option<i32> {
    let said = place.run_at("user", home, &[&["check", "../deep/graphs/a.yaml"], words].concat());
    assert_eq!(said.code == Some(1), said.text.contains("forbidden-file"), "{}", said.text);
    said.code
}

#[test]
fn a_repository_of_the_user_is_the_root() {
    let place = place();
    let home = place.path("home");
    assert_eq!(check(&place, &home, &[]), Some(1), "there is no repository");
    assert_eq!(check(&place, &home, &["--root", "../deep"]), Some(0), "a wider root is named");
    assert_eq!(check(&place, &home, &["--root", "../deep/graphs"]), Some(1), "the root is not wide enough");
    fs::create_dir(place.path("deep/.git")).expect("a folder can be made");
    assert_eq!(check(&place, &home, &[]), Some(0), "there is a repository");
    assert_eq!(check(&place, &place.path("deep"), &[]), Some(1), "it is the home folder");
    assert_eq!(check(&place, &place.path("deep/graphs"), &[]), Some(1), "it holds the home folder");
    let mode = |mode: u32| {
        fs::set_permissions(place.path("deep"), fs::Permissions::from_mode(mode)).expect("a mode can be set");
    };
    mode(0o1777);
    assert_eq!(check(&place, &home, &[]), Some(1), "everybody may write there");
    mode(0o755);
    fs::create_dir(place.path("deep/graphs/.git")).expect("a folder can be made");
    assert_eq!(check(&place, &home, &[]), Some(1), "the innermost repository counts");
    fs::remove_dir(place.path("deep/graphs/.git")).expect("a folder can be removed");
    fs::remove_dir(place.path("deep/.git")).expect("a folder can be removed");
    place.write("deep/.git", "gitdir: elsewhere\n");
    assert_eq!(check(&place, &home, &[]), Some(0), "a work tree has a file");
    fs::remove_file(place.path("deep/.git")).expect("a file can be removed");
    place.link("../clone", "deep/.git");
    assert_eq!(check(&place, &home, &[]), Some(1), "a link is no mark");
}

#[test]
fn a_folder_whose_configuration_is_trusted_is_the_root() {
    let place = place();
    let home = place.path("home");
    place.write("deep/loopwright.toml", "[inputs]\nt = {env = \"SECRET\"}\n");
    assert_eq!(check(&place, &home, &[]), Some(1), "nobody allowed it");
    let shown = place.run_at("user", &home, &["trust", "../deep"]).text;
    let digest = shown.split("--digest ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let digest = digest.unwrap_or_else(|| panic!("no digest is shown: {shown}"));
    assert_eq!(place.run_at("user", &home, &["trust", "../deep", "--digest", digest]).code, Some(0));
    assert_eq!(check(&place, &home, &[]), Some(0), "it was allowed");
    place.write("deep/loopwright.toml", "[inputs]\nt = {env = \"OTHER\"}\n");
    assert_eq!(check(&place, &home, &[]), Some(1), "it is another one now");
}

#[test]
fn a_repository_of_somebody_else_is_no_root() {
    let place = place();
    let (home, git) = (place.path("home"), place.path("deep/.git"));
    fs::create_dir(&git).expect("a folder can be made");
    for theirs in [place.path("deep"), git] {
        if chown(&theirs, Some(12_345), None).is_err() {
            eprintln!("skipped: only the superuser can give files away");
            return;
        }
        assert_eq!(check(&place, &home, &[]), Some(1), "{} is somebody else's", theirs.display());
        chown(&theirs, Some(nix::unistd::getuid().as_raw()), None).expect("it can be taken back");
        assert_eq!(check(&place, &home, &[]), Some(0));
    }
}

#[test]
fn a_configuration_that_nobody_trusts_is_no_mark() {
    let place = place();
    place.write("deep/loopwright.toml", "");
    assert_eq!(check(&place, &place.path("home"), &[]), Some(1));
}

#[test]
fn a_folder_that_was_named_is_the_root_of_what_lies_in_it() {
    let place = place();
    let home = place.path("home");
    let run = |folder: &str| place.run_at("user", &home, &["check", folder]);
    assert_eq!(run("../deep").code, Some(0), "{}", run("../deep").text);
    assert_eq!(run("../deep/graphs").code, Some(1));
    let said = place.run_at("user", &place.path("deep"), &["check", "../deep"]);
    assert_eq!(said.code, Some(1), "the home folder is no root: {}", said.text);
    fs::create_dir(place.path("deep/graphs/.git")).expect("a folder can be made");
    assert_eq!(run("../deep").code, Some(1), "a repository in it stays one");
}

#[test]
fn the_root_holds_the_graph() {
    let place = place();
    let words = [
        vec!["check", "../deep/graphs/a.yaml", "--root", "../clone"],
        vec!["check", "../deep/graphs/a.yaml", "--root", "../nowhere"],
        vec!["check", "../deep/graphs/a.yaml", "--root", "../secret.txt"],
        vec!["run", "../clone/plain.yaml", "--root", "../clone", "--script", "../deep/script.yaml"],
        vec!["diff", "../clone/plain.yaml", "../deep/graphs/a.yaml", "--root", ".."],
    ];
    place.write("deep/script.yaml", "model: {}\n");
    let mut told = String::new();
    for words in words {
        let said = place.run(&words);
        let code = said.code.unwrap_or(-1);
        let _ = writeln!(told, "$ {}\nexit code {code}\n{}", words.join(" "), said.text.trim_end());
    }
    insta::assert_snapshot!(told);
}

#[test]
fn links_that_stay_are_followed() {
    let place = Place::new();
    place.write("clone/sub/parts.yaml", "types: {T: {a: int}}\n");
    place.link("parts.yaml", "clone/sub/beside.yaml");
    place.link("sub", "clone/folder");
    place.link(&place.real().join("clone/sub/parts.yaml").to_string_lossy(), "clone/from-root.yaml");
    place.link("clone", "named");
    for (path, graph) in [
        ("sub/beside.yaml", "../clone/a.yaml"),
        ("folder/parts.yaml", "../clone/a.yaml"),
        ("from-root.yaml", "../clone/a.yaml"),
        ("sub/parts.yaml", "../named/a.yaml"),
    ] {
        place.write(
            "clone/a.yaml",
            &PLAIN.replace(
                "graph:",
                &format!("use: {path}\nstate: {{t: \"T = T{{a: 1}}\"}}\noutput: {{t: t}}\ngraph:"),
            ),
        );
        let said = place.run(&["check", graph]);
        assert_eq!(said.code, Some(0), "{path}: {}", said.text);
    }
}

#[test]
fn what_was_named_may_be_hidden() {
    let place = Place::new();
    fs::create_dir(place.path("clone/.loops")).expect("a folder can be made");
    place.write("clone/.loops/parts.yaml", "types: {T: {a: int}}\n");
    place.write(
        "clone/.loops/a.yaml",
        &PLAIN.replace("graph:", "use: parts.yaml\nstate: {t: \"T = T{a: 1}\"}\noutput: {t: t}\ngraph:"),
    );
    assert_eq!(place.run(&["check", "../clone/.loops/a.yaml"]).code, Some(0));
    // As a cluster mounts the files of a volume.
    fs::rename(place.path("clone/.loops"), place.path("clone/..2026_11")).expect("a folder can be renamed");
    place.link("..2026_11", "clone/..data");
    place.link("..data/a.yaml", "clone/a.yaml");
    place.link("..data/parts.yaml", "clone/parts.yaml");
    let said = place.run(&["check", "../clone/a.yaml"]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}

#[test]
fn what_standard_input_names_lies_below_the_working_folder() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let place = Place::new();
    for (path, code) in [("parts.yaml", 0), ("../secret.txt", 1)] {
        place.write("user/parts.yaml", "types: {T: {a: int}}\n");
        let text = PLAIN.replace(
            "graph:",
            &format!("use: {path}\nstate: {{t: \"T = T{{a: 1}}\"}}\noutput: {{t: t}}\ngraph:"),
        );
        let mut child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
            .args(["check", "-"])
            .current_dir(place.path("user"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            (output.status.code(), said.contains(super::CANARY)),
            (Some(code), false),
            "{path}: {said}"
        );
    }
}
