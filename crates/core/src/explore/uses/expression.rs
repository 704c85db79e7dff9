//! Uses in expressions.

use super::{RegionId, SampledUse, UseBuilder};
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::types::Kind;
use crate::program::op::{Macro, Special};
use crate::value::{Str, Value};

/// The region of an expression's value.
#[derive(Debug, Clone)]
pub(super) struct UsedValue {
    pub(super) region: RegionId,
    /// The value that it is the size of.
    pub(super) size_of: Option<RegionId>,
    /// Its value, where the text says it.
    pub(super) constant: Option<Value>,
}

impl<'m> UseBuilder<'m> {
    /// Lets the value of an expression flow to a place.
    pub(super) fn flow(&mut self, expr: &'m Expr, to: RegionId) {
        let value = self.read(expr);
        if let Some(of) = value.size_of {
            self.sample(of, "measured, and the size is stored", expr);
        }
        self.regions().join(to, value.region);
    }

    /// Reads an expression whose value goes to the world: nothing in the run depends on it.
    pub(super) fn hand_out(&mut self, expr: &'m Expr) {
        self.read(expr);
    }

    /// Reads an expression on which a decision of the run depends.
    pub(super) fn decide(&mut self, expr: &'m Expr, why: &'static str) {
        let value = self.read(expr);
        let of = value.size_of.unwrap_or(value.region);
        if value.constant.is_none() {
            self.sample(of, why, expr);
        }
    }

    /// Reads a condition.
    pub(super) fn condition(&mut self, expr: &'m Expr) {
        let value = self.read(expr);
        self.regions().get_mut(value.region).is_tested = true;
    }

    pub(super) fn sample(&mut self, region: RegionId, why: &'static str, expr: &Expr) {
        self.regions().sample(region, SampledUse { why, span: expr.span });
    }

    fn fresh(&mut self) -> UsedValue {
        UsedValue { region: self.regions().add(), size_of: None, constant: None }
    }

    pub(super) fn value_of(region: RegionId) -> UsedValue {
        UsedValue { region, size_of: None, constant: None }
    }

    /// The value of an expression, with the uses inside it noted.
    pub(super) fn read(&mut self, expr: &'m Expr) -> UsedValue {
        match &expr.kind {
            ExprKind::Const(value) => {
                let region = self.constant(value);
                UsedValue { region, size_of: None, constant: Some(value.clone()) }
            }
            ExprKind::Slot(id) => Self::value_of(self.uses.slots[self.graph][id.0 as usize]),
            ExprKind::Local(id) => Self::value_of(self.local(*id)),
            ExprKind::Special(special) => Self::value_of(self.special(*special)),
            ExprKind::Let(id) => Self::value_of(self.let_value(*id)),
            ExprKind::Bind { local, value, body } => {
                let value = self.read(value);
                self.set_local(*local, value.region);
                self.read(body)
            }
            ExprKind::Field { target, name, .. } => {
                let target = self.target(target);
                Self::value_of(self.regions().field(target, name))
            }
            ExprKind::Index(target, key) => self.index(target, key),
            ExprKind::Call(function, args) => self.call(expr, *function, args),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.condition(a);
                self.condition(b);
                self.fresh()
            }
            ExprKind::Not(inner) => {
                self.condition(inner);
                self.fresh()
            }
            ExprKind::Coalesce(a, b) => {
                let one = self.target(a);
                let other = self.read(b);
                self.regions().join(one, other.region);
                Self::value_of(one)
            }
            ExprKind::Conditional(condition, a, b) => {
                self.condition(condition);
                let (one, other) = (self.read(a), self.read(b));
                self.regions().join(one.region, other.region);
                Self::value_of(one.region)
            }
            ExprKind::List(items) => {
                let made = self.regions().add();
                let item = self.regions().item(made);
                for own in items {
                    self.flow(own, item);
                }
                Self::value_of(made)
            }
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Record(_, fields) => {
                let made = self.regions().add();
                for (name, value) in fields {
                    let field = self.regions().field(made, name);
                    self.flow(value, field);
                }
                Self::value_of(made)
            }
            ExprKind::Has(target, name) => {
                let target = self.target(target);
                let field = self.regions().field(target, name);
                self.regions().get_mut(field).is_tested = true;
                self.fresh()
            }
            _ => self.read_other(expr),
        }
    }

    /// The value of an expression that takes nothing apart: a test, a question about the run.
    fn read_other(&mut self, expr: &'m Expr) -> UsedValue {
        match &expr.kind {
            ExprKind::Macro { .. } => self.repeat(expr),
            ExprKind::Is(inner, _) => {
                let value = self.read(inner);
                let kinds_differ = matches!(inner.ty.kind, Kind::Any);
                if kinds_differ {
                    self.sample(value.region, "tested for its type", expr);
                }
                self.regions().get_mut(value.region).is_tested = true;
                self.fresh()
            }
            ExprKind::Coerce(inner, ty) => {
                let value = self.read(inner);
                if value.constant.is_none() && may_misfit(&inner.ty.kind, &ty.kind) {
                    self.sample(value.region, "fitted to a type", expr);
                }
                value
            }
            ExprKind::Budget(_, budget) => {
                if let BudgetRef::Meter(_, key) = budget {
                    self.decide(key, "the key of a budget");
                }
                let made = self.fresh();
                self.regions().get_mut(made.region).varies = true;
                made
            }
            ExprKind::InFamily(key, family) => {
                let key = self.read(key);
                let keys = self.own().families[family.0 as usize].each.clone();
                if let ExprKind::Const(Value::List(keys)) = &keys.kind {
                    self.regions().get_mut(key.region).points.extend(keys.iter().cloned());
                } else {
                    self.regions().get_mut(key.region).is_tested = true;
                    self.sample(key.region, "looked for among the keys of a budget", expr);
                }
                self.fresh()
            }
            ExprKind::Render(text) => Self::value_of(self.text(*text)),
            ExprKind::Now => {
                self.note_unexplored(super::CLOCK, expr.span);
                let made = self.fresh();
                self.regions().get_mut(made.region).varies = true;
                made
            }
            ExprKind::Step | ExprKind::Visits(_) | ExprKind::RolledBack => {
                let made = self.fresh();
                self.regions().get_mut(made.region).varies = true;
                made
            }
            ExprKind::Previous(inner) => self.read(inner),
            _ => self.fresh(),
        }
    }

    /// The region of a value that is looked into: a decision depends on its being null.
    fn target(&mut self, expr: &'m Expr) -> RegionId {
        let value = self.read(expr);
        if expr.ty.nullable {
            self.regions().get_mut(value.region).is_tested = true;
        }
        value.region
    }

    fn special(&mut self, special: Special) -> RegionId {
        match special {
            Special::Error => self.uses.errors[self.graph],
            Special::Tools => self.tools,
            Special::Result => match self.result {
                Some(result) => result,
                None => self.unplaced(),
            },
            Special::Outcome => match self.outcome {
                Some(outcome) => outcome,
                None => self.unplaced(),
            },
        }
    }

    /// Something that a step leaves behind, read where the step is not known.
    fn unplaced(&mut self) -> RegionId {
        self.uses.reads_specials = true;
        self.regions().add()
    }

    fn let_value(&mut self, id: crate::model::expr::LetId) -> RegionId {
        let key = (self.graph, id);
        if let Some(region) = self.lets.get(&key) {
            return *region;
        }
        let body = &self.own().lets[id.0 as usize].body;
        let value = self.apart(|builder| builder.read(body));
        if let Some(of) = value.size_of {
            let used = SampledUse { why: "measured, and the size has a name", span: body.span };
            self.regions().derive(value.region, of, false, used);
        }
        self.lets.insert(key, value.region);
        value.region
    }

    fn index(&mut self, target: &'m Expr, key: &'m Expr) -> UsedValue {
        let of = self.target(target);
        if let ExprKind::Const(Value::Str(name)) = &key.kind {
            let field = self.regions().field(of, name);
            self.regions().get_mut(field).is_tested = true;
            return Self::value_of(field);
        }
        self.decide(key, "an index");
        let own = self.regions().get_mut(of);
        own.is_iterated = true;
        own.is_read_by_place = true;
        Self::value_of(self.regions().item(of))
    }

    fn map(&mut self, entries: &'m [(Expr, Expr)]) -> UsedValue {
        let made = self.regions().add();
        for (key, value) in entries {
            let to = if let ExprKind::Const(Value::Str(name)) = &key.kind {
                self.regions().field(made, name)
            } else {
                let key = self.read(key);
                let used = SampledUse { why: "the key of a map", span: value.span };
                self.regions().derive(made, key.region, true, used);
                self.regions().item(made)
            };
            self.flow(value, to);
        }
        Self::value_of(made)
    }

    fn repeat(&mut self, expr: &'m Expr) -> UsedValue {
        let ExprKind::Macro { kind, over, local, second, filter, each } = &expr.kind else {
            return self.fresh();
        };
        let list = matches!(over.ty.kind, Kind::List(..));
        let over = self.read(over).region;
        let (item, key) = (self.regions().item(over), self.regions().add());
        if !list {
            let used = SampledUse { why: "gone through by its keys", span: expr.span };
            self.regions().derive(key, over, false, used);
        }
        match second {
            Some(second) => {
                self.regions().get_mut(over).is_read_by_place = true;
                self.set_local(*local, key);
                self.set_local(*second, item);
            }
            None => self.set_local(*local, if list { item } else { key }),
        }
        if let Some(filter) = filter {
            self.condition(filter);
        }
        let made = self.regions().add();
        let used = SampledUse { why: "gone through", span: expr.span };
        match kind {
            Macro::All | Macro::Exists | Macro::ExistsOne => {
                // The condition of the items is the value: it is tested where the value is.
                self.regions().get_mut(over).is_iterated = true;
                return Self::value_of(made);
            }
            Macro::Filter | Macro::SortBy => {
                let own = self.regions().item(made);
                self.regions().join(own, if list { item } else { key });
            }
            Macro::Map | Macro::TransformList | Macro::TransformMap => {}
        }
        if let Some(each) = each {
            let value = self.read(each);
            if *kind == Macro::SortBy {
                self.sample(value.region, "sorted by", expr);
            } else {
                let own = self.regions().item(made);
                self.regions().join(own, value.region);
            }
        }
        self.regions().derive(made, over, false, used);
        if filter.is_some() {
            self.regions().get_mut(over).is_iterated = true;
        }
        Self::value_of(made)
    }

    /// A constant as a place that holds it.
    pub(super) fn constant(&mut self, value: &Value) -> RegionId {
        let made = self.regions().add();
        match value {
            Value::Map(map) => {
                for (name, own) in map {
                    let field = self.regions().field(made, name);
                    let part = self.constant(own);
                    self.regions().join(field, part);
                }
            }
            Value::List(list) => {
                let item = self.regions().item(made);
                for own in list {
                    let part = self.constant(own);
                    self.regions().join(item, part);
                }
            }
            Value::Null => {}
            scalar => self.regions().get_mut(made).constants.push(scalar.clone()),
        }
        made
    }

    /// Adds the names that something has to the constants of a place.
    pub(super) fn names(&mut self, to: RegionId, names: impl IntoIterator<Item = Str>) {
        self.regions().get_mut(to).constants.extend(names.into_iter().map(Value::Str));
    }
}

/// True if a value of one kind may not fit another one.
fn may_misfit(from: &Kind, to: &Kind) -> bool {
    match (from, to) {
        (Kind::Any, Kind::Any) => false,
        (Kind::Any, _) | (Kind::Map(_), Kind::Record(_)) | (Kind::String(_), Kind::Enum(_)) => true,
        (Kind::Int(from), Kind::Int(Some(to))) => from.is_none_or(|from| from.0 < to.0 || from.1 > to.1),
        (Kind::String(from), Kind::String(Some(to))) => from.is_none_or(|from| from > *to),
        (Kind::List(from, size), Kind::List(to, most)) => {
            let longer = most.is_some_and(|most| size.is_none_or(|size| size > most));
            longer || may_misfit(&from.kind, &to.kind)
        }
        (Kind::Map(from), Kind::Map(to)) => may_misfit(&from.kind, &to.kind),
        _ => false,
    }
}
