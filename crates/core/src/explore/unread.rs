//! Statements without what nothing reads.
//!
//! A graph keeps books for people: lists of what was done, texts of what happened. Where nothing in a run looks into them, making them
//! takes a good part of a step for nothing. What may fail is left as it is.

use super::live::{GraphReads, ReadAfter, SlotSet, is_unbounded_list};
use crate::model::expr::{Block, Expr, ExprKind, Place, Statement, StatementKind};
use crate::model::graph::Graph;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::value::{List, Map, Value};

/// Leaves out of the statements of a graph what nothing reads. `silent` is a copy of it.
pub(super) fn leave_out(graph: &Graph, unread: &UnreadWrites<'_>, silent: &mut Graph) {
    for (own, node) in silent.graph.node_weights_mut().zip(graph.graph.node_weights()) {
        own.entry = unread.block(&node.entry);
        own.then = unread.block(&node.then);
    }
    for (own, edge) in silent.graph.edge_weights_mut().zip(graph.graph.edge_weights()) {
        own.action = unread.block(&edge.action);
    }
    for (own, action) in silent.actions.iter_mut().zip(&graph.actions) {
        own.body = unread.block(&action.body);
    }
}

/// What is known of the writes of a graph.
pub(super) struct UnreadWrites<'m> {
    pub(super) reads: GraphReads<'m>,
    pub(super) after: &'m ReadAfter,
    pub(super) types: &'m TypeTable,
}

impl UnreadWrites<'_> {
    fn block(&self, block: &Block) -> Block {
        Block {
            statements: block.statements.iter().filter_map(|statement| self.statement(statement)).collect(),
        }
    }

    /// The statement without what nothing reads; nothing where that is all of it.
    fn statement(&self, statement: &Statement) -> Option<Statement> {
        let kind = match &statement.kind {
            StatementKind::Assign { place, add, value } => {
                let value = self.value(statement, place, *add, value)?;
                StatementKind::Assign { place: place.clone(), add: *add, value }
            }
            StatementKind::If(arms, otherwise) => {
                let arms = arms.iter().map(|(condition, body)| (condition.clone(), self.block(body)));
                StatementKind::If(arms.collect(), otherwise.as_ref().map(|body| self.block(body)))
            }
            StatementKind::For(locals, list, body) => {
                StatementKind::For(*locals, list.clone(), self.block(body))
            }
            other => other.clone(),
        };
        Some(Statement { kind, span: statement.span })
    }

    /// The value that a statement has to write, if any.
    fn value(&self, statement: &Statement, place: &Place, add: bool, value: &Expr) -> Option<Expr> {
        let is_whole = place.steps.is_empty() && (!add || is_unbounded_list(&self.reads.slot(place).ty));
        let is_dead = |after: &&SlotSet| {
            is_whole && self.reads.is_unread(after, place, add) && self.reads.is_total(value)
        };
        let Some(after) = self.after.get(statement).filter(is_dead) else { return Some(value.clone()) };
        // Of what is appended the size of the list may still be asked for.
        after.parts(place.slot)?;
        let plainest = plainest(&value.ty, self.types).map(|plain| constant(plain, value.ty.clone()));
        Some(plainest.unwrap_or_else(|| value.clone()))
    }
}

/// A constant in place of an expression of that type.
pub(super) fn constant(value: Value, ty: Type) -> Expr {
    Expr { kind: ExprKind::Const(value), ty, span: Span::default() }
}

/// The value of a type that takes least to make, where one is known.
pub(super) fn plainest(ty: &Type, types: &TypeTable) -> Option<Value> {
    if ty.nullable {
        return Some(Value::Null);
    }
    Some(match &ty.kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int(None) => Value::Int(0),
        Kind::Float => Value::Float(0.0),
        Kind::String(_) => Value::from(""),
        Kind::List(..) => Value::List(List::new()),
        Kind::Map(_) => Value::Map(Map::new()),
        Kind::Record(id) => {
            let fields = types.record(*id).fields.iter();
            // A record that holds itself does so in a list, a map or null.
            let fields = fields.map(|field| Some((field.name.clone(), plainest(&field.ty, types)?)));
            Value::Map(Map::from_fields(fields.collect::<Option<_>>()?))
        }
        _ => return None,
    })
}
