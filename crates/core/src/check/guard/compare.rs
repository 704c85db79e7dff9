//! Comparisons: of one value with constants, and of two values with each other.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::class::{Example, ValueClass, whole};
use super::set::{GuardSet, MAX_DEPTH};
use super::subject::{PairClass, SubjectKey, is_whole};
use super::term::{Head, TermId};
use super::verdict::{Answer, Truth};
use crate::decide::TooLarge;
use crate::model::types::{Kind, Type};
use crate::program::function::{Function, operator};
use crate::value::Value;

/// Lists of more items that are no constants are not looked through.
const MAX_ITEMS: usize = 64;

/// A sum of terms and a number.
#[derive(Debug, Default)]
struct Sum {
    terms: SmallVec<[(TermId, i128); 4]>,
    number: i128,
}

impl Sum {
    fn add(&mut self, term: TermId, times: i128) {
        match self.terms.iter_mut().find(|(own, _)| *own == term) {
            Some((_, own)) => *own += times,
            None => self.terms.push((term, times)),
        }
        self.terms.retain(|(_, times)| *times != 0);
    }
}

impl GuardSet<'_> {
    /// `a == b`, `a < b` or `a <= b`.
    pub(super) fn compare(&mut self, function: Function, a: TermId, b: TermId) -> Result<Truth, TooLarge> {
        if let Some(truth) = self.by_cases(function, a, b, false)? {
            return Ok(truth);
        }
        if let Some(truth) = self.by_cases(function, b, a, true)? {
            return Ok(truth);
        }
        if function == Function::EQUAL
            && let Some(truth) = self.equal_conditions(a, b)?
        {
            return Ok(truth);
        }
        if let (Some(a), Some(b)) = (self.terms.as_constant(a), self.terms.as_constant(b)) {
            return Ok(relation(function, a, b).map_or(Truth::FAILED, Truth::of));
        }
        if is_whole(self.terms.get(a).ty) && is_whole(self.terms.get(b).ty) {
            return self.compare_sums(function, a, b);
        }
        match (self.terms.as_constant(a).cloned(), self.terms.as_constant(b).cloned()) {
            (None, Some(constant)) => self.with_constant(function, a, b, &constant, |value, constant| {
                relation(function, value, constant)
            }),
            (Some(constant), None) => self.with_constant(function, b, a, &constant, |value, constant| {
                relation(function, constant, value)
            }),
            _ => self.pair(function, a, b, 0),
        }
    }

    /// `a == b` where one of them is a condition that is taken apart.
    fn equal_conditions(&mut self, a: TermId, b: TermId) -> Result<Option<Truth>, TooLarge> {
        let (condition, other) = match (self.is_condition(a), self.is_condition(b)) {
            (true, _) => (a, b),
            (false, true) => (b, a),
            (false, false) => return Ok(None),
        };
        let ty = &self.terms.get(other).ty;
        if matches!(ty.kind, Kind::Bool) && !ty.nullable {
            let (one, other) = (self.truth(condition)?, self.truth(other)?);
            return self.either(one, other, other.swapped()).map(Some);
        }
        if self.terms.as_constant(other).is_some() {
            // It is never equal to null, nor to anything else that is no boolean.
            let own = self.truth(condition)?;
            let no = self.diagrams.or(own.yes, own.no)?;
            return Ok(Some(Truth { no, ..Truth::FAILED }));
        }
        Ok(None)
    }

    /// Takes apart a side that is one of two values.
    fn by_cases(
        &mut self,
        function: Function,
        side: TermId,
        other: TermId,
        turned: bool,
    ) -> Result<Option<Truth>, TooLarge> {
        let term = self.terms.get(side);
        let is_conditional = match term.head {
            Head::Conditional => true,
            Head::Coalesce => false,
            _ => return Ok(None),
        };
        let parts = term.parts.clone();
        let against = |set: &mut Self, value: TermId| {
            let (a, b) = if turned { (other, value) } else { (value, other) };
            set.deeper(|set| set.compare(function, a, b))
        };
        Ok(Some(match (is_conditional, parts.as_slice()) {
            (true, [condition, then, otherwise]) => {
                let condition = self.truth(*condition)?;
                let (then, otherwise) = (against(self, *then)?, against(self, *otherwise)?);
                self.either(condition, then, otherwise)?
            }
            (false, [value, instead]) => {
                let is_null = self.deeper(|set| set.is_null(*value))?;
                let (value, instead) = (against(self, *value)?, against(self, *instead)?);
                self.either(is_null, instead, value)?
            }
            _ => return Ok(None),
        }))
    }

    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, TooLarge>) -> Result<T, TooLarge> {
        self.work()?;
        if self.depth >= MAX_DEPTH {
            return Err(TooLarge);
        }
        self.depth += 1;
        let done = run(self);
        self.depth -= 1;
        done
    }

    /// True for what is taken apart as a condition, and is no value that is looked at.
    fn is_condition(&self, id: TermId) -> bool {
        match self.terms.get(id).head {
            Head::And | Head::Or | Head::Not | Head::Is(_) | Head::Has(_) => true,
            Head::Call(function) => {
                [Function::EQUAL, Function::LESS, Function::LESS_OR_EQUAL, Function::IN].contains(function)
            }
            _ => false,
        }
    }

    /// Whole numbers: what stands on both sides goes to one, the numbers to the other.
    fn compare_sums(&mut self, function: Function, a: TermId, b: TermId) -> Result<Truth, TooLarge> {
        let mut sum = Sum::default();
        self.sum(a, 1, 0, &mut sum);
        self.sum(b, -1, 0, &mut sum);
        let number = sum.number;
        match sum.terms.as_slice() {
            [] => Ok(Truth::of(holds(function, number.cmp(&0)))),
            [(one, 1)] => self.number(*one, -number, |value| holds(function, value.cmp(&-number))),
            [(one, -1)] => self.number(*one, number, |value| holds(function, number.cmp(&value))),
            [(one, 1), (other, -1)] | [(other, -1), (one, 1)] => {
                let (one, other) = (*one, *other);
                self.pair(function, one, other, number)
            }
            _ => self.pair(function, a, b, 0),
        }
    }

    /// Adds `times` a term of whole numbers to a sum.
    fn sum(&self, id: TermId, times: i128, depth: u32, sum: &mut Sum) {
        let term = self.terms.get(id);
        if let Some(number) = self.terms.as_constant(id).and_then(whole) {
            sum.number += times * i128::from(number);
            return;
        }
        match (term.head, term.parts.as_slice()) {
            (Head::Call(function @ (Function::ADD | Function::SUBTRACT)), [a, b])
                if depth < 16 && [a, b].iter().all(|part| is_whole(self.terms.get(**part).ty)) =>
            {
                self.sum(*a, times, depth + 1, sum);
                let sign = if *function == Function::ADD { times } else { -times };
                self.sum(*b, sign, depth + 1, sum);
            }
            (Head::Call(Function::NEGATE), [inner]) if depth < 16 && is_whole(self.terms.get(*inner).ty) => {
                self.sum(*inner, -times, depth + 1, sum);
            }
            _ => sum.add(id, times),
        }
    }

    /// A whole number that is compared with a constant.
    fn number(
        &mut self,
        id: TermId,
        constant: i128,
        holds: impl Fn(i128) -> bool,
    ) -> Result<Truth, TooLarge> {
        let point = i64::try_from(constant).ok();
        if let Some(of) = self.sized(id) {
            let place = self.one(of)?;
            if self.gathering {
                self.subjects[place].points.sizes.extend(point);
            }
            return self.about(of, |class| match (&class.example, class.sizes) {
                (Example::Failed, _) | (Example::Value(Value::Null), None) => Answer::Failed,
                (_, Some((low, high))) => {
                    let (low, high) = (holds(i128::from(low)), holds(i128::from(high)));
                    if low == high { low.into() } else { Answer::Either }
                }
                _ => Answer::Either,
            });
        }
        let place = self.one(id)?;
        if self.gathering {
            let make = |n| match self.terms.get(id).ty.kind {
                Kind::Usd => Value::Usd(n),
                Kind::Duration => Value::Duration(n),
                _ => Value::Int(n),
            };
            let value: Option<Value> = point.map(make);
            self.subjects[place].points.values.extend(value);
        }
        self.about(id, |class| match class.range {
            Some((low, high)) => {
                let (low, high) = (holds(i128::from(low)), holds(i128::from(high)));
                if low == high { low.into() } else { Answer::Either }
            }
            None => Answer::Failed,
        })
    }

    /// The text, list or map whose size the term is, where it is known by its own classes.
    pub(super) fn sized(&self, id: TermId) -> Option<TermId> {
        let term = self.terms.get(id);
        match (term.head, term.parts.as_slice()) {
            (Head::Call(Function::SIZE), [of]) => {
                let kind = &self.terms.get(*of).ty.kind;
                let has_sizes =
                    matches!(kind, Kind::String(_) | Kind::List(..) | Kind::Map(_) | Kind::Enum(_));
                let computed = matches!(self.terms.get(*of).head, Head::Conditional | Head::Coalesce);
                (has_sizes && !computed).then_some(*of)
            }
            _ => None,
        }
    }

    /// A value that is compared with a constant.
    fn with_constant(
        &mut self,
        function: Function,
        id: TermId,
        constant_id: TermId,
        constant: &Value,
        relation: impl Fn(&Value, &Value) -> Option<bool>,
    ) -> Result<Truth, TooLarge> {
        let (inner, wanted) = self.coerced(id);
        // Of lists and maps only the size is known.
        let composed = match constant {
            Value::List(list) => !list.is_empty(),
            Value::Map(map) => !map.is_empty(),
            // Further out, whole numbers are not told apart as floats.
            Value::Float(float) => float.abs() >= 9_007_199_254_740_992.0,
            _ => false,
        };
        if composed {
            return self.pair(function, id, constant_id, 0);
        }
        let place = self.one(inner)?;
        if self.gathering {
            let points = &mut self.subjects[place].points;
            points.values.push(constant.clone());
            points.ordered |= function != Function::EQUAL && matches!(constant, Value::Str(_));
            if matches!(constant, Value::List(_) | Value::Map(_)) {
                points.sizes.push(0);
            }
        }
        self.about(inner, |class| match seen_as(class, wanted.as_ref()) {
            Ok(value) => relation(value, constant).map_or(Answer::Failed, Answer::from),
            Err(answer) => answer,
        })
    }

    /// The value behind a conversion that only tests, and the type it must have.
    fn coerced(&self, id: TermId) -> (TermId, Option<Type>) {
        let term = self.terms.get(id);
        match (term.head, term.parts.as_slice()) {
            (Head::Coerce(ty), [inner]) if matches!(self.terms.get(*inner).ty.kind, Kind::Any) => {
                (*inner, Some(ty.clone()))
            }
            _ => (id, None),
        }
    }

    /// `item in list`.
    pub(super) fn contained(&mut self, id: TermId, item: TermId, of: TermId) -> Result<Truth, TooLarge> {
        let list = self.terms.get(of);
        let span = list.span;
        let items: Vec<TermId> = match (list.head, self.terms.as_constant(of)) {
            (_, Some(Value::List(values))) => {
                let values: Vec<Value> = values.iter().cloned().collect();
                values.into_iter().map(|value| self.terms.constant(value, span)).collect()
            }
            (Head::List, _) if list.parts.len() <= MAX_ITEMS => list.parts.to_vec(),
            _ => return self.contained_in_some(id, item, of),
        };
        let mut any = Truth::NO;
        for own in items {
            let equal = self.compare(Function::EQUAL, item, own)?;
            let yes = self.diagrams.or(any.yes, equal.yes)?;
            let no = self.diagrams.and(any.no, equal.no)?;
            any = Truth { yes, no };
        }
        Ok(any)
    }

    /// `item in list` of a list of which nothing is known: null is in none whose items are never null.
    fn contained_in_some(&mut self, id: TermId, item: TermId, of: TermId) -> Result<Truth, TooLarge> {
        let truth = self.opaque(id)?;
        let list = self.terms.get(of);
        let (span, ty) = (list.span, &list.ty.kind);
        let has_null = !matches!(ty, Kind::List(item, _) if !item.nullable && item.kind != Kind::Any);
        if has_null || !self.terms.get(item).ty.nullable {
            return Ok(truth);
        }
        let null = self.terms.constant(Value::Null, span);
        let is_null = self.compare(Function::EQUAL, item, null)?;
        let yes = self.diagrams.and(truth.yes, is_null.no)?;
        let no = self.diagrams.or(truth.no, is_null.yes)?;
        Ok(Truth { yes, no })
    }

    /// A condition of which nothing is known but that it is true, false, or fails.
    pub(super) fn opaque(&mut self, id: TermId) -> Result<Truth, TooLarge> {
        self.about(id, |class| match &class.example {
            Example::Value(Value::Bool(flag)) => (*flag).into(),
            _ => Answer::Failed,
        })
    }

    /// Two values that are compared: `a + number` with `b`.
    fn pair(&mut self, function: Function, a: TermId, b: TermId, number: i128) -> Result<Truth, TooLarge> {
        if a == b && is_whole(self.terms.get(a).ty) {
            return Ok(Truth::of(holds(function, number.cmp(&0))));
        }
        // The one that is met first stands first, what was used of a budget before its limit.
        let (key, turned) = if a <= b { ((a, b), false) } else { ((b, a), true) };
        let place = self.subject(SubjectKey::Pair(key.0, key.1))?;
        for member in [a, b] {
            if self.terms.as_constant(member).is_none()
                && !matches!(self.terms.get(member).head, Head::Call(Function::SIZE))
                && self.is_small(member)
            {
                self.one(member)?;
            }
        }
        if self.gathering {
            self.subjects[place].differences.push(if turned { number } else { -number });
            return Ok(Truth::UNKNOWN);
        }
        let subject = &self.subjects[place];
        let variable = subject.variable;
        let answers: Vec<Answer> =
            subject.pairs().iter().map(|class| answer(function, *class, number, turned)).collect();
        self.by_answers(variable, &answers)
    }

    /// True for values of few classes: how they compare follows from what they are.
    fn is_small(&self, id: TermId) -> bool {
        let ty = &self.terms.get(id).ty;
        ty.nullable || matches!(ty.kind, Kind::Bool | Kind::Float | Kind::Any)
    }
}

/// The value of a class where one of a type is wanted.
fn seen_as<'c>(class: &'c ValueClass, wanted: Option<&Type>) -> Result<&'c Value, Answer> {
    let Example::Value(value) = &class.example else { return Err(Answer::Failed) };
    let Some(wanted) = wanted else { return Ok(value) };
    let fits = match (&wanted.kind, value) {
        (_, Value::Null) => return if wanted.nullable { Ok(value) } else { Err(Answer::Failed) },
        (Kind::Bool, Value::Bool(_))
        | (Kind::Int(None), Value::Int(_))
        | (Kind::Float, Value::Float(_))
        | (Kind::String(None), Value::Str(_))
        | (Kind::Usd, Value::Usd(_))
        | (Kind::Duration, Value::Duration(_)) => true,
        _ => false,
    };
    if fits { Ok(value) } else { Err(Answer::Either) }
}

/// A comparison as it is evaluated; [`None`] where it fails.
fn relation(function: Function, a: &Value, b: &Value) -> Option<bool> {
    if function == Function::EQUAL {
        return Some(a.equals(b));
    }
    operator::compare(function, a, b).ok()
}

const fn holds(function: Function, order: Ordering) -> bool {
    match function {
        Function::EQUAL => order.is_eq(),
        Function::LESS => order.is_lt(),
        _ => order.is_le(),
    }
}

/// The answer of `a + number` compared with `b` for a class of their pair, or of the pair of `b` and `a`.
fn answer(function: Function, class: PairClass, number: i128, turned: bool) -> Answer {
    let ordered = |order: Ordering| holds(function, if turned { order.reverse() } else { order }).into();
    match class {
        PairClass::Difference(low, high) => {
            let order = |difference: i128| {
                let difference = if turned { -difference } else { difference };
                holds(function, (difference + number).cmp(&0))
            };
            let (low, high) = (order(low), order(high));
            if low == high { low.into() } else { Answer::Either }
        }
        PairClass::Less => ordered(Ordering::Less),
        PairClass::Equal => ordered(Ordering::Equal),
        PairClass::Greater => ordered(Ordering::Greater),
        PairClass::Unordered => Answer::No,
        PairClass::Different if function == Function::EQUAL => Answer::No,
        PairClass::Same if function == Function::EQUAL => Answer::Yes,
        PairClass::Different | PairClass::Same | PairClass::Failed => Answer::Failed,
    }
}
