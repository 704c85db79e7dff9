//! The names of the library's functions, and of the calls that are none of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::language_call::{MACROS, QUERIES};
use crate::program::function::{Function, FunctionForm};

/// Prefixes of functions that are written like a receiver.
pub(super) const NAMESPACES: [&str; 4] = ["math", "lists", "strings", "cel"];

/// The names of the calls that ask the run, or what is declared.
pub(super) fn queries() -> impl Iterator<Item = &'static str> {
    QUERIES.iter().map(|call| call.name)
}

/// Returns true if a name is that of a call that asks the run, or what is declared.
pub(super) fn is_query(name: &str) -> bool {
    queries().any(|query| query == name)
}

/// The names of the calls after a list or map that bind a name.
pub(super) fn macros() -> impl Iterator<Item = &'static str> {
    MACROS.iter().map(|call| call.name)
}

/// Returns true if a name is that of a call that binds a name.
pub(super) fn is_macro(name: &str) -> bool {
    macros().any(|name_of_macro| name_of_macro == name)
}

pub(super) static GLOBALS: LazyLock<FxHashMap<&'static str, Function>> =
    LazyLock::new(|| named(&[FunctionForm::Global, FunctionForm::Either]));
pub(super) static METHODS: LazyLock<FxHashMap<&'static str, Function>> =
    LazyLock::new(|| named(&[FunctionForm::Receiver, FunctionForm::Either]));

fn named(forms: &[FunctionForm]) -> FxHashMap<&'static str, Function> {
    let rows = Function::ALL.iter().filter_map(|function| Some((function.built_in()?, *function)));
    rows.filter(|(row, _)| forms.contains(&row.form)).map(|(row, function)| (&*row.name, function)).collect()
}

/// Returns true if a name is that of a call of the language, or the prefix of some.
pub(in crate::model) fn is_known_call(name: &str) -> bool {
    GLOBALS.contains_key(name)
        || METHODS.contains_key(name)
        || is_query(name)
        || NAMESPACES.contains(&name)
        || is_macro(name)
}

/// The functions of a namespace.
pub(super) fn members_of(space: &str) -> Vec<&'static str> {
    GLOBALS
        .keys()
        .copied()
        .filter(|name| name.split_once('.').is_some_and(|(own, _)| own == space))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}
