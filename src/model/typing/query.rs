//! What the runtime knows: steps, visits, the clock, rendered texts.

use super::cx::{Cx, poison};
use super::misuse::sorted;
use super::scope::Reach;
use crate::diag::{Diagnostic, nearest};
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
            "step" => (ExprKind::Step, Kind::Int(None), Reach::All),
            _ => (ExprKind::Now, Kind::Duration, Reach::Inputs),
        };
        if !self.reaches(needs, &format!("{}()", name.value), span) {
            return poison(span);
        }
        Expr { kind, ty: Type::of(ty), span }
    }

    pub(super) fn node_query(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["node"])
            || !self.reaches(Reach::All, &format!("{}()", name.value), span)
        {
            return poison(span);
        }
        let ast::ExprKind::Name(node) = &args[0].kind else {
            let message = format!("`{}` takes the name of a node", name.value);
            self.report(Diagnostic::error("wrong-arguments", args[0].span, message));
            return poison(span);
        };
        let Some(id) = self.scope.node(node) else {
            let near = nearest(node, sorted(self.scope.node_names()));
            let fault = Diagnostic::error("unknown-node", args[0].span, format!("there is no node `{node}`"));
            self.report(fault.meant(near));
            return poison(span);
        };
        if name.value == "visits" {
            Expr { kind: ExprKind::Visits(id), ty: Type::of(Kind::Int(None)), span }
        } else {
            Expr { kind: ExprKind::InState(id), ty: Type::of(Kind::Bool), span }
        }
    }

    pub(super) fn render(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        if !self.counted(name, args, &["text"]) || !self.reaches(Reach::All, "render()", span) {
            return poison(span);
        }
        let (ast::ExprKind::Name(text) | ast::ExprKind::Literal(ast::Literal::String(text))) = &args[0].kind
        else {
            let message = "`render` takes the name of a text";
            self.report(Diagnostic::error("wrong-arguments", args[0].span, message));
            return poison(span);
        };
        let Some(id) = self.scope.text(text) else {
            let near = nearest(text, sorted(self.scope.text_names()));
            let fault = Diagnostic::error("unknown-text", args[0].span, format!("there is no text `{text}`"));
            self.report(fault.meant_or(near, "declare it under `texts`"));
            return poison(span);
        };
        Expr { kind: ExprKind::Render(id), ty: Type::of(Kind::String(None)), span }
    }
}
