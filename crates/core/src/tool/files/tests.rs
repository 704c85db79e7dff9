use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::*;
use crate::config::ModelFiles;
use crate::port::MessageFiles;
use crate::value::json;

/// A folder with a folder `root` in it, and beside that a file that is none of its.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder can be made");
        let root = temp.path().join("root");
        fs::create_dir_all(root.join("notes/deep")).expect("folders can be made");
        fs::write(temp.path().join("secret"), "secret").expect("a file can be written");
        for (path, text) in [
            ("notes/a.md", "# A\nopen: one\r\nopen: two 22\n"),
            ("notes/deep/b.md", "open: three"),
            ("top.txt", "nothing"),
            (".hidden", "open: hidden"),
        ] {
            fs::write(root.join(path), text).expect("a file can be written");
        }
        Self(temp)
    }

    fn root(&self) -> std::path::PathBuf {
        self.0.path().join("root")
    }

    /// What a call gives, as JSON, or the kind and the message of its failure.
    fn call(&self, tool: FileToolKind, args: &str) -> String {
        self.call_with(&FileToolConfig::new(tool, "root"), args)
    }

    fn call_with(&self, config: &FileToolConfig, args: &str) -> String {
        let tool = FileTool::new(config, self.0.path());
        let Ok(Value::Map(args)) = json::parse_strict(args, json::JsonLimits::default()) else {
            panic!("arguments: {args}")
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
        match runtime.block_on(tool.call(&CallId("run/node/1".into()), args)) {
            Outcome::Answer { value, .. } => json::canonical(&value),
            Outcome::Failed { kind, message, .. } => format!("{kind}: {message}"),
            Outcome::Unknown { message } => panic!("{message}"),
        }
    }

    fn write(&self, path: &str, content: &str) -> String {
        let args = serde_json::json!({"path": path, "content": content}).to_string();
        self.call(FileToolKind::Write, &args)
    }

    /// The names in the root, hidden ones too.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.root())
            .expect("it can be listed")
            .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_listing_is_sorted_and_says_what_was_cut_off() {
    let bench = Bench::new();
    let list = |args: &str| bench.call(FileToolKind::List, args);
    assert_eq!(
        list("{}"),
        r#"{"cut_off":false,"files":["notes/a.md","notes/deep/b.md","top.txt"],"folders":["notes","notes/deep"],"skipped":0}"#
    );
    assert_eq!(
        list(r#"{"depth": 1}"#),
        r#"{"cut_off":false,"files":["top.txt"],"folders":["notes"],"skipped":0}"#
    );
    assert_eq!(
        list(r#"{"path": "notes", "glob": "*.md"}"#),
        r#"{"cut_off":false,"files":["notes/a.md","notes/deep/b.md"],"folders":[],"skipped":0}"#
    );
    assert_eq!(
        list(r#"{"glob": "notes/*"}"#),
        r#"{"cut_off":false,"files":["notes/a.md"],"folders":["notes/deep"],"skipped":0}"#
    );
    assert_eq!(
        list(r#"{"glob": "[x"}"#),
        "invalid_args: the glob `[x` cannot be used: unclosed character class; missing ']'"
    );
    assert!(
        list(&format!(r#"{{"glob": "{}"}}"#, "x".repeat(1001))).starts_with("invalid_args: the glob `xxx")
    );
    let few = FileToolConfig { max_results: 2, ..FileToolConfig::new(FileToolKind::List, "root") };
    assert_eq!(
        bench.call_with(&few, "{}"),
        r#"{"cut_off":true,"files":["notes/a.md"],"folders":["notes"],"skipped":0}"#
    );
}

#[test]
fn a_listing_leaves_out_what_is_no_file_and_no_folder() {
    let bench = Bench::new();
    symlink("../secret", bench.root().join("link")).expect("a link can be made");
    symlink("..", bench.root().join("up")).expect("a link can be made");
    mkfifo(&bench.root().join("pipe"), Mode::S_IRWXU).expect("a pipe can be made");
    fs::write(bench.root().join(std::ffi::OsStr::from_bytes(b"odd\xff")), "open: x")
        .expect("a file can be written");
    assert_eq!(
        bench.call(FileToolKind::List, r#"{"depth": 1}"#),
        r#"{"cut_off":false,"files":["top.txt"],"folders":["notes"],"skipped":4}"#
    );
    let found = bench.call(FileToolKind::Search, r#"{"pattern": "open: x"}"#);
    assert_eq!(found, r#"{"cut_off":false,"matches":[],"skipped":[]}"#);
}

#[test]
fn a_search_gives_paths_and_lines_in_order() {
    let bench = Bench::new();
    let search = |args: &str| bench.call(FileToolKind::Search, args);
    assert_eq!(
        search(r#"{"pattern": "open: t"}"#),
        r#"{"cut_off":false,"matches":[{"line":3,"path":"notes/a.md","text":"open: two 22"},{"line":1,"path":"notes/deep/b.md","text":"open: three"}],"skipped":[]}"#
    );
    assert_eq!(
        search(r#"{"pattern": "^open: .*[0-9]+$", "regex": true}"#),
        r#"{"cut_off":false,"matches":[{"line":3,"path":"notes/a.md","text":"open: two 22"}],"skipped":[]}"#
    );
    // Each file is searched once, whatever leads to it.
    let once = search(r#"{"pattern": "one", "paths": ["notes/a.md", "notes", "./notes//a.md"]}"#);
    assert_eq!(
        once,
        r#"{"cut_off":false,"matches":[{"line":2,"path":"notes/a.md","text":"open: one"}],"skipped":[]}"#
    );
    assert_eq!(
        search(r#"{"pattern": "open", "glob": "*.txt"}"#),
        r#"{"cut_off":false,"matches":[],"skipped":[]}"#
    );
    assert_eq!(search(r#"{"pattern": "x", "paths": ["none"]}"#), "tool_failed: there is no file `none`");
    assert!(
        search(r#"{"pattern": "(", "regex": true}"#)
            .starts_with("invalid_args: the regular expression '(' cannot be used")
    );
    assert!(search(r#"{"pattern": "(x{1000}){1000}", "regex": true}"#).starts_with("invalid_args: "));
    assert!(search(r#"{"pattern": ""}"#).starts_with("invalid_args: `pattern` is empty"));
    let few = FileToolConfig { max_results: 1, ..FileToolConfig::new(FileToolKind::Search, "root") };
    assert_eq!(
        bench.call_with(&few, r#"{"pattern": "open"}"#),
        r#"{"cut_off":true,"matches":[{"line":2,"path":"notes/a.md","text":"open: one"}],"skipped":[]}"#
    );
}

#[test]
fn a_search_says_which_files_it_left_out() {
    let bench = Bench::new();
    fs::write(bench.root().join("bytes"), [0xff, b'o', b'n', b'e']).expect("a file can be written");
    fs::write(bench.root().join("zero"), "one\0").expect("a file can be written");
    fs::write(bench.root().join("wide"), format!("one{}", "ä".repeat(600))).expect("a file can be written");
    let small = FileToolConfig { max_bytes: 1000, ..FileToolConfig::new(FileToolKind::Search, "root") };
    assert_eq!(
        bench.call_with(&small, r#"{"pattern": "one"}"#),
        r#"{"cut_off":false,"matches":[{"line":2,"path":"notes/a.md","text":"open: one"}],"skipped":[{"path":"bytes","reason":"not a UTF-8 text"},{"path":"wide","reason":"longer than 1000 bytes"},{"path":"zero","reason":"not a UTF-8 text"}]}"#
    );
    let found = bench.call(FileToolKind::Search, r#"{"pattern": "one", "paths": ["wide"]}"#);
    assert!(found.contains(&format!(r#""text":"one{}…""#, "ä".repeat(497))), "{found}");
}

#[test]
fn a_text_is_written_whole_and_its_file_is_for_its_owner() {
    let bench = Bench::new();
    assert_eq!(bench.write("notes/new.md", "new"), r#"{"bytes":3,"path":"notes/new.md"}"#);
    let new = bench.root().join("notes/new.md");
    assert_eq!(fs::read_to_string(&new).expect("it is there"), "new");
    assert_eq!(fs::metadata(&new).expect("it is there").permissions().mode() & 0o777, 0o600);
    // What was there is replaced, and its mode stays.
    let top = bench.root().join("top.txt");
    fs::set_permissions(&top, fs::Permissions::from_mode(0o640)).expect("the mode can be set");
    assert_eq!(bench.write("./top.txt", "ä"), r#"{"bytes":2,"path":"top.txt"}"#);
    assert_eq!(bench.write("./top.txt", "ä"), r#"{"bytes":2,"path":"top.txt"}"#);
    assert_eq!(fs::read_to_string(&top).expect("it is there"), "ä");
    assert_eq!(fs::metadata(&top).expect("it is there").permissions().mode() & 0o777, 0o640);
    assert_eq!(
        bench.write("far/away/x.md", "x"),
        "tool_failed: there is no folder `far/away`; write `create_folders: true` to make it"
    );
    let made = r#"{"path": "far/away/x.md", "content": "", "create_folders": true}"#;
    assert_eq!(bench.call(FileToolKind::Write, made), r#"{"bytes":0,"path":"far/away/x.md"}"#);
    let far = fs::metadata(bench.root().join("far")).expect("it is there").permissions();
    assert_eq!(far.mode() & 0o777, 0o700);
    assert_eq!(bench.names(), [".hidden", "far", "notes", "top.txt"]);
}

/// Each hostile path, and how the four tools refuse it.
#[test]
fn no_path_leads_out_or_to_what_is_no_file() {
    let bench = Bench::new();
    symlink("../secret", bench.root().join("link")).expect("a link can be made");
    symlink("..", bench.root().join("up")).expect("a link can be made");
    symlink("top.txt", bench.root().join("harmless")).expect("a link can be made");
    symlink("nowhere", bench.root().join("dangling")).expect("a link can be made");
    symlink("loop", bench.root().join("loop")).expect("a link can be made");
    mkfifo(&bench.root().join("pipe"), Mode::S_IRWXU).expect("a pipe can be made");
    let _socket =
        std::os::unix::net::UnixListener::bind(bench.root().join("socket")).expect("a socket can be made");
    let before = bench.names();
    let absolute = bench.0.path().join("secret").display().to_string();
    let (deep, long, longer) = ("x/".repeat(65) + "y", "x".repeat(300), "x".repeat(100_000));
    let table: &[(&str, &str)] = &[
        ("../secret", "denied: `../secret` leaves the folder"),
        ("notes/../../secret", "denied: `notes/../../secret` leaves"),
        ("/etc/passwd", "denied: `/etc/passwd` leaves"),
        (&absolute, "denied: "),
        ("link", "denied: `link` is a symbolic link"),
        ("up/secret", "denied: `up/secret` is a symbolic link"),
        ("up/root/top.txt", "denied: "),
        ("harmless", "denied: "),
        ("dangling", "denied: "),
        ("loop", "denied: "),
        ("loop/x", "denied: "),
        (".hidden", "denied: `.hidden` is hidden"),
        (".git/config", "denied: "),
        ("notes/.env", "denied: "),
        ("a\\u0000b", "tool_failed: there is no file `a\u{fffd}b`"),
        ("pipe", "tool_failed: "),
        ("socket", "tool_failed: "),
        ("top.txt/x", "tool_failed: "),
        (&deep, "tool_failed: there is no file `x/x/"),
        (&long, "tool_failed: "),
        (&longer, "tool_failed: "),
    ];
    for (path, wanted) in table {
        for (tool, args) in [
            (FileToolKind::Read, format!(r#"{{"path": "{path}"}}"#)),
            (FileToolKind::List, format!(r#"{{"path": "{path}"}}"#)),
            (FileToolKind::Search, format!(r#"{{"pattern": "e", "paths": ["{path}"]}}"#)),
            (FileToolKind::Write, format!(r#"{{"path": "{path}", "content": "evil"}}"#)),
        ] {
            let reported = bench.call(tool, &args);
            assert!(reported.starts_with(wanted), "{tool:?} {path}: {reported}");
            assert!(reported.len() < 1000, "{tool:?} {path}: {reported}");
        }
    }
    for path in ["", ".", "notes", "notes/", "./"] {
        assert!(bench.write(path, "evil").starts_with("tool_failed: "), "{path}");
        let read = bench.call(FileToolKind::Read, &format!(r#"{{"path": "{path}"}}"#));
        assert!(read.starts_with("tool_failed: "), "{path}: {read}");
    }
    assert_eq!(bench.names(), before);
    assert_eq!(fs::read_to_string(bench.0.path().join("secret")).expect("it is there"), "secret");
    assert_eq!(fs::read_to_string(bench.root().join("top.txt")).expect("it is there"), "nothing");
}

#[test]
fn what_is_too_large_is_refused() {
    let bench = Bench::new();
    let small = |tool| FileToolConfig { max_bytes: 7, ..FileToolConfig::new(tool, "root") };
    assert_eq!(
        bench.call_with(&small(FileToolKind::Write), r#"{"path": "new", "content": "12345678"}"#),
        "too_large: the content of `new` has 8 bytes; at most 7 are written"
    );
    assert_eq!(bench.call_with(&small(FileToolKind::Read), r#"{"path": "top.txt"}"#), r#""nothing""#);
    assert_eq!(
        bench.call_with(&small(FileToolKind::Read), r#"{"path": "notes/a.md"}"#),
        "too_large: `notes/a.md` is longer than 7 bytes"
    );
    assert_eq!(bench.names(), [".hidden", "notes", "top.txt"]);
}

#[test]
fn a_write_that_fails_in_the_middle_leaves_the_old_file() {
    let bench = Bench::new();
    let folder =
        cap_std::fs::Dir::open_ambient_dir(bench.root(), cap_std::ambient_authority()).expect("it is there");
    let fresh = write::fresh(&folder).expect("a file can be made");
    assert_eq!(bench.names().len(), 4, "it lies beside");
    let failed = fresh.fill(None, |mut file| {
        std::io::Write::write_all(&mut file, b"half")?;
        Err(std::io::Error::other("the disk is full"))
    });
    assert!(failed.is_err());
    assert_eq!(fs::read_to_string(bench.root().join("top.txt")).expect("it is there"), "nothing");
    // It is hidden as long as it is there.
    assert!(!bench.call(FileToolKind::List, "{}").contains("loopwright"));
    fresh.remove();
    assert_eq!(bench.names(), [".hidden", "notes", "top.txt"]);
}

#[test]
fn a_call_that_was_given_up_puts_nothing_in_place() {
    let bench = Bench::new();
    let given_up = GivenUp::default();
    drop(Waiting(given_up.clone()));
    let mut args = Map::new();
    args.set("path", "top.txt");
    args.set("content", "late");
    let root = Arc::new(FolderRoot::named(bench.root()));
    let call = FileCall {
        tool: FileToolKind::Write,
        root,
        max_bytes: 100,
        max_results: 1,
        args,
        given_up,
        claim: None,
    };
    assert!(matches!(call.make(), Err(FileToolFault::GivenUp)));
    assert_eq!(fs::read_to_string(bench.root().join("top.txt")).expect("it is there"), "nothing");
    assert_eq!(bench.names(), [".hidden", "notes", "top.txt"]);
}

#[test]
fn a_link_that_comes_and_goes_is_never_written_through() {
    let bench = Bench::new();
    let [notes, link, aside] = ["notes", "link", "aside"].map(|name| bench.root().join(name));
    symlink("..", &link).expect("a link can be made");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let swapped = fs::rename(&notes, &aside).and_then(|()| fs::rename(&link, &notes));
                swapped.and_then(|()| fs::rename(&notes, &link)).expect("they can be renamed");
                fs::rename(&aside, &notes).expect("it can be renamed");
            }
        });
        for _ in 0..300 {
            bench.write("notes/secret", "evil");
            bench.write("notes/evil", "evil");
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(bench.0.path().join("secret")).expect("it is there"), "secret");
    assert!(!Path::new(&bench.0.path().join("evil")).exists());
}

#[test]
fn a_folder_of_very_many_things_is_cut_off() {
    let bench = Bench::new();
    let many = bench.root().join("many");
    fs::create_dir(&many).expect("a folder can be made");
    for number in 0..2_000 {
        fs::write(many.join(format!("{number:05}")), "").expect("a file can be written");
    }
    let listed = bench.call(FileToolKind::List, r#"{"path": "many"}"#);
    assert!(listed.starts_with(r#"{"cut_off":true,"files":["many/00000","many/00001""#), "{listed}");
    assert!(listed.contains("many/00999") && !listed.contains("many/01000"));
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let bench = Bench::new();
    let gone = FileToolConfig::new(FileToolKind::List, "gone");
    assert_eq!(
        bench.call_with(&gone, "{}"),
        "tool_failed: the folder of `list_files` cannot be opened: there is no such file"
    );
}

/// The bytes of a file that a message carries, or why it is not read.
fn carried(bench: &Bench, path: &str) -> Result<Vec<u8>, String> {
    let config = ModelFiles { root: "root".to_owned(), max_bytes: 100 };
    let files = MessageFolder::new(&config, bench.0.path());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
    runtime.block_on(files.read(path)).map_err(|unread| unread.to_string())
}

#[test]
fn a_message_carries_no_file_from_outside() {
    let bench = Bench::new();
    let root = bench.root();
    symlink("../secret", root.join("link")).expect("a link can be made");
    symlink("top.txt", root.join("inner")).expect("a link can be made");
    symlink("..", root.join("linked")).expect("a link can be made");
    mkfifo(&root.join("pipe"), Mode::S_IRWXU).expect("a pipe can be made");
    fs::write(root.join("long"), vec![0; 101]).expect("a file can be written");
    assert_eq!(carried(&bench, "notes/deep/b.md"), Ok(b"open: three".to_vec()));
    assert_eq!(carried(&bench, "./notes//deep/b.md"), Ok(b"open: three".to_vec()));
    let absolute = bench.0.path().join("secret").display().to_string();
    let hostile = [
        "../secret",
        "notes/../../secret",
        "notes/../top.txt",
        "..",
        "/etc/passwd",
        absolute.as_str(),
        "link",
        "inner",
        "linked/secret",
        "linked/root/top.txt",
        ".hidden",
        "./.hidden",
        "notes",
        "pipe",
        "missing.png",
        "",
        ".",
        "top.txt/",
        "top.txt/x",
        "top.txt\0.png",
        "file:///etc/passwd",
        "long",
        "/proc/self/environ",
        "/dev/stdin",
    ];
    let deep = "a/".repeat(5_000) + "b";
    for path in hostile.into_iter().chain([deep.as_str()]) {
        match carried(&bench, path) {
            // A slash at the end is no part of a path.
            Ok(bytes) => assert_eq!((path, bytes.as_slice()), ("top.txt/", b"nothing".as_slice())),
            Err(why) => assert!(!why.contains("secret text") && why.len() < 1_000, "{path}: {why}"),
        }
    }
    fs::remove_dir_all(&root).expect("it can be removed");
    symlink(bench.0.path(), &root).expect("a link can be made");
    let config = ModelFiles { root: String::new(), max_bytes: 100 };
    let files = MessageFolder::at(&config, &root);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime can be made");
    let swapped = runtime.block_on(files.read("secret"));
    assert!(swapped.is_err_and(|why| why.to_string().contains("a link lies in its place")));
}
