//! Lists, maps and records that are written out.

use std::sync::Arc;

use super::cx::{Cx, poison};
use super::filled::{MAX_FILLED, MAX_FILLED_DEPTH, MAX_FILLED_IN_ALL};
use super::fit::{join_items, position};
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::record::RecordType;
use crate::model::types::{Kind, RecordId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Literal, Name};
use crate::value::{Str, Value};

impl Cx<'_> {
    pub(super) fn list(&mut self, items: &[ast::Expr], span: Span, want: Option<&Type>) -> Expr {
        if let Some(Type { kind: kind @ Kind::List(item, most), .. }) = want {
            if most.is_some_and(|most| items.len() as u64 > most) {
                let message =
                    format!("{} items are here, at most {} fit", items.len(), most.unwrap_or_default());
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, span, message));
            }
            let items = items.iter().map(|e| self.checked(e, item)).collect();
            return Expr { kind: ExprKind::List(items), ty: Type::of(kind.clone()), span };
        }
        let items: Vec<Expr> = items.iter().map(|e| self.typed(e, None)).collect();
        let item = self.common(items.iter().map(|e| &e.ty));
        Expr { kind: ExprKind::List(items), ty: Type::of(Kind::List(Arc::new(item), None)), span }
    }

    /// The type of items: what all of them have in common, `any` if that is nothing. No items at all fit every type.
    fn common<'t>(&self, types: impl Iterator<Item = &'t Type>) -> Type {
        types.cloned().reduce(|a, b| join_items(self.types, &a, &b)).unwrap_or(Type::of(Kind::Null))
    }

    pub(super) fn map(
        &mut self,
        entries: &[(ast::Expr, ast::Expr)],
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        self.refuse_duplicate_keys(entries);
        match want.map(|ty| &ty.kind) {
            Some(Kind::Record(id)) if all_keys_constant(entries) => {
                let fields: Vec<(Name, &ast::Expr)> =
                    entries.iter().filter_map(|(key, value)| Some((constant_key(key)?, value))).collect();
                self.record_of(*id, &fields, span)
            }
            Some(Kind::Record(id)) if self.is_nameless(*id, entries) => {
                let name = &self.types.record(*id).name;
                let message = format!("`{name}` is wanted here, and this is a map with names for keys");
                let fault = Diagnostic::error(rule::TYPE_MISMATCH, span, message);
                self.report(fault.help(format!("a record starts with its type: `{name}{{field: value}}`")));
                Expr { ty: Type::of(Kind::Record(*id)), ..poison(span) }
            }
            Some(kind @ Kind::Map(item)) => {
                let entries = entries.iter().map(|(k, v)| (self.key(k), self.checked(v, item))).collect();
                Expr { kind: ExprKind::Map(entries), ty: Type::of(kind.clone()), span }
            }
            _ => {
                let entries: Vec<(Expr, Expr)> =
                    entries.iter().map(|(k, v)| (self.key(k), self.typed(v, None))).collect();
                let item = self.common(entries.iter().map(|(_, v)| &v.ty));
                Expr { kind: ExprKind::Map(entries), ty: Type::of(Kind::Map(Arc::new(item))), span }
            }
        }
    }

    /// True if a map is written as that record would be, without its name: `{field: value}`.
    fn is_nameless(&self, id: RecordId, entries: &[(ast::Expr, ast::Expr)]) -> bool {
        let record = self.types.record(id);
        let is_field = |key: &ast::Expr| match &key.kind {
            ast::ExprKind::Name(name) => position(record, name).is_some(),
            _ => false,
        };
        !entries.is_empty() && entries.iter().all(|(key, _)| is_field(key))
    }

    fn key(&mut self, key: &ast::Expr) -> Expr {
        if let ast::ExprKind::Name(name) = &key.kind
            && self.local(name).is_none()
            && self.scope.lookup(name, self.here.composite).is_none()
            && !matches!(name.as_str(), "result" | "error" | "outcome" | "tools")
        {
            let message = format!("there is no `{name}`; the key of a map is an expression");
            self.report(
                Diagnostic::error(rule::UNKNOWN_NAME, key.span, message).help(format!("quote it: '{name}'")),
            );
            return poison(key.span);
        }
        let typed = self.typed(key, None);
        let typed = self.not_null(typed);
        match typed.ty.kind {
            Kind::String(_) | Kind::Enum(_) | Kind::Any | Kind::Error => typed,
            _ => {
                let message = format!("the keys of a map are strings, this is `{}`", self.show(&typed.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, typed.span, message));
                poison(typed.span)
            }
        }
    }

    fn refuse_duplicate_keys(&mut self, entries: &[(ast::Expr, ast::Expr)]) {
        let mut seen: Vec<Name> = Vec::new();
        for key in entries.iter().filter_map(|(key, _)| constant_key(key)) {
            match seen.iter().find(|s| s.value == key.value) {
                Some(first) => {
                    let fault = Diagnostic::error(
                        rule::DUPLICATE_NAME,
                        key.span,
                        format!("the key '{}' occurs twice", key.value),
                    );
                    self.report(fault.also(first.span, "first here"));
                }
                None => seen.push(key),
            }
        }
    }

    pub(super) fn record(&mut self, name: &Name, fields: &[(Name, ast::Expr)], span: Span) -> Expr {
        let id = match self.scope.types.get(&name.value) {
            Some(Type { kind: Kind::Record(id), .. }) => {
                self.scope.types.note(&name.value, name.span);
                id
            }
            Some(Type { kind: Kind::Error, .. }) => {
                for (_, value) in fields {
                    self.typed(value, None);
                }
                return poison(span);
            }
            other => {
                let fault = match other {
                    Some(ty) => {
                        let message = format!("`{}` is `{}`, no record", name.value, self.show(&ty));
                        Diagnostic::error(rule::TYPE_MISMATCH, name.span, message)
                    }
                    None => Diagnostic::error(
                        rule::UNKNOWN_TYPE,
                        name.span,
                        format!("there is no type `{}`", name.value),
                    ),
                };
                self.report(fault.meant(self.scope.types.nearest(&name.value)));
                return poison(span);
            }
        };
        let mut seen: Vec<&Name> = Vec::new();
        for (field, _) in fields {
            match seen.iter().find(|s| s.value == field.value) {
                Some(first) => {
                    let message = format!("the field `{}` occurs twice", field.value);
                    let fault = Diagnostic::error(rule::DUPLICATE_NAME, field.span, message)
                        .also(first.span, "first here");
                    self.report(fault);
                }
                None => seen.push(field),
            }
        }
        let fields: Vec<(Name, &ast::Expr)> = fields.iter().map(|(n, e)| (n.clone(), e)).collect();
        self.record_of(id, &fields, span)
    }

    fn report_too_many(&mut self, record: &RecordType, values: usize, span: Span) {
        let message = format!(
            "`{}` would be filled in with {values} values from the defaults of its fields; at most {MAX_FILLED} are",
            record.name
        );
        let help = "give fields of records smaller defaults, or let them be null";
        self.report(Diagnostic::error(rule::TOO_LARGE, span, message).help(help));
    }

    fn report_too_deep(&mut self, record: &RecordType, span: Span) {
        let message = format!(
            "`{}` would be filled in with defaults that nest deeper than {MAX_FILLED_DEPTH} levels",
            record.name
        );
        let help = "give fields of records smaller defaults, or let them be null";
        self.report(Diagnostic::error(rule::TOO_LARGE, span, message).help(help));
    }

    fn report_too_many_in_all(&mut self, span: Span) {
        let message = format!(
            "defaults of fields would fill in more than {MAX_FILLED_IN_ALL} values in all, with those of this record"
        );
        let help = "give fields of records smaller defaults, or let them be null";
        self.report(Diagnostic::error(rule::TOO_LARGE, span, message).help(help));
    }

    /// A record of that type out of the given fields; missing ones take their default or null.
    fn record_of(&mut self, id: RecordId, given: &[(Name, &ast::Expr)], span: Span) -> Expr {
        let types = self.types;
        let record = types.record(id);
        let mut slots: Vec<Option<Expr>> = vec![None; record.fields.len()];
        let mut surplus: Vec<(Str, Expr)> = Vec::new();
        for (name, value) in given {
            match position(record, &name.value) {
                Some(at) => {
                    let ty = &record.fields[at].ty;
                    self.scope.note_field(id, &name.value, name.span, Some(ty));
                    let checked = self.checked(value, ty);
                    slots[at].get_or_insert(checked);
                }
                None if record.open => surplus.push((name.as_str().into(), self.typed(value, None))),
                None => {
                    self.report_unknown_field(id, name);
                    self.typed(value, None);
                }
            }
        }
        let filled = record.fields.iter().zip(&slots).filter(|(_, given)| given.is_none());
        let mut filled = filled.filter_map(|(field, _)| field.default.as_ref()).peekable();
        // Once it is too much, no more is looked through: there may be a record in every other line.
        let is_too_much = filled.peek().is_some() && self.scope.builtins.filled.is_too_much();
        let (mut values, mut depth) = (0, 0);
        if !is_too_much {
            filled.for_each(|default| depth = depth.max(measure(default, &mut values)));
        }
        if depth > MAX_FILLED_DEPTH {
            self.report_too_deep(record, span);
            return Expr { ty: Type::of(Kind::Record(id)), ..poison(span) };
        }
        if values > MAX_FILLED {
            self.report_too_many(record, values, span);
            return Expr { ty: Type::of(Kind::Record(id)), ..poison(span) };
        }
        if is_too_much || !self.scope.builtins.filled.admits(span, self.uses(), values) {
            self.report_too_many_in_all(span);
            return Expr { ty: Type::of(Kind::Record(id)), ..poison(span) };
        }
        let mut fields = Vec::with_capacity(slots.len() + surplus.len());
        let mut missing: Vec<&str> = Vec::new();
        for (field, value) in record.fields.iter().zip(slots) {
            let value = value.or_else(|| field.default.clone()).or_else(|| {
                field.ty.nullable.then(|| Expr {
                    kind: ExprKind::Const(Value::Null),
                    ty: field.ty.clone(),
                    span,
                })
            });
            match value {
                Some(value) => fields.push((field.name.clone(), value)),
                None => missing.push(&field.name),
            }
        }
        if !missing.is_empty() {
            let list = missing.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ");
            let message = format!("`{}` lacks {list}", record.name);
            self.report(
                Diagnostic::error(rule::MISSING_FIELD, span, message)
                    .help("a field without a default is required"),
            );
            return Expr { ty: Type::of(Kind::Record(id)), ..poison(span) };
        }
        fields.append(&mut surplus);
        Expr { kind: ExprKind::Record(id, fields), ty: Type::of(Kind::Record(id)), span }
    }
}

/// Measures the depth of an expression, and counts the values that it holds.
fn measure(expr: &Expr, values: &mut usize) -> usize {
    *values += 1;
    let mut depth = 0;
    expr.for_each_child(&mut |child| depth = depth.max(measure(child, values)));
    depth + 1
}

fn constant_key(key: &ast::Expr) -> Option<Name> {
    match &key.kind {
        ast::ExprKind::Literal(Literal::String(text)) => Some(Name::new(text.clone(), key.span)),
        _ => None,
    }
}

fn all_keys_constant(entries: &[(ast::Expr, ast::Expr)]) -> bool {
    entries.iter().all(|(key, _)| matches!(key.kind, ast::ExprKind::Literal(Literal::String(_))))
}
