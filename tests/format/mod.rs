//! Graph files written anew: `fmt` and `convert`.

mod command;
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::Severity;
use loopwright::model::{Loader, beside};
use loopwright::source::Sources;
use loopwright::syntax::{Refusal, Syntax, read, write};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const BOTH: [Syntax; 2] = [Syntax::Yaml, Syntax::Loop];

fn name_in(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Yaml => "it.yaml",
        Syntax::Loop => "it.loop",
    }
}

/// A text written anew.
fn rewrite(name: &str, text: &str, to: Syntax) -> Result<String, Refusal> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    write(&sources, file, to)
}

/// How often each comment stands in a text, in statements and expressions as well.
fn comments(name: &str, text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    if text.contains(random::MARK) {
        // Random files say which comments are theirs.
        for (at, _) in text.match_indices(random::MARK) {
            let line = text[at..].lines().next().unwrap_or_default();
            *found.entry(line.trim_end().to_owned()).or_default() += 1;
        }
        return found;
    }
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, _) = read(&sources, file);
    for comment in &tree.comments {
        *found.entry(comment.value.trim_end().to_owned()).or_default() += 1;
    }
    if Syntax::of(name) == Syntax::Yaml {
        // Those in blocks of statements are text to YAML.
        let yaml: Vec<_> = tree.comments.iter().map(|c| sources.line_col(c.span).0).collect();
        for (i, line) in text.lines().enumerate() {
            let quoted = |comment: &str| comment.matches(['\'', '"']).count() % 2 == 1;
            let comment =
                line.split_once('#').filter(|(_, comment)| !yaml.contains(&(i + 1)) && !quoted(comment));
            if let Some((_, comment)) = comment {
                *found.entry(comment.trim_end().to_owned()).or_default() += 1;
            }
        }
    }
    found
}

/// Holds that a text is another one; shows where it is not.
fn hold_same(what: &str, left: &str, right: &str) {
    let same = left.lines().zip(right.lines()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.lines().skip(same.saturating_sub(3)).take(9).collect::<Vec<_>>().join("\n");
    assert!(left == right, "{what} is not written the same again:\n{}\n---- is\n{}", part(left), part(right));
}

/// Holds that the comments of one text are those of another.
fn hold_comments(old: (&str, &str), new: (&str, &str)) {
    let (left, right) = (comments(old.0, old.1), comments(new.0, new.1));
    let lost: Vec<_> = left.iter().filter(|(text, count)| right.get(*text) != Some(count)).collect();
    let odd: Vec<_> = right.iter().filter(|(text, count)| left.get(*text) != Some(count)).collect();
    let (from, to) = (old.0, new.0);
    assert!(
        lost.is_empty() && odd.is_empty(),
        "{from} to {to}: {lost:?} are {odd:?} in\n{}\n----\n{}",
        old.1,
        new.1
    );
}

/// Writes a text in both syntaxes and holds what must hold: what was written is written the same again, and no comment
/// is lost. That it means the same is held by the writer itself.
fn hold(name: &str, text: &str) -> [String; 2] {
    BOTH.map(|to| hold_in(name, text, to))
}

/// Writes a text in one syntax, and what was written in the same again.
fn hold_in(name: &str, text: &str, to: Syntax) -> String {
    let once = rewrite(name, text, to).unwrap_or_else(|e| panic!("{name} to {to:?}: {e:?}\n{text}"));
    let twice = rewrite(name_in(to), &once, to).unwrap_or_else(|e| panic!("{name} again: {e:?}\n{once}"));
    hold_same(&format!("{name} to {to:?}"), &once, &twice);
    hold_comments((name, text), (name_in(to), &once));
    once
}

/// Writes a YAML text in the loop DSL and that in YAML.
fn hold_there_and_back(name: &str, text: &str) {
    let there = hold_in(name, text, Syntax::Loop);
    hold_in("there.loop", &there, Syntax::Yaml);
}

/// Every graph file of the repository that can be read.
fn files() -> Vec<PathBuf> {
    fn is_graph(path: &Path) -> bool {
        let name = path.to_string_lossy();
        let known = path.extension().is_some_and(|extension| extension == "loop" || extension == "yaml");
        known && !name.contains(".scenarios.") && !name.contains(".script.")
    }
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if is_graph(&path) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in ["graphs", "tests/check", "tests/loop", "tests/yaml", "tests/format", "tests/render"] {
        if root().join(folder).exists() {
            walk(&root().join(folder), &mut found);
        }
    }
    found.sort();
    found
}

#[test]
fn every_file_is_written_the_same_again() {
    let mut held = 0;
    for path in files() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.to_string_lossy();
        if !matches!(rewrite(&name, &text, Syntax::of(&name)), Err(Refusal::Faults(_))) {
            let other = BOTH[usize::from(Syntax::of(&name) == Syntax::Yaml)];
            let [yaml, dsl] = hold(&name, &text);
            let there = if other == Syntax::Yaml { yaml } else { dsl };
            hold_in(name_in(other), &there, Syntax::of(&name));
            held += 1;
        }
    }
    assert!(held > 60, "{held} files");
}

#[test]
fn messy_files_are_tidied() {
    for name in ["messy.yaml", "messy.loop", "comments.yaml", "comments.loop"] {
        let text = fs::read_to_string(root().join("tests/format").join(name)).expect("the fixture is there");
        let [yaml, dsl] = hold(name, &text);
        insta::assert_snapshot!(format!("{name}-to-yaml"), yaml);
        insta::assert_snapshot!(format!("{name}-to-loop"), dsl);
    }
}

/// The shipped graphs, with one of them replaced.
struct Replaced<'t> {
    name: &'t str,
    with: (&'t str, &'t str),
}

impl Loader for Replaced<'_> {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = beside(from, path);
        if name == self.name || name == self.with.0 {
            return Ok((self.with.0.to_owned(), self.with.1.to_owned()));
        }
        let text = fs::read_to_string(root().join("graphs").join(&name));
        text.map(|text| (name, text)).map_err(|error| error.to_string().into())
    }
}

fn digest(name: &str, with: (&str, &str)) -> String {
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Replaced { name, with }, with.0);
    // A random graph may have a dead end, or leave a state open; it is a program all the same.
    let faulty = checked.findings.iter().any(|f| {
        f.severity == Severity::Error
            && !["dead-end", "endless-loop", "no-otherwise"].contains(&f.rule.slug())
    });
    let model = checked.model.as_ref().filter(|_| !faulty);
    let model = model.unwrap_or_else(|| panic!("{name}: {:?}\n{}", checked.findings, with.1));
    let program = compile(model).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    format!("{:?}", program.digest)
}

#[test]
fn every_graph_is_the_same_program_there_and_back() {
    let mut seen = 0;
    for path in files() {
        let Ok(inner) = path.strip_prefix(root().join("graphs")) else { continue };
        let name = inner.to_str().expect("graphs have plain names");
        let text = fs::read_to_string(&path).expect("the graph can be read");
        if !text.contains("\ngraph:") && !text.starts_with("graph:") {
            continue;
        }
        let there = rewrite(name, &text, Syntax::Loop).expect("it can be written");
        let moved = name.replace(".yaml", ".loop");
        let back = rewrite(&moved, &there, Syntax::Yaml).expect("it can be written back");
        let first = digest(name, (name, &text));
        assert_eq!(first, digest(name, (&moved, &there)), "{name}\n{there}");
        assert_eq!(first, digest(name, (name, &back)), "{name}\n{back}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn shipped_graphs_are_in_their_canonical_form() {
    for path in files().iter().filter(|path| path.starts_with(root().join("graphs"))) {
        let text = fs::read_to_string(path).expect("the graph can be read");
        let name = path.to_string_lossy();
        if name.ends_with(".loop") || text.contains("graph: ") {
            let written = rewrite(&name, &text, Syntax::of(&name)).expect("it can be written");
            hold_same(&name, &text, &written);
        }
    }
}
