//! The lists of statements in a list, and the actions that it runs.

use crate::model::expr::{Block, StatementKind};

/// The lists inside a statement.
pub(crate) fn inner(kind: &StatementKind) -> impl Iterator<Item = &Block> {
    let (arms, one) = match kind {
        StatementKind::If(arms, otherwise) => (arms.as_slice(), otherwise.as_ref()),
        StatementKind::For(_, _, body) => (&[][..], Some(body)),
        _ => (&[][..], None),
    };
    arms.iter().map(|(_, body)| body).chain(one)
}

/// The actions that a list runs.
pub(super) fn callees(block: &Block) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![block]);
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Call(id) => found.push(id.0 as usize),
                other => open.extend(inner(other)),
            }
        }
    }
    found
}
