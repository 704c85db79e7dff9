//! Follows values through statements.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::constant::is_constant;
use super::network::{Passage, VertexId};
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
                if self.reads_variables(at, value) {
                    self.repeated(at, &to, statement.span);
                }
            }
            StatementKind::Assign { place, add: true, value } => {
                let to = self.destination(at, place);
                self.repeated(at, &to, statement.span);
                if matches!(place.ty.kind, Kind::List(..)) {
                    return self.evaluate(at, value, &to.below(ITEM).joined());
                }
                // The earlier value becomes part of something longer, too.
                self.carry_at(to.vertex, to.path.clone(), &to.whole(), statement.span);
                self.evaluate(at, value, &to.whole());
            }
            StatementKind::Let(local, value) => {
                let own = self.passing(Some(&value.ty));
                self.evaluate(at, value, &Destination::of(own));
                if self.reads_variables(at, value) {
                    self.repeated(at, &Destination::of(own), statement.span);
                }
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
                self.controlled(at, &to, statement.span);
                self.repeated(at, &to, statement.span);
            }
            StatementKind::Emit(_, payload) => self.note(at, payload.as_ref()),
            StatementKind::If(arms, otherwise) => {
                // Each arm also runs only where none before it does.
                let mut around = at;
                for (condition, body) in arms {
                    let control = self.labelled(None, "the condition".to_owned());
                    self.evaluate(at, condition, &Destination::of(control).whole());
                    self.within(&mut around, control, condition.span);
                    self.statements(around, body);
                }
                if let Some(body) = otherwise {
                    self.statements(around, body);
                }
            }
            StatementKind::Call(id) => {
                let (calls, is_first) = self.enter_action(at, *id);
                let controls = at.arrival.into_iter().chain(at.control);
                for (from, to) in controls
                    .map(|control| (control, calls.control))
                    .chain(at.times.map(|times| (times, calls.times)))
                {
                    self.carry(from, &Destination::of(to).whole(), statement.span);
                }
                if is_first {
                    let body = &self.of(at.instance).graph.actions[id.0 as usize].body;
                    let (control, times) = (Some(calls.control), Some(calls.times));
                    self.block(FlowPlace { arrival: None, control, times, ..at }, body);
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
                let times = self.labelled(None, "the turns of the loop".to_owned());
                self.carry(index, &Destination::of(times), list.span);
                if let Some(outer) = at.times {
                    self.carry(outer, &Destination::of(times).whole(), list.span);
                }
                let mut around = FlowPlace { times: Some(times), ..at };
                self.within(&mut around, times, list.span);
                self.statements(around, body);
            }
            StatementKind::Fail(_, message) => self.note(at, message.as_ref()),
        }
    }

    /// Adds a condition or a loop to those around a statement.
    fn within(&mut self, at: &mut FlowPlace, decides: VertexId, span: Span) {
        let control = self.passing(None);
        for own in at.control.into_iter().chain([decides]) {
            self.carry(own, &Destination::of(control).whole(), span);
        }
        at.control = Some(control);
    }

    /// Lets the number of turns flow to a value that grows with each.
    fn repeated(&mut self, at: FlowPlace, to: &Destination, span: Span) {
        if let Some(times) = at.times {
            self.carry(times, &to.whole(), span);
        }
    }

    /// True if a value may be made of what an earlier turn of a loop wrote.
    fn reads_variables(&self, at: FlowPlace, expr: &Expr) -> bool {
        let graph = self.of(at.instance).graph;
        let mut found = match expr.kind {
            ExprKind::Slot(_) => true,
            ExprKind::Let(_) => !is_constant(graph, expr),
            _ => false,
        };
        expr.for_each_child(&mut |child| found = found || self.reads_variables(at, child));
        found
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
        self.controlled(at, &to, place.span);
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
