//! The actions that a list of statements runs.

use crate::model::expr::{Block, StatementKind};

/// The actions that a list runs.
pub(super) fn callees(block: &Block) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![block]);
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Call(id) => found.push(id.0 as usize),
                other => open.extend(other.bodies()),
            }
        }
    }
    found
}
