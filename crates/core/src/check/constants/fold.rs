//! The values of constant expressions.

use crate::model::expr::{Expr, ExprKind, SlotId};
use crate::model::{Graph, Model};
use crate::program::fault::FaultKind;
use crate::program::function::{Function, Meter, Pattern, Schema};
use crate::value::{List, Map, Str, Value};

/// The work for all constants of a graph, in the units of an evaluation.
const MAX_FOLDING_COST: u64 = 2_000_000;

/// Expressions in expressions, those of lets among them, that are followed. What is deeper is taken for no constant.
const MAX_FOLDED_LEVELS: u32 = 128;

/// An expression, as far as it can be computed before anything runs.
#[derive(Debug, Clone)]
pub(super) enum Folded {
    /// It has this value whenever it has one.
    Value(Value),
    /// It has no value, or depends on the run.
    Open,
}

/// Computes the constants of one graph.
pub(super) struct Fold<'g> {
    pub(super) graph: &'g Graph,
    model: &'g Model,
    /// The values of lets.
    lets: Vec<Option<Folded>>,
    meter: Meter,
    depth: u32,
    /// An input that is taken to have a value.
    given: Option<(SlotId, Value)>,
}

impl<'g> Fold<'g> {
    pub(super) fn of(model: &'g Model, graph: &'g Graph) -> Self {
        let lets = vec![None; graph.lets.len()];
        Self { graph, model, lets, meter: Meter::new(MAX_FOLDING_COST), depth: 0, given: None }
    }

    /// The value of an expression where an input has this value.
    pub(super) fn value_with(&mut self, expr: &Expr, slot: SlotId, value: Value) -> Folded {
        let lets = std::mem::replace(&mut self.lets, vec![None; self.graph.lets.len()]);
        self.given = Some((slot, value));
        let found = self.value(expr);
        self.given = None;
        self.lets = lets;
        found
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Folded {
        match self.compute(expr) {
            Some(value) => Folded::Value(value),
            None => Folded::Open,
        }
    }

    fn compute(&mut self, expr: &Expr) -> Option<Value> {
        if self.depth >= MAX_FOLDED_LEVELS {
            return None;
        }
        self.depth += 1;
        let found = self.computed(expr);
        self.depth -= 1;
        found
    }

    fn computed(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Slot(id) => {
                self.given.as_ref().filter(|(own, _)| own == id).map(|(_, value)| value.clone())
            }
            ExprKind::Let(id) => self.of_let(id.0 as usize),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.compute(item)).collect::<Option<List>>()?;
                self.meter.charge_items(items.len()).ok().map(|()| Value::List(items))
            }
            ExprKind::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    let Value::Str(key) = self.compute(key)? else { return None };
                    map.insert(key, self.compute(value)?);
                }
                self.meter.charge_items(map.len()).ok().map(|()| Value::Map(map))
            }
            ExprKind::Call(function, args) => {
                let args = args.iter().map(|arg| self.compute(arg)).collect::<Option<Vec<_>>>()?;
                self.model.functions.call(*function, &args, &mut self.meter).ok()
            }
            ExprKind::Index(list, place) => {
                let sides = [self.compute(list)?, self.compute(place)?];
                self.model.functions.call(Function::INDEX, &sides, &mut self.meter).ok()
            }
            ExprKind::Not(inner) => Some(Value::Bool(!self.truth(inner)?)),
            ExprKind::And(a, b) => self.either(a, b, false),
            ExprKind::Or(a, b) => self.either(a, b, true),
            ExprKind::Conditional(condition, then, otherwise) => {
                let branch = if self.truth(condition)? { then } else { otherwise };
                self.compute(branch)
            }
            ExprKind::Coalesce(a, b) => match self.compute(a)? {
                Value::Null => self.compute(b),
                value => Some(value),
            },
            _ => None,
        }
    }

    fn of_let(&mut self, at: usize) -> Option<Value> {
        if self.lets[at].is_none() {
            let graph = self.graph;
            let found = self.value(&graph.lets[at].body);
            self.lets[at] = Some(found);
        }
        match &self.lets[at] {
            Some(Folded::Value(value)) => Some(value.clone()),
            _ => None,
        }
    }

    fn truth(&mut self, expr: &Expr) -> Option<bool> {
        match self.compute(expr)? {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// `a && b` or `a || b`: one side that decides is enough.
    fn either(&mut self, a: &Expr, b: &Expr, decides: bool) -> Option<Value> {
        let (a, b) = (self.truth(a), self.truth(b));
        if a == Some(decides) || b == Some(decides) {
            return Some(Value::Bool(decides));
        }
        Some(Value::Bool(a? || b?))
    }

    /// The reason for which an expression always fails, if it is not one of its parts that does.
    pub(super) fn own_fault(&mut self, expr: &Expr) -> Option<String> {
        let (function, known) = match &expr.kind {
            ExprKind::Call(function, args) => {
                (function, args.iter().map(|arg| self.compute(arg)).collect::<Vec<Option<Value>>>())
            }
            ExprKind::Index(list, place) => (&Function::INDEX, vec![self.compute(list), self.compute(place)]),
            _ => return None,
        };
        if let Some(known) = known.iter().cloned().collect::<Option<Vec<Value>>>() {
            let fault = self.model.functions.call(*function, &known, &mut self.meter).err()?;
            return (fault.kind != FaultKind::Cost).then(|| fault.message.to_string());
        }
        match (*function, function.name(), known.as_slice()) {
            (Function::DIVIDE | Function::MODULO, _, [None, Some(Value::Int(0))]) => {
                Some("it divides by 0".to_owned())
            }
            (Function::INDEX, _, [None, Some(Value::Int(place))]) if *place < 0 => {
                Some(format!("the places of a list are counted from 0, and this is {place}"))
            }
            (_, Some("matches"), [None, Some(Value::Str(pattern))])
            | (_, Some("find_all"), [Some(Value::Str(pattern)), None]) => self.refused(pattern),
            (_, Some("violations"), [None, Some(schema)]) => {
                self.meter.charge_whole(schema).ok()?;
                Schema::new(schema).err().map(|fault| fault.message.to_string())
            }
            _ => None,
        }
    }

    fn refused(&mut self, pattern: &Str) -> Option<String> {
        self.meter.charge_items(2_000 + pattern.len()).ok()?;
        Pattern::new(pattern).err().map(|fault| fault.message.to_string())
    }
}
