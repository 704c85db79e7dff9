//! Names in a scenario file against the graph it is for.

use super::file::{
    Expect, NamedValues, Scenario, ScenarioFile, ScenarioStart, ScriptedAnswer, ScriptedAnswers,
    ScriptedReply,
};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::Model;
use crate::model::expr::{Expr, ExprKind, SlotKind};
use crate::model::graph::Graph;
use crate::model::name_use::NameKind;
use crate::model::node::{NameSource, Node, NodeKind, Offer};
use crate::program::error::{ErrorKind, UNKNOWN};
use crate::source::{Span, Spanned};
use crate::value::{Str, Value};

/// Reports every node, role, field, budget and kind of error that a scenario file names and its graph has not.
#[must_use]
pub fn check(file: &ScenarioFile, model: &Model) -> Vec<Diagnostic> {
    let mut check = Check { model, root: model.root(), out: Vec::new() };
    for scenario in &file.scenarios {
        check.scenario(scenario);
    }
    // Defaults are in every scenario, so what is wrong with them would be reported once for each.
    check.out.sort_by_key(|d| d.span().start);
    check.out.dedup();
    check.out
}

/// Reports every node, role and kind of error that a script's answers name and no graph of the model has.
#[must_use]
pub fn check_answers(answers: &ScriptedAnswers, model: &Model) -> Vec<Diagnostic> {
    let mut check = Check { model, root: model.root(), out: Vec::new() };
    check.answers(answers);
    check.out
}

struct Check<'m> {
    model: &'m Model,
    root: &'m Graph,
    out: Vec<Diagnostic>,
}

impl<'m> Check<'m> {
    fn scenario(&mut self, scenario: &Scenario) {
        let inputs = names(self.root.slots.iter().filter(|s| s.kind == SlotKind::Input).map(|s| &s.name));
        self.keys(&scenario.input, "input", &inputs);
        if let Some(given) = &scenario.given {
            self.given(given);
        }
        self.answers(&scenario.answers);
        self.expect(&scenario.expect);
    }

    fn answers(&mut self, answers: &ScriptedAnswers) {
        let roles: Vec<&str> = self.all_roles();
        let mut last = None;
        for answer in &answers.models {
            // The answers of a list have one role, which stands once.
            if let Some(role) = &answer.from
                && last.replace(role.span) != Some(role.span)
            {
                self.known(role, "model role", &roles);
            }
            self.node(answer);
        }
        if let Some(tools) = self.all_tools() {
            let mut named: Vec<&Spanned<Str>> = Vec::new();
            for tool in answers.tools.iter().filter_map(|answer| answer.from.as_ref()) {
                if named.iter().all(|known| known.value != tool.value) {
                    named.push(tool);
                }
            }
            for tool in named {
                self.known(tool, "tool", &tools);
            }
        }
        answers.tools.iter().chain(&answers.people).for_each(|answer| self.node(answer));
        let kinds = self.all_kinds();
        for answer in answers.models.iter().chain(&answers.tools) {
            if let ScriptedReply::Failed { kind, .. } = &answer.reply
                && !kinds.contains(&kind.value.as_str())
            {
                let message = format!("there is no error kind `{}`", kind.value);
                let found = Diagnostic::error(rule::UNKNOWN_ERROR_KIND, kind.span, message);
                let near = nearest(&kind.value, kinds.iter().copied());
                self.out.push(found.meant_or(near, format!("the kinds are {}", kinds.join(", "))));
            }
        }
    }

    fn given(&mut self, given: &ScenarioStart) {
        if let Some(at) = &given.at {
            let nodes = self.root_nodes();
            self.known(at, "node", &nodes);
        }
        let fields = self.state();
        self.keys(&given.state, "state field", &fields);
        let budgets = self.budgets();
        self.keys(&given.budgets, "budget", &budgets);
        for ((name, used), span) in given.budgets.values.iter().zip(&given.budgets.places) {
            if let Some(below) = below_zero(used) {
                let message = format!("of the budget `{name}` no less than 0 can be used, not {below}");
                let found = Diagnostic::error(rule::NUMBER_RANGE, *span, message);
                self.out.push(found.help("write what is used of it when the scenario begins: 0 or more"));
            }
        }
    }

    fn expect(&mut self, expect: &Expect) {
        if let (Some(outcome), Some(all)) = (&expect.outcome, self.own_outcomes()) {
            // A run also ends with the kind of an error that no edge answers.
            if self.all_kinds().contains(&outcome.value.as_str()) {
                self.note(&outcome.value, outcome.span, "outcome");
            } else {
                self.known(outcome, "outcome", &all);
            }
        }
        let nodes = self.root_nodes();
        let paths = expect.path.iter().chain(&expect.leaf_path).flat_map(|path| &path.value);
        for name in paths {
            self.known(name, "node", &nodes);
        }
        for name in expect.violates.iter().flat_map(|names| &names.value) {
            let all = self.all_properties();
            self.known(name, "property", &all);
        }
        if let Some(waiting) = &expect.waiting {
            let all = self.all_nodes();
            self.known(waiting, "node", &all);
        }
        if let Some(state) = &expect.state {
            let fields = self.state();
            self.keys(&state.value, "state field", &fields);
        }
        if let Some(budgets) = &expect.budgets {
            let known = self.budgets();
            self.keys(&budgets.value, "budget", &known);
        }
        if let Some(output) = &expect.output {
            let known = names(self.root.output.iter().map(|(name, _)| name));
            for (name, span) in output.value.values.keys().zip(&output.value.places) {
                self.known(&Spanned::new(name.clone(), *span), "output", &known);
            }
        }
    }

    fn node(&mut self, answer: &ScriptedAnswer) {
        if let Some(node) = &answer.node {
            let all = self.all_nodes();
            self.known(node, "node", &all);
        }
    }

    fn keys(&mut self, named: &NamedValues, what: &str, known: &[&str]) {
        for (key, span) in named.values.keys().zip(&named.places) {
            // A field of a composite may be distinguished from another of its name by `composite.field`.
            let last = key.rsplit('.').next().unwrap_or(key);
            if known.contains(&last) {
                self.note(last, *span, what);
            } else {
                self.known(&Spanned::new(key.clone(), *span), what, known);
            }
        }
    }

    fn known(&mut self, name: &Spanned<Str>, what: &str, known: &[&str]) {
        if known.contains(&name.value.as_str()) {
            return self.note(&name.value, name.span, what);
        }
        if let Some(root) =
            self.model.scopes.first().filter(|_| !matches!(what, "tool" | "output" | "outcome"))
        {
            let kind = match what {
                "node" => NameKind::Node,
                "model role" => NameKind::Role,
                "budget" => NameKind::Budget,
                "input" => NameKind::Input,
                _ => NameKind::State,
            };
            root.recorder().offer(&name.value, kind, known.iter().map(|name| (*name, None)));
        }
        let message = format!("the graph has no {what} `{}`", name.value);
        let found = Diagnostic::error(rule::SCENARIO_NAME, name.span, message);
        let near = nearest(&name.value, known.iter().copied());
        self.out.push(if (1..=12).contains(&known.len()) {
            found.meant_or(near, format!("it has: {}", known.join(", ")))
        } else {
            found.meant(near)
        });
    }

    /// Notes the use of a name of the graph, or of one that it calls.
    fn note(&self, name: &str, span: Span, what: &str) {
        let Some(root) = self.model.scopes.first() else { return };
        match what {
            "node" => {
                let scope = self.model.scopes.iter().find(|scope| scope.node(name).is_some());
                scope.unwrap_or(root).note_node(name, span);
            }
            "model role" => root.recorder().note(NameKind::Role, name, span, None, None),
            "output" => {
                let declared = self.root.output.iter().find(|(own, _)| own.value == name);
                let declared = declared.map(|(own, _)| own.span);
                root.recorder().note(NameKind::Field, name, span, declared, None);
            }
            // The outcome of a final is its name, if it gives no other one.
            "outcome" if self.root.graph.node_weights().any(|node| own_outcome(node) == Some(name)) => {
                root.note_node(name, span);
            }
            "property" | "tool" | "outcome" => {}
            _ => root.note_name(name, span, None),
        }
    }

    fn all_roles(&self) -> Vec<&'m str> {
        let of = |graph: &'m Graph| {
            let used = graph.graph.node_weights().filter_map(|node| match &node.kind {
                NodeKind::Model(model) => match &model.role {
                    NameSource::Fixed(role) => Some(role.value.as_str()),
                    NameSource::Computed(_) => None,
                },
                _ => None,
            });
            graph.roles.iter().map(|role| role.value.as_str()).chain(used)
        };
        distinct(self.model.graphs.iter().flat_map(of))
    }

    /// The tools that the graphs name; none where one is computed.
    fn all_tools(&self) -> Option<Vec<&'m str>> {
        let mut tools: Vec<&'m str> = Vec::new();
        for node in self.model.graphs.iter().flat_map(|graph| graph.graph.node_weights()) {
            match &node.kind {
                NodeKind::Tool(tool) => match &tool.tool {
                    NameSource::Fixed(name) => tools.push(name.value.as_str()),
                    NameSource::Computed(_) => return None,
                },
                NodeKind::Model(model) => match &model.offer {
                    Offer::Fixed(names) => tools.extend(names.iter().map(|name| name.value.as_str())),
                    Offer::Computed(_) => return None,
                },
                _ => {}
            }
        }
        Some(distinct(tools.into_iter()))
    }

    fn root_nodes(&self) -> Vec<&'m str> {
        self.root.graph.node_weights().map(|node| node.name.value.as_str()).collect()
    }

    fn all_nodes(&self) -> Vec<&'m str> {
        distinct(
            self.model
                .graphs
                .iter()
                .flat_map(|g| g.graph.node_weights())
                .map(|node| node.name.value.as_str()),
        )
    }

    /// The language's kinds of error, and those that graphs declare.
    fn all_kinds(&self) -> Vec<&'m str> {
        let own =
            self.model.graphs.iter().flat_map(|graph| &graph.errors).map(|(kind, _)| kind.value.as_str());
        distinct(ErrorKind::ALL.iter().map(|kind| kind.name()).chain([UNKNOWN]).chain(own))
    }

    /// The outcomes of the graph's finals; none where one is computed.
    fn own_outcomes(&self) -> Option<Vec<&'m str>> {
        let mut all = Vec::new();
        for node in self.root.graph.node_weights() {
            // A final of a composite only leaves it.
            let (NodeKind::Final(own), None) = (&node.kind, node.parent) else { continue };
            all.push(match &own.outcome {
                None => node.name.value.as_str(),
                Some(Expr { kind: ExprKind::Const(Value::Str(text)), .. }) => text.as_str(),
                Some(_) => return None,
            });
        }
        Some(distinct(all.into_iter()))
    }

    fn all_properties(&self) -> Vec<&'m str> {
        names(self.model.graphs.iter().flat_map(|graph| &graph.properties).map(|property| &property.name))
    }

    fn state(&self) -> Vec<&'m str> {
        names(self.root.slots.iter().filter(|s| s.kind != SlotKind::Input).map(|s| &s.name))
    }

    fn budgets(&self) -> Vec<&'m str> {
        let plain = self.root.budgets.iter().filter(|b| b.family.is_none()).map(|b| &b.name);
        names(plain.chain(self.root.families.iter().map(|f| &f.name)))
    }
}

/// The name of a final that gives no other outcome.
fn own_outcome(node: &Node) -> Option<&str> {
    let is_named =
        node.parent.is_none() && matches!(&node.kind, NodeKind::Final(own) if own.outcome.is_none());
    is_named.then_some(node.name.value.as_str())
}

/// A number below 0 in what is used of a budget: the number itself, or those of a family by key and meter.
fn below_zero(used: &Value) -> Option<i64> {
    match used {
        Value::Int(used) => Some(*used).filter(|used| *used < 0),
        Value::Map(parts) => parts.iter().find_map(|(_, part)| below_zero(part)),
        _ => None,
    }
}

fn names<'m>(names: impl Iterator<Item = &'m Spanned<Str>>) -> Vec<&'m str> {
    distinct(names.map(|name| name.value.as_str()))
}

fn distinct<'m>(names: impl Iterator<Item = &'m str>) -> Vec<&'m str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
