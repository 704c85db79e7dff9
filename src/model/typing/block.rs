//! Statement lists.

use super::cx::Cx;
use super::effect::Write;
use super::facts::{Facts, Root};
use super::fit::{Fit, fit};
use super::place::Target;
use super::scope::{Entry, Reach};
use crate::diag::Diagnostic;
use crate::model::expr::{Block, Expr, ExprKind, Statement, StatementKind};
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::{Str, Value};

/// Blocks nest this deep at most.
const DEPTH: u32 = 64;

impl Cx<'_> {
    /// Types a statement list. [`Cx::facts`] moves on to what is known behind it.
    pub fn block(&mut self, block: &ast::Block) -> Block {
        self.nested(block, 0)
    }

    fn nested(&mut self, block: &ast::Block, depth: u32) -> Block {
        let mut typed = Block::default();
        let mut lets = 0;
        if depth > DEPTH {
            if let Some(first) = block.statements.first() {
                let message = format!("statements nest deeper than {DEPTH} levels");
                self.report(
                    Diagnostic::error("expression-limit", first.span, message)
                        .help("move the inner ones into an action"),
                );
            }
            return typed;
        }
        let mut told = self.facts.is_unreached();
        for statement in &block.statements {
            if self.facts.is_unreached() && !told {
                told = true;
                let message = "this statement is never reached";
                let fault = Diagnostic::warning("unreachable-statement", statement.span, message);
                self.report(fault.help("the list ends with the `fail` before it"));
            }
            if let ast::StatementKind::Let(..) = statement.kind {
                lets += 1;
            }
            if let Some(kind) = self.statement(&statement.kind, statement.span, depth) {
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
            ast::StatementKind::For(name, list, body) => Some(self.repeat(name, list, body, depth)),
            ast::StatementKind::Fail(name, message) => {
                let message = message.as_ref().map(|e| self.check(e, &Type::of(Kind::String(None))));
                let known = self.scope.class_of(&name.value).is_some();
                if !known {
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
        self.note_write(target.write.clone());
        if !target.write.below {
            let mut facts = std::mem::take(&mut self.facts);
            super::narrow::learn(&mut facts, &target.write.path, &value);
            self.facts = facts;
        }
        Some(StatementKind::Assign { place: target.place, add: false, value })
    }

    /// `x += e`: adds to numbers, amounts, durations and strings, appends one item to a list.
    fn add_to(&mut self, place: &ast::Place, value: &ast::Expr, span: Span) -> Option<StatementKind> {
        let Some(target) = self.target(place) else {
            self.infer(value);
            return None;
        };
        let before = self.not_null(target.read.clone());
        if let Kind::List(item, most) = &before.ty.kind {
            let (item, bounded) = (Type::clone(item), most.is_some());
            return self.append(target, &before, &item, value, bounded, span);
        }
        let want = match &before.ty.kind {
            Kind::Int(_) => Kind::Int(None),
            Kind::String(_) => Kind::String(None),
            kind @ (Kind::Float | Kind::Usd | Kind::Duration | Kind::Any) => kind.clone(),
            Kind::Error => return None,
            _ => {
                let found = self.show(&before.ty);
                let message =
                    format!("`+=` adds to numbers, amounts, durations, strings and lists, not to `{found}`");
                self.report(Diagnostic::error("type-mismatch", place.span, message));
                return None;
            }
        };
        let want = Type::of(want);
        let value = self.check(value, &want);
        if matches!(value.kind, ExprKind::Error) {
            return None;
        }
        let sum = ExprKind::Call(crate::value::Function::Add, vec![before, value]);
        let sum = Expr { kind: sum, ty: want, span };
        let bounded = matches!(target.place.ty.kind, Kind::Int(Some(_)) | Kind::String(Some(_)));
        self.write_sum(target, sum, bounded)
    }

    fn append(
        &mut self,
        target: Target,
        before: &Expr,
        item: &Type,
        value: &ast::Expr,
        bounded: bool,
        span: Span,
    ) -> Option<StatementKind> {
        self.refuse_list_in_append(item, value);
        let value = self.check(value, item);
        if matches!(value.kind, ExprKind::Error) {
            return None;
        }
        let one = Expr { span: value.span, ty: before.ty.clone(), kind: ExprKind::List(vec![value]) };
        let sum = ExprKind::Call(crate::value::Function::Add, vec![before.clone(), one]);
        let sum = Expr { kind: sum, ty: unbounded(&before.ty), span };
        self.write_sum(target, sum, bounded)
    }

    /// Writes `place + value`: as it stands where the type has a bound that has to be checked, else as an addition.
    fn write_sum(&mut self, target: Target, sum: Expr, bounded: bool) -> Option<StatementKind> {
        self.note_write(target.write.clone());
        if !target.write.below {
            self.facts.insert(target.write.path);
        }
        if bounded {
            let value = self.adapt(sum, &target.place.ty);
            return Some(StatementKind::Assign { place: target.place, add: false, value });
        }
        let ExprKind::Call(_, operands) = sum.kind else { return None };
        let value = operands.into_iter().nth(1)?;
        let value = match value.kind {
            ExprKind::List(items) if matches!(target.place.ty.kind, Kind::List(..)) => {
                items.into_iter().next()?
            }
            _ => value,
        };
        Some(StatementKind::Assign { place: target.place, add: true, value })
    }

    /// `xs += [1, 2]` appends one item, which is rarely meant where the items are no lists.
    fn refuse_list_in_append(&mut self, item: &Type, value: &ast::Expr) {
        if let ast::ExprKind::List(_) = &value.kind
            && !matches!(item.kind, Kind::List(..) | Kind::Any | Kind::Error)
        {
            let message = "`+=` appends one item to a list";
            let fault = Diagnostic::error("type-mismatch", value.span, message);
            self.report(fault.help("to join two lists write xs = xs + [a, b]"));
        }
    }

    fn spend(&mut self, budget: &ast::Expr, amount: Option<&ast::Expr>) -> Option<StatementKind> {
        let amount = amount.map(|e| {
            let amount = self.check(e, &Type::of(Kind::Int(None)));
            if let ExprKind::Const(Value::Int(n)) = &amount.kind
                && *n < 1
            {
                let message = format!("at least 1 is spent, not {n}");
                let fault = Diagnostic::error("bad-amount", amount.span, message);
                self.report(
                    fault.help("a budget only ever shrinks; a spend of nothing is written with `if`"),
                );
            }
            amount
        });
        let (budget, _) = self.budget(budget)?;
        self.note_spend();
        Some(StatementKind::Spend(budget, amount))
    }

    /// What lets over counters tell is no longer known.
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
        match self.scope.lookup(&name.value, self.here.composite).map(|b| &b.entry) {
            Some(Entry::Action(id)) => {
                let id = *id;
                let effect = self.scope.actions.get(id.0 as usize)?;
                for write in &effect.writes {
                    self.note_write(write.clone());
                }
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
            Some(Entry::Broken) => None,
            other => {
                let message = match other {
                    Some(_) => format!("`{}` is no action", name.value),
                    None => format!("there is no action `{}`", name.value),
                };
                let fault = Diagnostic::error("unknown-action", name.span, message);
                let near =
                    self.scope.nearest_action(&name.value).map(|near| format!("did you mean `{near}`?"));
                self.report(
                    fault.help(near.unwrap_or_else(|| "actions are declared under `actions`".to_owned())),
                );
                None
            }
        }
    }

    fn repeat(&mut self, name: &Name, list: &ast::Expr, body: &ast::Block, depth: u32) -> StatementKind {
        let list = self.infer(list);
        let list = self.not_null(list);
        let item = match &list.ty.kind {
            Kind::List(item, _) if matches!(item.kind, Kind::Null) => Type::of(Kind::Any),
            Kind::List(item, _) => Type::clone(item),
            Kind::Any => Type::of(Kind::Any),
            Kind::Map(_) | Kind::Record(_) => Type::of(Kind::String(None)),
            Kind::Error => list.ty.clone(),
            _ => {
                let message = format!("`for` goes over a list, this is `{}`", self.show(&list.ty));
                self.report(Diagnostic::error("type-mismatch", list.span, message));
                Type::of(Kind::Error)
            }
        };
        let list = self.keys_of(list);
        // What any round writes is uncertain at the start of the next.
        for write in self.writes_of(body) {
            self.forget(&write);
        }
        let before = self.facts.clone();
        let local = self.push_local(name, item);
        let body = self.nested(body, depth + 1);
        self.pop_local();
        self.facts = before.meet(&self.facts);
        StatementKind::For(local, list, body)
    }

    /// `for k in map` goes over the keys.
    fn keys_of(&self, list: Expr) -> Expr {
        match list.ty.kind {
            Kind::Map(_) | Kind::Record(_) => {
                let span = list.span;
                let ty = Type::of(Kind::List(std::sync::Arc::new(Type::of(Kind::String(None))), None));
                Expr { kind: ExprKind::Call(crate::value::Function::Keys, vec![list]), ty, span }
            }
            Kind::Any if fit(self.types, &list.ty, &any_list()) == Fit::AtRunTime => {
                let span = list.span;
                Expr { kind: ExprKind::Coerce(Box::new(list), any_list()), ty: any_list(), span }
            }
            _ => list,
        }
    }

    /// Where a block writes, as far as it can be told before it is typed.
    fn writes_of(&self, block: &ast::Block) -> Vec<Write> {
        let mut writes = Vec::new();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    ast::StatementKind::Assign { place, .. } => writes.extend(self.write_of(place)),
                    ast::StatementKind::If(arms, otherwise) => {
                        open.extend(arms.iter().map(|(_, body)| body));
                        open.extend(otherwise);
                    }
                    ast::StatementKind::For(_, _, body) => open.push(body),
                    ast::StatementKind::Call(name) => {
                        if let Some(Entry::Action(id)) =
                            self.scope.lookup(&name.value, self.here.composite).map(|b| &b.entry)
                            && let Some(effect) = self.scope.actions.get(id.0 as usize)
                        {
                            writes.extend(effect.writes.iter().cloned());
                        }
                    }
                    ast::StatementKind::Let(..)
                    | ast::StatementKind::Spend(..)
                    | ast::StatementKind::Emit(..)
                    | ast::StatementKind::Fail(..) => {}
                }
            }
        }
        writes
    }

    fn write_of(&self, place: &ast::Place) -> Option<Write> {
        let Entry::Slot(id, ..) = &self.scope.lookup(&place.root.value, self.here.composite)?.entry else {
            return None;
        };
        let mut path = super::facts::Path::root(Root::Slot(*id));
        for step in &place.steps {
            match step {
                ast::PlaceStep::Field(name) => path.fields.push(Str::from(name.as_str())),
                ast::PlaceStep::Index(_) => return Some(Write { path, below: true }),
            }
        }
        Some(Write { path, below: false })
    }
}

fn any_list() -> Type {
    Type::of(Kind::List(std::sync::Arc::new(Type::of(Kind::Any)), None))
}

fn unbounded(ty: &Type) -> Type {
    match &ty.kind {
        Kind::List(item, _) => Type::of(Kind::List(std::sync::Arc::clone(item), None)),
        _ => ty.clone(),
    }
}
