//! Mutants: graphs with one planted fault each, and which of them scenarios notice.
//!
//! ```text
//! Tree ─walk─▶ sites ─operators─▶ Mutant ─tree, check, compile─▶ Program ─play─▶ MutantVerdict
//! ```
//!
//! A [`MutationTest`] holds scenario files with all graph files that their graphs are made of. Each file has its own
//! [`Mutant`]s, which are played against every one of the scenario files that read it.
//!
//! # Why
//! - The tree is changed, not the text: one set of operators serves both syntaxes, and the places of everything else stay.
//! - What the types say is looked up by the places of expressions, so that operators on the tree know enums and money.
//! - `check` is asked before the scenarios: a graph that nobody can run is no credit to them.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod known;
mod mutant;
mod mutation;
mod mutation_test;
mod names;
mod operator;
mod operators;
mod original;
pub mod print;
mod site;
mod stored_files;
mod verdict;
mod walk;

pub use mutant::Mutant;
pub use mutation_test::{MutatedGraph, MutationTest, OriginalPlay};
pub use operator::MutationOperator;
pub use verdict::{Equivalence, EquivalenceJudge, MutantVerdict, MutationScore};
