//! The truth of guards, in diagrams: `&&`, `||` and the like.

use super::class::Example;
use super::set::{GuardSet, MAX_DEPTH};
use super::subject::SubjectKey;
use super::term::{Head, TermId};
use super::verdict::{Answer, Truth};
use crate::decide::TooLarge;
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::value::Value;

impl GuardSet<'_> {
    /// The truth of a condition.
    pub(super) fn truth(&mut self, id: TermId) -> Result<Truth, TooLarge> {
        let place = id.0 as usize;
        if let Some(Some(known)) = self.truths.get(place) {
            return Ok(*known);
        }
        if self.depth >= MAX_DEPTH {
            return Err(TooLarge);
        }
        self.depth += 1;
        let truth = self.taken_apart(id);
        self.depth -= 1;
        let truth = truth?;
        if self.truths.len() <= place {
            self.truths.resize(self.terms.len().max(place + 1), None);
        }
        self.truths[place] = Some(truth);
        Ok(truth)
    }

    fn taken_apart(&mut self, id: TermId) -> Result<Truth, TooLarge> {
        let term = self.terms.get(id);
        let parts = term.parts.clone();
        match (term.head, parts.as_slice()) {
            (Head::Const(constant), _) => Ok(constant.value.as_bool().map_or(Truth::FAILED, Truth::of)),
            (Head::Not, [inner]) => self.truth(*inner).map(Truth::swapped),
            (Head::And, parts) => self.chain(parts, true),
            (Head::Or, parts) => self.chain(parts, false),
            (Head::Conditional, [condition, then, otherwise]) => {
                let condition = self.truth(*condition)?;
                let (then, otherwise) = (self.truth(*then)?, self.truth(*otherwise)?);
                self.either(condition, then, otherwise)
            }
            (Head::Coalesce, [value, instead]) => {
                let is_null = self.is_null(*value)?;
                let (value, instead) = (self.truth(*value)?, self.truth(*instead)?);
                self.either(is_null, instead, value)
            }
            (Head::Call(function @ (Function::EQUAL | Function::LESS | Function::LESS_OR_EQUAL)), [a, b]) => {
                let function = *function;
                self.compare(function, *a, *b)
            }
            (Head::Call(Function::IN), [item, of]) => self.contained(id, *item, *of),
            (Head::Is(ty), [inner]) => {
                let ty = ty.clone();
                self.is(id, *inner, &ty)
            }
            (Head::Has(name), [target]) => {
                let name = name.clone();
                self.has(id, *target, &name)
            }
            (Head::Coerce(ty), [inner]) if matches!(ty.kind, Kind::Bool) => self.flag(*inner),
            _ => self.flag(id),
        }
    }

    /// `a && b && …` or `a || b || …`: one that decides decides, whatever fails beside it.
    fn chain(&mut self, parts: &[TermId], is_and: bool) -> Result<Truth, TooLarge> {
        let mut all = if is_and { Truth::YES } else { Truth::NO };
        for part in parts {
            let truth = self.truth(*part)?;
            all = if is_and {
                Truth { yes: self.diagrams.and(all.yes, truth.yes)?, no: self.diagrams.or(all.no, truth.no)? }
            } else {
                Truth { yes: self.diagrams.or(all.yes, truth.yes)?, no: self.diagrams.and(all.no, truth.no)? }
            };
        }
        Ok(all)
    }

    /// The states of one case, joined with those of the other.
    pub(super) fn either(&mut self, case: Truth, then: Truth, otherwise: Truth) -> Result<Truth, TooLarge> {
        let mut joined = |then, otherwise| {
            let one = self.diagrams.and(case.yes, then)?;
            let other = self.diagrams.and(case.no, otherwise)?;
            self.diagrams.or(one, other)
        };
        Ok(Truth { yes: joined(then.yes, otherwise.yes)?, no: joined(then.no, otherwise.no)? })
    }

    /// A value that is a condition by itself.
    fn flag(&mut self, id: TermId) -> Result<Truth, TooLarge> {
        self.about(id, |class| match &class.example {
            Example::Value(Value::Bool(flag)) => (*flag).into(),
            _ => Answer::Failed,
        })
    }

    /// A condition on the value of one term.
    pub(super) fn about(
        &mut self,
        id: TermId,
        answer: impl Fn(&super::class::ValueClass) -> Answer,
    ) -> Result<Truth, TooLarge> {
        let place = self.one(id)?;
        if self.gathering {
            return Ok(Truth::UNKNOWN);
        }
        let subject = &self.subjects[place];
        let answers: Vec<Answer> = subject.classes().iter().map(answer).collect();
        let variable = subject.variable;
        self.by_answers(variable, &answers)
    }

    pub(super) fn by_answers(
        &mut self,
        variable: crate::decide::DiagramVariable,
        answers: &[Answer],
    ) -> Result<Truth, TooLarge> {
        let among = |wanted: Answer| move |class: usize| [wanted, Answer::Either].contains(&answers[class]);
        let yes = self.diagrams.among(variable, among(Answer::Yes))?;
        let no = self.diagrams.among(variable, among(Answer::No))?;
        Ok(Truth { yes, no })
    }

    /// The subject that is the value of a term. Where it is null because something above it is, that is one, too.
    pub(super) fn one(&mut self, id: TermId) -> Result<usize, TooLarge> {
        let mut at = id;
        while let (Head::Field(_), [target]) = (self.terms.get(at).head, self.terms.get(at).parts.as_slice())
        {
            let above = *target;
            let may_be_null = |ty: &Type| ty.nullable || matches!(ty.kind, Kind::Any);
            if !may_be_null(self.terms.get(above).ty) {
                break;
            }
            self.subject(SubjectKey::One(above))?;
            at = above;
        }
        self.subject(SubjectKey::One(id))
    }

    /// True where the value of the term is null.
    pub(super) fn is_null(&mut self, id: TermId) -> Result<Truth, TooLarge> {
        let span = self.terms.get(id).span;
        let null = self.terms.constant(Value::Null, span);
        self.compare(Function::EQUAL, id, null)
    }

    /// `is(value, type)`.
    fn is(&mut self, id: TermId, inner: TermId, ty: &Type) -> Result<Truth, TooLarge> {
        use crate::program::shape::{Shape, ShapeKind, Shapes};
        let kind = match &ty.kind {
            Kind::Bool => ShapeKind::Bool,
            Kind::Int(None) => ShapeKind::Int(None),
            Kind::Float => ShapeKind::Float,
            Kind::Usd => ShapeKind::Usd,
            Kind::Duration => ShapeKind::Duration,
            Kind::String(None) => ShapeKind::String(None),
            Kind::Any => ShapeKind::Any,
            Kind::Null => ShapeKind::Null,
            _ => return self.flag(id),
        };
        let nullable = ty.nullable || matches!(ty.kind, Kind::Any | Kind::Null);
        let shapes = Shapes { shapes: vec![Shape { kind, nullable }], ..Shapes::default() };
        self.about(inner, |class| match &class.example {
            Example::Value(value) => shapes.is(0, value).into(),
            Example::Failed => Answer::Failed,
        })
    }

    /// `has(target.name)`.
    fn has(&mut self, id: TermId, target: TermId, name: &crate::value::Str) -> Result<Truth, TooLarge> {
        let (ty, span) = (self.terms.get(target).ty.clone(), self.terms.get(target).span);
        match &ty.kind {
            Kind::Record(record) => {
                let Some(field) = self.model.types.record(*record).fields.get(name) else {
                    return self.flag(id);
                };
                let nullable = field.ty.nullable || ty.nullable;
                let own = Type { kind: field.ty.kind.clone(), nullable };
                let field = self.terms.add(Head::Field(name.clone()), [target], own, span);
                self.is_null(field).map(Truth::swapped)
            }
            // A map whose values are never null has what it has a key for.
            Kind::Map(value) if !value.nullable && !matches!(value.kind, Kind::Any | Kind::Null) => {
                let key = self.terms.constant(Value::Str(name.clone()), span);
                let of = Type::of(Kind::Bool);
                let contained = self.terms.add(Head::Call(Function::IN), [key, target], of, span);
                let contained = self.truth(contained)?;
                if !ty.nullable {
                    return Ok(contained);
                }
                let is_null = self.is_null(target)?;
                self.either(is_null, Truth::NO, contained)
            }
            _ => self.flag(id),
        }
    }
}
