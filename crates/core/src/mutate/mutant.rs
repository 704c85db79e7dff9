//! Mutants of one file.

use std::sync::Arc;

use super::known::KnownTypes;
use super::mutation::Mutation;
use super::operator::MutationOperator;
use super::operators::mutations;
use super::walk::each_site;
use crate::source::{FileId, Span};
use crate::syntax::tree::Tree;

/// A graph file with one planted fault.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The number of its site, in the order of the walk over the tree.
    site: usize,
    /// The declaration that is changed, in words.
    owner: String,
    pub(super) mutation: Mutation,
}

impl Mutant {
    /// The kind of fault.
    #[must_use]
    pub const fn operator(&self) -> MutationOperator {
        self.mutation.operator
    }

    /// The place of what is changed.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.mutation.span
    }

    /// The file that is changed.
    #[must_use]
    pub const fn file(&self) -> FileId {
        self.mutation.span.file
    }

    /// The fault in one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}: {}", self.owner, self.mutation.message)
    }

    /// The tree of the file with the fault.
    #[must_use]
    pub fn tree(&self, original: &Tree) -> Tree {
        let mut tree = original.clone();
        let (mut number, mut part) = (0, Some(self.mutation.part.clone()));
        each_site(&mut tree, &mut |site, _| {
            if number == self.site
                && let Some(part) = part.take()
            {
                site.put(part);
            }
            number += 1;
        });
        tree
    }
}

/// All mutants of a file, in order of its text.
pub(super) fn mutants(tree: &Arc<Tree>, known: &KnownTypes) -> Vec<Mutant> {
    let mut tree = Tree::clone(tree);
    let mut found = Vec::new();
    let mut number = 0;
    each_site(&mut tree, &mut |site, context| {
        for mutation in mutations(&site, context, known) {
            found.push(Mutant { site: number, owner: context.owner.clone(), mutation });
        }
        number += 1;
    });
    // Sites come in order of the declarations' kinds; of what is at one place, the operators are in order.
    found.sort_by_key(|mutant| (mutant.span().start, mutant.span().end, mutant.operator()));
    found
}
