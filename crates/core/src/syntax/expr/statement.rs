//! From pairs of the grammar to statements.

use pest::iterators::{Pair, Pairs};

use super::build::{Builder, missing, range};
use super::fault::Fault;
use super::grammar::Rule;
use crate::diag::rule;
use crate::syntax::ast::{
    Block, Expr, ExprKind, LoopNames, Name, Place, PlaceStep, Statement, StatementKind,
};

impl Builder<'_> {
    /// The statements of a pair that holds a list of them; a faulty one is left out and its fault noted.
    pub(super) fn statements(self, pair: Pair<Rule>, faults: &mut Vec<Fault>) -> Block {
        let text = pair.get_input();
        let mut statements = Vec::new();
        let mut before: Option<usize> = None;
        for part in pair.into_inner().filter(|p| p.as_rule() == Rule::statement) {
            let (start, end) = range(&part);
            let gap = before.and_then(|b| text.get(b..start)).unwrap_or("\n");
            if !gap.contains(['\n', ';']) {
                let fault =
                    Fault::syntax((start, end.min(start + 1)), "a second statement begins on the same line");
                faults.push(fault.help("statements are ended by a new line or `;`"));
            }
            let braced = part
                .clone()
                .into_inner()
                .next()
                .is_some_and(|k| matches!(k.as_rule(), Rule::if_else | Rule::for_in));
            before = (!braced).then_some(end);
            statements.extend(self.statement(part, faults));
        }
        // Statements are large, and most lists of them are short.
        statements.shrink_to_fit();
        Block { statements }
    }

    /// One statement; [`None`] when its fault was noted.
    pub(super) fn statement(self, pair: Pair<Rule>, faults: &mut Vec<Fault>) -> Option<Statement> {
        let span = self.span(range(&pair));
        let kind = pair.into_inner().next().ok_or_else(|| missing("a statement"));
        match kind.and_then(|k| self.statement_kind(k, faults)) {
            Ok(kind) => Some(Statement { kind, span }),
            Err(fault) => {
                faults.push(fault);
                None
            }
        }
    }

    fn statement_kind(self, pair: Pair<Rule>, faults: &mut Vec<Fault>) -> Result<StatementKind, Fault> {
        let rule = pair.as_rule();
        let mut parts = pair.into_inner();
        match rule {
            Rule::if_else => self.if_else(parts, faults),
            Rule::for_in => {
                let names = self.loop_names(&mut parts);
                let list = self.expr(part(&mut parts)?);
                let body = self.statements(part(&mut parts)?, faults);
                Ok(StatementKind::For(names?, list?, body))
            }
            Rule::let_in => {
                Ok(StatementKind::Let(self.name(&part(&mut parts)?)?, self.expr(part(&mut parts)?)?))
            }
            Rule::spend => {
                let budget = self.place(part(&mut parts)?)?;
                let amount = parts.next().map(|p| self.expr(p)).transpose()?;
                Ok(StatementKind::Spend(place_as_expr(budget), amount))
            }
            Rule::emit => {
                let name = self.word(&part(&mut parts)?)?;
                let payload = parts.next().map(|p| self.expr(p)).transpose()?;
                Ok(StatementKind::Emit(name, payload))
            }
            Rule::fail => {
                let kind = self.word(&part(&mut parts)?)?;
                let message = parts.next().map(|p| self.expr(p)).transpose()?;
                Ok(StatementKind::Fail(kind, message))
            }
            Rule::call => Ok(StatementKind::Call(self.name(&part(&mut parts)?)?)),
            Rule::assign => {
                let place = self.place(part(&mut parts)?)?;
                let add = part(&mut parts)?.as_str() == "+=";
                Ok(StatementKind::Assign { place, add, value: self.expr(part(&mut parts)?)? })
            }
            _ => Err(missing("a statement")),
        }
    }

    /// The one or two names before the list of a `for`.
    pub(super) fn loop_names(self, parts: &mut Pairs<Rule>) -> Result<LoopNames, Fault> {
        let first = part(parts)?;
        let second =
            if parts.peek().is_some_and(|next| next.as_rule() == Rule::name) { parts.next() } else { None };
        let first = self.name(&first)?;
        Ok(match second {
            Some(item) => LoopNames { index: Some(first), item: self.name(&item)? },
            None => LoopNames { index: None, item: first },
        })
    }

    fn if_else(self, mut parts: Pairs<Rule>, faults: &mut Vec<Fault>) -> Result<StatementKind, Fault> {
        let mut arms: Vec<(Result<Expr, Fault>, Block)> = Vec::new();
        let mut otherwise = None;
        while let Some(next) = parts.next() {
            if next.as_rule() == Rule::block {
                otherwise = Some(self.statements(next, faults));
            } else {
                let condition = self.expr(next);
                arms.push((condition, self.statements(part(&mut parts)?, faults)));
            }
        }
        let arms = arms.into_iter().map(|(c, b)| c.map(|c| (c, b))).collect::<Result<_, _>>()?;
        Ok(StatementKind::If(arms, otherwise))
    }

    /// The place a pair of [`Rule::place`] holds.
    pub(super) fn place(self, pair: Pair<Rule>) -> Result<Place, Fault> {
        super::names::length(pair.as_str(), range(&pair))?;
        let span = self.span(range(&pair));
        let start = range(&pair);
        let mut parts = pair.into_inner();
        let root = self.name(&part(&mut parts)?)?;
        let steps: Vec<PlaceStep> = parts.map(|p| self.place_step(p)).collect::<Result<_, _>>()?;
        if steps.len() > super::nesting::MAX_NESTING {
            let message = format!("this place is more than {} steps deep", super::nesting::MAX_NESTING);
            return Err(Fault::new(rule::EXPRESSION_LIMIT, start, message));
        }
        Ok(Place { root, steps, span })
    }

    fn place_step(self, pair: Pair<Rule>) -> Result<PlaceStep, Fault> {
        let rule = pair.as_rule();
        let inner = pair.into_inner().next().ok_or_else(|| missing("a step"))?;
        match rule {
            Rule::member => self.word(&inner).map(PlaceStep::Field),
            _ => self.expr(inner).map(PlaceStep::Index),
        }
    }

    /// The names of `name(a, b)`.
    pub(super) fn let_head(self, pair: Pair<Rule>) -> Result<(Name, Vec<Name>), Fault> {
        let mut parts = pair.into_inner().filter(|p| p.as_rule() == Rule::name);
        let name = self.name(&parts.next().ok_or_else(|| missing("a name"))?)?;
        let params = parts.map(|p| self.name(&p)).collect::<Result<_, _>>()?;
        Ok((name, params))
    }
}

/// The next part of a statement.
pub(super) fn part<'t>(parts: &mut Pairs<'t, Rule>) -> Result<Pair<'t, Rule>, Fault> {
    parts.next().ok_or_else(|| missing("a part of the statement"))
}

/// A budget is written like a place and read like an expression.
fn place_as_expr(place: Place) -> Expr {
    let mut span = place.root.span;
    let mut expr = Expr { kind: ExprKind::Name(place.root.value), span };
    for step in place.steps {
        let kind = match step {
            PlaceStep::Field(field) => {
                span = span.to(field.span);
                ExprKind::Field(Box::new(expr), field)
            }
            PlaceStep::Index(index) => {
                span = span.to(index.span);
                ExprKind::Index(Box::new(expr), Box::new(index))
            }
        };
        expr = Expr { kind, span };
    }
    expr.span = place.span;
    expr
}
