//! The values of a template's expressions, and what its conditions tell.

use std::collections::BTreeMap;
use std::ops::Range;

use super::value::{TemplateBinding, TemplateValue};
use super::walk::Walk;
use crate::diag::Diagnostic;
use crate::model::types::{Kind, Type};
use crate::model::typing::{MapKey, Path, Root};
use crate::program::template::null::{compares_null, takes_null};
use crate::program::template::syntax::{
    Argument, StepKind, TemplateExpr, TemplateExprKind, TemplateStep, Word,
};

/// Tests that are true of no null.
const TESTS_WITHOUT_NULL: [&str; 9] =
    ["string", "number", "integer", "int", "float", "boolean", "mapping", "sequence", "iterable"];

/// Filters that give a list of the same items.
const FILTERS_OF_ITEMS: [&str; 4] = ["list", "sort", "unique", "reverse"];

impl<'j, 'm> Walk<'j, 'm> {
    /// The value of an expression that has to be defined.
    pub(super) fn used(&mut self, expr: &'j TemplateExpr<'m>) -> TemplateValue {
        let value = self.value(expr);
        self.refuse_undefined(&value, expr);
        value.there()
    }

    fn not_null(&mut self, expr: &'j TemplateExpr<'m>, why: &str) {
        let value = self.used(expr);
        self.refuse_null(&value, expr, why);
    }

    fn value(&mut self, expr: &'j TemplateExpr<'m>) -> TemplateValue {
        self.left = self.left.saturating_sub(1);
        match &expr.kind {
            TemplateExprKind::None => TemplateValue::null(),
            TemplateExprKind::Scalar => TemplateValue::made(Kind::Int(None)),
            TemplateExprKind::Text(_) => TemplateValue::made(Kind::String(None)),
            TemplateExprKind::Unknown => TemplateValue::unknown(),
            TemplateExprKind::Name(name) => {
                let mut findings = Vec::new();
                let value = self.name(name, &mut findings);
                for finding in findings {
                    self.report_let(finding, expr);
                }
                value
            }
            TemplateExprKind::Steps(base, steps) => self.steps(base, steps, expr),
            TemplateExprKind::Not(inner) => {
                self.used(inner);
                TemplateValue::unknown()
            }
            TemplateExprKind::Negative(inner) => {
                self.not_null(inner, "`-` does not take null");
                TemplateValue::unknown()
            }
            TemplateExprKind::And(parts) => self.chain(parts, true),
            TemplateExprKind::Or(parts) => self.chain(parts, false),
            TemplateExprKind::Operators(first, further) => {
                self.operators(first, further);
                TemplateValue::unknown()
            }
            TemplateExprKind::If { condition, then, otherwise } => {
                self.used(condition);
                let known = self.facts.clone();
                self.learn(condition, true);
                let then = self.used(then);
                let then = then.filtered(&self.facts);
                self.facts = known.clone();
                self.learn(condition, false);
                let otherwise = match otherwise {
                    Some(otherwise) => self.used(otherwise),
                    // Nothing, which has no fields.
                    None => TemplateValue::made(Kind::String(None)),
                };
                let value = then.either(otherwise, &self.facts);
                self.facts = known;
                value
            }
            TemplateExprKind::List(items) => {
                let items = items.iter().map(|item| self.used(item).filtered(&self.facts));
                let item = items.collect::<Vec<_>>().into_iter();
                let item = item.reduce(|one, other| one.either(other, &self.facts));
                let ty = item.map_or(Type::of(Kind::Any), |item| item.ty);
                TemplateValue::made(Kind::List(ty.into(), None))
            }
            TemplateExprKind::Map(entries) => self.map(entries),
        }
    }

    /// The value of a name. What is to be said of a let where it is used goes to `findings`.
    fn name(&self, name: &str, findings: &mut Vec<Diagnostic>) -> TemplateValue {
        match self.bound(name) {
            Some(TemplateBinding::Value(value)) => TemplateValue::clone(value),
            Some(TemplateBinding::Macro(_)) => TemplateValue::unknown(),
            None => self.judge.variable(name, &self.facts, findings).unwrap_or_else(TemplateValue::unknown),
        }
    }

    /// A map that is written out. With a computed key nothing is known of it.
    fn map(&mut self, entries: &'j [(TemplateExpr<'m>, TemplateExpr<'m>)]) -> TemplateValue {
        let mut written = Some(BTreeMap::new());
        for (key, value) in entries {
            self.used(key);
            let value = self.used(value).filtered(&self.facts);
            match (&key.kind, &mut written) {
                (TemplateExprKind::Text(key), Some(written)) => {
                    written.insert((*key).to_owned(), value);
                }
                _ => written = None,
            }
        }
        written.map_or_else(TemplateValue::unknown, TemplateValue::written)
    }

    /// `a and b`, `a or b`: each part is looked at only where those before it were true, or false.
    fn chain(&mut self, parts: &'j [TemplateExpr<'m>], and: bool) -> TemplateValue {
        let known = self.facts.clone();
        let mut value: Option<TemplateValue> = None;
        for (at, part) in parts.iter().enumerate() {
            let own = self.used(part);
            let last = at + 1 == parts.len();
            // A value that counts as false is passed over by `or`, and null does.
            let own = if and || last { own.filtered(&self.facts) } else { own.not_null() };
            value = Some(match value {
                Some(before) => before.either(own, &self.facts),
                None => own,
            });
            self.learn(part, and);
        }
        self.facts = known;
        value.unwrap_or_else(TemplateValue::unknown)
    }

    fn operators(&mut self, first: &'j TemplateExpr<'m>, further: &'j [(&'m str, TemplateExpr<'m>)]) {
        let value = self.used(first);
        for (at, (sign, right)) in further.iter().enumerate() {
            let why = format!("`{sign}` does not take null");
            // Null may be looked for in a list.
            if at == 0 && !compares_null(sign) && !matches!(*sign, "in" | "not in") {
                self.refuse_null(&value, first, &why);
            }
            if compares_null(sign) {
                self.used(right);
            } else {
                self.not_null(right, &why);
            }
        }
    }

    fn steps(
        &mut self,
        base: &'j TemplateExpr<'m>,
        steps: &'j [TemplateStep<'m>],
        expr: &'j TemplateExpr<'m>,
    ) -> TemplateValue {
        let mut steps = steps;
        let mut value = if let (TemplateExprKind::Name(name), [first, rest @ ..]) = (&base.kind, steps)
            && let StepKind::Call(arguments) = &first.kind
        {
            steps = rest;
            self.call(name, arguments)
        } else {
            self.value(base)
        };
        let part = |end| TemplateExpr { kind: TemplateExprKind::Unknown, range: expr.range.start..end };
        let mut before = part(base.range.end);
        while let [step, rest @ ..] = steps {
            let here = part(step.range.end);
            let next = rest.first().map(|next| &next.kind);
            value = self.step(value, step, next, (&before, &here));
            before = here;
            steps = rest;
        }
        value
    }

    fn step(
        &mut self,
        value: TemplateValue,
        step: &'j TemplateStep<'m>,
        next: Option<&'j StepKind<'m>>,
        (before, here): (&TemplateExpr<'_>, &TemplateExpr<'_>),
    ) -> TemplateValue {
        if let StepKind::Filter(name, arguments) = &step.kind {
            return self.filter(value, name, arguments, (before, here));
        }
        if let StepKind::Test(name, arguments, _) = &step.kind {
            for argument in arguments {
                self.used(&argument.value);
            }
            if !matches!(name.text, "defined" | "undefined") {
                self.refuse_undefined(&value, before);
            }
            return TemplateValue::unknown();
        }
        self.refuse_undefined(&value, before);
        match &step.kind {
            StepKind::Field(name) if matches!(next, Some(StepKind::Call(_))) => {
                self.refuse_null(&value, here, &format!("null has no method `{}`", name.text));
                match name.text {
                    "keys" => value.listed(),
                    "items" => value.pairs(),
                    _ => TemplateValue::unknown(),
                }
            }
            StepKind::Field(name) => self.field(&value, name.text, name.range()),
            StepKind::Item(key) => {
                if let TemplateExprKind::Text(name) = &key.kind {
                    return self.field(&value, name, key.range.clone());
                }
                let key = self.used(key).path.map(MapKey::At);
                value.item(key.as_ref(), &self.facts)
            }
            StepKind::Slice(parts) => {
                for part in parts {
                    self.used(part);
                }
                self.refuse_null(&value, here, "null has no items");
                value.filtered(&self.facts)
            }
            StepKind::Call(arguments) => {
                for argument in arguments {
                    self.used(&argument.value);
                }
                value
            }
            StepKind::Filter(..) | StepKind::Test(..) => value,
        }
    }

    /// The field or item of a value. Keys that a let writes out are there.
    fn field(&self, value: &TemplateValue, name: &str, word: Range<usize>) -> TemplateValue {
        let found = value.field(name, self.place(&word), &self.facts, &self.judge.model.types);
        if let Kind::Record(id) = value.ty.kind {
            self.judge.scope.note_field(id, name, self.place(&word), Some(&found.ty));
        }
        match &value.path {
            Some(Path { root: Root::Let(id), fields })
                if fields.is_empty() && self.judge.scope.let_has_key(*id, name) =>
            {
                found.there()
            }
            _ => found,
        }
    }

    fn call(&mut self, name: &'m str, arguments: &'j [Argument<'m>]) -> TemplateValue {
        let called = match self.bound(name) {
            Some(TemplateBinding::Macro(called)) => Some(*called),
            _ => None,
        };
        let values: Vec<TemplateValue> =
            arguments.iter().map(|argument| self.used(&argument.value)).collect();
        let in_order = arguments.iter().all(|argument| argument.name.is_none());
        if let Some(called) = called {
            self.call_macro(called, if in_order { values } else { Vec::new() });
        }
        TemplateValue::unknown()
    }

    /// The filters of a block.
    pub(super) fn filters(&mut self, mut value: TemplateValue, steps: &'j [TemplateStep<'m>]) {
        for step in steps {
            let here = TemplateExpr { kind: TemplateExprKind::Unknown, range: step.range.clone() };
            value = self.step(value, step, None, (&here, &here));
        }
    }

    fn filter(
        &mut self,
        value: TemplateValue,
        name: &Word<'m>,
        arguments: &'j [Argument<'m>],
        (before, here): (&TemplateExpr<'_>, &TemplateExpr<'_>),
    ) -> TemplateValue {
        let given: Vec<TemplateValue> = arguments.iter().map(|argument| self.used(&argument.value)).collect();
        if matches!(name.text, "default" | "d") {
            return self.defaulted(value, given);
        }
        self.refuse_undefined(&value, before);
        if !takes_null(name.text) {
            self.refuse_null(&value, here, &format!("the filter `{}` does not take null", name.text));
        }
        match name.text {
            "items" | "dictsort" => value.pairs(),
            other if FILTERS_OF_ITEMS.contains(&other) => value.listed(),
            _ => TemplateValue::unknown(),
        }
    }

    /// A value, or what there is instead. With a second argument the default takes the place of null as well, else of what is
    /// undefined alone.
    fn defaulted(&self, value: TemplateValue, given: Vec<TemplateValue>) -> TemplateValue {
        let of_null = given.len() > 1;
        let is_replaced =
            of_null && value.may_be_null(&self.facts) || value.may_be_absent(&self.facts).is_some();
        let value = if of_null { value.not_null() } else { value.filtered(&self.facts) }.there();
        let instead = given.into_iter().next().unwrap_or_else(|| TemplateValue::made(Kind::String(None)));
        if is_replaced { value.either(instead, &self.facts) } else { value }
    }

    /// Notes what is known where the condition is true, or where it is false.
    pub(super) fn learn(&mut self, condition: &'j TemplateExpr<'m>, truth: bool) {
        match &condition.kind {
            TemplateExprKind::Not(inner) => self.learn(inner, !truth),
            TemplateExprKind::And(parts) if truth => parts.iter().for_each(|part| self.learn(part, true)),
            TemplateExprKind::Or(parts) if !truth => parts.iter().for_each(|part| self.learn(part, false)),
            TemplateExprKind::Operators(left, further) => {
                let [(sign, right)] = further.as_slice() else { return };
                let left = &**left;
                let none = |expr: &TemplateExpr<'_>| matches!(expr.kind, TemplateExprKind::None);
                let constant = |expr: &TemplateExpr<'_>| {
                    matches!(expr.kind, TemplateExprKind::Text(_) | TemplateExprKind::Scalar)
                };
                if matches!((*sign, truth), ("in", true) | ("not in", false))
                    && let (Some(key), Some(map)) = (self.key(left), self.path_of(right))
                {
                    return self.facts.insert_key(map, key);
                }
                let known = match *sign {
                    "==" if truth => constant(right).then_some(left).or(constant(left).then_some(right)),
                    "==" => none(right).then_some(left).or(none(left).then_some(right)),
                    "!=" if truth => none(right).then_some(left).or(none(left).then_some(right)),
                    "!=" => constant(right).then_some(left).or(constant(left).then_some(right)),
                    _ => None,
                };
                if let Some(known) = known {
                    self.note(known);
                }
            }
            TemplateExprKind::Steps(base, steps) => {
                if let Some((last, before)) = steps.split_last()
                    && let StepKind::Test(name, _, negated) = &last.kind
                {
                    self.learn_test(base, before, name.text, truth != *negated);
                } else if truth {
                    self.note(condition);
                }
            }
            TemplateExprKind::Name(_) if truth => self.note(condition),
            _ => {}
        }
    }

    fn learn_test(
        &mut self,
        base: &'j TemplateExpr<'m>,
        steps: &'j [TemplateStep<'m>],
        test: &str,
        truth: bool,
    ) {
        let is_defined = matches!((test, truth), ("defined", true) | ("undefined", false));
        if is_defined
            && let Some((last, above)) = steps.split_last()
            && let (Some(map), Some(key)) = (self.path(base, above), self.step_key(last))
        {
            // What is defined was not taken from null.
            self.facts.insert(map.clone());
            return self.facts.insert_key(map, key);
        }
        let Some(path) = self.path(base, steps) else { return };
        match (test, truth) {
            ("none", false) => self.facts.insert(path),
            (test, true) if TESTS_WITHOUT_NULL.contains(&test) => self.facts.insert(path),
            _ => {}
        }
    }

    /// Notes that a value is not null.
    fn note(&mut self, expr: &'j TemplateExpr<'m>) {
        if let Some(path) = self.path_of(expr) {
            self.facts.insert(path);
        }
    }

    /// The key that an expression is: a text, or what can be read again.
    fn key(&self, expr: &'j TemplateExpr<'m>) -> Option<MapKey> {
        match &expr.kind {
            TemplateExprKind::Text(name) => Some(MapKey::Named((*name).into())),
            _ => self.path_of(expr).map(MapKey::At),
        }
    }

    fn step_key(&self, step: &'j TemplateStep<'m>) -> Option<MapKey> {
        match &step.kind {
            StepKind::Field(name) => Some(MapKey::Named(name.text.into())),
            StepKind::Item(key) => self.key(key),
            _ => None,
        }
    }

    fn path_of(&self, expr: &'j TemplateExpr<'m>) -> Option<Path> {
        match &expr.kind {
            TemplateExprKind::Steps(base, steps) => self.path(base, steps),
            TemplateExprKind::Name(_) => self.path(expr, &[]),
            _ => None,
        }
    }

    /// The path that fields below a name are.
    fn path(&self, base: &'j TemplateExpr<'m>, steps: &'j [TemplateStep<'m>]) -> Option<Path> {
        let TemplateExprKind::Name(name) = &base.kind else { return None };
        let mut path = self.name(name, &mut Vec::new()).path?;
        for step in steps {
            match &step.kind {
                StepKind::Field(name) => path.fields.push(name.text.into()),
                StepKind::Item(TemplateExpr { kind: TemplateExprKind::Text(name), .. }) => {
                    path.fields.push((*name).into());
                }
                _ => return None,
            }
        }
        Some(path)
    }
}
