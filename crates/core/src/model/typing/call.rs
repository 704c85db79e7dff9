//! Calls: functions of the library, what the runtime knows, lets with parameters.

use super::cx::{Cx, poison};
use super::library::{GLOBALS, METHODS, NAMESPACES, is_query, members_of};
use super::scope::Entry;
use super::signature::{admits, either, fill};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};
use crate::program::function::{Function, Functions, Overload};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::Value;

impl<'a> Cx<'a> {
    /// The function that `name(…)` calls.
    fn function(&self, name: &str) -> Option<Function> {
        GLOBALS.get(name).copied().or_else(|| self.functions().own(name))
    }

    /// The functions that may be called.
    pub(super) fn functions(&self) -> &'a Functions {
        &self.scope.builtins.functions
    }

    pub(super) fn call(
        &mut self,
        receiver: Option<&ast::Expr>,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        let Some(receiver) = receiver else { return self.global_call(name, args, span, want) };
        if let ast::ExprKind::Name(space) = &receiver.kind
            && NAMESPACES.contains(&space.as_str())
            && self.local(space).is_none()
            && self.scope.lookup(space, self.here.composite).is_none()
        {
            return self.namespaced(space, receiver.span, name, args, span, want);
        }
        if let Some(done) = self.macro_call(receiver, name, args, span, want) {
            return done;
        }
        let Some(function) = METHODS.get(name.as_str()).copied() else {
            let receiver = self.typed(receiver, None);
            if !matches!(receiver.ty.kind, Kind::Error) {
                self.report_unknown_method(&receiver, name);
            }
            return poison(span);
        };
        let mut typed = Vec::with_capacity(args.len() + 1);
        typed.push(self.typed(receiver, None));
        typed.extend(args.iter().map(|a| self.typed(a, None)));
        self.library(function, typed, name, span)
    }

    /// Notes the use of a function.
    pub(super) fn note_function(&self, name: &Name) {
        self.scope.builtins.names.note(NameKind::Function, &name.value, name.span, None, None);
    }

    fn namespaced(
        &mut self,
        space: &str,
        at: Span,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        if space == "cel" && name.value == "bind" {
            return self.cel_bind(name, args, span, want);
        }
        let full = format!("{space}.{}", name.value);
        let Some(function) = GLOBALS.get(full.as_str()).copied() else {
            let fault = Diagnostic::error(
                rule::UNKNOWN_FUNCTION,
                at.to(name.span),
                format!("there is no function `{full}`"),
            );
            let fault = fault.meant_or(
                nearest(&full, Function::ALL.iter().filter_map(|f| f.name())),
                format!("there are {}", members_of(space).join(", ")),
            );
            self.report(fault);
            return poison(span);
        };
        let typed = args.iter().map(|a| self.typed(a, None)).collect();
        self.library(function, typed, &Name::new(full, at.to(name.span)), span)
    }

    fn global_call(&mut self, name: &Name, args: &[ast::Expr], span: Span, want: Option<&Type>) -> Expr {
        if is_query(&name.value) {
            self.note_function(name);
        }
        match name.as_str() {
            "has" => return self.has(name, args, span),
            "used" | "limit" | "left" | "exhausted" => return self.budget_query(name, args, span),
            "step" | "rolled_back" | "now" => return self.counter(name, args, span),
            "visits" | "in_state" => return self.node_query(name, args, span),
            "render" => return self.render(name, args, span),
            "previous" => return self.previous(name, args, span),
            _ => {}
        }
        let bound = self.scope.lookup(&name.value, self.here.composite);
        match bound.map(|b| b.entry.clone()) {
            Some(Entry::Template(decl)) => {
                self.scope.builtins.names.note(NameKind::Let, name, name.span, Some(decl.name.span), None);
                return self.write_out(&decl, args, span, want);
            }
            Some(Entry::Error) => return poison(span),
            Some(entry) if self.function(name).is_none() => {
                self.report_no_function(name, &entry);
                return poison(span);
            }
            _ => {}
        }
        let Some(function) = self.function(name) else {
            self.report_unknown_function(name, args);
            return poison(span);
        };
        if function == Function::DYN && args.len() == 1 {
            // Its type is forgotten, the value stays: nothing to do at run time.
            let inner = self.typed(&args[0], None);
            return Expr { ty: Type::of(Kind::Any), ..inner };
        }
        let mut typed: Vec<Expr> = args.iter().map(|a| self.typed(a, None)).collect();
        if function == Function::TOOL_CALLS && args.len() == 1 {
            let catalogue = ast::Expr { kind: ast::ExprKind::Name("tools".to_owned()), span };
            typed.push(self.typed(&catalogue, None));
        }
        self.library(function, typed, name, span)
    }

    /// A call of a library function with typed arguments, the receiver first.
    fn library(&mut self, function: Function, args: Vec<Expr>, name: &Name, span: Span) -> Expr {
        self.note_function(name);
        if args.iter().any(|a| matches!(a.ty.kind, Kind::Error)) {
            return poison(span);
        }
        let args = self.literals_to_float(function, args);
        let Some((matching, result)) = self.matching(function, &args) else {
            self.report_arguments(function, &args, name);
            return poison(span);
        };
        let mut checked = Vec::with_capacity(args.len());
        for (at, arg) in args.into_iter().enumerate() {
            let takes_null = matching.iter().any(|o| o.param(at).takes_null());
            checked.push(if takes_null { arg } else { self.not_null(arg) });
        }
        self.refine(function, checked, result, span)
    }

    /// The overloads that the arguments fit, and the type they give together. Several fit where an argument is `any`.
    fn matching(&self, function: Function, args: &[Expr]) -> Option<(Vec<&'a Overload>, Type)> {
        let mut found = Vec::new();
        let mut result = None;
        for overload in &*self.functions().row(function).overloads {
            if !overload.takes(args.len()) {
                continue;
            }
            let mut hole = None;
            let fits = args.iter().enumerate().all(|(at, arg)| {
                let pattern = overload.param(at);
                let null = matches!(arg.ty.kind, Kind::Null);
                null || admits(pattern, self.types, &arg.ty.clone().not_null(), &mut hole)
            });
            if fits {
                let gives = fill(overload.result, hole.as_ref());
                result = Some(either(self.types, result, gives));
                found.push(overload);
                // Without `any` the first overload that fits is the one that is meant.
                if !args.iter().any(|a| vague(&a.ty)) {
                    break;
                }
            }
        }
        result.map(|ty| (found, ty))
    }

    /// Whole literals beside floats are floats: `math.greatest(x, 0)`.
    fn literals_to_float(&mut self, function: Function, args: Vec<Expr>) -> Vec<Expr> {
        let variadic = matches!(function, Function::LEAST | Function::GREATEST);
        let want = args
            .iter()
            .find(|a| matches!(a.ty.kind, Kind::Float | Kind::Usd))
            .map(|a| a.ty.clone().not_null());
        let Some(want) = want.filter(|_| variadic) else { return args };
        args.into_iter()
            .map(|a| match a.kind {
                ExprKind::Const(Value::Int(_) | Value::Float(_)) => self.adapt(a, &want),
                _ => a,
            })
            .collect()
    }

    fn refine(&mut self, function: Function, args: Vec<Expr>, result: Type, span: Span) -> Expr {
        if function == Function::TYPE && args.first().is_some_and(|a| matches!(a.ty.kind, Kind::Type)) {
            return Expr { kind: ExprKind::Const(Value::Str("type".into())), ty: result, span };
        }
        if function == Function::SUM
            && let Some(zero) = zero(&result.kind)
        {
            return self.sum(args, zero, result, span);
        }
        Expr { kind: ExprKind::Call(function, args), ty: result, span }
    }

    /// The sum of no amounts is no amount, not the number 0: `size(xs) == 0 ? 0 usd : sum(xs)`.
    fn sum(&mut self, args: Vec<Expr>, zero: Value, result: Type, span: Span) -> Expr {
        let Some(list) = args.into_iter().next() else { return poison(span) };
        let local = self.anonymous();
        self.release(local);
        let items = Expr { kind: ExprKind::Local(local), ty: list.ty.clone(), span: list.span };
        let expr = |kind, ty: Kind| Expr { kind, ty: Type::of(ty), span };
        let size = expr(ExprKind::Call(Function::SIZE, vec![items.clone()]), Kind::Int(None));
        let none = expr(ExprKind::Const(Value::Int(0)), Kind::Int(None));
        let empty = expr(ExprKind::Call(Function::EQUAL, vec![size, none]), Kind::Bool);
        let zero = Expr { kind: ExprKind::Const(zero), ty: result.clone(), span };
        let sum = Expr { kind: ExprKind::Call(Function::SUM, vec![items]), ty: result.clone(), span };
        let body = ExprKind::Conditional(Box::new(empty), Box::new(zero), Box::new(sum));
        let body = Box::new(Expr { kind: body, ty: result.clone(), span });
        Expr { kind: ExprKind::Bind { local, value: Box::new(list), body }, ty: result, span }
    }
}

/// True if a type is `any` or has it inside.
fn vague(ty: &Type) -> bool {
    match &ty.kind {
        Kind::Any | Kind::Null => true,
        Kind::List(item, _) | Kind::Map(item) => vague(item),
        _ => false,
    }
}

fn zero(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Float => Some(Value::Float(0.0)),
        Kind::Usd => Some(Value::Usd(0)),
        Kind::Duration => Some(Value::Duration(0)),
        _ => None,
    }
}
