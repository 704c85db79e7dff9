//! Follows values through expressions.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::constant::is_constant;
use super::network::{Passage, VertexId};
use super::path::{FieldPath, ITEM};
use super::source::{Cut, CutSet, FlowSource};
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::program::op::{Macro, Special};
use crate::value::Value;

/// A place in a value that is read, and the keys on the way that are computed: each with the list or map it is looked up in.
struct ReadPlace<'m> {
    vertex: VertexId,
    path: FieldPath,
    keys: Vec<(&'m Expr, &'m Expr)>,
}

impl<'m> FlowBuilder<'m> {
    /// Lets the value of an expression flow to a destination, with everything that it is computed from.
    pub(super) fn flow(&mut self, at: FlowPlace, expr: &'m Expr, to: &Destination) {
        if CutSet::of_type(&expr.ty).is_empty() || matches!(expr.kind, ExprKind::Const(_)) {
            return self.flow_kind(at, expr, to);
        }
        // The value is, of whatever it is computed, a member, a boolean or within bounds.
        let value = self.passing(Some(&expr.ty));
        self.flow_kind(at, expr, &Destination::of(value));
        self.carry(value, to, expr.span);
    }

    /// The same for what need not be there.
    pub(super) fn flow_some(&mut self, at: FlowPlace, expr: Option<&'m Expr>, to: &Destination) {
        if let Some(expr) = expr {
            self.flow(at, expr, to);
        }
    }

    fn flow_kind(&mut self, at: FlowPlace, expr: &'m Expr, to: &Destination) {
        match &expr.kind {
            ExprKind::Slot(_)
            | ExprKind::Local(_)
            | ExprKind::Let(_)
            | ExprKind::Special(_)
            | ExprKind::Field { .. }
            | ExprKind::Index(..) => self.read(at, expr, to),
            ExprKind::Bind { local, value, body } => {
                let bound = self.passing(Some(&value.ty));
                self.flow(at, value, &Destination::of(bound));
                self.set_local(*local, bound);
                self.flow(at, body, to);
            }
            ExprKind::Call(function, args) => self.call(at, expr, (*function, args), to),
            ExprKind::Coalesce(one, other) => {
                self.flow(at, one, to);
                self.flow(at, other, to);
            }
            ExprKind::Conditional(condition, one, other) => {
                let graph = self.of(at.instance).graph;
                let looked_up = is_constant(graph, one) && is_constant(graph, other);
                self.flow(at, condition, &chosen(to, looked_up));
                self.flow(at, one, to);
                self.flow(at, other, to);
            }
            ExprKind::List(items) => {
                let item = to.below(ITEM);
                for own in items {
                    self.flow(at, own, &item);
                }
            }
            ExprKind::Map(entries) => entries.iter().for_each(|(key, value)| self.entry(at, key, value, to)),
            ExprKind::Record(_, fields) => {
                for (name, value) in fields {
                    let field = to.below(self.network.names.step(name));
                    self.flow(at, value, &field);
                }
            }
            ExprKind::Has(target, name) => {
                let mut place = self.place(at, target);
                place.path.push(self.network.names.step(name));
                self.take(at, place, expr, &to.whole());
            }
            ExprKind::Macro { .. } => self.repeat(at, expr, to),
            ExprKind::Coerce(inner, ty) => {
                let fitted = self.passing(Some(ty));
                self.flow(at, inner, &Destination::of(fitted));
                self.carry(fitted, to, expr.span);
            }
            ExprKind::Budget(_, budget) => {
                let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
                self.carry(self.budget(at.instance, *id), &to.whole(), expr.span);
                if let BudgetRef::Meter(_, key) = budget {
                    self.flow(at, key, &to.whole());
                }
            }
            ExprKind::InFamily(key, family) => {
                self.flow(at, key, &to.whole());
                let keys = &self.of(at.instance).graph.families[family.0 as usize].each;
                self.apart(|builder| builder.flow(at, keys, &to.whole()));
            }
            ExprKind::RolledBack => {
                let operator = self.source(FlowSource::Operator);
                self.carry(operator, &to.whole(), expr.span);
            }
            ExprKind::Render(text) => {
                let text = self.text(at, *text);
                self.carry(text, to, expr.span);
            }
            // What is left is the sum of its parts, or has none: a constant, the place of the run, its clock.
            _ => expr.for_each_child(&mut |child| self.flow(at, child, &to.whole())),
        }
    }

    /// An entry of a map. Texts can be made of keys, so that a computed one is part of the map itself.
    fn entry(&mut self, at: FlowPlace, key: &'m Expr, value: &'m Expr, to: &Destination) {
        let step = if let ExprKind::Const(Value::Str(name)) = &key.kind {
            self.network.names.step(name)
        } else {
            self.flow(at, key, &to.whole());
            ITEM
        };
        self.flow(at, value, &to.below(step));
    }

    /// Reads a variable or what lies in one.
    fn read(&mut self, at: FlowPlace, expr: &'m Expr, to: &Destination) {
        let place = self.place(at, expr);
        self.take(at, place, expr, to);
    }

    fn take(&mut self, at: FlowPlace, place: ReadPlace<'m>, expr: &Expr, to: &Destination) {
        let graph = self.of(at.instance).graph;
        for (target, key) in place.keys {
            self.flow(at, key, &chosen(to, is_constant(graph, target)));
        }
        self.carry_at(place.vertex, place.path, to, expr.span);
    }

    /// The place that an expression reads; a value on its way where it computes one.
    fn place(&mut self, at: FlowPlace, expr: &'m Expr) -> ReadPlace<'m> {
        let vertex = match &expr.kind {
            ExprKind::Slot(id) => self.slot(at.instance, *id, at.component),
            ExprKind::Local(id) => self.local(at, *id),
            ExprKind::Let(id) => self.let_value(at, *id),
            ExprKind::Special(special) => self.special(at, *special),
            ExprKind::Field { target, name, .. } => {
                let mut place = self.place(at, target);
                place.path.push(self.network.names.step(name));
                return place;
            }
            ExprKind::Index(target, key) => {
                let mut place = self.place(at, target);
                let step = match &key.kind {
                    ExprKind::Const(Value::Str(name)) => self.network.names.step(name),
                    ExprKind::Const(_) => ITEM,
                    _ => {
                        place.keys.push((target, key));
                        ITEM
                    }
                };
                place.path.push(step);
                return place;
            }
            _ => {
                let value = self.passing(Some(&expr.ty));
                self.flow(at, expr, &Destination::of(value));
                value
            }
        };
        ReadPlace { vertex, path: FieldPath::new(), keys: Vec::new() }
    }

    fn special(&mut self, at: FlowPlace, special: Special) -> VertexId {
        match special {
            Special::Error => at.error.unwrap_or(self.of(at.instance).failure),
            Special::Result => at.result.unwrap_or(self.of(at.instance).answers),
            Special::Outcome => at.outcome.unwrap_or(self.of(at.instance).answers),
            Special::Tools => self.catalogue(),
        }
    }

    /// A function. The few that hand on the parts of a value keep them apart.
    fn call(
        &mut self,
        at: FlowPlace,
        expr: &'m Expr,
        (function, args): (Function, &'m [Expr]),
        to: &Destination,
    ) {
        let lists = matches!(expr.ty.kind, Kind::List(..) | Kind::Map(_));
        let [first, others @ ..] = args else { return };
        match function.name() {
            Some("dyn") => return self.flow(at, first, to),
            Some("merge") => return args.iter().for_each(|arg| self.flow(at, arg, to)),
            Some("+") if lists => return args.iter().for_each(|arg| self.flow(at, arg, &to.joined())),
            Some("first" | "last") => {
                let mut place = self.place(at, first);
                place.path.push(ITEM);
                return self.take(at, place, expr, to);
            }
            Some("values") => {
                let mut place = self.place(at, first);
                place.path.push(ITEM);
                return self.take(at, place, expr, &to.below(ITEM).joined());
            }
            Some("flatten") => {
                let mut place = self.place(at, first);
                place.path.push(ITEM);
                self.take(at, place, expr, &to.joined());
                self.flow(at, first, &to.joined());
            }
            Some("keys") => return self.keys(at, first, &to.whole()),
            Some("slice" | "reverse" | "sort" | "distinct" | "sortBy" | "without") if lists => {
                self.flow(at, first, &to.joined());
            }
            _ => self.flow(at, first, &to.whole()),
        }
        for arg in others {
            self.flow(at, arg, &to.whole());
        }
    }

    /// The keys of a map: what is known of the map itself, not of its values.
    fn keys(&mut self, at: FlowPlace, map: &'m Expr, to: &Destination) {
        let place = self.place(at, map);
        let to = Destination { passage: Passage::Keys, ..to.clone() };
        for (_, key) in &place.keys {
            self.flow(at, key, &to.whole());
        }
        self.carry_at(place.vertex, place.path, &to, map.span);
    }

    fn repeat(&mut self, at: FlowPlace, expr: &'m Expr, to: &Destination) {
        let ExprKind::Macro { kind, over, local, second, filter, each } = &expr.kind else { return };
        let list = matches!(over.ty.kind, Kind::List(..));
        let over_value = self.passing(Some(&over.ty));
        self.flow(at, over, &Destination::of(over_value));
        let item = self.passing(item_type(&over.ty));
        self.carry_at(over_value, [ITEM].into_iter().collect(), &Destination::of(item), over.span);
        let key = self.passing(None);
        let keys = Destination { passage: Passage::Keys, ..Destination::of(key) };
        self.carry(over_value, &keys, over.span);
        match second {
            Some(second) => {
                self.set_local(*local, key);
                self.set_local(*second, item);
            }
            None => self.set_local(*local, if list { item } else { key }),
        }
        // The number of items is part of any result.
        self.carry(over_value, &Destination { passage: Passage::Keys, ..to.clone() }, over.span);
        self.flow_some(at, filter.as_deref(), &to.whole());
        match kind {
            Macro::All | Macro::Exists | Macro::ExistsOne => {}
            Macro::Filter if !list => self.carry(key, &to.below(ITEM), over.span),
            Macro::Filter => self.carry(over_value, &to.joined(), over.span),
            Macro::SortBy => {
                self.carry(over_value, &to.joined(), over.span);
                self.flow_some(at, each.as_deref(), &to.whole());
            }
            Macro::Map | Macro::TransformList | Macro::TransformMap => {
                self.flow_some(at, each.as_deref(), &to.below(ITEM));
            }
        }
    }
}

/// The destination of a choice: it brings nothing else than which of the graph's constants it is, or any part of it. Where the
/// chosen value becomes part of something longer, it is no constant any more.
fn chosen(to: &Destination, among_constants: bool) -> Destination {
    let stands_alone = to.passage == Passage::Copy;
    let looked_up = if among_constants && stands_alone { CutSet::of(Cut::Lookup) } else { CutSet::NONE };
    Destination { gives: to.gives.with(looked_up), ..to.whole() }
}

fn item_type(ty: &Type) -> Option<&Type> {
    match &ty.kind {
        Kind::List(item, _) | Kind::Map(item) => Some(item),
        _ => None,
    }
}
