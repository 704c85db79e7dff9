//! A scenario file's text to a [`ScenarioFile`]; every fault of the file in one run.

mod answers;
mod expect;
mod fields;
mod forms;
mod keys;
mod scenario;
mod schema;
mod values;

use fields::MappingFields;
use keys::{SCRIPT, SECTIONS};
use rustc_hash::FxHashMap;
pub use scenario::plain_tool;
pub use schema::{file_schema, script_schema};

use super::file::{Scenario, ScenarioFile, ScriptedAnswers};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Sources, Span, Spanned};
use crate::syntax::yaml::{self, Node, NodeKind};
use crate::syntax::{FileKey, has_key};
use crate::value::Str;

/// Returns true if a text looks like a file of answers: nobody wants to be shown what is in another one.
#[must_use]
pub fn is_script(text: &str) -> bool {
    has_some(text, SCRIPT)
}

/// Returns true if a text looks like a scenario file.
pub(super) fn is_scenario_file(text: &str) -> bool {
    has_some(text, SECTIONS)
}

fn has_some(text: &str, sections: &[FileKey]) -> bool {
    has_key(text, &sections.iter().map(|key| key.name).collect::<Vec<_>>())
}

/// Reads a scenario file: `graph`, `defaults`, `scenarios`.
#[must_use]
pub fn read(sources: &Sources, file: FileId) -> (ScenarioFile, Vec<Diagnostic>) {
    whole(sources.text(file), file, |reader, root| {
        let mut read = ScenarioFile { file, ..ScenarioFile::default() };
        match root {
            Some(root) => reader.file(root, &mut read),
            None => {
                reader.missing("graph", "a scenario file", Span::new(file, 0, 0), "graph: my-graph.yaml");
            }
        }
        read
    })
}

/// Reads a file that holds the answers alone: `model`, `tools`, `human` as in a scenario.
#[must_use]
pub fn read_answers(sources: &Sources, file: FileId) -> (ScriptedAnswers, Vec<Diagnostic>) {
    whole(sources.text(file), file, |reader, root| {
        let mut answers = ScriptedAnswers::default();
        if let Some(root) = root
            && let Some(fields) = reader.fields(root, "a script", SCRIPT)
        {
            reader.answers(&fields, &mut answers);
        }
        answers
    })
}

/// A whole file as JSON, as the reader of scenarios sees it, with its faults.
#[must_use]
pub fn json(text: &str) -> (serde_json::Value, Vec<Diagnostic>) {
    whole(text, FileId(0), |reader, root| root.map(|root| reader.value(root)).unwrap_or_default().to_json())
}

/// Reads the tree of a whole file by `read`; findings are in the order of the file.
fn whole<R>(
    text: &str,
    file: FileId,
    read: impl FnOnce(&mut ScenarioReader<'_>, Option<&Node<'_>>) -> R,
) -> (R, Vec<Diagnostic>) {
    let mut out = Vec::new();
    let document = yaml::parse(text, file, &mut out);
    let mut reader = ScenarioReader { text, file, cut: document.unread.has_rest(), next: 0, out: &mut out };
    let found = read(&mut reader, document.root.as_ref());
    out.sort_by_key(|d| d.span().start);
    (found, out)
}

/// Reads values and reports what is wrong with them.
struct ScenarioReader<'a> {
    text: &'a str,
    file: FileId,
    /// The end of the file was not read, so a missing key is no finding.
    cut: bool,
    /// The number of the next expression.
    next: u32,
    out: &'a mut Vec<Diagnostic>,
}

impl ScenarioReader<'_> {
    fn file(&mut self, root: &Node<'_>, read: &mut ScenarioFile) {
        let Some(fields) = self.fields(root, "a scenario file", SECTIONS) else {
            return;
        };
        match fields.get("graph") {
            Some(node) => {
                read.graph = self.text(node, "the path of a graph file").map(|t| t.map(|s| s.to_string()));
            }
            None => self.missing("graph", "a scenario file", root.span.head(), "graph: my-graph.yaml"),
        }
        let mut defaults = Scenario::default();
        if let Some(node) = fields.get("defaults") {
            self.defaults(node, &mut defaults);
        }
        let Some(node) = fields.get("scenarios") else {
            return self.missing("scenarios", "a scenario file", root.span.head(), "scenarios: [{name: …}]");
        };
        let mut names: FxHashMap<Str, Span> = FxHashMap::default();
        for item in self.items(node, "the scenarios") {
            let Some(scenario) = self.scenario(item, &defaults) else { continue };
            let (name, span) = (scenario.name.value.clone(), scenario.name.span);
            if let Some(first) = names.insert(name, span) {
                let message = format!("two scenarios are called `{}`", scenario.name.value);
                let found =
                    Diagnostic::error(rule::SCENARIO_NAME, span, message).also(first, "the first one");
                self.out.push(found.help("give each scenario a name of its own"));
            }
            read.scenarios.push(scenario);
        }
        read.defaults = defaults;
    }

    /// The items of a list; none, with a finding, when it is something else.
    fn items<'n, 's>(&mut self, node: &'n Node<'s>, what: &str) -> &'n [Node<'s>] {
        match &node.kind {
            NodeKind::Sequence(items) => items,
            NodeKind::Refused => &[],
            NodeKind::Scalar(s) if s.is_empty() => &[],
            _ => {
                let message = format!("{what} are a list, not {}", node.describe());
                let found = Diagnostic::error(rule::WRONG_FORM, self.head(node), message);
                self.out.push(found.help("write `- …`, one item a line"));
                &[]
            }
        }
    }

    fn missing(&mut self, key: &str, what: &str, span: Span, example: &str) {
        if !self.cut {
            let found = Diagnostic::error(rule::MISSING_KEY, span, format!("{what} needs the key `{key}`"));
            self.out.push(found.help(format!("add `{example}`")));
        }
    }

    /// Reports a scenario that says nothing of how its run ends.
    fn expects_nothing(&mut self, span: Span) {
        if !self.cut {
            let message = "a scenario without `expect` says nothing of how its run ends";
            let found = Diagnostic::warning(rule::MISSING_KEY, span, message);
            self.out
                .push(found.help("add `expect: {outcome: done}`; `expect: {}` says that it is only played"));
        }
    }

    /// Reports a value of the wrong form.
    fn wrong(&mut self, node: &Node<'_>, wanted: &str) {
        match &node.kind {
            NodeKind::Refused => {}
            NodeKind::Scalar(s) if s.is_empty() => {
                let message = format!("a value is missing here: {wanted}");
                self.out.push(Diagnostic::error(rule::MISSING_VALUE, node.span, message));
            }
            _ => {
                let message = format!("here {wanted} was expected, not {}", node.describe());
                self.out.push(Diagnostic::error(rule::WRONG_FORM, self.head(node), message));
            }
        }
    }

    /// The place to point at: the first line of a value.
    fn head(&self, node: &Node<'_>) -> Span {
        let text = self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default().trim_end();
        Span::new(self.file, node.span.start as usize, node.span.start as usize + line.len())
    }

    fn text(&mut self, node: &Node<'_>, wanted: &str) -> Option<Spanned<Str>> {
        let Some(scalar) = node.scalar().filter(|s| !s.is_empty() && !s.text.is_empty()) else {
            self.wrong(node, wanted);
            return None;
        };
        let fragment = scalar.fragment(self.text);
        Some(Spanned::new(fragment.text.as_str().into(), fragment.whole()))
    }
}

impl MappingFields<'_, '_> {
    /// Returns true if one of the keys is there.
    fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.get(key).is_some())
    }
}
