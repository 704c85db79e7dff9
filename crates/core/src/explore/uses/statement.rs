//! Uses in statements.

use super::{RegionId, SampledUse, UseBuilder};
use crate::model::expr::{Block, BudgetRef, Expr, ExprKind, Place, PlaceStep, Statement, StatementKind};
use crate::model::node::{NameSource, TextSource};
use crate::model::types::Kind;
use crate::value::Value;

impl<'m> UseBuilder<'m> {
    /// A list of statements that stands alone.
    pub(super) fn block(&mut self, block: &'m Block) {
        self.apart(|builder| builder.statements(block));
    }

    fn statements(&mut self, block: &'m Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Assign { place, add: false, value } => {
                let to = self.place(place);
                self.flow(value, to);
            }
            StatementKind::Assign { place, add: true, value } => {
                let to = self.place(place);
                if matches!(place.ty.kind, Kind::List(..)) {
                    let item = self.regions().item(to);
                    return self.flow(value, item);
                }
                let value = self.read(value);
                let why = "part of a sum, a product or a longer text";
                let used = SampledUse { why, span: statement.span };
                if matches!(place.ty.kind, Kind::String(_) | Kind::Float | Kind::Map(_)) {
                    self.regions().derive(to, value.region, true, used);
                } else if value.constant.is_none() {
                    self.regions().sample(value.size_of.unwrap_or(value.region), used);
                }
            }
            StatementKind::Let(local, value) => {
                let own = self.regions().add();
                self.flow(value, own);
                self.set_local(*local, own);
            }
            StatementKind::Spend(budget, amount) => {
                if let BudgetRef::Meter(_, key) = budget {
                    self.decide(key, "the key of a budget");
                }
                if let Some(amount) = amount {
                    self.decide(amount, "spent of a budget");
                }
            }
            StatementKind::Emit(_, Some(payload)) => self.hand_out(payload),
            StatementKind::Emit(_, None) => {}
            StatementKind::If(arms, otherwise) => {
                for (condition, body) in arms {
                    self.condition(condition);
                    self.statements(body);
                }
                if let Some(body) = otherwise {
                    self.statements(body);
                }
            }
            StatementKind::Call(id) => {
                let body = &self.own().actions[id.0 as usize].body;
                self.block(body);
            }
            StatementKind::For(locals, list, body) => {
                let over = self.read(list).region;
                let own = self.regions().get_mut(over);
                own.is_iterated = true;
                own.is_read_by_place = true;
                let item = if matches!(list.ty.kind, Kind::Map(_)) {
                    let key = self.regions().add();
                    let used = SampledUse { why: "gone through by its keys", span: list.span };
                    self.regions().derive(key, over, false, used);
                    key
                } else {
                    self.regions().item(over)
                };
                if let Some(index) = locals.index {
                    let counted = self.regions().add();
                    self.regions().get_mut(counted).varies = true;
                    self.set_local(index, counted);
                }
                self.set_local(locals.item, item);
                self.statements(body);
            }
            StatementKind::Fail(_, message) => {
                if let Some(message) = message {
                    let text = self.read(message);
                    let error = self.uses.errors[self.graph];
                    let own = self.regions().field(error, &"message".into());
                    self.regions().join(own, text.region);
                }
            }
        }
    }

    /// The region of a place that is written.
    pub(super) fn place(&mut self, place: &'m Place) -> RegionId {
        let mut at = self.uses.slots[self.graph][place.slot.0 as usize];
        for step in &place.steps {
            at = match step {
                PlaceStep::Field(name, _) => self.regions().field(at, name),
                PlaceStep::Index(Expr { kind: ExprKind::Const(Value::Str(name)), .. }) => {
                    self.regions().field(at, name)
                }
                PlaceStep::Index(key) => {
                    self.decide(key, "an index");
                    self.regions().item(at)
                }
            };
            self.regions().get_mut(at).varies = true;
        }
        self.regions().get_mut(at).varies = true;
        at
    }

    /// A text that goes to the world.
    pub(super) fn sent_text(&mut self, text: Option<&'m TextSource>) {
        match text {
            Some(TextSource::Text(id)) => drop(self.text(*id)),
            Some(TextSource::Expr(expr)) => self.apart(|builder| builder.hand_out(expr)),
            None => {}
        }
    }

    /// The region of a computed name; nothing for a fixed one.
    pub(super) fn name(&mut self, name: &'m NameSource) -> Option<RegionId> {
        match name {
            NameSource::Fixed(_) => None,
            NameSource::Computed(expr) => Some(self.apart(|builder| builder.read(expr)).region),
        }
    }
}
