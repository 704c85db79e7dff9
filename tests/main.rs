//! The one test binary: every area is a module of its own.

mod architecture;
mod cel;
mod check;
mod cli;
mod config;
mod dependencies;
mod documents;
mod drive;
mod embed;
mod errors_doc;
mod expr;
mod golden;
mod graphs;
mod hostile;
mod llm;
mod model;
mod one_fault;
mod places;
mod report;
mod rules;
mod scenarios;
mod semantics;
mod terminal;
mod tools;
mod traces;
mod yaml;
