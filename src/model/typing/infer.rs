//! The type of every form of expression.

use super::cx::{Cx, Meaning, poison, special_name};
use super::fit::{Fit, fit, join};
use super::scope::{Entry, Reach};
use crate::diag::{Diagnostic, nearest};
use crate::model::expr::{Expr, ExprKind, Special};
use crate::model::graph::SlotKind;
use crate::model::types::{Kind, RecordId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Literal, Name};
use crate::value::{Str, Value};

/// CEL's names of types as values, each with the name that `type(x)` gives.
const TYPE_VALUES: [(&str, &str); 13] = [
    ("bool", "bool"),
    ("int", "int"),
    ("float", "float"),
    ("double", "float"),
    ("string", "string"),
    ("duration", "duration"),
    ("usd", "usd"),
    ("list", "list"),
    ("map", "map"),
    ("null_type", "null"),
    ("type", "type"),
    ("uint", "uint"),
    ("bytes", "bytes"),
];

impl Cx<'_> {
    /// Types an expression. `want` is what the place would like; literals follow it, nothing is refused for it.
    pub(super) fn typed(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        if !self.enter(expr.span) {
            return poison(expr.span);
        }
        let span = expr.span;
        let typed = match &expr.kind {
            ast::ExprKind::Literal(value) => literal(value, span),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Field(target, name) => self.select(target, name, span),
            ast::ExprKind::Index(target, index) => self.index(target, index, span),
            ast::ExprKind::Call { receiver, name, args } => {
                self.call(receiver.as_deref(), name, args, span, want)
            }
            ast::ExprKind::Is(value, ty) => self.is(value, ty, span),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, span, want),
            ast::ExprKind::Binary(..) => self.binary(expr, want),
            ast::ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, span, want)
            }
            ast::ExprKind::List(items) => self.list(items, span, want),
            ast::ExprKind::Map(entries) => self.map(entries, span, want),
            ast::ExprKind::Record(name, fields) => self.record(name, fields, span),
        };
        self.leave();
        typed
    }

    /// The expression with what is known of the path it reads.
    pub(super) fn narrow(&self, mut expr: Expr) -> Expr {
        if let Some(ty) = self.facts.narrowed(&expr) {
            expr.ty = ty.clone();
        } else if expr.ty.nullable && !matches!(expr.ty.kind, Kind::Null) && self.facts.knows(&expr) {
            expr.ty.nullable = false;
        }
        expr
    }

    fn name(&mut self, name: &str, span: Span) -> Expr {
        if let Some(local) = self.local(name) {
            let (kind, ty) = match local {
                Meaning::Stack(id, ty) => (ExprKind::Local(*id), ty.clone()),
                Meaning::Path(path) => (path.kind.clone(), path.ty.clone()),
            };
            return self.narrow(Expr { kind, ty, span });
        }
        if let Some(special) = self.special(name, span) {
            return self.narrow(special);
        }
        if let Some(bound) = self.scope.lookup(name, self.here.composite) {
            let entry = self.entry(&bound.entry, name, span);
            return self.narrow(entry);
        }
        if let Some((_, value)) = TYPE_VALUES.iter().find(|(own, _)| *own == name) {
            return Expr {
                kind: ExprKind::Const(Value::Str((*value).into())),
                ty: Type::of(Kind::Type),
                span,
            };
        }
        self.report_unknown(name, span);
        poison(span)
    }

    fn special(&mut self, name: &str, span: Span) -> Option<Expr> {
        let (special, ty) = match name {
            "result" => (Special::Result, self.here.result.clone()),
            "error" => (Special::Error, self.here.error.then(|| self.scope.builtins.error.clone())),
            "outcome" => (Special::Outcome, self.here.outcome.then(|| Type::of(Kind::String(None)))),
            "tools" => {
                let seen = self.here.reach >= Reach::State;
                (Special::Tools, seen.then(|| self.scope.builtins.tools.clone()))
            }
            _ => return None,
        };
        let Some(ty) = ty else {
            self.report(not_here(special, span));
            return Some(poison(span));
        };
        Some(Expr { kind: ExprKind::Special(special), ty, span })
    }

    fn entry(&mut self, entry: &Entry, name: &str, span: Span) -> Expr {
        match entry {
            Entry::Slot(id, ty, kind) => {
                let needs = if *kind == SlotKind::Input { Reach::Inputs } else { Reach::State };
                if !self.reaches(needs, name, span) {
                    return poison(span);
                }
                Expr { kind: ExprKind::Slot(*id), ty: ty.clone(), span }
            }
            Entry::Let(id) => {
                let Some(info) = self.scope.lets.get(id.0 as usize) else { return poison(span) };
                if !self.reaches(info.reach, name, span) {
                    return poison(span);
                }
                match &info.alias {
                    Some(path) => Expr { span, ..path.clone() },
                    None => Expr { kind: ExprKind::Let(*id), ty: info.ty.clone(), span },
                }
            }
            Entry::Template(decl) => {
                let params: Vec<&str> = decl.params.iter().map(|p| p.as_str()).collect();
                let message = format!("the let `{name}` takes parameters");
                let fault = Diagnostic::error("wrong-arguments", span, message);
                self.report(fault.help(format!("write {name}({})", params.join(", "))));
                poison(span)
            }
            Entry::Budget(..) => {
                let message = format!("the budget `{name}` is no value");
                let fault = Diagnostic::error("type-mismatch", span, message);
                self.report(
                    fault.help(format!(
                        "ask for used({name}), limit({name}), left({name}) or exhausted({name})"
                    )),
                );
                poison(span)
            }
            Entry::Family(..) => {
                let message = format!("the family of budgets `{name}` is no value");
                let fault = Diagnostic::error("type-mismatch", span, message);
                self.report(fault.help(format!("ask for left({name}[key].meter) or `key in {name}`")));
                poison(span)
            }
            Entry::Action(_) => {
                let message = format!("the action `{name}` is no value");
                let fault = Diagnostic::error("type-mismatch", span, message);
                self.report(fault.help(format!("run it as a statement: {name}()")));
                poison(span)
            }
            Entry::Broken => poison(span),
        }
    }

    /// Whether this place may read what needs that reach; reported if not.
    pub(super) fn reaches(&mut self, needs: Reach, what: &str, span: Span) -> bool {
        if needs <= self.here.reach {
            return true;
        }
        let sees = match self.here.reach {
            Reach::Constants => "only literals can stand here",
            Reach::Inputs => "only the input and what follows from it can be read here",
            Reach::State | Reach::All => "only the state can be read here",
        };
        self.report(Diagnostic::error("not-here", span, format!("`{what}` cannot be read here")).caret(sees));
        false
    }

    fn report_unknown(&mut self, name: &str, span: Span) {
        let elsewhere = self.scope.bound(name).first().map(|b| b.span);
        if let Some(declared) = elsewhere {
            let fault = Diagnostic::error(
                "unknown-name",
                span,
                format!("`{name}` belongs to a composite this is not in"),
            );
            self.report(fault.also(declared, "declared here"));
            return;
        }
        let fault = Diagnostic::error("unknown-name", span, format!("there is no `{name}`"));
        let hint = self.unknown_hint(name);
        self.report(fault.help(hint));
    }

    fn unknown_hint(&self, name: &str) -> String {
        if self.scope.types.get(name).is_some() {
            return format!("`{name}` is a type; a record is written {name}{{field: value}}");
        }
        let local = nearest(name, self.local_names());
        let special = || nearest(name, ["result", "error", "outcome", "tools"]);
        let near = local.or_else(|| self.scope.nearest(name, self.here.composite)).or_else(special);
        if let Some(near) = near {
            return format!("did you mean `{near}`?");
        }
        if self.scope.node(name).is_some() {
            return format!("`{name}` is a node: ask visits({name}) or in_state({name})");
        }
        format!("declare it, or write '{name}' if the text is meant")
    }

    fn select(&mut self, target: &ast::Expr, name: &Name, span: Span) -> Expr {
        let target = self.typed(target, None);
        self.field_of(target, name, span)
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
                match record.fields.iter().position(|f| f.name == field) {
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
        self.narrow(Expr { kind: ExprKind::Field { target: Box::new(target), name: field, hint }, ty, span })
    }

    /// Reports a field that the record does not have.
    pub(super) fn report_unknown_field(&mut self, id: RecordId, name: &Name) {
        let record = self.types.record(id);
        let message = format!("`{}` has no field `{}`", record.name, name.value);
        let fault = Diagnostic::error("unknown-field", name.span, message);
        let near = nearest(&name.value, record.fields.iter().map(|f| f.name.as_str()));
        let hint = if let Some(near) = near {
            format!("did you mean `{near}`?")
        } else {
            let names: Vec<&str> = record.fields.iter().take(12).map(|f| f.name.as_str()).collect();
            format!("its fields are {}", names.join(", "))
        };
        self.report(fault.help(hint));
    }

    fn report_no_fields(&mut self, target: &Expr, name: &Name) {
        let message = format!("`{}` has no fields", self.show(&target.ty));
        let mut fault = Diagnostic::error("unknown-field", name.span, message);
        if crate::value::Function::receiver(&name.value).is_some() {
            fault = fault.help(format!("the function is called with parentheses: .{}()", name.value));
        } else if matches!(target.ty.kind, Kind::List(..)) {
            fault = fault.help("take one item first: xs[0], or go over all of them: xs.map(x, …)");
        }
        self.report(fault);
    }

    fn index(&mut self, target: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        let target = self.typed(target, None);
        let key = self.typed(index, None);
        let key = self.not_null(key);
        self.index_of(target, key, span)
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
                    Diagnostic::error("type-mismatch", target.span, message)
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
                let message = format!("`{}` is no index here: {what}", self.show(&key.ty));
                self.report(Diagnostic::error("type-mismatch", key.span, message));
                poison(key.span)
            }
            _ => key,
        };
        let item = if matches!(item.kind, Kind::Null) { item.or_null() } else { item };
        let ty = if target.ty.nullable && !matches!(item.kind, Kind::Any) { item.or_null() } else { item };
        self.narrow(Expr { kind: ExprKind::Index(Box::new(target), Box::new(key)), ty, span })
    }

    fn is(&mut self, value: &ast::Expr, ty: &ast::TypeExpr, span: Span) -> Expr {
        let value = self.typed(value, None);
        let mut faults = Vec::new();
        let ty = self.scope.types.resolve(ty, &mut faults);
        for fault in faults {
            self.report(fault);
        }
        if matches!(ty.kind, Kind::Error) || matches!(value.ty.kind, Kind::Error) {
            return Expr { ty: Type::of(Kind::Bool), ..poison(span) };
        }
        Expr { kind: ExprKind::Is(Box::new(value), ty), ty: Type::of(Kind::Bool), span }
    }

    fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        let condition = self.checked(condition, &Type::of(Kind::Bool));
        let before = self.facts.clone();
        self.facts = before.and(&self.scope.facts_when(&condition, true));
        let then = self.wanted(then, want);
        self.facts = before.and(&self.scope.facts_when(&condition, false));
        let otherwise = self.wanted(otherwise, want);
        self.facts = before;
        let (then, otherwise) = self.align(then, otherwise);
        let Some(ty) = join(self.types, &then.ty, &otherwise.ty) else {
            let (a, b) = (self.show(&then.ty), self.show(&otherwise.ty));
            let message = format!("one side of `?:` is `{a}`, the other `{b}`");
            self.report(
                Diagnostic::error("type-mismatch", otherwise.span, message).also(then.span, "the first side"),
            );
            return poison(span);
        };
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Expr { kind, ty, span }
    }

    /// Types an operand that shall fit `want` if the place wants anything; null is let through, so that the whole is
    /// judged where it ends up.
    pub(super) fn wanted(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        match want {
            Some(want) => self.checked(expr, &want.clone().or_null()),
            None => self.typed(expr, None),
        }
    }

    /// Two operands with the literals of one brought to the other's type.
    pub(super) fn align(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let money = |e: &Expr| matches!(e.ty.kind, Kind::Usd | Kind::Float);
        if is_number_literal(&a) && money(&b) && a.ty.kind != b.ty.kind {
            let want = Type::of(b.ty.kind.clone());
            return (self.literal_as(a, &want), b);
        }
        if is_number_literal(&b) && money(&a) && a.ty.kind != b.ty.kind {
            let want = Type::of(a.ty.kind.clone());
            return (a, self.literal_as(b, &want));
        }
        (a, b)
    }

    fn literal_as(&mut self, literal: Expr, want: &Type) -> Expr {
        let to_usd_from_float =
            matches!((&literal.ty.kind, &want.kind), (Kind::Float | Kind::Int(_), Kind::Usd));
        let to_float = matches!((&literal.ty.kind, &want.kind), (Kind::Int(_), Kind::Float));
        if to_usd_from_float || to_float { self.adapt(literal, want) } else { literal }
    }
}

fn is_number_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Value::Int(_) | Value::Float(_)))
}

fn literal(value: &Literal, span: Span) -> Expr {
    let (value, ty) = match value {
        Literal::Null => (Value::Null, Type::of(Kind::Null).or_null()),
        Literal::Bool(b) => (Value::Bool(*b), Type::of(Kind::Bool)),
        Literal::Int(i) => (Value::Int(*i), Type::of(Kind::Int(None))),
        Literal::Float(f) => (Value::Float(*f), Type::of(Kind::Float)),
        Literal::String(s) => (Value::Str(s.as_str().into()), Type::of(Kind::String(None))),
        Literal::Duration(d) => (Value::Duration(*d), Type::of(Kind::Duration)),
    };
    Expr { kind: ExprKind::Const(value), ty, span }
}

fn not_here(special: Special, span: Span) -> Diagnostic {
    let name = special_name(special);
    let hint = match special {
        Special::Result => "it is there in `then`, and on edges where an answer arrived",
        Special::Error => "it is there on edges `on error`, `on timeout` and `on unknown`",
        Special::Outcome => "it is there on the `done` edges of a composite",
        Special::Tools => "the catalogue is there once the run has started",
    };
    Diagnostic::error("not-here", span, format!("`{name}` is not in scope here")).help(hint)
}
