//! Budgets in expressions and in `spend`.

use super::cx::{Cx, poison};
use super::scope::{Entry, Reach};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::name_use::{NameHolder, NameKind};
use crate::model::types::{Kind, Type};
use crate::program::op::BudgetQuery;
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::Str;

impl Cx<'_> {
    /// `used(b)`, `limit(b)`, `left(b)`, `exhausted(b)`.
    pub(super) fn budget_query(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Expr {
        let (query, needs) = match name.as_str() {
            "used" => (BudgetQuery::Used, Reach::All),
            "limit" => (BudgetQuery::Limit, Reach::Inputs),
            "left" => (BudgetQuery::Left, Reach::All),
            _ => (BudgetQuery::Exhausted, Reach::All),
        };
        if !self.counted(name, args, &["budget"]) || !self.reaches(needs, &format!("{}()", name.value), span)
        {
            return poison(span);
        }
        let Some((budget, ty)) = self.budget(&args[0]) else { return poison(span) };
        let ty = if query == BudgetQuery::Exhausted { Type::of(Kind::Bool) } else { ty };
        Expr { kind: ExprKind::Budget(query, budget), ty, span }
    }

    /// The budget that is meant by `name` or `family[key].meter`, and the type its counters are read as. [`None`]: reported.
    pub fn budget(&mut self, expr: &ast::Expr) -> Option<(BudgetRef, Type)> {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.plain_budget(name, expr.span),
            ast::ExprKind::Field(target, meter) => match &target.kind {
                ast::ExprKind::Index(family, key) => self.meter(family, key, meter),
                _ => self.no_budget(expr.span),
            },
            _ => self.no_budget(expr.span),
        }
    }

    fn no_budget<T>(&mut self, span: Span) -> Option<T> {
        let fault = Diagnostic::error(rule::UNKNOWN_BUDGET, span, "the name of a budget is wanted here");
        self.report(fault.help("a budget is `name`, one of a family is `family[key].meter`"));
        None
    }

    fn plain_budget(&mut self, name: &str, span: Span) -> Option<(BudgetRef, Type)> {
        if self.scope.is_refused(name) {
            return None;
        }
        let bound = self.scope.lookup(name, self.here.composite);
        if let Some(bound) = bound {
            self.scope.note_bound(bound, name, span, None);
        }
        match bound.map(|b| &b.entry) {
            Some(Entry::Budget(id, ty)) => Some((BudgetRef::Counter(*id), ty.clone())),
            Some(Entry::Family(_, meters)) => {
                let meter = meters.first().map_or("meter", |(name, ..)| name.as_str());
                let message = format!("`{name}` is a family of budgets: say which one");
                let fault = Diagnostic::error(rule::UNKNOWN_BUDGET, span, message);
                self.report(fault.help(format!("write {name}[key].{meter}")));
                None
            }
            Some(_) => {
                let fault =
                    Diagnostic::error(rule::UNKNOWN_BUDGET, span, format!("`{name}` is not a budget"));
                self.report(fault.help("budgets are declared under `budgets`"));
                None
            }
            None => {
                self.scope.offer_names(name, self.here.composite, |kind| kind == NameKind::Budget);
                let fault =
                    Diagnostic::error(rule::UNKNOWN_BUDGET, span, format!("there is no budget `{name}`"));
                self.report(fault.meant_or(
                    self.scope.nearest_budget(name, self.here.composite),
                    "declare it under `budgets`",
                ));
                None
            }
        }
    }

    fn meter(&mut self, family: &ast::Expr, key: &ast::Expr, meter: &Name) -> Option<(BudgetRef, Type)> {
        let ast::ExprKind::Name(name) = &family.kind else { return self.no_budget(family.span) };
        let bound = self.scope.lookup(name, self.here.composite);
        let meters = match bound.map(|b| &b.entry) {
            Some(Entry::Family(_, meters)) => meters.clone(),
            _ if self.scope.is_refused(name) => return None,
            _ => {
                let fault = Diagnostic::error(
                    rule::UNKNOWN_BUDGET,
                    family.span,
                    format!("`{name}` is not a family of budgets"),
                );
                self.report(fault.meant(self.scope.nearest_budget(name, self.here.composite)));
                return None;
            }
        };
        let key = self.checked(key, &Type::of(Kind::String(None)));
        let Some((_, id, ty)) = meters.iter().find(|(own, ..)| *own == meter.value) else {
            let all = meters.iter().map(|(name, _, ty)| (name.as_str(), Some(ty)));
            self.recorder().offer(&meter.value, NameKind::Meter, all);
            let message = format!("the family `{name}` has no meter `{}`", meter.value);
            let fault = Diagnostic::error(rule::UNKNOWN_BUDGET, meter.span, message);
            let names = || meters.iter().map(|(own, ..)| own.as_str());
            self.report(fault.meant_or(
                nearest(&meter.value, names()),
                format!("its meters are {}", names().collect::<Vec<_>>().join(", ")),
            ));
            return None;
        };
        if let Some(bound) = bound {
            let holder = NameHolder::Family(bound.span);
            self.scope.note_bound(bound, name, family.span, None);
            self.scope.builtins.names.note_part(holder, NameKind::Meter, &meter.value, meter.span, Some(ty));
        }
        Some((BudgetRef::Meter(*id, Box::new(key)), ty.clone()))
    }
}

impl super::scope::Scope {
    fn nearest_budget(&self, name: &str, inside: Option<crate::model::node::NodeId>) -> Option<&str> {
        let mut names: Vec<&str> = self.budget_names(inside).map(Str::as_str).collect();
        names.sort_unstable();
        nearest(name, names)
    }
}
