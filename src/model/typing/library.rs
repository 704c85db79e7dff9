//! The names of the library's functions, and of the calls that are none of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::program::function::{Function, FunctionForm};

/// The calls that are no functions of the library.
pub(super) const SPECIAL: [&str; 12] = [
    "used",
    "limit",
    "left",
    "exhausted",
    "step",
    "rolled_back",
    "visits",
    "in_state",
    "render",
    "now",
    "has",
    "previous",
];

pub(super) static GLOBALS: LazyLock<FxHashMap<&'static str, Function>> =
    LazyLock::new(|| named(&[FunctionForm::Global, FunctionForm::Either]));
pub(super) static METHODS: LazyLock<FxHashMap<&'static str, Function>> =
    LazyLock::new(|| named(&[FunctionForm::Receiver, FunctionForm::Either]));

fn named(forms: &[FunctionForm]) -> FxHashMap<&'static str, Function> {
    Function::ALL.iter().filter(|f| forms.contains(&f.form())).map(|f| (f.name(), *f)).collect()
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
