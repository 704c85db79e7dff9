//! Questions to the machine: steps, visits, the clock, rendered texts.

use std::sync::Arc;

use super::cx::{Cx, poison};
use super::misuse::sorted;
use super::scope::Reach;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Name};

impl Cx<'_> {
    pub(super) fn counter(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &[]) {
            return poison(span);
        }
        let (kind, ty, needs) = match name.as_str() {
            "step" => (ExprKind::Step, Type::of(Kind::Int(None)), Reach::All),
            "rolled_back" => {
                let steps = Kind::Map(Arc::new(Type::of(Kind::Int(None))));
                (ExprKind::RolledBack, Type::of(steps).or_null(), Reach::All)
            }
            _ => (ExprKind::Now, Type::of(Kind::Duration), Reach::Inputs),
        };
        if !self.reaches(needs, &format!("{}()", name.value), span) {
            return poison(span);
        }
        Expr { kind, ty, span }
    }

    pub(super) fn node_query(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["node"])
            || !self.reaches(Reach::All, &format!("{}()", name.value), span)
        {
            return poison(span);
        }
        let ast::ExprKind::Name(node) = &args[0].kind else {
            let message = format!("`{}` takes the name of a node", name.value);
            self.report(Diagnostic::error(rule::WRONG_ARGUMENTS, args[0].span, message));
            return poison(span);
        };
        let Some(id) = self.scope.node(node) else {
            self.scope.offer_nodes(node);
            let near = nearest(node, sorted(self.scope.node_names()));
            let fault =
                Diagnostic::error(rule::UNKNOWN_NODE, args[0].span, format!("there is no node `{node}`"));
            self.report(fault.meant(near));
            return poison(span);
        };
        self.scope.note_node(node, args[0].span);
        if name.value == "visits" {
            Expr { kind: ExprKind::Visits(id), ty: Type::of(Kind::Int(None)), span }
        } else {
            Expr { kind: ExprKind::InState(id), ty: Type::of(Kind::Bool), span }
        }
    }

    /// `previous(e)`. What is remembered is worked out once for each entry, so it can read no variable of a macro around it.
    pub(super) fn previous(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["expression"]) {
            return poison(span);
        }
        if !self.here.property {
            let fault = Diagnostic::error(rule::NOT_HERE, span, "`previous(…)` cannot be read here");
            self.report(
                fault.help(
                    "`previous` exists in `properties` only; store what you need in a field of the state",
                ),
            );
            return poison(span);
        }
        let inner = self.typed(&args[0], None);
        if matches!(inner.ty.kind, Kind::Error) {
            return poison(span);
        }
        if reads_outer_locals(&inner) {
            let message = "`previous(…)` cannot read a variable of the macro around it";
            let fault = Diagnostic::error(rule::NOT_HERE, args[0].span, message);
            self.report(fault.help("remember the whole list: previous(items).all(…)"));
            return poison(span);
        }
        let ty = inner.ty.clone().or_null();
        Expr { kind: ExprKind::Previous(Box::new(inner)), ty, span }
    }

    pub(super) fn render(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["text"]) || !self.reaches(Reach::All, "render()", span) {
            return poison(span);
        }
        let (ast::ExprKind::Name(text) | ast::ExprKind::Literal(ast::Literal::String(text))) = &args[0].kind
        else {
            let message = "`render` takes the name of a text";
            self.report(Diagnostic::error(rule::WRONG_ARGUMENTS, args[0].span, message));
            return poison(span);
        };
        let Some(id) = self.scope.text(text) else {
            self.scope.offer_texts(text);
            let near = nearest(text, sorted(self.scope.text_names()));
            let fault =
                Diagnostic::error(rule::UNKNOWN_TEXT, args[0].span, format!("there is no text `{text}`"));
            self.report(fault.meant_or(near, "declare it under `texts`"));
            return poison(span);
        };
        self.scope.note_text(text, args[0].span);
        self.note_rendering(id, args[0].span);
        Expr { kind: ExprKind::Render(id), ty: Type::of(Kind::String(None)), span }
    }
}

/// True if an expression reads a local that it does not bind itself.
fn reads_outer_locals(expr: &Expr) -> bool {
    let (mut bound, mut read) = (Vec::new(), Vec::new());
    expr.walk(&mut |part| match &part.kind {
        ExprKind::Local(id) => read.push(*id),
        ExprKind::Macro { local, second, .. } => bound.extend(std::iter::once(*local).chain(*second)),
        ExprKind::Bind { local, .. } => bound.push(*local),
        _ => {}
    });
    read.iter().any(|id| !bound.contains(id))
}
