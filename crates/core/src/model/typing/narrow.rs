//! The facts that a condition tells where it is true, and where it is false.

use super::effect::{Write, Writes};
use super::facts::{Facts, Path, Root};
use super::few_slots::FewSlots;
use super::missing::learn_keys;
use super::present_keys::MapKey;
use super::scope::Scope;
use crate::model::expr::{Expr, ExprKind, LocalId};
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::program::op::Macro;
use crate::value::Value;

/// Lets may be conditions of other lets. A deeper chain adds no facts.
const MAX_LET_DEPTH: u32 = 64;

/// The item that facts of the items of a let are about.
pub(super) const ITEM: Root = Root::Local(LocalId(0));

pub(super) fn facts_when(scope: &Scope, condition: &Expr, truth: bool) -> Facts {
    Reading { scope, depth: 0 }.when(condition, truth)
}

struct Reading<'s> {
    scope: &'s Scope,
    depth: u32,
}

impl Reading<'_> {
    fn when(&mut self, expr: &Expr, truth: bool) -> Facts {
        if self.depth >= MAX_LET_DEPTH {
            return Facts::default();
        }
        self.depth += 1;
        let facts = self.judge(expr, truth);
        self.depth -= 1;
        facts
    }

    fn judge(&mut self, expr: &Expr, truth: bool) -> Facts {
        match &expr.kind {
            ExprKind::Const(Value::Bool(value)) if *value != truth => Facts::unreached(),
            ExprKind::Not(inner) => self.when(inner, !truth),
            ExprKind::And(..) => self.chain(expr, true, truth),
            ExprKind::Or(..) => self.chain(expr, false, truth),
            ExprKind::Conditional(condition, then, otherwise) => {
                let one = self.when(condition, true).and(&self.when(then, truth));
                let other = self.when(condition, false).and(&self.when(otherwise, truth));
                one.meet(&other)
            }
            ExprKind::Coalesce(value, instead) => match &instead.kind {
                ExprKind::Const(Value::Bool(constant)) if *constant != truth => {
                    self.when(value, truth).and(&not_null(value))
                }
                _ => Facts::default(),
            },
            ExprKind::Call(..) if has_error(expr) => Facts::error(),
            ExprKind::Call(Function::EQUAL, operands) => equality(operands, truth),
            ExprKind::Call(Function::NOT_EQUAL, operands) => equality(operands, !truth),
            ExprKind::Call(Function::IN, operands) if truth => contained(operands),
            ExprKind::Is(value, ty) if truth => narrowed(value, ty),
            ExprKind::Has(target, name) if truth => {
                let mut facts = not_null(target);
                if let Some(path) = Path::of(target) {
                    facts.insert_key(path, MapKey::Named(name.clone()));
                }
                facts
            }
            ExprKind::Let(id) => self.scope.lets.get(id.0 as usize).map_or_else(Facts::default, |info| {
                if truth { info.when_true.clone() } else { info.when_false.clone() }
            }),
            ExprKind::Coerce(inner, _) => self.when(inner, truth),
            ExprKind::Bind { local, body, .. } => {
                let mut facts = self.when(body, truth);
                facts.retain_roots(|root| root != Root::Local(*local));
                facts
            }
            _ if has_error(expr) => Facts::error(),
            _ => Facts::default(),
        }
    }

    /// `a && b && …` or `a || b || …`: all parts are as the whole where it is `and`-true or `or`-false; else what is
    /// common to the ways of any one part deciding.
    fn chain(&mut self, expr: &Expr, and: bool, truth: bool) -> Facts {
        let mut parts = Vec::new();
        let mut at = expr;
        loop {
            match &at.kind {
                ExprKind::And(left, right) if and => {
                    parts.push(&**right);
                    at = left;
                }
                ExprKind::Or(left, right) if !and => {
                    parts.push(&**right);
                    at = left;
                }
                _ => break,
            }
        }
        parts.push(at);
        let mut before = Facts::default();
        if truth == and {
            for part in parts.into_iter().rev() {
                before = before.and(&self.when(part, truth));
            }
            return before;
        }
        let mut either = Facts::unreached();
        for part in parts.into_iter().rev() {
            either = either.meet(&before.and(&self.when(part, truth)));
            before = before.and(&self.when(part, !truth));
        }
        either
    }
}

/// True if the expression or a part of it is wrong, which was reported.
fn has_error(expr: &Expr) -> bool {
    let is = |expr: &Expr| matches!(expr.kind, ExprKind::Error) || matches!(expr.ty.kind, Kind::Error);
    let mut faulty = is(expr);
    expr.for_each_child(&mut |part| faulty |= is(part));
    faulty
}

/// The facts that hold where two operands are equal, or where they are not.
fn equality(operands: &[Expr], equal: bool) -> Facts {
    let [left, right] = operands else { return Facts::default() };
    let tells = |of: &Expr, other: &Expr| {
        let excludes_null = if equal {
            !other.ty.nullable && !matches!(other.ty.kind, Kind::Any | Kind::Null | Kind::Error)
        } else {
            matches!(other.kind, ExprKind::Const(Value::Null))
        };
        if excludes_null { not_null(of) } else { Facts::default() }
    };
    tells(left, right).and(&tells(right, left))
}

fn contained(operands: &[Expr]) -> Facts {
    match operands {
        [left, right] => match &right.ty.kind {
            Kind::List(item, _) if !item.nullable && !matches!(item.kind, Kind::Any | Kind::Null) => {
                not_null(left)
            }
            Kind::Map(_) => {
                let mut facts = Facts::default();
                if let (Some(path), Some(key)) = (Path::of(right), MapKey::of(left)) {
                    facts.insert_key(path, key);
                }
                facts
            }
            _ => Facts::default(),
        },
        _ => Facts::default(),
    }
}

/// The facts of one path that is not null.
fn not_null(expr: &Expr) -> Facts {
    let mut facts = Facts::default();
    if expr.ty.nullable
        && let Some(path) = Path::of(expr)
    {
        facts.insert(path);
    }
    facts
}

fn narrowed(value: &Expr, ty: &Type) -> Facts {
    let mut facts = Facts::default();
    if !ty.nullable
        && let Some(path) = Path::of(value)
    {
        if matches!(ty.kind, Kind::Any) {
            facts.insert(path);
        } else {
            facts.narrow(path, ty.clone());
        }
    }
    facts
}

impl Scope {
    /// The facts of each item of a list, as facts of `item`: what the conditions tell by which the list was filtered.
    pub(super) fn facts_of_items(&self, list: &Expr, item: Root) -> Facts {
        match &list.kind {
            ExprKind::Macro { kind: Macro::Filter, over, local, filter: Some(test), .. } => {
                let own = facts_when(self, test, true).moved(Root::Local(*local), item);
                own.and(&self.facts_of_items(over, item))
            }
            ExprKind::Macro { kind: Macro::SortBy, over, .. } => self.facts_of_items(over, item),
            ExprKind::Let(id) => {
                let own = self.lets.get(id.0 as usize).map(|info| info.of_items.moved(ITEM, item));
                own.unwrap_or_default()
            }
            _ => Facts::default(),
        }
    }

    /// Forgets what a write makes uncertain: the path, what lies below it, and lets that read its root.
    pub fn forget(&self, facts: &mut Facts, write: &Write) {
        if facts.is_empty() {
            return;
        }
        if write.below {
            facts.kill_below(&write.path);
        } else {
            facts.kill(&write.path);
        }
        if let Root::Slot(slot) = write.path.root {
            facts.retain_roots(|root| match root {
                Root::Let(id) => !self.let_reads(id).is_some_and(|reads| reads.contains(slot)),
                _ => true,
            });
        }
    }

    /// Forgets what the writes of a list make uncertain.
    pub fn forget_all(&self, facts: &mut Facts, writes: &Writes) {
        if facts.is_empty() {
            return;
        }
        match &writes.slots {
            FewSlots::Some(ids) => {
                for id in ids {
                    self.forget(facts, &Write { path: Path::root(Root::Slot(*id)), below: false });
                }
            }
            FewSlots::All => {
                facts.kill_slots();
                facts.retain_roots(|root| match root {
                    Root::Let(id) => self.let_reads(id).is_none_or(FewSlots::is_empty),
                    _ => true,
                });
            }
        }
        for write in &writes.fields {
            self.forget(facts, write);
        }
    }
}

/// Notes that `value` was written to `path`, which takes values of type `ty` and whose old facts are forgotten already.
pub(super) fn learn(facts: &mut Facts, types: &TypeTable, path: &Path, ty: &Type, value: &Expr) {
    if !value.ty.nullable && !matches!(value.ty.kind, Kind::Any | Kind::Null) {
        facts.write(path.clone(), ty);
    }
    learn_keys(facts, path, value);
    if let ExprKind::Record(id, fields) = &value.kind {
        for ((name, field), declared) in fields.iter().zip(&types.record(*id).fields) {
            let mut below = path.clone();
            below.fields.push(name.clone());
            if !field.ty.nullable && !matches!(field.ty.kind, Kind::Any | Kind::Null | Kind::Error) {
                learn(facts, types, &below, &declared.ty, field);
            }
        }
    }
}
