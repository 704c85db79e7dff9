//! The one test binary: every area is a module of its own.

mod architecture;
mod cel;
mod check;
mod config;
mod dependencies;
mod drive;
mod errors_doc;
mod expr;
mod golden;
mod graphs;
mod report;
mod rules;
mod scenarios;
mod tools;
mod yaml;
mod embed;
mod expr;
mod golden;
mod llm;
mod scenarios;
mod tools;
mod traces;
