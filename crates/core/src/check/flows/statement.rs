//! Follows values through statements.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::network::Passage;
use super::path::{FieldPath, ITEM};
use crate::model::expr::{Block, BudgetRef, Expr, ExprKind, Place, PlaceStep, Statement, StatementKind};
use crate::model::node::{NameSource, TextSource};
use crate::model::types::Kind;
use crate::source::Span;
use crate::value::Value;

impl<'m> FlowBuilder<'m> {
    /// A list of statements that stands alone.
    pub(super) fn block(&mut self, at: FlowPlace, block: &'m Block) {
        self.apart(|builder| builder.statements(at, block));
    }

    fn statements(&mut self, at: FlowPlace, block: &'m Block) {
        for statement in &block.statements {
            self.statement(at, statement);
        }
    }

    fn statement(&mut self, at: FlowPlace, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Assign { place, add: false, value } => {
                let to = self.destination(at, place);
                self.evaluate(at, value, &to);
            }
            StatementKind::Assign { place, add: true, value } => {
                let to = self.destination(at, place);
                if matches!(place.ty.kind, Kind::List(..)) {
                    return self.evaluate(at, value, &to.below(ITEM).joined());
                }
                // What was there becomes part of something longer, too.
                self.carry_at(to.vertex, to.path.clone(), &to.whole(), statement.span);
                self.evaluate(at, value, &to.whole());
            }
            StatementKind::Let(local, value) => {
                let own = self.passing(Some(&value.ty));
                self.evaluate(at, value, &Destination::of(own));
                self.set_local(*local, own);
            }
            StatementKind::Spend(budget, amount) => {
                let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
                let to = Destination::of(self.budget(at.instance, *id)).whole();
                if let BudgetRef::Meter(_, key) = budget {
                    self.evaluate(at, key, &to);
                }
                if let Some(amount) = amount {
                    self.evaluate(at, amount, &to);
                }
            }
            StatementKind::Emit(_, payload) => self.note(at, payload.as_ref()),
            StatementKind::If(arms, otherwise) => {
                for (condition, body) in arms {
                    self.note(at, Some(condition));
                    self.statements(at, body);
                }
                if let Some(body) = otherwise {
                    self.statements(at, body);
                }
            }
            StatementKind::Call(id) => {
                if self.enter_action(at, *id) {
                    let body = &self.of(at.instance).graph.actions[id.0 as usize].body;
                    self.block(at, body);
                }
            }
            StatementKind::For(locals, list, body) => {
                let over = self.passing(Some(&list.ty));
                self.evaluate(at, list, &Destination::of(over));
                let item = self.passing(None);
                self.carry_at(over, FieldPath::from_slice(&[ITEM]), &Destination::of(item), list.span);
                let index = self.passing(None);
                self.carry(
                    over,
                    &Destination { passage: Passage::Keys, ..Destination::of(index) },
                    list.span,
                );
                // Over a map the item is its key.
                self.carry(index, &Destination::of(item).whole(), list.span);
                if let Some(local) = locals.index {
                    self.set_local(local, index);
                }
                self.set_local(locals.item, item);
                self.statements(at, body);
            }
            StatementKind::Fail(_, message) => self.note(at, message.as_ref()),
        }
    }

    /// Evaluates an expression. An error in it may say any part of what it reads.
    pub(super) fn evaluate(&mut self, at: FlowPlace, expr: &'m Expr, to: &Destination) {
        self.flow(at, expr, to);
        self.note(at, Some(expr));
    }

    /// The part of an expression that an error in it may say.
    pub(super) fn note(&mut self, at: FlowPlace, expr: Option<&'m Expr>) {
        self.flow_some(at, expr, &Destination::of(at.fails).whole());
    }

    /// A place that is written.
    pub(super) fn destination(&mut self, at: FlowPlace, place: &'m Place) -> Destination {
        let mut to = Destination::of(self.slot(at.instance, place.slot, at.component));
        for step in &place.steps {
            let step = match step {
                PlaceStep::Field(name, _) => self.network.names.step(name),
                PlaceStep::Index(Expr { kind: ExprKind::Const(Value::Str(name)), .. }) => {
                    self.network.names.step(name)
                }
                PlaceStep::Index(key) => {
                    self.evaluate(at, key, &to.whole());
                    ITEM
                }
            };
            to = to.below(step);
        }
        to
    }

    /// A text by name or by an expression.
    pub(super) fn text_source(
        &mut self,
        at: FlowPlace,
        text: Option<&'m TextSource>,
        to: &Destination,
        span: Span,
    ) {
        match text {
            Some(TextSource::Text(id)) => {
                let text = self.text(at, *id);
                self.carry(text, &to.whole(), span);
            }
            Some(TextSource::Expr(expr)) => self.evaluate(at, expr, &to.whole()),
            None => {}
        }
    }

    /// A name that an expression may give.
    pub(super) fn name_source(&mut self, at: FlowPlace, name: &'m NameSource, to: &Destination) {
        if let NameSource::Computed(expr) = name {
            self.evaluate(at, expr, &to.whole());
        }
    }
}
