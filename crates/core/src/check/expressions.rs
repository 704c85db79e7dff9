//! All expressions of a graph.

use crate::model::Graph;
use crate::model::expr::{Block, BudgetRef, Expr, Place, PlaceStep, StatementKind};
use crate::model::node::{NameSource, NodeKind, Pause, TextSource, Trigger, Typed};
use crate::program::kind::{Field, KindParts};

/// A part of a graph that reads values.
pub(crate) enum GraphPart<'g> {
    /// An expression that is in no other one.
    Expr(&'g Expr),
    /// An expression of a property, which is meant to be always true or never.
    Property(&'g Expr),
    /// The budget of a `spend` or a trigger.
    Budget(&'g BudgetRef),
}

/// Calls `seen` for each such part.
pub(crate) fn each<'g>(graph: &'g Graph, seen: &mut dyn FnMut(GraphPart<'g>)) {
    let mut walk = Walk { seen };
    for slot in &graph.slots {
        walk.all(slot.init.iter().chain(&slot.condition));
    }
    for budget in &graph.budgets {
        walk.all(budget.grace.iter().chain([&budget.limit]));
    }
    walk.all(graph.families.iter().map(|family| &family.each));
    walk.all(graph.lets.iter().map(|own| &own.body));
    graph.actions.iter().for_each(|action| walk.block(&action.body));
    for node in graph.graph.node_weights() {
        walk.block(&node.entry);
        walk.block(&node.then);
        walk.all(node.timeout.iter());
        if let Some(retry) = &node.retry {
            let waits = [&retry.first, &retry.factor, &retry.max, &retry.jitter];
            walk.all(waits.into_iter().flatten().chain([&retry.attempts]));
        }
        if let NodeKind::Composite(own) = &node.kind {
            walk.pause(own.pause.as_deref());
        }
        walk.parts(node.kind.parts());
    }
    for edge in graph.graph.edge_weights() {
        walk.all(edge.when.iter());
        walk.block(&edge.action);
        for trigger in &edge.on {
            if let Trigger::Exhausted(budget) = trigger {
                walk.budget(budget);
            }
        }
    }
    walk.pause(graph.pause.as_ref());
    walk.all(graph.output.iter().map(|(_, value)| value));
    for property in &graph.properties {
        property.body.conditions().for_each(|e| (walk.seen)(GraphPart::Property(e)));
    }
}

struct Walk<'s, 'g> {
    seen: &'s mut dyn FnMut(GraphPart<'g>),
}

impl<'g> Walk<'_, 'g> {
    fn all(&mut self, exprs: impl Iterator<Item = &'g Expr>) {
        exprs.for_each(|expr| (self.seen)(GraphPart::Expr(expr)));
    }

    fn budget(&mut self, budget: &'g BudgetRef) {
        (self.seen)(GraphPart::Budget(budget));
        if let BudgetRef::Meter(_, key) = budget {
            (self.seen)(GraphPart::Expr(key));
        }
    }

    fn place(&mut self, place: &'g Place) {
        for step in &place.steps {
            if let PlaceStep::Index(index) = step {
                (self.seen)(GraphPart::Expr(index));
            }
        }
    }

    fn block(&mut self, block: &'g Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign { place, value, .. } => {
                    self.place(place);
                    (self.seen)(GraphPart::Expr(value));
                }
                StatementKind::Let(_, value) => (self.seen)(GraphPart::Expr(value)),
                StatementKind::Spend(budget, amount) => {
                    self.budget(budget);
                    self.all(amount.iter());
                }
                StatementKind::Emit(_, extra) | StatementKind::Fail(_, extra) => self.all(extra.iter()),
                StatementKind::If(arms, otherwise) => {
                    for (condition, body) in arms {
                        (self.seen)(GraphPart::Expr(condition));
                        self.block(body);
                    }
                    if let Some(body) = otherwise {
                        self.block(body);
                    }
                }
                StatementKind::Call(_) => {}
                StatementKind::For(_, list, body) => {
                    (self.seen)(GraphPart::Expr(list));
                    self.block(body);
                }
            }
        }
    }

    fn text(&mut self, source: Option<&'g TextSource>) {
        if let Some(TextSource::Expr(expr)) = source {
            (self.seen)(GraphPart::Expr(expr));
        }
    }

    fn pause(&mut self, pause: Option<&'g Pause>) {
        if let Some(pause) = pause {
            (self.seen)(GraphPart::Expr(&pause.when));
            self.text(pause.ask.as_ref());
        }
    }

    fn parts(&mut self, parts: KindParts<'g, Typed>) {
        for (_, field) in parts {
            match field {
                Field::Expr(expr) | Field::Items(expr, _) => (self.seen)(GraphPart::Expr(expr)),
                Field::Text(text) => self.text(Some(text)),
                Field::Name(NameSource::Computed(name)) => (self.seen)(GraphPart::Expr(name)),
                Field::Place(place) | Field::Merge(place, _) => self.place(place),
                Field::Called(_, with) => self.all(with.iter().flatten()),
                Field::Candidates(among) => {
                    for candidate in among {
                        self.all(candidate.callable.with.iter().flatten());
                    }
                }
                Field::Branch(_, parts) => self.parts(parts),
                Field::Name(NameSource::Fixed(_))
                | Field::Word(_)
                | Field::Words(_)
                | Field::Answer(_)
                | Field::Flag
                | Field::Choice(_) => {}
            }
        }
    }
}
