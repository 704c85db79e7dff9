//! The commands `fmt` and `convert`.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::cli::Desk;

const UNTIDY: &str = "graph:   g\nstart: a\nnodes:\n  a: {kind:   final}   # the end\n";
const TIDY: &str = "graph: g\nstart: a\nnodes:\n  a: {kind: final}  # the end\n";

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.folder.path().join(name)).expect("the file is there")
}

fn piped(desk: &Desk, words: &str, text: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(words.split_whitespace())
        .current_dir(desk.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn files_are_formatted_in_place() {
    let desk = Desk::new();
    desk.write("a.yaml", UNTIDY);
    let checked = desk.run("fmt a.yaml --check");
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(1), "would change a.yaml\n1 would change\n"));
    let shown = desk.run("fmt a.yaml --diff");
    let wanted = "-  a: {kind:   final}   # the end\n+  a: {kind: final}  # the end\n";
    assert_eq!(shown.code, Some(1), "{}", shown.transcript());
    assert!(
        shown.stdout.starts_with("--- a.yaml\n+++ a.yaml\n@@ -1,4 +1,4 @@\n-graph:   g\n"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.ends_with(wanted), "{}", shown.stdout);
    assert_eq!(read(&desk, "a.yaml"), UNTIDY, "a check writes nothing");
    let written = desk.run("fmt a.yaml graphs");
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    assert!(written.stdout.contains("formatted a.yaml\n"), "{}", written.stdout);
    assert_eq!(read(&desk, "a.yaml"), TIDY);
    let again = desk.run("fmt a.yaml graphs --check");
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert_eq!(desk.run("fmt a.yaml --diff").stdout, "");
    assert!(!again.stdout.contains("would change"), "{}", again.stdout);
    let left: Vec<_> = fs::read_dir(desk.folder.path()).expect("it can be listed").flatten().collect();
    assert_eq!(left.len(), 2, "nothing is left beside the files: {left:?}");
}

#[test]
fn what_is_no_name_is_told_with_its_place() {
    let desk = Desk::new();
    desk.write("a.yaml", "graph: g\nstart: a\nnodes:\n  a: {next: the end}\n");
    assert_eq!(desk.run("fmt a.yaml").code, Some(0), "YAML can hold it");
    let ran = desk.run("convert a.yaml");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("`the end` is not a valid name") && ran.stderr.contains("a.yaml:4:7"),
        "{}",
        ran.stderr
    );
}

#[test]
fn faulty_files_are_left_alone() {
    let desk = Desk::new();
    for (name, text) in
        [("broken.yaml", "graph: g\nstart: [\n"), ("broken.loop", "graph g\naction a {\n  x = = 1\n}\n")]
    {
        desk.write(name, text);
        let ran = desk.run(&format!("fmt {name}"));
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("{name}: it was not changed")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("{name}:")), "{}", ran.stderr);
        assert_eq!(ran.stdout, "1 refused\n");
        assert_eq!(read(&desk, name), text);
        assert_eq!(desk.run(&format!("convert {name} --to yaml")).stdout, "");
    }
    for words in
        ["fmt nothing.yaml", "fmt graphs/mini.scenarios.yaml", "convert graphs --to yaml", "fmt - graphs"]
    {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(2), "{words}: {}", ran.stderr);
    }
}

#[test]
fn one_faulty_file_does_not_keep_the_others() {
    let desk = Desk::new();
    desk.write("a.yaml", UNTIDY);
    desk.write("b.yaml", "graph: [\n");
    let ran = desk.run("fmt b.yaml a.yaml --format json");
    assert_eq!(ran.code, Some(1));
    assert_eq!(read(&desk, "a.yaml"), TIDY);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let files = serde_json::json!({"files": [
        {"path": "b.yaml", "changed": null, "refused": true},
        {"path": "a.yaml", "changed": true, "refused": false},
    ]});
    assert_eq!(said, files);
}

#[test]
fn standard_input_is_printed() {
    let desk = Desk::new();
    assert_eq!(piped(&desk, "fmt -", UNTIDY), (Some(0), TIDY.to_owned()));
    let (code, dsl) = piped(&desk, "convert - --to loop", UNTIDY);
    assert_eq!((code, dsl.as_str()), (Some(0), "graph g\nstart a\nfinal a  # the end\n"));
    let (code, yaml) = piped(&desk, "convert - --to yaml", &dsl);
    assert_eq!((code, yaml), (Some(0), TIDY.replace("nodes", "\nnodes")));
    assert_eq!(piped(&desk, "fmt - --check", UNTIDY).0, Some(1));
}

#[test]
fn line_ends_stay_those_of_the_file() {
    let desk = Desk::new();
    desk.write("a.yaml", &UNTIDY.replace('\n', "\r\n"));
    assert_eq!(desk.run("fmt a.yaml").code, Some(0));
    assert_eq!(read(&desk, "a.yaml"), TIDY.replace('\n', "\r\n"));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    desk.write("a.yaml", UNTIDY);
    let path = desk.folder.path().join("a.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("they can be set");
    symlink("a.yaml", desk.folder.path().join("link.yaml")).expect("a link can be made");
    assert_eq!(desk.run("fmt link.yaml").code, Some(0));
    assert!(desk.folder.path().join("link.yaml").is_symlink());
    assert_eq!(read(&desk, "a.yaml"), TIDY);
    let mode = fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn read_only_files_are_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.write("a.yaml", UNTIDY);
    let path = desk.folder.path().join("a.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).expect("they can be set");
    let ran = desk.run("fmt a.yaml");
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("a.yaml"), "{}", ran.stderr);
    assert_eq!(read(&desk, "a.yaml"), UNTIDY);
}
