//! The parts of a guard that a proof can use where it holds.

use std::rc::Rc;

use super::declared::Declared;
use super::linear::Linear;
use super::term::Term;
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::model::typing::Path;
use crate::program::function::Function;
use crate::value::Value;

/// Guards that nest deeper than this say nothing more; lets count as what they stand for.
const MAX_GUARD_DEPTH: u32 = 32;
/// No more than this is noted of what holds at an edge.
const MAX_ATOMS: usize = 16;
/// Enums of more members are not told apart.
const MAX_MEMBERS: usize = 64;

/// One thing that holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// The sum is at least 1.
    Positive(Linear),
    /// The boolean or enum at the path is one of these members, by bit.
    Among(Path, u64),
}

/// All that holds at an edge when it is taken.
pub(super) type Atoms = Rc<[Atom]>;

/// The atoms that are true where a guard is (`holds`), or where it is false.
pub(super) fn atoms(declared: Declared<'_>, guard: &Expr, holds: bool) -> Vec<Atom> {
    let mut reading = Reading { declared, found: Vec::new() };
    reading.read(guard, holds, 0);
    reading.found.truncate(MAX_ATOMS);
    reading.found
}

struct Reading<'g> {
    declared: Declared<'g>,
    found: Vec<Atom>,
}

impl Reading<'_> {
    fn read(&mut self, guard: &Expr, holds: bool, depth: u32) {
        if depth > MAX_GUARD_DEPTH || self.found.len() > MAX_ATOMS {
            return;
        }
        let deeper = depth + 1;
        match &guard.kind {
            ExprKind::Let(id) => self.read(&self.declared.graph.lets[id.0 as usize].body, holds, deeper),
            ExprKind::Not(inner) => self.read(inner, !holds, deeper),
            ExprKind::And(a, b) if holds => {
                self.read(a, holds, deeper);
                self.read(b, holds, deeper);
            }
            ExprKind::Or(a, b) if !holds => {
                self.read(a, holds, deeper);
                self.read(b, holds, deeper);
            }
            ExprKind::Slot(_) | ExprKind::Field { .. } => self.among(guard, |m| *m == Value::Bool(holds)),
            ExprKind::Call(function, args) => {
                if let [a, b] = args.as_slice() {
                    self.compare(*function, (a, b), holds);
                }
            }
            _ => {}
        }
    }

    fn compare(&mut self, function: Function, (a, b): (&Expr, &Expr), holds: bool) {
        match (function, holds) {
            (Function::LESS, true) | (Function::GREATER_OR_EQUAL, false) => self.positive(b, a, false),
            (Function::LESS_OR_EQUAL, true) | (Function::GREATER, false) => self.positive(b, a, true),
            (Function::GREATER, true) | (Function::LESS_OR_EQUAL, false) => self.positive(a, b, false),
            (Function::GREATER_OR_EQUAL, true) | (Function::LESS, false) => self.positive(a, b, true),
            (Function::EQUAL, _) => self.equal(a, b, holds),
            (Function::NOT_EQUAL, _) => self.equal(a, b, !holds),
            (Function::IN, _) => {
                if let ExprKind::Const(Value::List(list)) = &b.kind {
                    self.among(a, |member| list.iter().any(|item| item == member) == holds);
                }
            }
            _ => {}
        }
    }

    /// `more - less` is at least 1, or with `or_equal` at least 0.
    fn positive(&mut self, more: &Expr, less: &Expr, or_equal: bool) {
        let sums = Linear::of(self.declared, more).zip(Linear::of(self.declared, less));
        let sum = sums.and_then(|(more, less)| more.plus(&less, -1));
        let sum = if or_equal { sum.and_then(Linear::plus_one) } else { sum };
        self.found.extend(sum.map(Atom::Positive));
    }

    fn equal(&mut self, a: &Expr, b: &Expr, holds: bool) {
        let is_fixed = |e: &Expr| matches!(e.kind, ExprKind::Const(_) | ExprKind::List(_));
        let (one, other) = if is_fixed(a) { (b, a) } else { (a, b) };
        if matches!(&other.kind, ExprKind::List(items) if items.is_empty()) && !holds {
            self.not_empty(Linear::size(self.declared, one));
        }
        if let ExprKind::Const(value) = &other.kind {
            match value {
                Value::Bool(_) | Value::Str(_) => self.among(one, |member| (member == value) == holds),
                // What is not empty has a size of at least 1.
                Value::List(list) if list.is_empty() && !holds => {
                    self.not_empty(Linear::size(self.declared, one));
                }
                Value::Int(0) if !holds => {
                    let sum = Linear::of(self.declared, one).filter(is_size);
                    self.not_empty(sum);
                }
                _ => {}
            }
        }
        if holds {
            self.positive(a, b, true);
            self.positive(b, a, true);
        }
    }

    fn not_empty(&mut self, size: Option<Linear>) {
        self.found.extend(size.filter(is_size).map(Atom::Positive));
    }

    fn among(&mut self, expr: &Expr, is_in: impl Fn(&Value) -> bool) {
        let Some((path, ty)) = self.declared.stored(expr) else { return };
        let Some(members) = members(&ty) else { return };
        let set = members.iter().enumerate().filter(|(_, member)| is_in(member));
        self.found.push(Atom::Among(path, set.fold(0, |set, (i, _)| set | 1 << i)));
    }
}

/// True for a size alone.
fn is_size(sum: &Linear) -> bool {
    sum.constant == 0 && matches!(sum.terms.as_slice(), [(Term::Size(_), 1)])
}

/// The values of a type that has few of them.
pub(super) fn members(ty: &Type) -> Option<Vec<Value>> {
    match &ty.kind {
        Kind::Bool if !ty.nullable => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Kind::Enum(own) if !ty.nullable && own.members.len() <= MAX_MEMBERS => {
            Some(own.members.iter().cloned().map(Value::Str).collect())
        }
        _ => None,
    }
}
