//! Statement lists.

use super::cx::Cx;
use super::facts::{Facts, Root};
use super::scope::{Entry, Reach};
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Block, ExprKind, Statement, StatementKind};
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::Value;

/// Blocks nest this deep at most.
const MAX_BLOCK_DEPTH: u32 = 64;

impl Cx<'_> {
    /// Types a statement list. [`Cx::facts`] moves on to what is known after it.
    pub fn block(&mut self, block: &ast::Block) -> Block {
        self.nested(block, 0)
    }

    pub(super) fn nested(&mut self, block: &ast::Block, depth: u32) -> Block {
        let mut typed = Block::default();
        let mut lets = 0;
        if depth > MAX_BLOCK_DEPTH {
            if let Some(first) = block.statements.first() {
                let message = format!("statements nest deeper than {MAX_BLOCK_DEPTH} levels");
                self.report(
                    Diagnostic::error(rule::EXPRESSION_LIMIT, first.span, message)
                        .help("move the inner ones into an action"),
                );
            }
            return typed;
        }
        typed.statements.reserve_exact(block.statements.len());
        let mut reported = self.facts.is_unreached();
        for statement in &block.statements {
            if self.facts.is_unreached() && !reported {
                reported = true;
                let message = "this statement is never reached";
                let fault = Diagnostic::warning(rule::UNREACHABLE_STATEMENT, statement.span, message);
                self.report(fault.help("the list ends with the `fail` before it"));
            }
            if let ast::StatementKind::Let(..) = statement.kind {
                lets += 1;
            }
            let before = self.count();
            let kind = self.statement(&statement.kind, statement.span, depth);
            if self.has_errors_since(before) && !self.facts.is_unreached() {
                self.facts = Facts::error();
            }
            if let Some(kind) = kind {
                typed.statements.push(Statement { kind, span: statement.span });
            }
        }
        for _ in 0..lets {
            self.pop_local();
        }
        typed
    }

    /// [`None`]: reported.
    fn statement(&mut self, kind: &ast::StatementKind, span: Span, depth: u32) -> Option<StatementKind> {
        match kind {
            ast::StatementKind::Assign { place, add, value } => {
                if *add {
                    self.add_to(place, value, span)
                } else {
                    self.assign(place, value)
                }
            }
            ast::StatementKind::Let(name, value) => {
                let value = self.infer(value);
                let local = self.push_local(name, value.ty.clone());
                Some(StatementKind::Let(local, value))
            }
            ast::StatementKind::Spend(budget, amount) => self.spend(budget, amount.as_ref()),
            ast::StatementKind::Emit(name, payload) => {
                let payload = payload.as_ref().map(|e| self.infer(e));
                Some(StatementKind::Emit(name.as_str().into(), payload))
            }
            ast::StatementKind::If(arms, otherwise) => Some(self.branch(arms, otherwise.as_ref(), depth)),
            ast::StatementKind::Call(name) => self.action(name),
            ast::StatementKind::For(names, list, body) => Some(self.repeat(names, list, body, depth)),
            ast::StatementKind::Fail(name, message) => {
                let message = message.as_ref().map(|e| self.check(e, &Type::of(Kind::String(None))));
                let known = self.scope.class_of(&name.value).is_some();
                self.scope.note_kind(&name.value, name.span);
                if !known {
                    self.scope.offer_kinds(&name.value);
                    let fault = self.unknown_kind(name);
                    self.report(fault);
                }
                self.facts = Facts::unreached();
                known.then(|| StatementKind::Fail(name.as_str().into(), message))
            }
        }
    }

    fn assign(&mut self, place: &ast::Place, value: &ast::Expr) -> Option<StatementKind> {
        let Some(target) = self.target(place) else {
            self.infer(value);
            return None;
        };
        let value = self.check(value, &target.place.ty);
        self.note_write(&target.write);
        if !target.write.below {
            let mut facts = std::mem::take(&mut self.facts);
            super::narrow::learn(&mut facts, self.types, &target.write.path, &target.place.ty, &value);
            self.facts = facts;
        }
        super::missing::learn_written(&mut self.facts, &target.read);
        Some(StatementKind::Assign { place: target.place, add: false, value })
    }

    fn spend(&mut self, budget: &ast::Expr, amount: Option<&ast::Expr>) -> Option<StatementKind> {
        let amount = amount.map(|e| {
            let amount = self.check(e, &Type::of(Kind::Int(None)));
            if let ExprKind::Const(Value::Int(n)) = &amount.kind
                && *n < 1
            {
                let message = format!("at least 1 is spent, not {n}");
                let fault = Diagnostic::error(rule::BAD_AMOUNT, amount.span, message);
                self.report(fault.help("the amount is at least 1; write a conditional spend with `if`"));
            }
            amount
        });
        let (budget, _) = self.budget(budget)?;
        self.note_spend();
        Some(StatementKind::Spend(budget, amount))
    }

    /// Forgets the facts that come from lets over counters.
    fn note_spend(&mut self) {
        self.effect.spends = true;
        let scope = self.scope;
        self.facts.retain_roots(|root| match root {
            Root::Let(id) => scope.lets.get(id.0 as usize).is_some_and(|info| info.reach < Reach::All),
            _ => true,
        });
    }

    fn branch(
        &mut self,
        arms: &[(ast::Expr, ast::Block)],
        otherwise: Option<&ast::Block>,
        depth: u32,
    ) -> StatementKind {
        let mut typed = Vec::with_capacity(arms.len());
        let mut joined = Facts::unreached();
        for (condition, body) in arms {
            let condition = self.condition(condition);
            let before = self.facts.clone();
            self.facts = before.and(&self.scope.facts_when(&condition, true));
            let body = self.nested(body, depth + 1);
            joined = joined.meet(&self.facts);
            self.facts = before.and(&self.scope.facts_when(&condition, false));
            typed.push((condition, body));
        }
        let otherwise = otherwise.map(|body| self.nested(body, depth + 1));
        self.facts = joined.meet(&self.facts);
        StatementKind::If(typed, otherwise)
    }

    fn action(&mut self, name: &Name) -> Option<StatementKind> {
        let bound = self.scope.lookup(&name.value, self.here.composite);
        if let Some(bound) = bound {
            self.scope.note_bound(bound, &name.value, name.span, None);
        }
        match bound.map(|b| &b.entry) {
            Some(Entry::Action(id)) => {
                let id = *id;
                self.judge_run(id, name.span);
                let effect = self.scope.actions.get(id.0 as usize)?;
                self.note_writes(&effect.writes);
                if effect.spends {
                    self.note_spend();
                }
                self.facts = if effect.after.is_unreached() {
                    Facts::unreached()
                } else {
                    self.facts.and(&effect.after)
                };
                Some(StatementKind::Call(id))
            }
            _ if self.scope.is_refused(&name.value) => None,
            other => {
                self.scope.offer_names(&name.value, self.here.composite, |kind| kind == NameKind::Action);
                let words = ["spend", "emit", "fail", "for", "if", "let"].map(|word| (word, None));
                self.recorder().offer(&name.value, NameKind::Supplied, words);
                self.scope.offer_names(&name.value, self.here.composite, |kind| kind == NameKind::State);
                let message = match other {
                    Some(_) => format!("`{}` is not an action", name.value),
                    None => format!("there is no action `{}`", name.value),
                };
                let fault = Diagnostic::error(rule::UNKNOWN_ACTION, name.span, message);
                let near = self.scope.nearest_action(&name.value);
                self.report(fault.meant_or(near, "actions are declared under `actions`"));
                None
            }
        }
    }
}
