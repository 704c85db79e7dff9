//! The page about models: its commands are run with the real model, and with the stand-in for hosted ones.
//!
//! In a block that begins with three backticks and `console model` every command is run, and its output is what the page shows;
//! `console model varies` marks those whose output the model's words are in. Models write other words on other processors, so
//! what those print is not compared; they have to end well. `console standin` is the same with the stand-in.
//! `LOOPWRIGHT_UPDATE=1` writes the real output into the page.

use std::env::{join_paths, split_paths, var_os};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::part::{Part, Server};
use super::standins;
use crate::cli::copy;
use crate::documents::{real, similar_asserts};
use crate::parts::say;

const OWN: &str = "docs/models.md";

/// The ports that the page names. Here others may have to do.
const MODEL: &str = "8080";
const STANDIN: &str = "4010";

/// A folder as a page has it.
pub(crate) struct Desk {
    /// The blocks whose commands are run, such as `model`.
    kind: &'static str,
    pub(crate) folder: tempfile::TempDir,
    /// What of the variables differs from those of a user.
    env: Vec<(&'static str, PathBuf)>,
    /// Ports on the page, and those here.
    ports: Vec<(&'static str, String)>,
    server: Option<Server>,
}

impl Desk {
    /// A copy of what the page makes use of.
    pub(crate) fn new(kind: &'static str, port: &'static str, env: Vec<(&'static str, PathBuf)>) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for part in ["graphs", "examples"] {
            copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(part), &folder.path().join(part));
        }
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let free = free.expect("a port is free").port().to_string();
        Self { kind, folder, env, ports: vec![(port, free)], server: None }
    }

    /// With a server that is there already, at another port than on the page.
    #[cfg(any(feature = "postgres", feature = "restate"))]
    pub(crate) fn at(mut self, page: &'static str, here: u16) -> Self {
        self.ports.push((page, here.to_string()));
        self
    }

    fn here(&self, text: &str) -> String {
        self.ports.iter().fold(text.to_owned(), |text, (page, here)| text.replace(page, here))
    }

    fn on_page(&self, text: &str) -> String {
        self.ports.iter().fold(text.to_owned(), |text, (page, here)| text.replace(here, page))
    }

    /// A command of the page.
    fn command(&self, text: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", text])
            .env("XDG_STATE_HOME", self.folder.path().join(".state"))
            .current_dir(self.folder.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// What a command prints.
    fn run(&mut self, text: &str) -> String {
        let here = self.here(&real(text));
        let mut serving = self.command(&format!("exec {here}"));
        let server = match text {
            _ if text.contains("examples/llamacpp.py") => Some(Server::alone(&mut serving)),
            _ if text.starts_with("node examples/standin.mjs") => Some(Server::start(&mut serving)),
            _ => None,
        };
        if let Some(server) = server {
            let url = self.on_page(&server.url);
            self.server = Some(server);
            return url + "\n";
        }
        let output = self.command(&format!("{{ {here}; }} 2>&1")).output().expect("sh runs");
        let printed = self.on_page(&String::from_utf8_lossy(&output.stdout));
        assert!(matches!(output.status.code(), Some(0 | 1)), "$ {text}\n{printed}");
        assert!(!printed.contains("panicked") && !printed.starts_with("error"), "$ {text}\n{printed}");
        printed
    }

    /// The page with the real output behind every command, if what varies is to be new, too.
    fn replay(&mut self, page: &str, anew: bool) -> String {
        let mut out = String::new();
        let mut lines = page.lines().peekable();
        while let Some(line) = lines.next() {
            out.extend([line, "\n"]);
            let (plain, varying) =
                (format!("```console {}", self.kind), format!("```console {} varies", self.kind));
            let varies = line == varying;
            if !varies && line != plain {
                continue;
            }
            while let Some(line) = lines.next_if(|line| *line != "```") {
                let Some(command) = line.strip_prefix("$ ") else { continue };
                out.extend([line, "\n"]);
                let mut shown = String::new();
                while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
                    shown.extend([line, "\n"]);
                }
                let printed = self.run(command);
                out += if varies && !anew { &shown } else { &printed };
            }
        }
        out
    }

    /// Allows a configuration of the page, as its reader does at the first question; graphs ask for nothing.
    fn allow(&self, name: &str) {
        if Path::new(name).extension().is_none_or(|end| end != "toml") {
            return;
        }
        let run = |words: &str| self.command(&real(words)).output().expect("sh runs");
        let shown = run(&format!("loopwright trust {name}"));
        let shown = String::from_utf8_lossy(&shown.stdout);
        let command =
            shown.lines().find_map(|line| line.strip_prefix("  ").filter(|line| line.contains("--digest")));
        let allowed = run(command.unwrap_or_else(|| panic!("nothing allows {name}: {shown}")));
        assert!(allowed.status.success(), "{allowed:?}");
    }

    /// Writes the files that the page shows: what begins with a comment that is a name.
    fn write(&self, page: &str) {
        for kind in ["toml", "yaml"] {
            for block in page.split(&format!("```{kind}\n# ")).skip(1) {
                let text = block.split("```").next().unwrap_or_default();
                let (name, text) = text.split_once('\n').unwrap_or_default();
                if Path::new(name).extension().is_some_and(|end| end == kind) && !name.contains(' ') {
                    let text = self.here(text);
                    fs::write(self.folder.path().join(name), text).expect("a file can be written");
                    self.allow(name);
                }
            }
        }
    }
}

/// Whether Python can make environments. On some systems that is a package of its own.
fn environments() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import ensurepip, venv"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

/// The variable `PATH` with the program on it, for commands in which it does not come first; and the folder that is for that.
pub(crate) fn program_on_path() -> (tempfile::TempDir, PathBuf) {
    let bin = tempfile::tempdir().expect("a folder can be made");
    symlink(env!("CARGO_BIN_EXE_loopwright"), bin.path().join("loopwright")).expect("a link can be made");
    let path = var_os("PATH").unwrap_or_default();
    let path = join_paths([bin.path().to_owned()].into_iter().chain(split_paths(&path))).expect("a path");
    (bin, path.into())
}

/// Runs the commands of one kind and compares, or writes the page anew.
pub(crate) fn compare(mut desk: Desk, page: &str) {
    // Several kinds may write a page.
    static PAGE: Mutex<()> = Mutex::new(());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let update = std::env::var_os("LOOPWRIGHT_UPDATE").is_some();
    let alone = update.then(|| PAGE.lock().unwrap_or_else(PoisonError::into_inner));
    let page = fs::read_to_string(&path).expect("the page can be read");
    assert!(page.contains(&format!("```console {}\n", desk.kind)), "the page shows nothing");
    desk.write(&page);
    let real = desk.replay(&page, update);
    if update {
        fs::write(&path, real).expect("the page can be written");
    } else {
        similar_asserts(&path, &page, &real);
    }
    drop(alone);
}

#[test]
fn commands_with_the_model_do_what_the_page_shows() {
    let Some(part) = Part::get() else { return };
    if !environments() {
        return say("the page about models", "this Python makes no environments");
    }
    // What the page fetches from the registry is here already.
    let env = vec![
        ("PIP_NO_INDEX", "1".into()),
        ("PIP_FIND_LINKS", part.wheels()),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1".into()),
    ];
    compare(Desk::new("model", MODEL, env), OWN);
}

#[test]
fn commands_with_the_stand_in_do_what_the_page_shows() {
    let Some(folder) = standins::installed() else { return };
    let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"];
    let desk = Desk::new("standin", STANDIN, keys.map(|name| (name, "sk-of-nobody".into())).to_vec());
    copy(&folder.join("node_modules"), &desk.folder.path().join("node_modules"));
    compare(desk, OWN);
}
