//! A visit: everything that a person may do with a clone before they have looked at it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::clone::Clone;
use super::home::{Home, is_marked, marked_below};
use super::server::Server;

/// No command works as long; one that does hangs.
const LIMIT: Duration = Duration::from_mins(1);

/// The operator with a home, a folder of their own and a model, and a stranger's clone with a server.
pub(super) struct Visit {
    base: tempfile::TempDir,
    pub(super) home: Home,
    pub(super) clone: Clone,
    pub(super) own: PathBuf,
    pub(super) stranger: Server,
    model: Server,
}

/// What a command did.
pub(super) struct Did {
    pub(super) words: String,
    pub(super) output: Output,
}

impl Did {
    /// All that it printed.
    pub(super) fn said(&self) -> String {
        let Output { stdout, stderr, .. } = &self.output;
        format!("{}{}", String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr))
    }
}

impl Visit {
    /// Lays everything out for one of the `folders`.
    pub(super) fn to(name: &str) -> Self {
        let base = tempfile::tempdir().expect("a folder can be made");
        let place = base.path().canonicalize().expect("the folder is there");
        let home = Home::new(place.join("home"));
        let (stranger, model) = (Server::start(), Server::start());
        let words =
            [("@HOME@", home.folder.to_str().expect("a name")), ("@ADDRESS@", stranger.address.as_str())];
        let clone = Clone::new(&place, name, &words);
        let own = place.join("own");
        std::fs::create_dir(&own).expect("a folder can be made");
        let config = format!(
            "[models.\"*\"]\nprovider = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"m\"\nkey = {{env = \"OWN_KEY\"}}\n",
            model.address
        );
        std::fs::write(own.join("loopwright.toml"), config).expect("a file can be written");
        let visit = Self { base, home, clone, own, stranger, model };
        visit.trust(&visit.own);
        visit
    }

    /// Allows what the configuration in a folder asks for, as a person would who has read it.
    pub(super) fn trust(&self, folder: &Path) {
        let folder = folder.to_str().expect("a name");
        let shown = self.run(&self.own, &["trust", folder]);
        let said = shown.said();
        let digest = said.split("--digest ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let digest = digest.unwrap_or_else(|| panic!("no digest is shown: {said}"));
        let allowed = self.run(&self.own, &["trust", folder, "--digest", digest]);
        assert!(allowed.output.status.success(), "{}", allowed.said());
    }

    /// The program, as the operator starts it.
    pub(super) fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.home.variables()).current_dir(folder).stdin(Stdio::null());
        command
    }

    /// Runs one command of the program to its end.
    pub(super) fn run(&self, folder: &Path, words: &[&str]) -> Did {
        let mut command = self.command(env!("CARGO_BIN_EXE_loopwright"), folder);
        let mut child = command
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let words = words.join(" ");
        let begun = Instant::now();
        while child.try_wait().expect("the program can be waited for").is_none() {
            if begun.elapsed() > LIMIT {
                let _ = child.kill();
                panic!("`{words}` does not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Did { words, output: child.wait_with_output().expect("its output can be read") }
    }

    /// Every command over everything in the clone, from its folder and from the operator's own.
    pub(super) fn everything(&self) -> Vec<Did> {
        let mut did = Vec::new();
        for (folder, prefix) in [(&self.clone.folder, ""), (&self.own, "../clone/")] {
            for (number, name) in self.clone.graphs().iter().enumerate() {
                let graph = format!("{prefix}{name}");
                did.extend(self.about(folder, &graph, &format!("run-{number}")));
            }
            for name in self.clone.scenarios() {
                did.push(self.run(folder, &["test", &format!("{prefix}{name}")]));
            }
            let all = if prefix.is_empty() { "." } else { prefix };
            for words in
                [&["check", all][..], &["test", all], &["fmt", "--check", all], &["runs"], &["doctor"]]
            {
                did.push(self.run(folder, words));
            }
        }
        did
    }

    /// Every command about one graph.
    fn about(&self, folder: &Path, graph: &str, id: &str) -> Vec<Did> {
        let script = graph.replace(".yaml", ".script.yaml");
        let words: [&[&str]; 14] = [
            &["check", graph],
            &["check", graph, "--format", "json"],
            &["render", graph],
            &["render", graph, "--as", "flow", "--expand"],
            &["diff", graph, graph],
            &["convert", graph],
            &["fmt", "--check", graph],
            &["run", graph, "--run-id", id],
            &["run", graph, "--run-id", &format!("{id}-s"), "--script", &script],
            &["run", graph, "--run-id", &format!("{id}-g"), "--grant", "list_files", "--grant", "mine"],
            &["show", id],
            &["log", id],
            &["replay", id],
            &["resume", id],
        ];
        words.into_iter().map(|words| self.run(folder, words)).collect()
    }

    /// What went wrong: everything that nobody allowed.
    pub(super) fn harm(&self, did: &[Did]) -> Vec<String> {
        let mut harm = self.home.changes();
        for one in did {
            if is_marked(one.said().as_bytes()) {
                harm.push(format!("`{}` prints it: {}", one.words, one.said()));
            }
            if !matches!(one.output.status.code(), Some(0..=3)) {
                harm.push(format!("`{}` ends with {}: {}", one.words, one.output.status, one.said()));
            }
        }
        if self.stranger.connections() > 0 {
            harm.push(format!("the stranger was called: {:?}", self.stranger.posted()));
        }
        for posted in self.model.posted() {
            let head = posted.head.replace(&self.own_key(), "");
            if is_marked(head.as_bytes()) || is_marked(&posted.body) {
                harm.push(format!("the model was told: {head}{}", String::from_utf8_lossy(&posted.body)));
            }
        }
        for folder in [&self.clone.folder, &self.own] {
            harm.extend(marked_below(folder).into_iter().map(|path| format!("marked: {}", path.display())));
        }
        harm
    }

    fn own_key(&self) -> String {
        let variables = self.home.variables();
        variables.into_iter().find(|(name, _)| *name == "OWN_KEY").expect("it is there").1
    }

    /// How often the operator's own model was asked.
    pub(super) fn asked(&self) -> usize {
        self.model.posted().len()
    }

    /// The folder that holds all of this.
    pub(super) fn base(&self) -> &Path {
        self.base.path()
    }
}
