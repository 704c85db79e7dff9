//! Ties: what the value of one subject says about that of another.

use std::cmp::Ordering;

use super::class::{Example, ValueClass};
use super::set::GuardSet;
use super::subject::{Classes, PairClass, Subject, SubjectKey};
use super::term::{Head, TermId};
use crate::decide::{Diagram, TooLarge};
use crate::model::types::Kind;
use crate::value::Value;

/// Pairs of more classes than this are not tied.
const MAX_TIED_CLASSES: usize = 4096;

impl GuardSet<'_> {
    /// The states that are left where each subject is one of its values.
    pub(super) fn ties(&mut self) -> Result<Diagram, TooLarge> {
        let mut all = Diagram::ALL;
        for place in 0..self.subjects.len() {
            let subject = self.subjects[place].clone();
            let tie = match subject.key {
                SubjectKey::One(id) => self.tie_to_above(id, &subject)?,
                SubjectKey::Pair(a, b) => self.tie_to_members((a, b), &subject)?,
            };
            all = self.diagrams.and(all, tie)?;
        }
        Ok(all)
    }

    /// A field of what is null is null, and one of what has no fields is nothing.
    fn tie_to_above(&mut self, id: TermId, subject: &Subject) -> Result<Diagram, TooLarge> {
        let term = self.terms.get(id);
        let (Head::Field(name), [above]) = (&term.head, term.parts.as_slice()) else {
            return Ok(Diagram::ALL);
        };
        let Some(place) = self.by_key.get(&SubjectKey::One(*above)) else { return Ok(Diagram::ALL) };
        let declared = match &self.terms.get(*above).ty.kind {
            Kind::Record(record) => self.model.types.record(*record).fields.get(name),
            _ => None,
        };
        let never_null = declared.is_some_and(|field| {
            !field.ty.nullable && !matches!(field.ty.kind, Kind::Any | Kind::Null | Kind::Error)
        });
        let outer = self.subjects[*place].clone();
        let allowed = |above: &ValueClass, own: &ValueClass| match &above.example {
            Example::Value(Value::Null) => own.is_null(),
            Example::Value(Value::Map(_)) => {
                let failed = own.example == Example::Failed;
                !(never_null && own.is_null() || declared.is_some() && failed)
            }
            Example::Failed | Example::Value(_) => own.example == Example::Failed,
        };
        let pairs: Vec<Vec<bool>> = outer
            .classes()
            .iter()
            .map(|above| subject.classes().iter().map(|own| allowed(above, own)).collect())
            .collect();
        let mut all = Diagram::NONE;
        for (class, row) in pairs.iter().enumerate() {
            let above = self.diagrams.among(outer.variable, |own| own == class)?;
            let own = self.diagrams.among(subject.variable, |own| row[own])?;
            let both = self.diagrams.and(above, own)?;
            all = self.diagrams.or(all, both)?;
        }
        Ok(all)
    }

    /// The classes of a pair that follow from the classes of its members.
    fn tie_to_members(&mut self, (a, b): (TermId, TermId), pair: &Subject) -> Result<Diagram, TooLarge> {
        let (Some(one), Some(other)) = (self.member(a), self.member(b)) else { return Ok(Diagram::ALL) };
        if one.classes().len() * other.classes().len() > MAX_TIED_CLASSES {
            return Ok(Diagram::ALL);
        }
        let sized = (self.sized(a).is_some(), self.sized(b).is_some());
        let mut all = Diagram::NONE;
        for (i, left) in one.classes().iter().enumerate() {
            for (j, right) in other.classes().iter().enumerate() {
                let apart = is_apart(&one, right, left) || is_apart(&other, left, right);
                let allowed = |class: &PairClass| {
                    !(apart && *class == PairClass::Equal)
                        && may_stand(*class, (left, sized.0), (right, sized.1))
                };
                let mut both = self.diagrams.among(pair.variable, |class| allowed(&pair.pairs()[class]))?;
                for (member, class) in [(&one, i), (&other, j)] {
                    if member.len() > 1 || member.variable != pair.variable {
                        let own = self.own_class(member, class)?;
                        both = self.diagrams.and(both, own)?;
                    }
                }
                all = self.diagrams.or(all, both)?;
            }
        }
        Ok(all)
    }

    fn own_class(&mut self, member: &Subject, class: usize) -> Result<Diagram, TooLarge> {
        // A constant is no subject: it has one class, whatever else there is.
        if matches!(member.key, SubjectKey::Pair(..)) {
            return Ok(Diagram::ALL);
        }
        self.diagrams.among(member.variable, |own| own == class)
    }

    /// The subject of a member of a pair; one of a constant is made up.
    fn member(&self, id: TermId) -> Option<Subject> {
        if let Some(value) = self.terms.as_constant(id) {
            let points = super::class::Points { values: vec![value.clone()], ..Default::default() };
            let of = super::class::classes(self.terms.get(id).ty, false, (i64::MIN, i64::MAX), &points)?;
            let own = of.into_iter().filter(|class| class.is_one && class.may_have(value)).collect();
            let mut subject = Subject::new(SubjectKey::Pair(id, id));
            subject.classes = Classes::Of(own);
            return Some(subject).filter(|subject| !subject.classes().is_empty());
        }
        let of = self.sized(id).unwrap_or(id);
        self.by_key.get(&SubjectKey::One(of)).map(|place| self.subjects[*place].clone())
    }
}

/// The numbers of a class, or of the sizes in it.
fn range((class, sized): (&ValueClass, bool)) -> Option<(i128, i128)> {
    let (low, high) = if sized { class.sizes } else { class.range }?;
    Some((i128::from(low), i128::from(high)))
}

/// True if values of two classes may stand to each other like that.
fn may_stand(class: PairClass, left: (&ValueClass, bool), right: (&ValueClass, bool)) -> bool {
    let failed =
        |(class, sized): (&ValueClass, bool)| class.example == Example::Failed || (sized && class.is_null());
    if failed(left) || failed(right) {
        return class == PairClass::Failed;
    }
    if class == PairClass::Failed {
        return false;
    }
    if let (Some((low, high)), Some((least, greatest))) = (range(left), range(right)) {
        return match class {
            PairClass::Difference(from, to) => from <= high - least && low - greatest <= to,
            PairClass::Less => low < greatest,
            PairClass::Equal => low <= greatest && least <= high,
            PairClass::Greater => high > least,
            _ => false,
        };
    }
    let (Some(a), Some(b)) = (left.0.value(), right.0.value()) else { return true };
    let order = a.compare(b);
    let numbers = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let kinds = a.type_name() == b.type_name() || (numbers(a) && numbers(b));
    let nan = |value: &Value| matches!(value, Value::Float(float) if float.is_nan());
    let exact = left.0.is_one && right.0.is_one;
    match class {
        PairClass::Unordered => kinds && numbers(a) && (nan(a) || nan(b)),
        PairClass::Less | PairClass::Equal | PairClass::Greater if !kinds || nan(a) || nan(b) => false,
        PairClass::Less => !exact || order == Some(Ordering::Less),
        PairClass::Equal => !exact || a.equals(b),
        PairClass::Greater => !exact || order == Some(Ordering::Greater),
        PairClass::Different if exact => order.is_none() && !a.equals(b) && !(nan(a) || nan(b)),
        PairClass::Different => !kinds || order.is_none(),
        PairClass::Same if exact => order.is_none() && a.equals(b),
        PairClass::Same => kinds && order.is_none(),
        PairClass::Difference(..) | PairClass::Failed => true,
    }
}

/// True if the class is all that is left of a subject without the one value of the other class.
fn is_apart(subject: &Subject, one: &ValueClass, rest: &ValueClass) -> bool {
    let is_named =
        |value: &Value| subject.classes().iter().any(|class| class.is_one && class.may_have(value));
    one.is_one && !rest.is_one && one.value().is_some_and(is_named)
}
