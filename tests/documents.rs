//! Every command in the documents is run, and its output is what the document shows.
//!
//! A block that begins with three backticks and `console` holds commands, each behind `$ `, and their output. They run in order
//! in a fresh copy of `graphs/`. `LOOPWRIGHT_UPDATE=1` writes the real output into the documents.
//!
//! A block whose first line is a comment with nothing but the name of a graph file (`# loop.yaml`) is that file: the commands after
//! it find it in their folder.

mod language;
mod links;
mod pictures;
mod strict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cli::copy;

const PROGRAM: &str = env!("CARGO_BIN_EXE_loopwright");

/// Commands that are run by being here: this very test is part of what they run.
const SELF: &[&str] = &["cargo test --locked --all-features"];

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<PathBuf> = [
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "editors/README.md",
        "editors/tree-sitter-loop/README.md",
        "editors/vscode/README.md",
    ]
    .iter()
    .map(|name| root.join(name))
    .collect();
    for folder in
        ["docs", "docs/tour", "docs/graphs", "docs/decisions", "docs/rules", language::BOOK, language::FOLDER]
    {
        let pages = fs::read_dir(root.join(folder)).expect("the folder can be listed");
        found.extend(pages.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    found.sort();
    found
}

/// The program's name in a command, however it is started, becomes the program that was built for the tests.
pub(crate) fn real(command: &str) -> String {
    let command = command.replacen("cargo run --locked --quiet -- ", "loopwright ", 1);
    match command.strip_prefix("loopwright ") {
        Some(words) => format!("'{PROGRAM}' {words}"),
        None => command,
    }
}

fn run(command: &str, folder: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", &format!("{} 2>&1", real(command))])
        .env("XDG_STATE_HOME", folder.join(".state"))
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("sh runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// The name in a comment that is the first line of a file: `# loop.yaml`.
fn named_file(line: &str) -> Option<&str> {
    let name = line.strip_prefix("# ")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let graph = Path::new(name).extension().is_some_and(|e| e == "yaml" || e == "loop");
    (graph && name.chars().all(plain)).then_some(name)
}

/// The fenced block that a line lies in.
enum Block {
    /// None, or one of no interest.
    Other,
    /// Commands with their output.
    Commands,
    /// A file, once its first line names it.
    File(Option<String>, String),
}

/// The document with the real output behind every command.
fn replay(text: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut block = Block::Other;
    for line in text.lines() {
        match (&mut block, line) {
            (Block::Other, "```yaml" | "```loop") => block = Block::File(None, String::new()),
            (Block::Other, "```console") => block = Block::Commands,
            (Block::Commands, "```") => block = Block::Other,
            (Block::File(name, body), "```") => {
                if let Some(name) = name {
                    fs::write(folder.join(name), body).expect("the file can be written");
                }
                block = Block::Other;
            }
            (Block::File(name, body), line) => {
                if body.is_empty() {
                    *name = named_file(line).map(str::to_owned);
                }
                body.push_str(line);
                body.push('\n');
            }
            (Block::Commands, line) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    out.push_str(line);
                    out.push('\n');
                    if !SELF.contains(&command) {
                        out.push_str(&run(command, folder));
                    }
                }
                continue;
            }
            (Block::Other, _) => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[test]
fn commands_in_documents_do_what_the_documents_show() {
    let update = std::env::var_os("LOOPWRIGHT_UPDATE").is_some();
    let mut commands = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document can be read");
        if !text.contains("```console") {
            continue;
        }
        commands += text.lines().filter(|l| l.starts_with("$ ")).count();
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs"), &folder.path().join("graphs"));
        let real = replay(&text, folder.path());
        if update {
            fs::write(&path, real).expect("the document can be written");
        } else {
            similar_asserts(&path, &text, &real);
        }
    }
    assert!(commands > 5, "the documents show only {commands} commands");
}

#[test]
fn drawings_in_documents_show_what_the_graphs_are() {
    let mut stale = String::new();
    let mut drawings = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document can be read");
        let count = text.lines().filter(|line| *line == "<!-- /loopwright -->").count();
        // Of those in fenced code the program says that there are none.
        if count == 0 || path.ends_with("docs/drawings.md") {
            continue;
        }
        drawings += count;
        let output = Command::new(PROGRAM).args(["render", "--check", "--into"]).arg(&path).output();
        let output = output.expect("the program runs");
        if !output.status.success() {
            stale.push_str(&String::from_utf8_lossy(&output.stdout));
            stale.push_str(&String::from_utf8_lossy(&output.stderr));
        }
    }
    assert!(stale.is_empty(), "{stale}");
    assert!(drawings > 5, "the documents show only {drawings} drawings");
}

/// Lines without comments and indentation.
fn plain(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn the_tour_explains_lines_that_are_in_its_graphs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut explained = 0;
    for path in documents().iter().filter(|path| path.starts_with(root.join("docs/tour"))) {
        let graph =
            root.join("graphs/tour").join(path.with_extension("yaml").file_name().expect("it has a name"));
        let graph = fs::read_to_string(graph).expect("every page has a graph of its name");
        let graph = plain(&graph);
        let page = fs::read_to_string(path).expect("a document can be read");
        for block in page.split("```yaml\n").skip(1) {
            let block = plain(block.split("```").next().unwrap_or_default());
            let there = graph.windows(block.len()).any(|lines| lines == block);
            assert!(there, "{}: these lines are not in the graph:\n{}", path.display(), block.join("\n"));
            explained += 1;
        }
    }
    assert!(explained > 10, "only {explained} pieces are explained");
}

pub(crate) fn similar_asserts(path: &Path, shown: &str, real: &str) {
    if shown == real {
        return;
    }
    let diff = similar::TextDiff::from_lines(shown, real);
    panic!(
        "{}: the output has changed (LOOPWRIGHT_UPDATE=1 writes it anew)\n{}",
        path.display(),
        diff.unified_diff().context_radius(3).header("shown", "real")
    );
}
