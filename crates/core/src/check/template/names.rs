//! The names in a template that the engine supplies: functions, tests, `loop`, `self`.

use std::collections::BTreeSet;

use minijinja::context;

use super::Judge;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::graph::Text;
use crate::program::template::library::{FUNCTIONS, TESTS};
use crate::program::template::syntax::{
    StepKind, TemplateExpr, TemplateExprKind, TemplatePiece, TemplateStep, Word,
};

/// Looks through the names of one text.
pub(super) struct Names<'j, 'm> {
    judge: &'j Judge<'m>,
    text: &'j Text,
    findings: &'j mut Vec<Diagnostic>,
    /// The names that the text binds anywhere.
    bound: BTreeSet<&'m str>,
    /// The names that it calls.
    called: BTreeSet<&'m str>,
    in_loop: bool,
    in_macro: bool,
    in_block: bool,
}

impl<'j, 'm> Names<'j, 'm> {
    /// Judges a text. Gives the names that it calls as functions: nothing else is to be said of them.
    pub(super) fn judge(
        judge: &'j Judge<'m>,
        text: &'j Text,
        pieces: &[TemplatePiece<'m>],
        findings: &'j mut Vec<Diagnostic>,
    ) -> BTreeSet<&'m str> {
        let mut bound = BTreeSet::new();
        bind_all(pieces, &mut bound);
        let (in_loop, in_macro, in_block) = (false, false, false);
        let called = BTreeSet::new();
        let mut names = Names { judge, text, findings, bound, called, in_loop, in_macro, in_block };
        names.pieces(pieces);
        names.called
    }

    fn pieces(&mut self, pieces: &[TemplatePiece<'m>]) {
        for piece in pieces {
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: &TemplatePiece<'m>) {
        let outer = (self.in_loop, self.in_macro, self.in_block);
        match piece {
            TemplatePiece::For { list, filter, body, otherwise, .. } => {
                self.expr(list);
                self.in_loop = true;
                if let Some(filter) = filter {
                    self.expr(filter);
                }
                self.pieces(body);
                self.in_loop = outer.0;
                return self.pieces(otherwise);
            }
            TemplatePiece::Macro { .. } => (self.in_loop, self.in_macro) = (false, true),
            TemplatePiece::Block(..) => self.in_block = true,
            _ => {}
        }
        piece.exprs(&mut |expr| self.expr(expr));
        self.steps(piece.filters());
        piece.bodies(&mut |body| self.pieces(body));
        (self.in_loop, self.in_macro, self.in_block) = outer;
    }

    fn expr(&mut self, expr: &TemplateExpr<'m>) {
        match &expr.kind {
            TemplateExprKind::Name(name) => self.name(name, expr),
            TemplateExprKind::Steps(base, steps) => {
                match (&base.kind, steps.as_slice()) {
                    (TemplateExprKind::Name(name), [first, ..])
                        if matches!(first.kind, StepKind::Call(_)) =>
                    {
                        self.call(name, base);
                    }
                    (
                        TemplateExprKind::Name("budgets"),
                        [TemplateStep { kind: StepKind::Field(budget), .. }, ..],
                    ) => {
                        let range = budget.range();
                        let span = self.text.body.span(range.start, range.end);
                        self.judge.scope.note_name(budget.text, span, None);
                    }
                    (TemplateExprKind::Name("self"), [first, second, ..])
                        if matches!(second.kind, StepKind::Call(_)) && self.is_block(first) => {}
                    _ => self.expr(base),
                }
                self.steps(steps);
            }
            _ => expr.parts(&mut |part| self.expr(part)),
        }
    }

    fn steps(&mut self, steps: &[TemplateStep<'m>]) {
        for step in steps {
            if let StepKind::Test(name, ..) = &step.kind {
                self.test(name);
            }
            step.parts(&mut |part| self.expr(part));
        }
    }

    fn is_block(&self, step: &TemplateStep<'_>) -> bool {
        let StepKind::Field(name) = &step.kind else { return false };
        let mut blocks = BTreeSet::new();
        for pieces in &self.judge.trees {
            blocks_of(pieces, &mut blocks);
        }
        blocks.contains(name.text)
    }

    fn name(&mut self, name: &str, expr: &TemplateExpr<'_>) {
        if self.bound.contains(name) {
            return;
        }
        self.judge.scope.note_name(name, self.text.body.span(expr.range.start, expr.range.end), None);
        let (message, help) = match name {
            "loop" if !self.in_loop => (
                "`loop` is known only inside of `{% for … %}`",
                "in a loop, `loop.index` counts from 1 and `loop.last` is true for the last item",
            ),
            "self" => (
                "`self` stands only before a block: `self.name()`",
                "name a block that one of the texts declares with `{% block name %}`",
            ),
            "super" if !self.in_block => {
                ("`super` is a function of blocks", "write `super()` inside of `{% block … %}`")
            }
            "caller" if !self.in_macro => {
                ("`caller` is a function of macros", "write `caller()` inside of `{% macro … %}`")
            }
            _ => return,
        };
        self.report(rule::UNKNOWN_VARIABLE, expr, message.to_owned(), None, help);
    }

    fn call(&mut self, name: &'m str, base: &TemplateExpr<'_>) {
        self.called.insert(name);
        let is_here = match name {
            "loop" => self.in_loop,
            "super" => self.in_block,
            "caller" => self.in_macro,
            _ => FUNCTIONS.iter().any(|item| item.name == name),
        };
        if is_here || self.bound.contains(name) {
            return;
        }
        if matches!(name, "loop" | "self" | "super" | "caller") {
            return self.name(name, base);
        }
        if self.judge.variables.contains_key(name) {
            let message = format!("`{name}` is a value, not a function");
            return self.report(rule::UNKNOWN_FUNCTION, base, message, None, "write it without parentheses");
        }
        let known = self.bound.iter().copied().chain(FUNCTIONS.iter().map(|item| item.name));
        let near = nearest(name, known).map(str::to_owned);
        let message = format!("a template has no function `{name}`");
        let help = "its functions are `range`, `dict`, `namespace` and the macros of the text; compute the value in a `let`";
        self.report(rule::UNKNOWN_FUNCTION, base, message, near.as_deref(), help);
    }

    fn test(&mut self, name: &Word<'_>) {
        if self.is_test(name.text) {
            return;
        }
        // Only those are offered that there are.
        let known = TESTS.iter().map(|item| item.name).filter(|name| self.is_test(name));
        let near = nearest(name.text, known).map(str::to_owned);
        let place = TemplateExpr { kind: TemplateExprKind::Unknown, range: name.range() };
        let message = format!("there is no test `{}`", name.text);
        let help = "the tests are those of Jinja: `defined`, `none`, `string`, `mapping`, …";
        self.report(rule::UNKNOWN_FUNCTION, &place, message, near.as_deref(), help);
    }

    /// True if the engine knows a test of that name.
    fn is_test(&self, name: &str) -> bool {
        let question = self.judge.engine.compile_expression("name is test");
        question.and_then(|question| question.eval(context! { name })).map_or(true, |answer| answer.is_true())
    }

    fn report(
        &mut self,
        rule: crate::diag::Rule,
        expr: &TemplateExpr<'_>,
        message: String,
        meant: Option<&str>,
        help: &str,
    ) {
        let span = self.text.body.span(expr.range.start, expr.range.end);
        self.findings.push(Diagnostic::error(rule, span, message).meant_or(meant, help));
    }
}

/// The names that pieces bind, at any depth.
fn bind_all<'t>(pieces: &[TemplatePiece<'t>], bound: &mut BTreeSet<&'t str>) {
    for piece in pieces {
        piece.binds(&mut |names| bound.extend(names.iter().map(|name| name.text)));
        piece.bodies(&mut |body| bind_all(body, bound));
    }
}

fn blocks_of<'t>(pieces: &[TemplatePiece<'t>], blocks: &mut BTreeSet<&'t str>) {
    for piece in pieces {
        if let TemplatePiece::Block(name, _) = piece {
            blocks.insert(name.text);
        }
        piece.bodies(&mut |body| blocks_of(body, blocks));
    }
}
