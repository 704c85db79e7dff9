//! Graphs from strangers read what lies in their folder, and nothing else: the canary beside the folder appears in no
//! output, no prompt and no file.

mod kinds;
mod root;
mod ways;
mod written;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What must not be seen anywhere.
const CANARY: &str = "zq-canary-7731";

/// Nothing here takes longer than a moment; what hangs is a fault.
const PATIENCE: Duration = Duration::from_mins(1);

/// A graph that asks a model with the text `t`, which its file gives.
const ASKS: &str = "graph: stranger\nstate: {a: 'string?'}\ntexts: {t: TEXT}\nstart: ask\nnodes:\n  \
    ask: {kind: model, role: m, prompt: t, into: a, next: [{to: end}, {to: end, on: error}]}\n  end: {kind: final}\noutput: {a: a}\n";

/// A graph that does nothing.
const PLAIN: &str = "graph: plain\nstart: end\nnodes:\n  end: {kind: final}\n";

/// A folder of a user, with a stranger's folder in it.
struct Place {
    folder: tempfile::TempDir,
}

/// What the program said.
struct Said {
    code: Option<i32>,
    text: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        for folder in ["home/.ssh", "clone/sub", "user"] {
            fs::create_dir_all(place.path(folder)).expect("a folder can be made");
        }
        place.write("secret.txt", &format!("root:x:{CANARY}\nKEY={CANARY}\n"));
        place.write("home/.ssh/id", &format!("-----BEGIN {CANARY}-----\n"));
        place.write(
            "secret.yaml",
            &PLAIN.replace("plain", "other").replace("start:", &format!("title: {CANARY}\nstart:")),
        );
        place.write("clone/plain.yaml", PLAIN);
        place.write("clone/.env", &format!("KEY={CANARY}\n"));
        place.write("clone/script.yaml", "model: {m: [{text: hello}]}\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    fn link(&self, to: &str, name: &str) {
        symlink(to, self.path(name)).expect("a link can be made");
    }

    /// Runs the program in the user's folder.
    fn run(&self, words: &[&str]) -> Said {
        self.run_at("user", &self.path("home"), words)
    }

    /// Runs it with words split at spaces, which it refuses, telling nothing of what is none of its business; gives what it says.
    /// `case` names the case.
    fn refused(&self, words: &str, case: &str) -> String {
        let said = self.run(&words.split_whitespace().collect::<Vec<_>>());
        let what = format!("{case}: {words}:\n{}", said.text);
        assert!(!said.text.contains(CANARY), "{what}");
        assert!(matches!(said.code, Some(1 | 2)), "{what}");
        said.text
    }

    fn run_at(&self, folder: &str, home: &Path, words: &[&str]) -> Said {
        let child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
            .args(words)
            .current_dir(self.path(folder))
            .env("HOME", home)
            .env("SECRET", CANARY)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (send, ended) = mpsc::channel();
        thread::spawn(move || send.send(child.wait_with_output()));
        let output = ended
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("{words:?} hangs"))
            .expect("its output can be read");
        let said = [output.stdout, output.stderr].concat();
        let text =
            String::from_utf8_lossy(&said).replace(&self.real().to_string_lossy().into_owned(), "HERE");
        Said { code: output.status.code(), text }
    }

    /// The folder's path without links.
    fn real(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder is there")
    }

    /// Refuses to go on where the canary was written to a file that did not hold it.
    fn nothing_written(&self, what: &str) {
        for folder in ["clone", "user"] {
            for file in files(&self.path(folder)) {
                let bytes = fs::read(&file).expect("a file can be read");
                let own = file.file_name().is_some_and(|name| name == ".env" || name == "config");
                let found = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
                assert!(own || !found, "{what}: the canary is in {}", file.display());
            }
        }
    }
}

/// Regular files below a folder; links are not followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let kind = entry.file_type().expect("it has a kind");
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}

/// Paths that a stranger may write into a graph at `clone/a.yaml`; `HERE` is the folder around the clone.
const PATHS: [&str; 14] = [
    "../secret.EXT",
    "sub/../../secret.EXT",
    "HERE/secret.EXT",
    "HERE/clone/plain.yaml",
    "out.EXT",
    "out-from-root.EXT",
    "up/secret.EXT",
    "sub/up/secret.EXT",
    "../home/.ssh/id",
    "/proc/self/environ",
    "environ.EXT",
    ".env",
    "hidden.EXT",
    "/etc/passwd",
];

impl Place {
    /// Lays the links that [`PATHS`] go by.
    fn lay(&self) {
        for end in ["txt", "yaml"] {
            self.link(&format!("../secret.{end}"), &format!("clone/out.{end}"));
            self.link(
                &self.path(&format!("secret.{end}")).to_string_lossy(),
                &format!("clone/out-from-root.{end}"),
            );
            self.link("/proc/self/environ", &format!("clone/environ.{end}"));
            self.link(".env", &format!("clone/hidden.{end}"));
        }
        self.link("..", "clone/up");
        self.link("../..", "clone/sub/up");
    }

    fn path_of(&self, path: &str, ending: &str) -> String {
        path.replace("HERE", &self.folder.path().to_string_lossy()).replace("EXT", ending)
    }
}

/// Everything that reads a graph.
const COMMANDS: [&str; 9] = [
    "check ../clone/a.yaml",
    "check --format json ../clone/a.yaml",
    "check ../clone",
    "render ../clone/a.yaml",
    "render --into ../clone/doc.md --check",
    "test ../clone/a.scenarios.yaml",
    "diff ../clone/plain.yaml ../clone/a.yaml",
    "run ../clone/a.yaml --script ../clone/script.yaml",
    "run ../clone/a.yaml --script ../clone/script.yaml --format jsonl --record ../user/r.scenarios.yaml --force",
];

#[test]
fn no_text_of_a_graph_comes_from_outside_of_its_folder() {
    refused("txt", |path| ASKS.replace("TEXT", &format!("{{file: '{path}'}}")));
}

#[test]
fn no_graph_comes_from_outside_of_its_folder() {
    refused("yaml", |path| {
        PLAIN.replace("start: end", "start: c").replace(
            "nodes:",
            &format!(
                "nodes:\n  c: {{kind: call, graph: '{path}', next: [{{to: end}}, {{to: end, on: error}}]}}"
            ),
        )
    });
}

#[test]
fn no_outputs_of_a_graph_outside_are_a_type() {
    refused("yaml", |path| {
        PLAIN.replace("start:", &format!("types: {{T: {{x: \"outputs('{path}')?\"}}}}\nstart:"))
    });
}

#[test]
fn no_declarations_come_from_outside_of_the_folder() {
    refused("yaml", |path| format!("use: ['{path}']\n{PLAIN}"));
}

#[test]
fn no_base_comes_from_outside_of_the_folder() {
    refused("yaml", |path| format!("extends: '{path}'\ngraph: variant\n"));
}

/// Has every command read the graph with every path.
fn refused(ending: &str, graph: impl Fn(&str) -> String) {
    let place = Place::new();
    place.lay();
    place.write(
        "clone/a.scenarios.yaml",
        "graph: a.yaml\nscenarios: [{name: s, model: {m: [{text: hello}]}, expect: {outcome: end}}]\n",
    );
    place.write("clone/doc.md", "<!-- loopwright: a.yaml -->\n<!-- /loopwright -->\n");
    for path in PATHS {
        let path = place.path_of(path, ending);
        place.write("clone/a.yaml", &graph(&path));
        for words in COMMANDS {
            let text = place.refused(words, &path);
            assert!(text.contains("forbidden-file"), "{path}: {words}:\n{text}");
        }
        place.nothing_written(&path);
    }
}

#[test]
fn a_file_of_another_kind_names_graphs_in_its_folder_alone() {
    let place = Place::new();
    place.lay();
    for path in PATHS.iter().filter(|path| !path.contains("plain")) {
        let path = place.path_of(path, "yaml");
        place.write(
            "clone/a.scenarios.yaml",
            &format!("graph: '{path}'\nscenarios: [{{name: s, expect: {{outcome: end}}}}]\n"),
        );
        place.write("clone/doc.md", &format!("<!-- loopwright: '{path}' -->\n<!-- /loopwright -->\n"));
        place.write(
            "clone/run.md",
            &format!("<!-- loopwright: plain.yaml --run '{path}' -->\n<!-- /loopwright -->\n"),
        );
        for words in [
            "test ../clone/a.scenarios.yaml",
            "test ../clone",
            "render --into ../clone/doc.md",
            "render --into ../clone/run.md",
        ] {
            place.refused(words, &path);
        }
        place.nothing_written(&path);
    }
}

#[test]
fn a_link_that_was_named_by_hand_leads_out_of_no_folder() {
    let place = Place::new();
    place.lay();
    place.link("../secret.yaml", "clone/x.scenarios.yaml");
    place.link("../secret.txt", "clone/x.loop");
    for words in [
        "check ../clone/out.yaml",
        "check ../clone/environ.yaml",
        "check ../clone/x.loop",
        "render ../clone/out.yaml",
        "convert ../clone/out.yaml",
        "fmt ../clone/out.yaml",
        "diff ../clone/plain.yaml ../clone/out.yaml",
        "test ../clone/x.scenarios.yaml",
        "run ../clone/out.yaml",
        "run ../clone/plain.yaml --script ../clone/out.yaml",
        "run ../clone/plain.yaml --input @../clone/out.txt",
        "render ../clone/plain.yaml --run ../clone/out.txt",
        "render --into ../clone/out.txt",
    ] {
        let text = place.refused(words, "links");
        assert!(text.contains("a link leads out of"), "{words}:\n{text}");
    }
    place.nothing_written("links");
}

#[test]
fn nothing_is_shown_of_a_file_that_is_no_graph() {
    let place = Place::new();
    let texts = [
        format!("root:x:0:0:{CANARY}:/root:/bin/sh\n"),
        format!("apiVersion: v1\nkind: Secret\ndata:\n  graph: {CANARY}\n"),
        format!("version: '3'\nservices: {{a: {CANARY}}}\n"),
        format!("{{\"key\": \"{CANARY}\", broken\n"),
        format!("\t[{CANARY}\n: : :\n"),
        format!("{CANARY}: &a *a\n"),
        format!("- {CANARY}\n"),
        CANARY.to_owned(),
    ];
    for text in &texts {
        for name in ["x.yaml", "x.loop", "x.scenarios.yaml"] {
            place.write(&format!("clone/{name}"), text);
        }
        place.write("clone/a.yaml", &PLAIN.replace("start: end", "start: c").replace(
            "nodes:",
            "nodes:\n  c: {kind: call, graph: x.yaml, next: [{to: d}, {to: end, on: error}]}\n  d: {kind: call, graph: x.loop, next: [{to: end}, {to: end, on: error}]}",
        ));
        place.write("clone/b.yaml", &format!("use: [x.yaml, x.loop]\n{PLAIN}"));
        place.write("clone/c.yaml", "extends: x.yaml\ngraph: c\n");
        place.write(
            "clone/a.scenarios.yaml",
            "graph: x.yaml\nscenarios: [{name: s, expect: {outcome: end}}]\n",
        );
        for words in [
            "check ../clone/a.yaml",
            "check ../clone/b.yaml",
            "check ../clone/c.yaml",
            "check ../clone/x.yaml",
            "check ../clone/x.loop",
            "render ../clone/x.yaml",
            "diff ../clone/plain.yaml ../clone/x.yaml",
            "run ../clone/x.loop",
            "test ../clone/a.scenarios.yaml",
            "test ../clone/x.scenarios.yaml",
            "fmt ../clone/x.yaml",
            "convert ../clone/x.loop",
            "run ../clone/plain.yaml --script ../clone/x.yaml",
        ] {
            let told = place.refused(words, text);
            let why = ["not-a-graph", "it is not a graph file", "it is not a script"];
            assert!(why.iter().any(|why| told.contains(why)), "{words} with {text}:\n{told}");
        }
    }
}
