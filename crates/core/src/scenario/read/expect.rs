//! Reads the expectations of a scenario.

use super::ScenarioReader;
use super::keys::{EVENT, EXPECT, MODEL_CALL, QUESTION, TOOL_CALL};
use crate::scenario::file::Expect;
use crate::source::Spanned;
use crate::syntax::FileKey;
use crate::syntax::yaml::Node;
use crate::value::{Str, Value};

impl ScenarioReader<'_> {
    pub(super) fn expect(&mut self, node: &Node<'_>, expect: &mut Expect) {
        let Some(fields) = self.fields(node, "`expect`", EXPECT) else { return };
        expect.path = fields.get("path").map(|n| self.names(n));
        expect.leaf_path = fields.get("leaf_path").map(|n| self.names(n));
        expect.outcome = fields.get("outcome").and_then(|n| self.text(n, "an outcome"));
        expect.ok = fields.get("ok").and_then(|n| self.flag(n));
        expect.waiting = fields.get("waiting").and_then(|n| self.text(n, "the name of the node that waits"));
        expect.error = fields.get("error").map(|n| Spanned::new(self.value(n), n.span));
        expect.state = fields.get("state").and_then(|n| self.named(n, "`state`"));
        expect.budgets = fields.get("budgets").and_then(|n| self.named(n, "`budgets`"));
        expect.output = fields.get("output").and_then(|n| self.named(n, "`output`"));
        expect.tool_calls = fields.get("tool_calls").map(|n| self.calls(n, TOOL_CALL));
        expect.model_calls = fields.get("model_calls").map(|n| self.calls(n, MODEL_CALL));
        expect.questions = fields.get("questions").map(|n| self.calls(n, QUESTION));
        expect.violates = fields
            .get("violates")
            .map(|n| self.listed(n, "the properties that do not hold", "a property's name"));
        expect.events = fields.get("events").map(|n| self.calls(n, EVENT));
    }

    fn names(&mut self, node: &Node<'_>) -> Spanned<Vec<Spanned<Str>>> {
        self.listed(node, "the nodes of a path", "a node's name")
    }

    fn listed(&mut self, node: &Node<'_>, all: &str, each: &str) -> Spanned<Vec<Spanned<Str>>> {
        let names = self.items(node, all).iter();
        Spanned::new(names.filter_map(|item| self.text(item, each)).collect(), node.span)
    }

    /// A list of mappings with these keys; a name alone stands for the first of them.
    fn calls(&mut self, node: &Node<'_>, keys: &'static [FileKey]) -> Spanned<Vec<Spanned<Value>>> {
        let main = keys[0].name;
        let mut calls = Vec::new();
        for item in self.items(node, "the things that happen") {
            let value = if item.scalar().is_some() {
                self.text(item, "a name")
                    .map(|name| Value::Map([(Str::from(main), Value::Str(name.value))].into_iter().collect()))
            } else {
                self.fields(item, &format!("an item with `{main}`"), keys).map(|_| self.value(item))
            };
            calls.extend(value.map(|value| Spanned::new(value, item.span)));
        }
        Spanned::new(calls, node.span)
    }

    pub(super) fn flag(&mut self, node: &Node<'_>) -> Option<Spanned<bool>> {
        let value = self.value(node);
        if let Value::Bool(flag) = value {
            return Some(Spanned::new(flag, node.span));
        }
        self.wrong(node, "`true` or `false`");
        None
    }
}
