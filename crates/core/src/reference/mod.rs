//! Tables of the reference, printed from the tables that the program itself uses.
//!
//! A page of the reference is written by hand, but for its *printed parts*: a part stands between two comments and is
//! replaced as a whole. So a page can explain a table beside it, and the table cannot tell anything but what the program does.
//!
//! # Why
//! - A part knows its entries (a function, a key, a rule) by name: what a page lacks is reported by name, not as a difference
//!   of lines.
//! - The skill is a page as well: its prose and its graphs are tested like those of all pages.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod budgets;
mod errors;
mod functions;
mod keys;
mod names;
mod part;
mod renew;
mod rules;
mod skill;
mod templates;

pub use part::{PartEntry, ReferencePart};
pub use renew::{faults, renewed, stripped};
pub use skill::SKILL;

/// All parts that are printed from tables of the language.
#[must_use]
pub fn parts() -> Vec<ReferencePart> {
    let mut parts = functions::parts();
    parts.extend(keys::parts());
    parts.push(errors::triggers());
    parts.push(errors::kinds());
    parts.push(names::part());
    parts.extend(templates::parts());
    parts.push(budgets::charges());
    parts.push(rules::part());
    parts.extend(skill::parts());
    parts
}
