//! The type checker of expressions and statements.
//!
//! - [`declare_types`] resolves the types a graph declares, [`TypeNames::resolve`] every other type.
//! - [`Scope`] holds the names of one graph. It is filled once: slots, budgets, nodes, texts, then
//!   [`Scope::add_lets`], then [`Scope::add_actions`].
//! - [`Cx`] types expressions ([`Cx::infer`], [`Cx::check`], [`Cx::condition`]), statement lists ([`Cx::block`]) and
//!   places ([`Cx::into_place`]) at one place of the graph. It borrows the scope, so one per node costs nothing.
//! - [`Facts`] is what is known at a point of the flow; [`Scope::facts_when`] what a condition adds to it.
//!
//! Each fault becomes one [`Diagnostic`](crate::diag::Diagnostic) and leaves an error node in its place, which fits
//! everywhere and is never reported again: [`ExprKind::Error`](crate::model::expr::ExprKind::Error) of type
//! [`Kind::Error`](crate::model::types::Kind::Error) for an expression, an entry of the scope for a declaration,
//! [`Facts::error`] for the facts after it. The error nodes of text that could not be read at all are in
//! [`Unread`](crate::syntax::tree::Unread).

mod actions;
mod adapt;
mod addition;
mod arithmetic;
mod block;
mod budget;
mod builtin;
mod call;
mod conversation;
mod cx;
mod declare;
mod effect;
mod facts;
mod few_slots;
mod filled;
mod fit;
mod infer;
mod language_call;
mod lets;
mod library;
mod literal;
mod macros;
mod missing;
mod misuse;
mod name;
mod narrow;
mod operator;
mod order;
mod path;
mod place;
mod present_keys;
mod query;
mod rendering;
mod repeat;
mod resolve;
mod scope;
mod select;
mod show;
mod signature;
mod slot_set;

#[cfg(test)]
mod tests;

pub(in crate::model) use builtin::unusable_word;
pub use builtin::{BUDGETS_IN_TEXTS, Builtins, SUPPLIED_NAMES, SuppliedName};
pub use conversation::ConversationTypes;
pub use cx::{Cx, ErrorScope, Here};
pub use declare::declare_types;
pub use effect::{Effect, Write, Writes};
pub use facts::{Facts, Path, Root};
pub use few_slots::FewSlots;
pub use fit::{Fit, comparable, fit, join, position};
pub use language_call::{FORMS, LanguageCall, MACROS, QUERIES};
pub(in crate::model) use library::is_known_call;
pub(in crate::model) use missing::learn_keys;
pub(in crate::model) use order::children;
pub(crate) use order::dependencies_first;
pub(crate) use present_keys::MapKey;
pub use rendering::Rendering;
pub use resolve::{TypeNames, each_outputs};
pub use scope::{Meter, Reach, Scope};
pub use show::{Shown, show};
