//! The files of a case: written with the place of each part, read, checked, mended where `check` finds something.

use std::fmt::Write as _;

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile;
use loopwright::diag::{Diagnostic, Severity, text};
use loopwright::model::{Files, Model};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::syntax::{Syntax, write};
use serde_json::{Value as Json, json};

use super::excused::Doings;
use super::graph::CleanCase;
use super::paste::paste;

/// A step down into a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileStep {
    Key(String),
    Item(usize),
}

/// The path of a part of a file.
pub(super) type FilePath = Vec<FileStep>;

/// A text with the range of each part.
struct WrittenFile {
    text: String,
    parts: Vec<(usize, usize, FilePath)>,
}

impl WrittenFile {
    fn of(doc: &Json) -> Self {
        let mut file = Self { text: String::new(), parts: Vec::new() };
        file.value(doc, &mut Vec::new(), 0);
        file.text.push('\n');
        file
    }

    fn value(&mut self, value: &Json, path: &mut FilePath, depth: usize) {
        let pad = "  ".repeat(depth + 1);
        match value {
            Json::Object(map) if !map.is_empty() => {
                self.text.push('{');
                for (i, (key, inner)) in map.iter().enumerate() {
                    let _ = write!(self.text, "{}\n{pad}", if i > 0 { "," } else { "" });
                    let start = self.text.len();
                    let _ = write!(self.text, "{}: ", Json::from(key.as_str()));
                    path.push(FileStep::Key(key.clone()));
                    self.value(inner, path, depth + 1);
                    self.parts.push((start, self.text.len(), path.clone()));
                    path.pop();
                }
                let _ = write!(self.text, "\n{}}}", "  ".repeat(depth));
            }
            Json::Array(items) if !items.is_empty() => {
                self.text.push('[');
                for (i, inner) in items.iter().enumerate() {
                    let _ = write!(self.text, "{}\n{pad}", if i > 0 { "," } else { "" });
                    let start = self.text.len();
                    path.push(FileStep::Item(i));
                    self.value(inner, path, depth + 1);
                    self.parts.push((start, self.text.len(), path.clone()));
                    path.pop();
                }
                let _ = write!(self.text, "\n{}]", "  ".repeat(depth));
            }
            // A name in quotes is taken for a text whose quotes YAML took away.
            Json::String(text) if is_word(text) => self.text.push_str(text),
            other => {
                let _ = write!(self.text, "{other}");
            }
        }
    }

    /// The innermost part at a position.
    fn at(&self, position: usize) -> Option<&FilePath> {
        let around = self.parts.iter().filter(|(start, end, _)| (*start..*end).contains(&position));
        around.min_by_key(|(start, end, _)| end - start).map(|(.., path)| path)
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// A case that was checked.
pub(super) struct CheckedCase {
    pub(super) sources: Sources,
    pub(super) checked: Checked,
}

/// A case that is clean, ready to run.
pub(super) struct CleanGraph {
    pub(super) checked: Checked,
    pub(super) program: Program,
}

impl CleanGraph {
    pub(super) fn model(&self) -> &Model {
        self.checked.model.as_ref().expect("a clean graph has a model")
    }
}

impl CheckedCase {
    /// The errors and warnings.
    pub(super) fn serious(&self) -> Vec<&Diagnostic> {
        self.checked.findings.iter().filter(|finding| finding.severity != Severity::Note).collect()
    }

    pub(super) fn is_clean(&self) -> bool {
        self.checked.is_sound() && self.serious().is_empty()
    }

    pub(super) fn found(&self, slug: &str) -> bool {
        self.serious().iter().any(|finding| finding.rule.slug() == slug)
    }

    /// True if no run leaves the node of that name as done: it stands after a list that always fails.
    pub(super) fn is_unreached(&self, name: &str) -> bool {
        let graphs = self.checked.model.iter().flat_map(|model| &model.graphs);
        let mut nodes = graphs.flat_map(|graph| graph.graph.node_weights());
        nodes.any(|node| node.name.value == name && node.known.is_unreached())
    }

    pub(super) fn rendered(&self) -> String {
        text::render(&self.checked.findings, &self.sources, false)
    }
}

impl CleanCase {
    /// The doings of the graph as it is now: what a tool gives is of any type, whatever place it had when the graph was made,
    /// and so is what `dyn` gives.
    pub(super) fn doings(&self) -> Doings {
        fn untyped(doc: &Json) -> bool {
            let own = doc.get("kind") == Some(&json!("tool"));
            let inside = |doc: &Json| match doc {
                Json::Object(fields) => fields.values().any(untyped),
                Json::Array(items) => items.iter().any(untyped),
                _ => false,
            };
            own && doc.to_string().contains("result") || inside(doc)
        }
        Doings {
            any: self.doings.any
                || self.files.iter().any(|(_, doc)| untyped(doc) || doc.to_string().contains("dyn(")),
            ..self.doings
        }
    }

    fn loader(&self) -> Files {
        let with =
            |files: Files, (name, doc): &(String, Json)| files.with(name.as_str(), WrittenFile::of(doc).text);
        self.files.iter().fold(Files::new(), with)
    }

    pub(super) fn check(&self) -> CheckedCase {
        let mut sources = Sources::new();
        let checked = check_file(&mut sources, &mut self.loader(), &self.files[0].0);
        CheckedCase { sources, checked }
    }

    /// The graph, if it is clean.
    pub(super) fn clean(&self) -> Option<CleanGraph> {
        let checked = self.check();
        if !checked.is_clean() {
            return None;
        }
        let model = checked.checked.model.as_ref()?;
        let program = compile(model).unwrap_or_else(|faults| panic!("{}\n{}", faults[0], self.shown()));
        Some(CleanGraph { checked: checked.checked, program })
    }

    /// The same of a case that has no errors.
    pub(super) fn compiled(&self) -> Option<CleanGraph> {
        let checked = self.check();
        let model = checked.checked.model.as_ref().filter(|_| checked.checked.is_sound())?;
        let program = compile(model).ok()?;
        Some(CleanGraph { checked: checked.checked, program })
    }

    /// All files in a syntax, as they would be written by hand.
    pub(super) fn written(&self, to: Syntax) -> Vec<(String, String)> {
        let one = |(name, doc): &(String, Json)| {
            let mut sources = Sources::new();
            let text = WrittenFile::of(doc).text;
            let file = sources.add(name.as_str(), text.as_str());
            (name.clone(), write(&sources, file, to).unwrap_or(text))
        };
        self.files.iter().map(one).collect()
    }

    /// All files, for a report.
    pub(super) fn shown(&self) -> String {
        let files = self.written(Syntax::Yaml);
        files.iter().map(|(name, text)| format!("# {name}\n{text}")).collect::<Vec<_>>().join("\n")
    }

    /// Takes out what is found fault with, until nothing is. False if that does not come to an end.
    pub(super) fn mend(&mut self) -> bool {
        for _ in 0..24 {
            let checked = self.check();
            let findings = checked.serious();
            if findings.is_empty() {
                return checked.checked.is_sound();
            }
            let (mut lost, mut proposed) = (Vec::new(), Vec::new());
            for finding in findings {
                let span = finding.span();
                let name = checked.sources.name(span.file);
                let Some(place) = self.files.iter().position(|(own, _)| own == name) else { continue };
                if finding.rule.slug() == "unhandled" {
                    proposed.push((place, finding.help.clone()));
                    continue;
                }
                let written = WrittenFile::of(&self.files[place].1);
                let Some(path) = written.at(span.start as usize) else { continue };
                let target = match finding.rule.slug() {
                    "no-otherwise" => unguarded(&self.files[place].1, path).or_else(|| droppable(path)),
                    _ => droppable(path),
                };
                lost.extend(target.map(|path| (place, path)));
            }
            // From the end, so that the numbers of items stay right.
            lost.sort();
            lost.dedup();
            let pasted =
                proposed.iter().filter(|(place, help)| paste(&mut self.files[*place].1, help)).count();
            if lost.is_empty() && pasted == 0 {
                return false;
            }
            for (place, path) in lost.into_iter().rev() {
                remove(&mut self.files[place].1, &path);
            }
        }
        false
    }
}

/// Keys that can be left out of whatever has them.
const OPTIONAL: [&str; 26] = [
    "when", "do", "then", "into", "merge", "timeout", "retry", "outcome", "ok", "pause", "roles", "system",
    "on_error", "at_once", "limit", "args", "delivery", "cache", "as", "title", "doc", "use", "label",
    "grace", "stream", "limits",
];

/// Keys whose entries can be left out.
const COLLECTIONS: [&str; 14] = [
    "nodes",
    "state",
    "input",
    "types",
    "budgets",
    "let",
    "texts",
    "output",
    "properties",
    "errors",
    "actions",
    "with",
    "args",
    "views",
];

/// The smallest part around that a file can do without.
fn droppable(path: &FilePath) -> Option<FilePath> {
    for end in (1..=path.len()).rev() {
        let fits = match &path[end - 1] {
            FileStep::Item(_) => true,
            FileStep::Key(key) => {
                let around = end.checked_sub(2).map(|at| &path[at]);
                let named = matches!(around, Some(FileStep::Key(key)) if COLLECTIONS.contains(&key.as_str()));
                named || OPTIONAL.contains(&key.as_str()) && end > 1
            }
        };
        if fits {
            return Some(path[..end].to_vec());
        }
    }
    None
}

/// The guard of the last edge on success of the node at a path.
fn unguarded(doc: &Json, path: &FilePath) -> Option<FilePath> {
    let at = path.windows(2).rposition(|pair| matches!(&pair[0], FileStep::Key(key) if key == "nodes"))?;
    let node = path[..at + 2].to_vec();
    let edges = found(doc, &node)?.get("next")?.as_array()?;
    let last = edges.iter().rposition(|edge| edge.get("on").is_none() && edge.get("when").is_some())?;
    let steps = [FileStep::Key("next".into()), FileStep::Item(last), FileStep::Key("when".into())];
    Some(node.into_iter().chain(steps).collect())
}

/// The part at a path.
pub(super) fn found<'d>(doc: &'d Json, path: &[FileStep]) -> Option<&'d Json> {
    path.iter().try_fold(doc, |doc, step| match step {
        FileStep::Key(key) => doc.get(key),
        FileStep::Item(at) => doc.get(at),
    })
}

/// The part at a path, to be changed.
pub(super) fn part<'d>(doc: &'d mut Json, path: &[FileStep]) -> Option<&'d mut Json> {
    path.iter().try_fold(doc, |doc, step| match step {
        FileStep::Key(key) => doc.get_mut(key),
        FileStep::Item(at) => doc.get_mut(at),
    })
}

/// Takes a part out.
pub(super) fn remove(doc: &mut Json, path: &[FileStep]) {
    let Some((last, around)) = path.split_last() else { return };
    match (part(doc, around), last) {
        (Some(Json::Object(map)), FileStep::Key(key)) => drop(map.shift_remove(key)),
        (Some(Json::Array(items)), FileStep::Item(at)) if *at < items.len() => drop(items.remove(*at)),
        _ => {}
    }
}

/// The paths of all parts, the larger ones first.
pub(super) fn paths(doc: &Json) -> Vec<FilePath> {
    let mut found = WrittenFile::of(doc).parts;
    found.sort_by_key(|(start, end, _)| std::cmp::Reverse(end - start));
    found.into_iter().map(|(.., path)| path).collect()
}
