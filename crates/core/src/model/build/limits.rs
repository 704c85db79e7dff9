//! `limits` of a node that asks a model: what fields of its answer may be in one request.

use super::context::Context;
use super::keys::Keys;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::record::RecordType;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, position, show};
use crate::program::function::Function;
use crate::syntax::ast::{self, Name, PlaceStep};
use crate::syntax::tree::KeyValue;
use crate::value::Value;

/// The cure for a limit that depends on the answer.
const WHOLE_CALLS: &str = "limit one field to whole calls, `limits: {call: tool_calls(names)}`; what an earlier answer said can be stored in another field";

/// The limits by field, as a map.
pub(super) fn limits(cx: &Context<'_>, keys: &Keys<'_>, answer: &Type, at: &mut Cx<'_>) -> Option<Expr> {
    let span = keys.span_of("limits")?;
    let KeyValue::Fields(given) = keys.value("limits")? else {
        let message = "`limits` takes a mapping: what is allowed by field of the answer";
        let fault = Diagnostic::error(rule::WRONG_FORM, span, message);
        at.report(fault.help("limits: {tool: tools.map(t, t.name)}"));
        return None;
    };
    let record = match answer.kind {
        Kind::Record(id) => cx.types.record(id),
        Kind::Error => return None,
        _ => {
            let message = "`limits` narrows fields of the answer, but the answer is not a record";
            let fault = Diagnostic::error(rule::UNKNOWN_FIELD, span, message);
            at.report(fault.help("give `output` a record type, or remove `limits`"));
            return None;
        }
    };
    let entries = given.iter().filter_map(|(field, value)| {
        let place = field_of(record, field, at)?;
        independent(keys, value, at)?;
        let value = limit(cx, &record.fields[place].ty, value, at)?;
        let key = Expr {
            kind: ExprKind::Const(Value::from(field.as_str())),
            ty: Type::of(Kind::String(None)),
            span: field.span,
        };
        Some((key, value))
    });
    let entries: Vec<_> = entries.collect();
    let ty = Type::of(Kind::Map(Type::of(Kind::Any).into()));
    Some(Expr { kind: ExprKind::Map(entries), ty, span })
}

fn field_of(record: &RecordType, field: &Name, at: &mut Cx<'_>) -> Option<usize> {
    let place = position(record, field);
    if place.is_none() {
        let message = format!("`{}` has no field `{}`", record.name, field.value);
        let fault = Diagnostic::error(rule::UNKNOWN_FIELD, field.span, message);
        at.report(fault.meant(nearest(field, record.fields.iter().map(|f| f.name.as_str()))));
    }
    place
}

/// One limit: a list of texts for a text, a JSON Schema for what has parts.
fn limit(cx: &Context<'_>, field: &Type, value: &ast::Expr, at: &mut Cx<'_>) -> Option<Expr> {
    let value = at.infer(value);
    let of = if let Kind::List(item, _) = &field.kind { item } else { field };
    let wrong = |message: String, help: &str, at: &mut Cx<'_>| {
        at.report(Diagnostic::error(rule::TYPE_MISMATCH, value.span, message).help(help));
        None
    };
    if value.ty.nullable && !matches!(value.ty.kind, Kind::Any) {
        let fault = Diagnostic::error(rule::MAYBE_NULL, value.span, "the limit may be null here");
        at.report(fault.help("test it first, or give a value for null: `… ?? []`"));
        return None;
    }
    let found = show(field, cx.types);
    match &value.ty.kind {
        Kind::Error => None,
        Kind::List(item, _) if matches!(item.kind, Kind::Error) => None,
        Kind::List(item, _) if matches!(item.kind, Kind::Null) => wrong(
            "this list is empty: no answer could fit it".to_owned(),
            "name what is allowed, or remove the limit",
            at,
        ),
        Kind::List(item, _) if matches!(item.kind, Kind::String(_) | Kind::Enum(_)) && !item.nullable => {
            match of.kind {
                Kind::String(_) | Kind::Enum(_) | Kind::Any => Some(value),
                _ => wrong(
                    format!("a list of texts limits texts, and the field is `{found}`"),
                    "limit it with a JSON Schema: {'type': 'integer', 'minimum': 1}, or tool_calls(names) for a call",
                    at,
                ),
            }
        }
        Kind::Map(_) => {
            if let Some(message) = no_call(cx, of, &value) {
                let help = "a call is a record with `tool: string` and `args: map<any>`, or `map<any>`";
                return wrong(message, help, at);
            }
            Some(value)
        }
        _ => {
            let message = format!(
                "a limit is a list of texts or a JSON Schema, this is `{}`",
                show(&value.ty, cx.types)
            );
            wrong(message, "list what is allowed: tools.map(t, t.name); or write tool_calls(names)", at)
        }
    }
}

/// Says why a field cannot hold what `tool_calls` describes.
fn no_call(cx: &Context<'_>, field: &Type, value: &Expr) -> Option<String> {
    if !matches!(&value.kind, ExprKind::Call(function, _) if *function == Function::TOOL_CALLS) {
        return None;
    }
    let wrong = || format!("`tool_calls` gives calls, and the field is `{}`", show(field, cx.types));
    let id = match field.kind {
        Kind::Any | Kind::Error => return None,
        Kind::Map(ref item) => return (!matches!(item.kind, Kind::Any)).then(wrong),
        Kind::Record(id) => id,
        _ => return Some(wrong()),
    };
    let fields = &cx.types.record(id).fields;
    let has = |name: &str, fits: fn(&Kind) -> bool| fields.iter().any(|f| f.name == name && fits(&f.ty.kind));
    let tool = has("tool", |kind| matches!(kind, Kind::String(_) | Kind::Any));
    let args = has("args", |kind| matches!(kind, Kind::Map(_) | Kind::Any));
    let further = fields
        .iter()
        .find(|f| !["tool", "args"].contains(&f.name.as_str()) && f.default.is_none() && !f.ty.nullable);
    match further {
        _ if !tool || !args => Some(wrong()),
        Some(further) => Some(format!("{}, whose field `{}` no call has", wrong(), further.name)),
        None => None,
    }
}

/// Reports a limit that depends on the answer: it is evaluated before the model is asked.
fn independent(keys: &Keys<'_>, value: &ast::Expr, at: &mut Cx<'_>) -> Option<()> {
    let Some(KeyValue::Place(place)) = keys.value("into") else { return Some(()) };
    let is_place = |expr: &ast::Expr| is_place(expr, &place.root.value, &place.steps);
    let Some(read) = find(value, &is_place) else { return Some(()) };
    let message = format!(
        "`limits` cannot depend on `{}`, where the answer goes: it is evaluated before the model is asked",
        text(place)
    );
    at.report(Diagnostic::error(rule::NOT_HERE, read.span, message).help(WHOLE_CALLS));
    None
}

/// The first part of an expression that is so.
fn find<'e>(expr: &'e ast::Expr, so: &dyn Fn(&ast::Expr) -> bool) -> Option<&'e ast::Expr> {
    if so(expr) {
        return Some(expr);
    }
    let mut found = None;
    expr.for_each_child(&mut |child| found = found.or_else(|| find(child, so)));
    found
}

/// True for an expression that is the place of that name and these steps.
fn is_place(expr: &ast::Expr, root: &str, steps: &[PlaceStep]) -> bool {
    match (&expr.kind, steps) {
        (ast::ExprKind::Name(name), []) => name == root,
        (ast::ExprKind::Field(target, name), [rest @ .., PlaceStep::Field(field)]) => {
            name.value == field.value && is_place(target, root, rest)
        }
        _ => false,
    }
}

fn text(place: &ast::Place) -> String {
    let mut text = place.root.value.clone();
    for step in &place.steps {
        match step {
            PlaceStep::Field(field) => text.extend([".", field.as_str()]),
            PlaceStep::Index(_) => text.push_str("[…]"),
        }
    }
    text
}
