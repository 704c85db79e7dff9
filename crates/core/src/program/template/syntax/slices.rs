//! The variables that a template cuts slices of.

use std::collections::BTreeSet;

use super::tree::{StepKind, TemplateExpr, TemplateExprKind, TemplatePiece, TemplateStep, Word};

/// The names before a slice, those that the text binds itself left out. The engine's own list of variables lacks them.
pub(crate) fn sliced_variables<'t>(pieces: &[TemplatePiece<'t>]) -> BTreeSet<&'t str> {
    let mut names = SlicedNames::default();
    names.pieces(pieces);
    names.sliced.difference(&names.bound).copied().collect()
}

#[derive(Default)]
struct SlicedNames<'t> {
    sliced: BTreeSet<&'t str>,
    bound: BTreeSet<&'t str>,
}

impl<'t> SlicedNames<'t> {
    fn pieces(&mut self, pieces: &[TemplatePiece<'t>]) {
        for piece in pieces {
            piece.binds(&mut |names| self.bound.extend(names.iter().map(|name: &Word<'t>| name.text)));
            piece.exprs(&mut |expr| self.expr(expr));
            for step in piece.filters() {
                self.step(step);
            }
            piece.bodies(&mut |body| self.pieces(body));
        }
    }

    fn expr(&mut self, expr: &TemplateExpr<'t>) {
        if let TemplateExprKind::Steps(base, steps) = &expr.kind {
            let is_sliced = steps.iter().any(|step| matches!(step.kind, StepKind::Slice(_)));
            match base.kind {
                TemplateExprKind::Name(name) if is_sliced => {
                    self.sliced.insert(name);
                }
                _ => self.expr(base),
            }
            for step in steps {
                self.step(step);
            }
        } else {
            expr.parts(&mut |part| self.expr(part));
        }
    }

    fn step(&mut self, step: &TemplateStep<'t>) {
        step.parts(&mut |part| self.expr(part));
    }
}
