//! Fields and items.

use super::cx::{Cx, poison};
use super::fit::{Fit, fit};
use super::library::{METHODS, macros};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, RecordId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::{Str, Value};

impl Cx<'_> {
    /// `target.name`. `is_caught`: on the left of `??` a key that is not there is none.
    pub(super) fn select(&mut self, target: &ast::Expr, name: &Name, span: Span, is_caught: bool) -> Expr {
        self.is_caught = is_caught;
        let count = self.count();
        let target = self.typed(target, None);
        let methods = METHODS.keys().copied().chain(macros()).map(|name| (name, None));
        self.recorder().offer(&name.value, NameKind::Function, methods);
        let read = self.field_of(target, name, span);
        // One cure is for the whole path.
        if !is_caught && self.count() == count {
            self.judge_key(&read);
        }
        read
    }

    /// `target.name`.
    pub(super) fn field_of(&mut self, target: Expr, name: &Name, span: Span) -> Expr {
        let field: Str = name.as_str().into();
        let through_null = target.ty.nullable;
        let (ty, hint) = match &target.ty.kind {
            Kind::Error => return poison(span),
            Kind::Null => (target.ty.clone(), 0),
            Kind::Any => (Type::of(Kind::Any), 0),
            Kind::Map(value) => ((**value).clone(), 0),
            Kind::Record(id) => {
                let record = self.types.record(*id);
                match record.fields.position(&field) {
                    Some(at) => (record.fields[at].ty.clone(), u32::try_from(at).unwrap_or(u32::MAX)),
                    None if record.open => (Type::of(Kind::Any), u32::MAX),
                    None => {
                        self.report_unknown_field(*id, name);
                        return poison(span);
                    }
                }
            }
            _ => {
                self.report_no_fields(&target, name);
                return poison(span);
            }
        };
        let ty = if through_null && !matches!(ty.kind, Kind::Any) { ty.or_null() } else { ty };
        let record = if let Kind::Record(id) = target.ty.kind { Some(id) } else { None };
        let kind = ExprKind::Field { target: Box::new(target), name: field, hint };
        let read = self.narrow(Expr { kind, ty, span });
        if let Some(id) = record {
            self.scope.note_field(id, &name.value, name.span, Some(&read.ty));
        }
        read
    }

    /// Reports a field that the record does not have.
    pub(super) fn report_unknown_field(&mut self, id: RecordId, name: &Name) {
        let record = self.types.record(id);
        let fields = record.fields.iter().map(|field| (field.name.as_str(), Some(&field.ty)));
        self.recorder().offer(&name.value, NameKind::Field, fields);
        let message = format!("`{}` has no field `{}`", record.name, name.value);
        let fault = Diagnostic::error(rule::UNKNOWN_FIELD, name.span, message);
        let near = nearest(&name.value, record.fields.iter().map(|f| f.name.as_str()));
        let names: Vec<&str> = record.fields.iter().take(12).map(|f| f.name.as_str()).collect();
        self.report(fault.meant_or(near, format!("its fields are {}", names.join(", "))));
    }

    fn report_no_fields(&mut self, target: &Expr, name: &Name) {
        let message = format!("`{}` has no fields", self.show(&target.ty));
        let mut fault = Diagnostic::error(rule::UNKNOWN_FIELD, name.span, message);
        if crate::program::function::Function::receiver(&name.value).is_some() {
            fault = fault.help(format!("the function is called with parentheses: .{}()", name.value));
        } else if matches!(target.ty.kind, Kind::List(..)) {
            fault = fault.help("take one item first: xs[0], or go over all of them: xs.map(x, …)");
        }
        self.report(fault);
    }

    /// `target[index]`; `is_caught` as for [`Cx::select`].
    pub(super) fn index(
        &mut self,
        target: &ast::Expr,
        index: &ast::Expr,
        span: Span,
        is_caught: bool,
    ) -> Expr {
        self.is_caught = is_caught;
        let count = self.count();
        let target = self.typed(target, None);
        let key = self.typed(index, None);
        let key = self.not_null(key);
        let read = self.index_of(target, key, span);
        if !is_caught && self.count() == count {
            self.judge_key(&read);
        }
        read
    }

    /// `target[key]`.
    pub(super) fn index_of(&mut self, target: Expr, key: Expr, span: Span) -> Expr {
        if let (Kind::Record(_), ExprKind::Const(Value::Str(name))) = (&target.ty.kind, &key.kind) {
            let name = Name::new(name.to_string(), key.span);
            return self.field_of(target, &name, span);
        }
        let (item, wanted) = match &target.ty.kind {
            Kind::Error => return poison(span),
            Kind::Null => (target.ty.clone(), None),
            Kind::Any | Kind::Record(_) => (Type::of(Kind::Any), None),
            Kind::List(item, _) => ((**item).clone(), Some(Type::of(Kind::Int(None)))),
            Kind::Map(value) => ((**value).clone(), Some(Type::of(Kind::String(None)))),
            _ => {
                let message = format!("`{}` has no items", self.show(&target.ty));
                self.report(
                    Diagnostic::error(rule::TYPE_MISMATCH, target.span, message)
                        .caret("a list or a map is wanted"),
                );
                return poison(span);
            }
        };
        let key = match wanted {
            Some(wanted) if fit(self.types, &key.ty, &wanted) == Fit::No => {
                let what = if matches!(wanted.kind, Kind::Int(_)) {
                    "a list takes an int"
                } else {
                    "a map takes a string"
                };
                let message = format!("`{}` is not an index here: {what}", self.show(&key.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, key.span, message));
                poison(key.span)
            }
            _ => key,
        };
        let item = if matches!(item.kind, Kind::Null) { item.or_null() } else { item };
        let ty = if target.ty.nullable && !matches!(item.kind, Kind::Any) { item.or_null() } else { item };
        self.narrow(Expr { kind: ExprKind::Index(Box::new(target), Box::new(key)), ty, span })
    }
}
