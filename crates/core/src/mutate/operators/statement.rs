//! Operators on statements.

use crate::mutate::mutation::Mutation;
use crate::mutate::operator::MutationOperator;
use crate::mutate::site::MutatedPart;
use crate::syntax::ast::{Block, Statement, StatementKind};
use crate::syntax::tree::NodeDecl;

/// A list without one of its statements.
pub(super) fn dropped(block: &Block) -> Vec<Mutation> {
    let mutation = |(at, statement): (usize, &Statement)| {
        let operator = match &statement.kind {
            StatementKind::Let(..) => return None,
            StatementKind::Spend(..) => MutationOperator::SpendDropped,
            _ => MutationOperator::StatementDropped,
        };
        let mut part = block.clone();
        part.statements.remove(at);
        Some(Mutation {
            operator,
            span: statement.span,
            message: format!("{} is dropped", words(statement)),
            edits: vec![(statement.span, String::new())],
            swapped: None,
            part: MutatedPart::Block(part),
        })
    };
    block.statements.iter().enumerate().filter_map(mutation).collect()
}

fn words(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Assign { place, .. } => format!("the assignment to `{place}`"),
        StatementKind::Spend(budget, _) => format!("`spend {budget}`"),
        StatementKind::Emit(name, _) => format!("`emit {}`", name.value),
        StatementKind::If(..) => "the `if`".to_owned(),
        StatementKind::Call(name) => format!("`{}()`", name.value),
        StatementKind::For(..) => "the `for`".to_owned(),
        StatementKind::Fail(kind, _) => format!("`fail {}`", kind.value),
        StatementKind::Let(name, _) => format!("`let {}`", name.value),
    }
}

/// A node with a spend in another one of its lists: from `do` to the first edge, from `then` to `do`, from an edge to the
/// one after it.
pub(super) fn moved(node: &NodeDecl) -> Vec<Mutation> {
    let mut found = Vec::new();
    let edges = node.edges.as_deref().unwrap_or_default();
    for at in spends(node.entry.as_ref()).into_iter().filter(|_| !edges.is_empty()) {
        found.push(mutation(node, List::Entry, at, List::Edge(0)));
    }
    for at in spends(node.then.as_ref()) {
        found.push(mutation(node, List::Then, at, List::Entry));
    }
    for (edge, decl) in edges.iter().enumerate().filter(|_| edges.len() > 1) {
        for at in spends(decl.action.as_ref()) {
            found.push(mutation(node, List::Edge(edge), at, List::Edge((edge + 1) % edges.len())));
        }
    }
    found
}

/// A list of statements of a node.
#[derive(Debug, Clone, Copy)]
enum List {
    Entry,
    Then,
    Edge(usize),
}

impl List {
    fn of(self, node: &mut NodeDecl) -> Option<&mut Block> {
        let list = match self {
            Self::Entry => &mut node.entry,
            Self::Then => &mut node.then,
            Self::Edge(at) => &mut node.edges.as_mut()?.get_mut(at)?.action,
        };
        Some(list.get_or_insert_default())
    }

    fn words(self, node: &NodeDecl) -> String {
        match self {
            Self::Entry => "`do`".to_owned(),
            Self::Then => "`then`".to_owned(),
            Self::Edge(at) => {
                let target = node.edges.iter().flatten().nth(at).map(|edge| edge.to.as_str());
                format!("the edge to `{}`", target.unwrap_or_default())
            }
        }
    }
}

/// The places of spends in a list.
fn spends(block: Option<&Block>) -> Vec<usize> {
    let statements = block.map(|block| block.statements.as_slice()).unwrap_or_default();
    let spends = statements.iter().enumerate();
    spends.filter(|(_, one)| matches!(one.kind, StatementKind::Spend(..))).map(|(at, _)| at).collect()
}

fn mutation(node: &NodeDecl, from: List, at: usize, to: List) -> Mutation {
    let mut part = node.clone();
    let statement = from.of(&mut part).map(|block| block.statements.remove(at));
    let span = statement.as_ref().map_or(node.span, |statement| statement.span);
    let named = statement.as_ref().map(words).unwrap_or_default();
    if let Some(block) = to.of(&mut part) {
        block.statements.extend(statement);
    }
    Mutation {
        operator: MutationOperator::SpendMoved,
        span,
        message: format!("{named} is moved from {} to {}", from.words(node), to.words(node)),
        edits: vec![(span, String::new())],
        swapped: None,
        part: MutatedPart::Node(Box::new(part)),
    }
}
