//! Expressions and statements over a small graph.

mod declared;
mod expressions;
mod facts;
mod statements;
mod world;
