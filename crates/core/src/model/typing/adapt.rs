//! Making a typed expression fit the type that is wanted.

use super::cx::{Cx, poison};
use super::fit::{Fit, fit, position};
use super::show::members;
use crate::diag::{Diagnostic, EditKind, did_you_mean, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::name_use::NameKind;
use crate::model::types::{EnumType, Kind, Type};
use crate::source::Span;
use crate::syntax::ast;
use crate::value::{Str, Value};

/// Billionths in one unit of money.
const SECOND_NS: i64 = 1_000_000_000;

impl Cx<'_> {
    /// Types an expression that has to fit `want`.
    pub(super) fn checked(&mut self, expr: &ast::Expr, want: &Type) -> Expr {
        let typed = self.typed(expr, Some(want));
        if let Kind::Enum(members) = &want.kind {
            self.recorder().offer_members(typed.span, members);
        }
        self.adapt(typed, want)
    }

    /// The expression as a value of type `want`: literals are converted, what only the run can tell is checked there,
    /// what can never fit is reported.
    pub(super) fn adapt(&mut self, expr: Expr, want: &Type) -> Expr {
        let expr = match self.adapt_literal(expr, want) {
            Ok(done) => return done,
            Err(expr) => expr,
        };
        match fit(self.types, &expr.ty, want) {
            Fit::Yes => expr,
            Fit::AtRunTime => {
                let span = expr.span;
                // What is never null is not, also where null would fit.
                let may_be_null = expr.ty.nullable || matches!(expr.ty.kind, Kind::Any);
                let ty = if may_be_null { want.clone() } else { want.clone().not_null() };
                Expr { kind: ExprKind::Coerce(Box::new(expr), want.clone()), ty, span }
            }
            Fit::AllButNull => {
                self.report_null(&expr, want);
                Expr { ty: expr.ty.not_null(), ..expr }
            }
            Fit::No => {
                self.report_mismatch(&expr, want);
                poison(expr.span)
            }
        }
    }

    /// Literals that stand for a value of another type there.
    fn adapt_literal(&mut self, expr: Expr, want: &Type) -> Result<Expr, Expr> {
        let ExprKind::Const(value) = &expr.kind else { return Err(expr) };
        let converted = match (value, &want.kind) {
            (Value::Int(int), Kind::Float) => Some(Value::Float(crate::value::float_of_int(*int))),
            (Value::Int(int), Kind::Usd) => int.checked_mul(SECOND_NS).map(Value::Usd),
            (Value::Float(float), Kind::Usd) => crate::value::usd::from_float(*float).ok().map(Value::Usd),
            (Value::Int(int), Kind::Int(Some((low, high)))) => {
                if int < low || int > high {
                    let message = format!("{int} lies outside `{}`", self.show(want));
                    self.report(Diagnostic::error(rule::TYPE_MISMATCH, expr.span, message));
                    return Ok(poison(expr.span));
                }
                Some(Value::Int(*int))
            }
            (Value::Str(text), Kind::String(Some(most))) if !matches!(expr.ty.kind, Kind::Type) => {
                let long = text.chars().count();
                if long as u64 > *most {
                    let message = format!("the text has {long} characters, at most {most} fit here");
                    self.report(Diagnostic::error(rule::TYPE_MISMATCH, expr.span, message));
                    return Ok(poison(expr.span));
                }
                Some(Value::Str(text.clone()))
            }
            (Value::Str(text), Kind::Enum(members)) if matches!(expr.ty.kind, Kind::String(_)) => {
                if !self.is_member(text, members, expr.span) {
                    return Ok(poison(expr.span));
                }
                Some(Value::Str(text.clone()))
            }
            _ => None,
        };
        match converted {
            Some(value) => {
                let ty = Type::of(want.kind.clone());
                Ok(Expr { kind: ExprKind::Const(value), ty, span: expr.span })
            }
            None => Err(expr),
        }
    }

    /// True if the literal is a member of the enum; reported if not.
    pub(super) fn is_member(&mut self, text: &Str, ty: &EnumType, span: Span) -> bool {
        if ty.members.contains(text) {
            self.scope.recorder().note_member(text, ty, span);
            return true;
        }
        let known = ty.members.iter().map(|member| (member.as_str(), None));
        self.recorder().offer(text, NameKind::Member, known);
        let of = ty.name.as_ref().map_or_else(|| "this enum".to_owned(), |name| format!("`{name}`"));
        let fault = Diagnostic::error(rule::NOT_A_MEMBER, span, format!("'{text}' is not a member of {of}"));
        self.report(match nearest(text, ty.members.iter().map(Str::as_str)) {
            Some(near) => fault.suggest(did_you_mean(&format!("'{near}'")), span, EditKind::Name, near),
            None => fault.help(format!("its members are {}", members(ty))),
        });
        false
    }

    fn report_null(&mut self, expr: &Expr, want: &Type) {
        if matches!(expr.ty.kind, Kind::Null) {
            let message = format!("null does not fit here, `{}` is wanted", self.show(want));
            let fault = Diagnostic::error(rule::TYPE_MISMATCH, expr.span, message);
            self.report(fault.help("append `?` to a type to allow null"));
            return;
        }
        let wanted = format!("`{}` is wanted", self.show(want));
        let fault = self.maybe_null(expr).caret(wanted);
        self.report(fault);
    }

    /// The finding that an expression may be null.
    pub(super) fn maybe_null(&self, expr: &Expr) -> Diagnostic {
        let base = self.describe(self.null_base(expr));
        let Some(path) = self.describe(expr) else {
            let fault = Diagnostic::error(rule::MAYBE_NULL, expr.span, "this may be null here");
            return match base {
                Some(base) => fault.help(format!(
                    "`{base}` may be null: test it first (`{base} != null && …`) or give a value for null (`… ?? value`)"
                )),
                None => fault.help("give a value for null with `… ?? value`"),
            };
        };
        let base = base.unwrap_or_else(|| path.clone());
        Diagnostic::error(rule::MAYBE_NULL, expr.span, format!("`{path}` may be null here"))
            .help(format!("test it first (`{base} != null && …`) or give a value for null (`{path} ?? …`)"))
    }

    /// The part of a path that is null where the whole is: the record of a field that is never null itself.
    fn null_base<'e>(&self, expr: &'e Expr) -> &'e Expr {
        match &expr.kind {
            ExprKind::Coerce(inner, _) => self.null_base(inner),
            ExprKind::Field { target, name, .. } if target.ty.nullable => match &target.ty.kind {
                Kind::Record(id) => {
                    let field = self.types.record(*id).fields.iter().find(|field| field.name == *name);
                    if field.is_some_and(|field| !field.ty.nullable) { self.null_base(target) } else { expr }
                }
                _ => expr,
            },
            ExprKind::Index(target, _) if target.ty.nullable => match &target.ty.kind {
                Kind::List(item, _) | Kind::Map(item) if !item.nullable => self.null_base(target),
                _ => expr,
            },
            _ => expr,
        }
    }

    /// The expression as an operand that null would break: reports what may be null.
    pub(super) fn not_null(&mut self, expr: Expr) -> Expr {
        match expr.ty.kind {
            Kind::Error | Kind::Any => expr,
            Kind::Null => {
                // This does not depend on what is known where a let is used or an action is run, so one that is not used has the error, too.
                let fault = Diagnostic::error(rule::TYPE_MISMATCH, expr.span, "null is not allowed here");
                self.report(fault.help("null has no value to work with"));
                poison(expr.span)
            }
            _ if expr.ty.nullable => {
                let fault = self.maybe_null(&expr);
                self.report(fault);
                Expr { ty: expr.ty.not_null(), ..expr }
            }
            _ => expr,
        }
    }

    fn report_mismatch(&mut self, expr: &Expr, want: &Type) {
        let (found, wanted) = (self.show(&expr.ty), self.show(want));
        let mut fault = Diagnostic::error(
            rule::TYPE_MISMATCH,
            expr.span,
            format!("`{wanted}` is wanted here, this is `{found}`"),
        );
        if let Some(hint) = self.mismatch_hint(expr, want) {
            fault = fault.help(hint);
        }
        self.report(fault);
    }

    fn mismatch_hint(&self, expr: &Expr, want: &Type) -> Option<String> {
        if let ExprKind::Const(value) = &expr.kind {
            return literal_hint(value, &want.kind);
        }
        let written = self.describe(expr).unwrap_or_else(|| "…".to_owned());
        match (&expr.ty.kind, &want.kind) {
            (Kind::Int(_), Kind::Float) => Some(format!("write double({written})")),
            (Kind::Float, Kind::Int(_)) => Some(format!("write int({written}): the fraction is cut off")),
            (Kind::String(_), Kind::Int(_)) => Some(format!(
                "write parse_int({written}) ?? 0, or another value for a text that is not a number"
            )),
            (Kind::Int(_) | Kind::Float, Kind::Usd) => Some(format!("write usd({written})")),
            (Kind::Int(_) | Kind::Float | Kind::Bool | Kind::Usd | Kind::Duration, Kind::String(_)) => {
                Some(format!("write string({written})"))
            }
            (Kind::List(..) | Kind::Map(_) | Kind::Record(_), Kind::String(_)) => {
                Some(format!("write json({written})"))
            }
            (Kind::Int(_), Kind::Bool) => Some(format!("compare it: `{written} > 0`")),
            (Kind::String(_) | Kind::List(..) | Kind::Map(_), Kind::Bool) => {
                Some(format!("compare it: `size({written}) > 0`"))
            }
            (Kind::Int(_), Kind::Duration) => Some("a duration has a unit: 30s, 5m, 1h30m".to_owned()),
            (Kind::String(_), Kind::Enum(_)) => {
                Some(format!("test it first: is({written}, {})", self.show(&want.clone().not_null())))
            }
            (Kind::Enum(a), Kind::Enum(b)) => {
                let other = a.members.iter().find(|m| !b.members.contains(m))?;
                Some(format!("'{other}' is not a member of `{}`", self.show(want)))
            }
            (Kind::Record(a), Kind::Record(b)) => {
                let (source, target) = (self.types.record(*a), self.types.record(*b));
                let lacks = target
                    .fields
                    .iter()
                    .find(|f| position(source, &f.name).is_none() && f.default.is_none() && !f.ty.nullable);
                if let Some(field) = lacks {
                    return Some(format!("`{}` has no field `{}`", source.name, field.name));
                }
                let surplus =
                    source.fields.iter().find(|f| !target.open && position(target, &f.name).is_none());
                if let Some(field) = surplus {
                    return Some(format!("`{}` has no field `{}`", target.name, field.name));
                }
                let differs = target.fields.iter().find_map(|f| {
                    let own = source.fields.get(&f.name)?;
                    (fit(self.types, &own.ty, &f.ty) > Fit::AtRunTime).then_some((own, f))
                })?;
                let (own, wanted) = (self.show(&differs.0.ty), self.show(&differs.1.ty));
                Some(format!("the field `{}` is `{own}` here, `{wanted}` there", differs.1.name))
            }
            _ => None,
        }
    }
}

/// The way to write a literal as a value of another type.
fn literal_hint(value: &Value, want: &Kind) -> Option<String> {
    match (value, want) {
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), Kind::String(_)) => {
            Some("put it in quotes".to_owned())
        }
        (Value::Str(text), Kind::Int(_)) if text.parse::<i64>().is_ok() => {
            Some(format!("without quotes: {text}"))
        }
        (Value::Str(text), Kind::Float | Kind::Usd) if text.parse::<f64>().is_ok() => {
            Some(format!("without quotes: {text}"))
        }
        (Value::Str(text), Kind::Bool) if matches!(text.as_str(), "true" | "false") => {
            Some(format!("without quotes: {text}"))
        }
        (Value::Int(_) | Value::Float(_) | Value::Str(_), Kind::Duration) => {
            Some("a duration has a unit and no quotes: 30s, 5m, 1h30m".to_owned())
        }
        (Value::Float(_), Kind::Int(_)) => Some("without a fraction".to_owned()),
        _ => None,
    }
}
