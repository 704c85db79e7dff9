//! The parts of the language that clean graphs use: rules of the grammar, kinds and keys of nodes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use loopwright::program::kind;
use loopwright::syntax::Syntax;
use pest_meta::ast::RuleType;
use pest_vm::Vm;
use serde_json::Value as Json;

use super::graph::CleanCase;

/// The parts that were seen, beside all that there are.
pub(super) struct Coverage {
    grammar: Vm,
    all: BTreeSet<String>,
    seen: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Coverage {
    pub(super) fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar");
        let read = |name| fs::read_to_string(root.join(name)).expect("the grammar can be read");
        let text = ["expr.pest", "loop.pest"].map(read).concat();
        let (_, rules) = pest_meta::parse_and_optimize(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
        // Rules for texts that stand alone are not part of a file; silent ones leave no trace.
        let all = rules
            .iter()
            .filter(|rule| {
                rule.ty != RuleType::Silent && !rule.name.ends_with("_text") && rule.name != "condition"
            })
            .map(|rule| rule.name.clone())
            .collect();
        Self { grammar: Vm::new(rules), all, seen: BTreeSet::new(), words: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, case: &CleanCase) {
        for (name, text) in case.written(Syntax::Loop) {
            let pairs =
                self.grammar.parse("file", &text).unwrap_or_else(|fault| panic!("{name}: {fault}\n{text}"));
            self.seen.extend(pairs.flatten().map(|pair| pair.as_rule().to_owned()));
        }
        for (_, doc) in &case.files {
            self.nodes(doc);
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.seen.extend(other.seen);
        self.words.extend(other.words);
    }

    fn nodes(&mut self, doc: &Json) {
        let Some(nodes) = doc.get("nodes").and_then(Json::as_object) else { return };
        for node in nodes.values().filter_map(Json::as_object) {
            self.words.extend(node.get("kind").and_then(Json::as_str).map(str::to_owned));
            self.words.extend(node.keys().cloned());
        }
        for node in nodes.values() {
            self.nodes(node);
        }
    }

    /// The share of the grammar's rules that was used, in percent.
    pub(super) fn share(&self) -> usize {
        self.seen.intersection(&self.all).count() * 100 / self.all.len()
    }

    pub(super) fn report(&self) -> String {
        let unused: Vec<_> = self.all.difference(&self.seen).map(String::as_str).collect();
        let keys: BTreeSet<&str> = kind::keys().map(|key| key.name).collect();
        let absent: Vec<_> = keys.into_iter().filter(|key| !self.words.contains(*key)).collect();
        format!(
            "{} of {} rules of the grammar, without {}; kinds and keys of nodes without {}",
            self.seen.intersection(&self.all).count(),
            self.all.len(),
            unused.join(", "),
            absent.join(", "),
        )
    }
}
