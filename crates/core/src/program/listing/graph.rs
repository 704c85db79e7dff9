//! Graphs with their declarations.

use std::fmt;

use super::Lister;
use crate::program::graph::{Gate, LimitStep, PauseCode, PropertyCode, TextCode};
use crate::program::op::OpId;

impl Lister<'_> {
    pub(super) fn graph(&mut self, index: usize) -> fmt::Result {
        let graph = self.graph;
        self.nest(format_args!("graph {index} {}", graph.id), |lister| {
            lister.slots()?;
            lister.budgets()?;
            lister.limits(None, &graph.limits)?;
            for (name, body) in graph.let_names.iter().zip(&graph.lets) {
                let body = lister.expr(*body);
                lister.line(format_args!("let {name} = {body}"))?;
            }
            for (id, action) in graph.actions.iter().enumerate() {
                lister.nest(format_args!("action {id}"), |lister| lister.block(*action))?;
            }
            lister.texts()?;
            for (kind, class) in &graph.errors {
                lister.line(format_args!("error {kind}: {class}"))?;
            }
            lister.line(format_args!("start {}", graph.nodes[graph.start as usize].name))?;
            lister.pause(graph.pause)?;
            (0..graph.nodes.len()).try_for_each(|node| lister.node(node))?;
            for (name, value) in &graph.output {
                let value = lister.expr(*value);
                lister.line(format_args!("output {name} = {value}"))?;
            }
            graph.properties.iter().try_for_each(|(name, property)| lister.property(name, *property))?;
            // They say how a run of an earlier version is carried over, and that is stored with the program's digest.
            if let Some(id) = &graph.migration.graph {
                lister.line(format_args!("was {id}"))?;
            }
            graph
                .migration
                .rows()
                .try_for_each(|(what, before, now)| lister.line(format_args!("was {what} {before}: {now}")))
        })
    }

    fn slots(&mut self) -> fmt::Result {
        let graph = self.graph;
        for (id, slot) in (0..).zip(&graph.slots) {
            let word = if id < graph.inputs { "input" } else { "state" };
            let mut text = format!("{word} {}: {}", self.names.slot(id), self.shape(slot.shape));
            text.push_str(&self.tail(" = ", slot.init));
            text.push_str(&self.tail(" where ", slot.condition));
            text.push_str(&self.scope(slot.scope));
            self.line(format_args!("{text}"))?;
        }
        Ok(())
    }

    fn budgets(&mut self) -> fmt::Result {
        let graph = self.graph;
        for (id, family) in (0..).zip(&graph.families) {
            let each = self.expr(family.each);
            let scope = self.scope(family.scope);
            let name = self.names.family(id);
            self.line(format_args!("family {name}: each {each} as ${}{scope}", family.binding))?;
        }
        for (id, budget) in (0..).zip(&graph.budgets) {
            let limit = self.expr(budget.limit);
            let mut text = format!("budget {}: limit {limit}", self.names.budget(id));
            text.push_str(&self.tail(", grace ", budget.grace));
            text.push_str(match budget.gate {
                Gate::Hard => ", hard",
                Gate::Advisory => ", advisory",
            });
            if let Some(charge) = budget.charge {
                text.push_str(", charge ");
                text.push_str(charge.name());
            }
            if let Some(unit) = &budget.unit {
                text.push_str(", unit ");
                text.push_str(unit);
            }
            text.push_str(&self.scope(budget.scope));
            self.line(format_args!("{text}"))?;
        }
        Ok(())
    }

    /// The order of limits, where it is not that of the declarations.
    pub(super) fn limits(&mut self, scope: Option<u32>, steps: &[LimitStep]) -> fmt::Result {
        if *steps == *self.graph.limit_steps(scope) {
            return Ok(());
        }
        let step = |step: &LimitStep| match *step {
            LimitStep::Counter(budget) | LimitStep::Meter(budget) => self.names.budget(budget).to_owned(),
            LimitStep::Keys(family) => format!("keys of {}", self.names.family(family)),
        };
        let steps: Vec<String> = steps.iter().map(step).collect();
        self.line(format_args!("limits in order: {}", steps.join(", ")))
    }

    fn texts(&mut self) -> fmt::Result {
        let graph = self.graph;
        for name in &graph.texts {
            self.nest(format_args!("text {name}"), |lister| {
                let source = graph.templates.source(name).unwrap_or_default();
                source.split('\n').try_for_each(|line| lister.line(format_args!("| {line}")))
            })?;
        }
        Ok(())
    }

    pub(super) fn pause(&mut self, pause: Option<PauseCode>) -> fmt::Result {
        let Some(pause) = pause else { return Ok(()) };
        let when = self.expr(pause.when);
        let ask = pause.ask.map(|ask| format!(" ask {}", self.text(ask))).unwrap_or_default();
        self.line(format_args!("pause when {when}{ask}"))
    }

    pub(super) fn text(&mut self, text: TextCode) -> String {
        match text {
            TextCode::Text(id) => format!("text {}", self.graph.texts[id as usize]),
            TextCode::Expr(expr) => self.expr(expr),
        }
    }

    fn property(&mut self, name: &str, property: PropertyCode) -> fmt::Result {
        let text = match property {
            PropertyCode::Never(expr) => format!("never {}", self.expr(expr)),
            PropertyCode::Always(expr) => format!("always {}", self.expr(expr)),
            PropertyCode::Eventually(expr) => format!("eventually {}", self.expr(expr)),
            PropertyCode::Precedes(first, then) => {
                format!("{} precedes {}", self.expr(first), self.expr(then))
            }
        };
        self.line(format_args!("property {name}: {text}"))
    }

    /// A word and an expression, or nothing.
    pub(super) fn tail(&mut self, word: &str, expr: Option<OpId>) -> String {
        expr.map(|expr| format!("{word}{}", self.expr(expr))).unwrap_or_default()
    }

    pub(super) fn scope(&self, scope: Option<u32>) -> String {
        scope.map(|node| format!(" in {}", self.names.node(node))).unwrap_or_default()
    }
}
