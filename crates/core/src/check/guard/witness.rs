//! Witnesses: states in which something is so that a diagram says may be.

use super::class::{ValueClass, whole};
use super::set::GuardSet;
use super::state;
use super::subject::{PairClass, SubjectKey};
use super::term::{Head, TermId};
use crate::decide::Cube;
use crate::model::node::NodeId;
use crate::model::types::{Kind, Type};
use crate::program::frame::Frame;
use crate::program::op::{BudgetQuery, Special};
use crate::value::{Str, Value};

/// The most states that are tried for one cube.
const MAX_STATES: usize = 48;

/// The most values that are tried on the way.
const MAX_TRIES: usize = 2_000;

/// The most values that are tried for one term.
const MAX_VALUES: usize = 12;

/// A term that a state gives a value, and the values to try.
struct StatePart {
    term: TermId,
    ty: Type,
    path: (Head, Vec<Str>),
    values: Vec<Value>,
    /// The class that it must be of, where the cube says one.
    class: Option<ValueClass>,
}

/// A search for a state of a cube.
struct Search<'s, 'g, 'a> {
    set: &'s GuardSet<'g>,
    node: NodeId,
    parts: Vec<StatePart>,
    pairs: Vec<(TermId, TermId, PairClass)>,
    chosen: Vec<Value>,
    accepts: &'a mut dyn FnMut(&Frame) -> bool,
    states: usize,
    tries: usize,
}

/// A value that a witness gives to a term.
pub(super) type Chosen = Vec<(TermId, Value)>;

impl GuardSet<'_> {
    /// The place where a state holds the value of a term.
    fn place(&self, id: TermId) -> Option<(Head, Vec<Str>)> {
        let term = self.terms.get(id);
        match term.head {
            Head::Budget(BudgetQuery::Used | BudgetQuery::Limit, _) if term.parts.is_empty() => {
                Some((term.head.clone(), Vec::new()))
            }
            Head::Step | Head::Visits(_) => Some((term.head.clone(), Vec::new())),
            _ => self.terms.path(id).filter(|(root, _)| !matches!(root, Head::Special(Special::Tools))),
        }
    }

    /// The terms that a subject is about: those whose values a state must hold for it.
    pub(super) fn members(&self, key: SubjectKey) -> Vec<TermId> {
        let of = |id: TermId| self.sized(id).unwrap_or(id);
        match key {
            SubjectKey::One(id) => vec![id],
            SubjectKey::Pair(a, b) => {
                [a, b].into_iter().filter(|id| self.terms.as_constant(*id).is_none()).map(of).collect()
            }
        }
    }

    /// A state of the cube that is accepted, by the values of its terms.
    pub(super) fn find_state(
        &self,
        node: NodeId,
        cube: &Cube,
        accepts: &mut dyn FnMut(&Frame) -> bool,
    ) -> Option<(Chosen, Frame)> {
        let mut pairs = Vec::new();
        for (variable, class) in &cube.0 {
            let subject = self.by_variable(*variable);
            if let SubjectKey::Pair(a, b) = subject.key {
                pairs.push((a, b, subject.pairs()[*class]));
            }
        }
        let parts = self.parts(cube)?;
        let chosen = Vec::new();
        let mut search = Search { set: self, node, parts, pairs, chosen, accepts, states: 0, tries: 0 };
        search.go_on()
    }

    /// All terms that have a place in a state, those above others first.
    fn parts(&self, cube: &Cube) -> Option<Vec<StatePart>> {
        let mut terms: Vec<TermId> =
            self.subjects.iter().flat_map(|subject| self.members(subject.key)).collect();
        terms.sort_unstable();
        terms.dedup();
        let mut parts = Vec::new();
        for term in terms {
            let Some(path) = self.place(term) else { continue };
            let subject = self.by_key.get(&SubjectKey::One(term)).map(|place| &self.subjects[*place]);
            let class = subject.and_then(|own| Some(own.classes()[cube.class(own.variable)?].clone()));
            if class.as_ref().is_some_and(|class| class.value().is_none() || !class.is_real) {
                return None;
            }
            let ty = self.terms.get(term).ty.clone();
            let classes = match (&class, subject) {
                (Some(class), _) => std::slice::from_ref(class),
                (None, Some(subject)) => subject.classes(),
                (None, None) => &[],
            };
            let mut values: Vec<Value> = classes
                .iter()
                .filter(|class| class.is_real)
                .flat_map(|class| class.value().into_iter().chain(&class.others))
                .cloned()
                .collect();
            if values.is_empty() {
                values = self.usual(&ty);
            }
            values.truncate(MAX_VALUES);
            parts.push(StatePart { term, ty, path, values, class });
        }
        parts.sort_by_key(|part| part.path.1.len());
        Some(parts)
    }

    /// Values of a type that nothing is known of.
    pub(super) fn usual(&self, ty: &Type) -> Vec<Value> {
        let plain = state::plain(&ty.clone().not_null(), &self.model.types, 0);
        let mut values = vec![plain];
        match &ty.kind {
            Kind::Int(_) => values.extend([1, -1, 2].map(Value::Int)),
            Kind::Float => values.extend([f64::NAN, 1.0, -1.0].map(Value::Float)),
            Kind::Usd => values.extend([1, -1].map(Value::Usd)),
            Kind::Duration => values.extend([1, -1].map(Value::Duration)),
            Kind::Bool => values.push(Value::Bool(true)),
            Kind::Enum(members) => values.extend(members.members.iter().cloned().map(Value::Str)),
            Kind::String(_) => values.extend(["a", "b", "c"].map(|text| Value::Str(text.into()))),
            Kind::List(..) => values.push(Value::List([Value::Null].into_iter().collect())),
            Kind::Any => values.extend([Value::Int(0), Value::Float(f64::NAN), Value::Str("a".into())]),
            _ => {}
        }
        if ty.nullable {
            values.push(Value::Null);
        }
        values
    }
}

impl Search<'_, '_, '_> {
    fn go_on(&mut self) -> Option<(Chosen, Frame)> {
        if self.states >= MAX_STATES || self.tries >= MAX_TRIES {
            return None;
        }
        let place = self.chosen.len();
        let Some(part) = self.parts.get(place) else { return self.accepted() };
        let mut values = part.values.clone();
        values.extend(self.derived(place));
        for value in values {
            self.tries += 1;
            let fits = self.parts[place].class.as_ref().is_none_or(|class| class.may_have(&value));
            if !fits {
                continue;
            }
            self.chosen.push(value);
            if self.agrees(place)
                && let Some(found) = self.go_on()
            {
                return Some(found);
            }
            self.chosen.pop();
        }
        None
    }

    /// The value of a term, as far as it is chosen.
    fn value(&self, id: TermId) -> Option<Value> {
        if let Some(constant) = self.set.terms.as_constant(id) {
            return Some(constant.clone());
        }
        if let Some(of) = self.set.sized(id) {
            return self.value(of).as_ref().and_then(size);
        }
        let place = self.parts.iter().position(|part| part.term == id)?;
        self.chosen.get(place).cloned()
    }

    /// Values for a term that follow from those chosen before, by how they must stand to each other.
    fn derived(&self, place: usize) -> Vec<Value> {
        let part = &self.parts[place];
        let mut values = Vec::new();
        for (a, b, class) in &self.pairs {
            let own = |id: &TermId| self.set.sized(*id).unwrap_or(*id) == part.term;
            let (other, sign, sized) = if own(a) {
                (*b, 1, self.set.sized(*a).is_some())
            } else if own(b) {
                (*a, -1, self.set.sized(*b).is_some())
            } else {
                continue;
            };
            let Some(other) = self.value(other) else { continue };
            match (class, whole(&other)) {
                (PairClass::Difference(low, high), Some(n)) => {
                    let near = 0.clamp(*low, *high);
                    let steps = [near, (*low).max(near - 1), (*high).min(near + 1)];
                    let numbers =
                        steps.iter().filter_map(|step| i64::try_from(i128::from(n) + sign * step).ok());
                    if sized {
                        values.extend(numbers.filter_map(|size| of_size(size, &part.ty)));
                    } else {
                        let make = |n| match part.ty.kind {
                            Kind::Usd => Value::Usd(n),
                            Kind::Duration => Value::Duration(n),
                            _ => Value::Int(n),
                        };
                        values.extend(numbers.map(make));
                    }
                }
                _ => values.push(other),
            }
        }
        values
    }

    /// True if the value chosen last stands to the others as it must.
    fn agrees(&self, place: usize) -> bool {
        let term = self.parts[place].term;
        self.pairs.iter().all(|(a, b, class)| {
            let own = |id: &TermId| self.set.sized(*id).unwrap_or(*id) == term;
            if !own(a) && !own(b) {
                return true;
            }
            let (Some(a), Some(b)) = (self.value(*a), self.value(*b)) else { return true };
            stand(*class, &a, &b)
        })
    }

    fn accepted(&mut self) -> Option<(Chosen, Frame)> {
        self.states += 1;
        let (graph, types) = (self.set.graph, &self.set.model.types);
        let mut frame = state::blank(graph, types, self.node);
        for (part, value) in self.parts.iter().zip(&self.chosen) {
            let path = (&part.path.0, part.path.1.as_slice());
            if !state::put(&mut frame, (graph, types), path, &part.ty, value.clone()) {
                return None;
            }
        }
        let terms = self.parts.iter().map(|part| part.term);
        (self.accepts)(&frame).then(|| (terms.zip(self.chosen.iter().cloned()).collect(), frame))
    }
}

fn stand(class: PairClass, a: &Value, b: &Value) -> bool {
    match class {
        PairClass::Difference(low, high) => match (whole(a), whole(b)) {
            (Some(a), Some(b)) => {
                let difference = i128::from(a) - i128::from(b);
                low <= difference && difference <= high
            }
            _ => false,
        },
        PairClass::Less => a.compare(b) == Some(std::cmp::Ordering::Less),
        PairClass::Equal => a.compare(b) == Some(std::cmp::Ordering::Equal),
        PairClass::Greater => a.compare(b) == Some(std::cmp::Ordering::Greater),
        PairClass::Unordered | PairClass::Different => a.compare(b).is_none() && !a.equals(b),
        PairClass::Same => a.compare(b).is_none() && a.equals(b),
        PairClass::Failed => true,
    }
}

/// The size of a text, list or map.
fn size(value: &Value) -> Option<Value> {
    let size = match value {
        Value::Str(text) => text.chars().count(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        _ => return None,
    };
    i64::try_from(size).ok().map(Value::Int)
}

/// A value of that size.
fn of_size(size: i64, ty: &Type) -> Option<Value> {
    let size = usize::try_from(size).ok().filter(|size| *size <= 4096)?;
    match ty.kind {
        Kind::List(..) => Some((0..size).map(|_| Value::Null).collect()),
        Kind::Map(_) => {
            Some(Value::Map((0..size).map(|i| (Str::from(format!("k{i}")), Value::Null)).collect()))
        }
        Kind::String(_) => Some(Value::Str("x".repeat(size).into())),
        _ => None,
    }
}
