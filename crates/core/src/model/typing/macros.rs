//! Macros: `has`, and those that go over a list or map.

use std::sync::Arc;

use super::cx::{Cx, poison};
use super::facts::{Path, Root};
use super::library::is_macro;
use super::missing::keys_gone_over;
use super::present_keys::MapKey;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::program::op::Macro;
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::{Str, Value};

/// A macro with its arguments distinguished.
struct MacroForm<'e> {
    kind: Macro,
    first: &'e ast::Expr,
    second: Option<&'e ast::Expr>,
    filter: Option<&'e ast::Expr>,
    each: Option<&'e ast::Expr>,
}

fn form<'e>(name: &str, args: &'e [ast::Expr]) -> Option<MacroForm<'e>> {
    let test = |kind, first, second, test| MacroForm { kind, first, second, filter: Some(test), each: None };
    let make =
        |kind, first, second, filter, each| MacroForm { kind, first, second, filter, each: Some(each) };
    let kind = match name {
        "all" => Macro::All,
        "exists" => Macro::Exists,
        "exists_one" | "existsOne" => Macro::ExistsOne,
        "filter" => Macro::Filter,
        "map" => Macro::Map,
        "sortBy" => Macro::SortBy,
        "transformList" => Macro::TransformList,
        "transformMap" => Macro::TransformMap,
        _ => return None,
    };
    match (kind, args) {
        (Macro::All | Macro::Exists | Macro::ExistsOne | Macro::Filter, [x, p]) => {
            Some(test(kind, x, None, p))
        }
        (Macro::All | Macro::Exists | Macro::ExistsOne, [i, v, p]) => Some(test(kind, i, Some(v), p)),
        (Macro::Map | Macro::SortBy, [x, e]) => Some(make(kind, x, None, None, e)),
        (Macro::Map, [x, p, e]) => Some(make(kind, x, None, Some(p), e)),
        (Macro::TransformList | Macro::TransformMap, [i, v, e]) => Some(make(kind, i, Some(v), None, e)),
        (Macro::TransformList | Macro::TransformMap, [i, v, p, e]) => {
            Some(make(kind, i, Some(v), Some(p), e))
        }
        _ => None,
    }
}

impl Cx<'_> {
    /// `has(x.f)`: whether the field is there and, for a declared field, not null.
    pub(super) fn has(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["x.field"]) {
            return poison(span);
        }
        let bool = Type::of(Kind::Bool);
        let ast::ExprKind::Field(target, field) = &args[0].kind else {
            let message = "`has` takes a field: has(x.field)";
            let fault = Diagnostic::error(rule::WRONG_ARGUMENTS, args[0].span, message);
            self.report(
                fault.help("to test a value itself write `x != null`; to look for a key write `'key' in x`"),
            );
            return poison(span);
        };
        let target = self.typed(target, None);
        match &target.ty.kind {
            Kind::Error => poison(span),
            Kind::Record(id) if self.types.record(*id).fields.iter().any(|f| f.name == field.value) => {
                let value = self.field_of(target, field, args[0].span);
                let null =
                    Expr { kind: ExprKind::Const(Value::Null), ty: Type::of(Kind::Null).or_null(), span };
                Expr { kind: ExprKind::Call(Function::NOT_EQUAL, vec![value, null]), ty: bool, span }
            }
            Kind::Record(id) if !self.types.record(*id).open => {
                let id = *id;
                self.report_unknown_field(id, field);
                poison(span)
            }
            Kind::Record(_) | Kind::Map(_) | Kind::Any | Kind::Null => {
                Expr { kind: ExprKind::Has(Box::new(target), Str::from(field.as_str())), ty: bool, span }
            }
            _ => {
                let message = format!("`{}` has no fields", self.show(&target.ty));
                self.report(Diagnostic::error(rule::UNKNOWN_FIELD, field.span, message));
                poison(span)
            }
        }
    }

    /// A macro after a list or map, if that is what is written.
    pub(super) fn macro_call(
        &mut self,
        over: &ast::Expr,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Expr> {
        if !is_macro(&name.value) {
            return None;
        }
        let Some(form) = form(&name.value, args) else {
            // `sortBy` is a function of two lists as well.
            if name.value == "sortBy" && args.len() == 1 {
                return None;
            }
            self.report_form(name);
            self.typed(over, None);
            return Some(poison(span));
        };
        self.note_function(name);
        let over = self.typed(over, None);
        let over = self.not_null(over);
        let Some(items) = items_of(&over, form.second.is_some()) else {
            self.report_no_items(&over, name);
            return Some(poison(span));
        };
        let (Some(first), second) = (self.variable(form.first), form.second.map(|e| self.variable(e))) else {
            return Some(poison(span));
        };
        if matches!(second, Some(None)) {
            return Some(poison(span));
        }
        Some(self.go_over(&form, over, items, &(first, second.flatten()), span, want))
    }

    fn go_over(
        &mut self,
        form: &MacroForm<'_>,
        over: Expr,
        items: (Type, Type),
        names: &(Name, Option<Name>),
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        let before = self.facts.clone();
        let (key_type, item_type) = items;
        let local = self.push_local(&names.0, key_type.clone());
        if let Some(map) = keys_gone_over(&over) {
            self.facts.insert_key(map, MapKey::At(Path::root(Root::Local(local))));
        }
        let second = names.1.as_ref().map(|name| self.push_local(name, item_type));
        if second.is_none() {
            self.facts = self.facts.and(&self.scope.facts_of_items(&over, Root::Local(local)));
        }
        let filter = form.filter.map(|e| self.checked(e, &Type::of(Kind::Bool)));
        let mut narrowed = key_type;
        if let Some(test) = &filter {
            self.facts = self.facts.and(&self.scope.facts_when(test, true));
            let item = Expr { kind: ExprKind::Local(local), ty: narrowed, span };
            narrowed = self.narrow(item).ty;
        }
        let wanted = want.and_then(|ty| wanted_item(form.kind, ty));
        let each = form.each.map(|e| match &wanted {
            Some(want) => self.checked(e, want),
            None => self.typed(e, None),
        });
        if second.is_some() {
            self.pop_local();
        }
        self.pop_local();
        self.facts = before;
        let each = if form.kind == Macro::SortBy { each.map(|e| self.sort_key(e)) } else { each };
        let ty = result(form.kind, &over.ty, narrowed, each.as_ref().map(|e| &e.ty));
        let (filter, each) = (filter.map(Box::new), each.map(Box::new));
        let kind = ExprKind::Macro { kind: form.kind, over: Box::new(over), local, second, filter, each };
        Expr { kind, ty, span }
    }

    fn sort_key(&mut self, key: Expr) -> Expr {
        let key = self.not_null(key);
        match key.ty.kind {
            Kind::List(..) | Kind::Map(_) | Kind::Record(_) | Kind::Type => {
                let message = format!("`{}` has no order to sort by", self.show(&key.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, key.span, message));
                poison(key.span)
            }
            _ => key,
        }
    }

    fn variable(&mut self, expr: &ast::Expr) -> Option<Name> {
        if let ast::ExprKind::Name(name) = &expr.kind {
            return Some(Name::new(name.clone(), expr.span));
        }
        let fault =
            Diagnostic::error(rule::WRONG_ARGUMENTS, expr.span, "the name of a variable is wanted here");
        self.report(fault.help("xs.map(x, f(x)): `x` is each item in turn"));
        None
    }

    fn report_no_items(&mut self, over: &Expr, name: &Name) {
        if matches!(over.ty.kind, Kind::Error) {
            return;
        }
        let message =
            format!("`.{}()` works on a list or a map, this is `{}`", name.value, self.show(&over.ty));
        self.report(Diagnostic::error(rule::TYPE_MISMATCH, over.span, message));
    }

    fn report_form(&mut self, name: &Name) {
        let form = match name.as_str() {
            "map" => "xs.map(x, result) or xs.map(x, condition, result)",
            "sortBy" => "xs.sortBy(x, key)",
            "filter" => "xs.filter(x, condition)",
            "transformList" => "xs.transformList(i, x, result) or xs.transformList(i, x, condition, result)",
            "transformMap" => "m.transformMap(k, v, result) or m.transformMap(k, v, condition, result)",
            "all" => "xs.all(x, condition) or xs.all(i, x, condition)",
            "exists" => "xs.exists(x, condition) or xs.exists(i, x, condition)",
            _ => "xs.exists_one(x, condition) or xs.exists_one(i, x, condition)",
        };
        let message = format!("`{}` does not take these arguments", name.value);
        self.report(
            Diagnostic::error(rule::WRONG_ARGUMENTS, name.span, message)
                .help(format!("it is called as {form}")),
        );
    }

    /// `cel.bind(x, value, body)`.
    pub(super) fn cel_bind(
        &mut self,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        if !self.counted(name, args, &["x", "value", "body"]) {
            return poison(span);
        }
        let Some(variable) = self.variable(&args[0]) else { return poison(span) };
        let value = self.typed(&args[1], None);
        let before = self.facts.clone();
        let local = self.push_local(&variable, value.ty.clone());
        let body = self.typed(&args[2], want);
        self.pop_local();
        self.facts = before;
        let ty = body.ty.clone();
        Expr { kind: ExprKind::Bind { local, value: Box::new(value), body: Box::new(body) }, ty, span }
    }
}

/// The types of a macro's first variable, and of the second one if there are two.
fn items_of(over: &Expr, two: bool) -> Option<(Type, Type)> {
    let any = || Type::of(Kind::Any);
    // There are no items: any statement about them is true.
    let item = |ty: &Type| if matches!(ty.kind, Kind::Null) { any() } else { ty.clone() };
    Some(match &over.ty.kind {
        Kind::Any => (any(), any()),
        Kind::Error => (over.ty.clone(), over.ty.clone()),
        Kind::List(own, _) if two => (Type::of(Kind::Int(None)), item(own)),
        Kind::List(own, _) => (item(own), any()),
        Kind::Map(own) => (Type::of(Kind::String(None)), item(own)),
        Kind::Record(_) => (Type::of(Kind::String(None)), any()),
        _ => return None,
    })
}

/// The type that the place wants of each item.
fn wanted_item(kind: Macro, want: &Type) -> Option<Type> {
    match (kind, &want.kind) {
        (Macro::Map | Macro::TransformList, Kind::List(item, _)) | (Macro::TransformMap, Kind::Map(item)) => {
            Some((**item).clone())
        }
        _ => None,
    }
}

fn result(kind: Macro, over: &Type, narrowed: Type, each: Option<&Type>) -> Type {
    let any = || Type::of(Kind::Any);
    let list = |item: Type| Type::of(Kind::List(Arc::new(item), None));
    match kind {
        Macro::All | Macro::Exists | Macro::ExistsOne => Type::of(Kind::Bool),
        Macro::Filter => list(narrowed),
        Macro::SortBy => match &over.kind {
            Kind::List(item, most) => Type::of(Kind::List(Arc::clone(item), *most)),
            _ => list(narrowed),
        },
        Macro::Map | Macro::TransformList => list(each.cloned().unwrap_or_else(any)),
        Macro::TransformMap => Type::of(Kind::Map(Arc::new(each.cloned().unwrap_or_else(any)))),
    }
}
