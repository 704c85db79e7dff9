//! From pairs of the grammar to expressions.

use pest::iterators::{Pair, Pairs};

use super::fault::Fault;
use super::grammar::Rule;
use super::{literal, names};
use crate::diag::rule;
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Literal, Name, UnaryOp};

/// The largest depth of the tree of one expression; a chain such as `a + b + c` counts each operator.
pub(super) const MAX_DEPTH: u32 = 128;

/// Builds the tree of a text that begins at byte `base` of a fragment.
#[derive(Clone, Copy)]
pub(super) struct Builder<'f> {
    pub fragment: &'f Fragment,
    pub base: usize,
}

/// An expression and the depth of its tree.
struct Deep {
    expr: Expr,
    depth: u32,
}

/// The byte range of a pair.
pub(super) fn range(pair: &Pair<Rule>) -> (usize, usize) {
    let span = pair.as_span();
    (span.start(), span.end())
}

/// A pair that the grammar promises is not there. Said instead of a panic.
pub(super) fn missing(what: &str) -> Fault {
    Fault::new(rule::EXPRESSION_SYNTAX, (0, 0), format!("{what} is missing"))
}

impl Builder<'_> {
    /// The place in the file of a byte range of the text.
    pub(super) fn span(self, range: (usize, usize)) -> Span {
        self.fragment.span(self.base + range.0, self.base + range.1)
    }

    /// A name that may be any word: after `.`, before `:`, the member of an enum.
    pub(super) fn word(self, pair: &Pair<Rule>) -> Result<Name, Fault> {
        names::short_enough(pair.as_str(), range(pair))?;
        Ok(Spanned::new(pair.as_str().to_owned(), self.span(range(pair))))
    }

    /// A name that stands for something.
    pub(super) fn name(self, pair: &Pair<Rule>) -> Result<Name, Fault> {
        names::usable(pair.as_str(), range(pair))?;
        self.word(pair)
    }

    /// The expression a pair of [`Rule::expr`] holds.
    pub(super) fn expr(self, pair: Pair<Rule>) -> Result<Expr, Fault> {
        names::length(pair.as_str(), range(&pair))?;
        self.deep(pair).map(|d| d.expr)
    }

    fn deep(self, pair: Pair<Rule>) -> Result<Deep, Fault> {
        let whole = range(&pair);
        let mut parts = pair.into_inner();
        let first = self.climb(&mut parts, 0, whole)?;
        let Some(then) = parts.next() else { return Ok(first) };
        let otherwise = parts.find(|part| part.as_rule() == Rule::expr).ok_or_else(|| missing("`:`"))?;
        let (then, otherwise) = (self.deep(then)?, self.deep(otherwise)?);
        let depth = first.depth.max(then.depth).max(otherwise.depth);
        let kind = ExprKind::Conditional(Box::new(first.expr), Box::new(then.expr), Box::new(otherwise.expr));
        self.node(kind, depth, whole)
    }

    fn node(self, kind: ExprKind, below: u32, at: (usize, usize)) -> Result<Deep, Fault> {
        if below >= MAX_DEPTH {
            let message = format!("this expression is more than {MAX_DEPTH} operators deep");
            return Err(Fault::new(rule::EXPRESSION_LIMIT, at, message)
                .help("name the inner parts with `let`, or test with `in [...]`"));
        }
        Ok(Deep { expr: Expr { kind, span: self.span(at) }, depth: below + 1 })
    }

    /// Operators bind by [`precedence`]; all of them group to the left.
    fn climb(self, parts: &mut Pairs<Rule>, least: u8, whole: (usize, usize)) -> Result<Deep, Fault> {
        let start = parts.peek().map_or(whole.0, |p| range(&p).0);
        let mut left = self.operand(parts)?;
        while let Some(next) = parts.peek() {
            if !matches!(next.as_rule(), Rule::infix | Rule::minus) {
                break;
            }
            let op = operator(next.as_str()).ok_or_else(|| missing("an operator"))?;
            if precedence(op) < least {
                break;
            }
            parts.next();
            let right = self.climb(parts, precedence(op) + 1, whole)?;
            let depth = left.depth.max(right.depth);
            let end = right.expr.span;
            let op = Spanned::new(op, self.span(range(&next)));
            let from = left.expr.span;
            left = self.node(
                ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
                depth,
                (start, start + 1),
            )?;
            left.expr.span = from.to(end);
        }
        Ok(left)
    }

    /// Prefixes, a primary, and what is selected from it.
    fn operand(self, parts: &mut Pairs<Rule>) -> Result<Deep, Fault> {
        let mut prefixes = smallvec::SmallVec::<[Pair<Rule>; 4]>::new();
        while parts.peek().is_some_and(|p| p.as_rule() == Rule::prefix) {
            prefixes.extend(parts.next());
        }
        let primary = parts.next().ok_or_else(|| missing("a value"))?;
        let mut start = range(&primary).0;
        let mut value = if primary.as_rule() == Rule::number {
            let sign = prefixes.last().filter(|p| p.as_str() == "-").map(|p| range(p).0);
            if let Some(sign) = sign {
                prefixes.pop();
                start = sign;
            }
            let number = literal::number(primary.as_str(), sign.is_some(), range(&primary).0)?;
            self.node(ExprKind::Literal(number), 0, (start, range(&primary).1))?
        } else {
            self.primary(primary, parts)?
        };
        value = self.postfixes(value, parts, start)?;
        while let Some(prefix) = prefixes.pop() {
            let op = if prefix.as_str() == "!" { UnaryOp::Not } else { UnaryOp::Negate };
            let span = self.span(range(&prefix)).to(value.expr.span);
            value = self.node(ExprKind::Unary(op, Box::new(value.expr)), value.depth, range(&prefix))?;
            value.expr.span = span;
        }
        Ok(value)
    }

    fn primary(self, pair: Pair<Rule>, parts: &mut Pairs<Rule>) -> Result<Deep, Fault> {
        let at = range(&pair);
        match pair.as_rule() {
            Rule::name => self.named(&pair, parts),
            Rule::string => {
                let text = literal::string(pair.as_str(), at.0)?;
                self.node(ExprKind::Literal(Literal::String(text)), 0, at)
            }
            Rule::paren => {
                let inner = pair.into_inner().next().ok_or_else(|| missing("a value"))?;
                let mut inner = self.deep(inner)?;
                inner.expr.span = self.span(at);
                Ok(inner)
            }
            Rule::list => {
                let (items, depth) = self.items(pair)?;
                self.node(ExprKind::List(items), depth, at)
            }
            Rule::map => {
                let (items, depth) = self.items(pair)?;
                self.node(ExprKind::Map(paired(items)), depth, at)
            }
            Rule::record => self.record(pair),
            Rule::is_type => self.type_test(pair),
            _ => Err(missing("a value")),
        }
    }

    fn named(self, pair: &Pair<Rule>, parts: &mut Pairs<Rule>) -> Result<Deep, Fault> {
        let at = range(pair);
        let literal = match pair.as_str() {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::Null),
            _ => None,
        };
        if let Some(literal) = literal {
            if let Some(args) = parts.next_if_args() {
                return Err(Fault::syntax(
                    range(&args),
                    format!("`{}` is a value and cannot be called", pair.as_str()),
                ));
            }
            return self.node(ExprKind::Literal(literal), 0, at);
        }
        let name = self.name(pair)?;
        match parts.next_if_args() {
            None => self.node(ExprKind::Name(name.value), 0, at),
            Some(args) => self.call(None, name, args, at.0),
        }
    }

    fn call(self, receiver: Option<Deep>, name: Name, args: Pair<Rule>, start: usize) -> Result<Deep, Fault> {
        let at = (start, range(&args).1);
        let (args, below) = self.items(args)?;
        let depth = receiver.as_ref().map_or(0, |r| r.depth).max(below);
        let receiver = receiver.map(|r| Box::new(r.expr));
        self.node(ExprKind::Call { receiver, name, args }, depth, at)
    }

    fn postfixes(self, mut value: Deep, parts: &mut Pairs<Rule>, start: usize) -> Result<Deep, Fault> {
        while let Some(next) = parts.peek() {
            let at = (start, range(&next).1);
            value = match next.as_rule() {
                Rule::member => {
                    parts.next();
                    let field = next.into_inner().next().ok_or_else(|| missing("a field"))?;
                    let field = self.word(&field)?;
                    match parts.next_if_args() {
                        Some(args) => self.call(Some(value), field, args, start)?,
                        None => self.node(ExprKind::Field(Box::new(value.expr), field), value.depth, at)?,
                    }
                }
                Rule::index => {
                    parts.next();
                    let index = next.into_inner().next().ok_or_else(|| missing("an index"))?;
                    let index = self.deep(index)?;
                    let depth = value.depth.max(index.depth);
                    self.node(ExprKind::Index(Box::new(value.expr), Box::new(index.expr)), depth, at)?
                }
                _ => break,
            };
        }
        Ok(value)
    }

    fn items(self, pair: Pair<Rule>) -> Result<(Vec<Expr>, u32), Fault> {
        let mut items = Vec::new();
        let mut depth = 0;
        for item in pair.into_inner() {
            let item = self.deep(item)?;
            depth = depth.max(item.depth);
            items.push(item.expr);
        }
        Ok((items, depth))
    }

    fn record(self, pair: Pair<Rule>) -> Result<Deep, Fault> {
        let at = range(&pair);
        let mut parts = pair.into_inner();
        let name = self.word(&parts.next().ok_or_else(|| missing("a type"))?)?;
        let mut fields = Vec::new();
        let mut depth = 0;
        while let (Some(field), Some(value)) = (parts.next(), parts.next()) {
            let value = self.deep(value)?;
            depth = depth.max(value.depth);
            fields.push((self.word(&field)?, value.expr));
        }
        self.node(ExprKind::Record(name, fields), depth, at)
    }

    fn type_test(self, pair: Pair<Rule>) -> Result<Deep, Fault> {
        let (at, text) = (range(&pair), pair.as_str());
        let mut parts = pair.into_inner();
        let (value, ty) = match (parts.next(), parts.next()) {
            (Some(value), Some(ty)) if ty.as_rule() == Rule::type_expr => (value, ty),
            _ => {
                let open = at.0 + text.find('(').unwrap_or_default();
                return Err(Fault::syntax((open, at.1), "`is` takes a value and a type")
                    .help("for example: is(x, string) or is(x, list<int>)"));
            }
        };
        let (value, ty) = (self.deep(value)?, self.type_expr(ty)?);
        self.node(ExprKind::Is(Box::new(value.expr), Box::new(ty)), value.depth, at)
    }
}

fn paired(items: Vec<Expr>) -> Vec<(Expr, Expr)> {
    let mut items = items.into_iter();
    let mut pairs = Vec::with_capacity(items.len() / 2);
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// Takes the argument list that may follow a name.
trait NextArgs<'t> {
    fn next_if_args(&mut self) -> Option<Pair<'t, Rule>>;
}

impl<'t> NextArgs<'t> for Pairs<'t, Rule> {
    fn next_if_args(&mut self) -> Option<Pair<'t, Rule>> {
        if self.peek().is_some_and(|p| p.as_rule() == Rule::args) { self.next() } else { None }
    }
}

fn operator(text: &str) -> Option<BinaryOp> {
    use BinaryOp::{Add, And, Coalesce, Div, Eq, Ge, Gt, In, Le, Lt, Mul, Ne, Or, Rem, Sub};
    const ALL: [BinaryOp; 15] = [Eq, And, Or, Ne, Coalesce, Lt, Le, Gt, Ge, In, Add, Sub, Mul, Div, Rem];
    ALL.into_iter().find(|op| op.symbol() == text)
}

/// The strength with which an operator binds; more is stronger.
pub(in crate::syntax) const fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Coalesce => 1,
        BinaryOp::Or => 2,
        BinaryOp::And => 3,
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::In => 4,
        BinaryOp::Add | BinaryOp::Sub => 5,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 6,
    }
}
