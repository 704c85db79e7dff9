//! Statements.

use super::Compiler;
use super::expr::MAX_DEPTH;
use crate::model::expr::{Block as ModelBlock, Expr, LoopLocals, Place, PlaceStep, Statement, StatementKind};
use crate::program::code::{Block, Code, LoopPlaces, Step};
use crate::program::graph::PlaceCode;
use crate::source::Span;

impl Compiler<'_> {
    /// A statement list. Inner lists come before it, so that its own statements follow each other.
    pub(super) fn block(&mut self, block: &ModelBlock) -> Block {
        if block.statements.is_empty() {
            return Block::default();
        }
        if self.tables.is_full() || self.depth >= MAX_DEPTH {
            self.give_up(block.statements[0].span);
            return Block::default();
        }
        self.depth += 1;
        let around = std::mem::replace(&mut self.blocks, self.depth);
        let codes = block.statements.iter().map(|statement| (self.code(statement), statement.span)).collect();
        self.blocks = around;
        self.depth -= 1;
        self.tables.block(codes)
    }

    fn code(&mut self, statement: &Statement) -> Code {
        match &statement.kind {
            StatementKind::Assign { place, add, value } => {
                let steps = self.steps(&place.steps);
                Code::Assign { slot: place.slot.0, steps, add: *add, value: self.expr(value) }
            }
            StatementKind::Let(local, value) => Code::Let(local.0, self.expr(value)),
            StatementKind::Spend(budget, amount) => {
                let counter = self.counter(budget);
                Code::Spend(counter, self.optional(amount.as_ref()))
            }
            StatementKind::Emit(name, payload) => {
                Code::Emit(self.tables.name(name), self.optional(payload.as_ref()))
            }
            StatementKind::If(arms, otherwise) => self.branches(arms, otherwise.as_ref(), statement.span),
            StatementKind::Call(action) => Code::Call(action.0),
            StatementKind::For(LoopLocals { index, item }, list, body) => {
                let list = self.expr(list);
                let places = LoopPlaces { index: index.map(|local| local.0), item: item.0 };
                Code::For(places, list, self.block(body))
            }
            StatementKind::Fail(kind, message) => {
                Code::Fail(self.tables.name(kind), self.optional(message.as_ref()))
            }
        }
    }

    fn branches(&mut self, arms: &[(Expr, ModelBlock)], otherwise: Option<&ModelBlock>, span: Span) -> Code {
        let last = otherwise.map_or(span, |block| whole(block).unwrap_or(span));
        let spans = arms.iter().map(|(condition, _)| condition.span).chain([last]);
        let branch = self.tables.branches(spans);
        let arms = arms.iter().map(|(condition, block)| (self.expr(condition), self.block(block))).collect();
        let otherwise = otherwise.map(|block| self.block(block)).unwrap_or_default();
        Code::If { branch, arms, otherwise }
    }

    pub(super) fn place(&mut self, place: &Place) -> PlaceCode {
        let steps = self.steps(&place.steps);
        PlaceCode { slot: place.slot.0, steps, shape: self.shape(&place.ty, place.span) }
    }

    fn steps(&mut self, steps: &[PlaceStep]) -> Box<[Step]> {
        let step = |step: &PlaceStep| match step {
            PlaceStep::Field(name, hint) => Step::Field(self.tables.name(name), *hint),
            PlaceStep::Index(at) => Step::Index(self.expr(at)),
        };
        steps.iter().map(step).collect()
    }
}

fn whole(block: &ModelBlock) -> Option<Span> {
    let (first, last) = (block.statements.first()?, block.statements.last()?);
    Some(first.span.to(last.span))
}
