//! One scenario, and the defaults of a file.

use super::keys::{SCENARIO, START, TOOL, WORLD};
use super::{MappingFields, ScenarioReader};
use crate::scenario::file::{NamedValues, Scenario, ScenarioStart, ScriptedAnswer, ScriptedAnswers};
use crate::source::Spanned;
use crate::syntax::KeyForm;
use crate::syntax::yaml::{Node, NodeKind};
use crate::value::{List, Map, Str, Value};

impl ScenarioReader<'_> {
    /// `defaults`: what every scenario of the file has unless it says otherwise.
    pub(super) fn defaults(&mut self, node: &Node<'_>, defaults: &mut Scenario) {
        let Some(fields) = self.fields(node, "`defaults`", WORLD) else { return };
        self.world(&fields, defaults);
        let answers = &mut defaults.answers;
        let all = answers.models.iter_mut().chain(&mut answers.tools).chain(&mut answers.people);
        all.for_each(|answer| answer.shared = true);
    }

    /// One scenario with the defaults filled in.
    pub(super) fn scenario(&mut self, node: &Node<'_>, defaults: &Scenario) -> Option<Scenario> {
        let fields = self.fields(node, "a scenario", SCENARIO)?;
        let mut scenario = Scenario { given: defaults.given.clone(), ..Scenario::default() };
        scenario.catalogue.clone_from(&defaults.catalogue);
        scenario.seed = defaults.seed;
        scenario.name.span = node.span.head();
        match fields.get("name") {
            Some(name) => scenario.name = self.text(name, "a name")?,
            None => self.missing("name", "a scenario", node.span.head(), "name: what it shows"),
        }
        self.world(&fields, &mut scenario);
        inherit_input(&mut scenario.input, &defaults.input);
        inherit(&fields, &mut scenario.answers, &defaults.answers);
        match fields.get("expect") {
            Some(expect) => self.expect(expect, &mut scenario.expect),
            None => self.expects_nothing(node.span.head()),
        }
        Some(scenario)
    }

    /// Reads the keys that a scenario and the defaults share.
    fn world(&mut self, fields: &MappingFields<'_, '_>, scenario: &mut Scenario) {
        if let Some(input) = fields.get("input").and_then(|node| self.named(node, "`input`")) {
            scenario.input = input.value;
        }
        if let Some(node) = fields.get("given") {
            scenario.given = self.begin(node);
        }
        if let Some(node) = fields.get("catalogue") {
            scenario.catalogue = Some(self.catalogue(node));
        }
        if let Some(seed) = fields.get("seed").and_then(|node| self.count(node)) {
            scenario.seed = seed;
        }
        self.answers(fields, &mut scenario.answers);
    }

    fn begin(&mut self, node: &Node<'_>) -> Option<ScenarioStart> {
        let fields = self.fields(node, "`given`", START)?;
        let named = |reader: &mut Self, key: &str, what: &str| {
            let read = fields.get(key).and_then(|node| reader.named(node, what));
            read.map(|named| named.value).unwrap_or_default()
        };
        Some(ScenarioStart {
            at: fields.get("at").and_then(|at| self.text(at, "a node's name")),
            state: named(self, "state", "`state`"),
            budgets: named(self, "budgets", "`budgets`"),
        })
    }

    /// The tools on offer: names, or mappings of `name`, `description`, `schema`, `tags`, `delivery`, `approval`, `expires`.
    fn catalogue(&mut self, node: &Node<'_>) -> List {
        let mut list = List::new();
        for item in self.items(node, "the tools on offer") {
            if let NodeKind::Scalar(_) = &item.kind {
                if let Some(name) = self.text(item, "a tool's name") {
                    list.push(plain_tool(name.value));
                }
                continue;
            }
            let Some(fields) = self.fields(item, "a tool", TOOL) else { continue };
            let Some(name) = fields.get("name") else {
                self.missing("name", "a tool", item.span.head(), "name: search");
                continue;
            };
            let Some(name) = self.text(name, "a tool's name") else { continue };
            let Value::Map(mut entry) = plain_tool(name.value) else { continue };
            for key in &TOOL[1..] {
                if let Some(node) = fields.get(key.name) {
                    let value = self.value(node);
                    if let KeyForm::Words(words) = key.form
                        && !words().iter().any(|word| value.is_str(word))
                    {
                        self.wrong(node, &format!("one of `{}`", words().join("`, `")));
                    }
                    entry.insert(key.name.into(), value);
                }
            }
            list.push(Value::Map(entry));
        }
        list
    }
}

/// A tool of which only the name is known, as an entry of a catalogue.
#[must_use]
pub fn plain_tool(name: Str) -> Value {
    let mut entry = Map::new();
    entry.set("name", name);
    entry.set("description", "");
    entry.set("schema", Map::new());
    entry.set("tags", List::new());
    Value::Map(entry)
}

fn inherit_input(own: &mut NamedValues, defaults: &NamedValues) {
    for ((key, value), place) in defaults.values.iter().zip(&defaults.places) {
        if !own.values.contains_key(key) {
            own.values.insert(key.clone(), value.clone());
            own.places.push(*place);
        }
    }
}

/// Fills in the defaults: a scenario's words on models, role by role, of tools or of people replaces the defaults.
fn inherit(fields: &MappingFields<'_, '_>, own: &mut ScriptedAnswers, defaults: &ScriptedAnswers) {
    let given =
        |answers: &[ScriptedAnswer], role: &Option<Spanned<Str>>| answers.iter().any(|a| a.from == *role);
    let defaulted: Vec<ScriptedAnswer> = defaults
        .models
        .iter()
        .filter(|a| a.from.is_some() && !given(&own.models, &a.from))
        .cloned()
        .collect();
    own.models.extend(defaulted);
    if fields.get("model").is_none() {
        own.models.clone_from(&defaults.models);
    }
    if fields.get("tools").is_none() {
        own.tools.clone_from(&defaults.tools);
    }
    if fields.get("human").is_none() {
        own.people.clone_from(&defaults.people);
    }
}
