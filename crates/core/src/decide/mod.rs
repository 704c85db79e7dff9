//! Decision diagrams: sets of assignments to variables with finitely many values.
//!
//! A [`Diagram`] is a set of assignments, kept as a reduced ordered multi-valued decision diagram: a node asks one
//! variable and has one child for each of its classes. Equal sets are the same diagram, so that they are compared by their
//! numbers. This room knows nothing of graphs or expressions: who uses it says what the variables and classes stand for.
//!
//! # Why
//! - One variable with five hundred classes is one node. Diagrams over booleans would need nine variables and rules about
//!   the codes that stand for nothing.
//! - A diagram holds all assignments at once: sets are cut, joined and compared without a search for each.
//! - The number of nodes is limited, and every operation says when the limit is passed: there is no input that it takes
//!   long over.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cube;
mod diagram;

#[cfg(test)]
mod tests;

pub use cube::Cube;
pub use diagram::{Diagram, DiagramVariable, Diagrams, TooLarge};
