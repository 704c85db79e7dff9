//! The library of functions and operators, over values.
//!
//! Every function is pure: same arguments, same result, same cost. None of them panics, blocks or runs long: each
//! charges the [`Meter`] in proportion to the data it touches before it touches them.
//!
//! A function is one [`FunctionRow`] beside its code, in the file of its topic. The type checker, the evaluator,
//! listings, hints and the reference read that row. A [`Function`] is its number; the few functions that the language
//! itself knows have names there. A name is written as CEL and its extensions write it: `lowerAscii`
//! after a value, `find_all` before its arguments. A row is [`Global`](FunctionForm), `Receiver` or `Either` by where its first
//! argument may be written; `row` has the form of a row.
//!
//! [`Functions`] is the table: the rows of this library and those of whoever embeds it. [`Functions::call`] runs a function; the
//! evaluator short-cuts the commonest operators through [`operator`].

mod args;
mod convert;
mod data;
mod format;
mod functions;
mod list;
mod map;
mod math;
pub mod operator;
mod operators;
mod own;
mod pattern;
mod references;
mod row;
mod schema;
mod signature;
mod text;
mod time;
mod tokens;
mod tool_calls;

use std::borrow::Cow;
use std::fmt;

pub use args::Args;
pub use functions::Functions;
pub use own::OwnFunction;
pub use pattern::Pattern;
pub use references::without_references;
pub use row::{Cost, FunctionBody, FunctionForm, FunctionRow, Topic};
pub use schema::Schema;
pub use signature::{Overload, TypePattern};

pub use super::fault::{Fault, FaultKind};
pub use super::meter::Meter;

/// All topics. Functions are numbered in this order.
pub const TOPICS: [Topic; 8] = [
    operators::TOPIC,
    convert::TOPIC,
    text::TOPIC,
    list::TOPIC,
    map::TOPIC,
    math::TOPIC,
    time::TOPIC,
    data::TOPIC,
];

const COUNT: usize = count();

static ROWS: [&FunctionRow; COUNT] = TABLE;

const TABLE: [&FunctionRow; COUNT] = table();

const fn count() -> usize {
    let (mut topic, mut count) = (0, 0);
    while topic < TOPICS.len() {
        count += TOPICS[topic].rows.len();
        topic += 1;
    }
    count
}

const fn table() -> [&'static FunctionRow; COUNT] {
    let mut table = [&TOPICS[0].rows[0]; COUNT];
    let (mut topic, mut count) = (0, 0);
    while topic < TOPICS.len() {
        let rows = TOPICS[topic].rows;
        let mut row = 0;
        while row < rows.len() {
            table[count] = &rows[row];
            count += 1;
            row += 1;
        }
        topic += 1;
    }
    table
}

const fn all() -> [Function; COUNT] {
    const { assert!(COUNT + Functions::MAX_OWN <= 1 << 16, "a function's number has two bytes") };
    let mut all = [Function(0); COUNT];
    let mut number = 0;
    while number < COUNT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number of functions is held to that of two bytes"
        )]
        let id = number as u16;
        all[number] = Function(id);
        number += 1;
    }
    all
}

/// Finds a function of that name and number of arguments while the crate is compiled.
const fn known(name: &str, arguments: usize) -> Function {
    let all = all();
    let mut number = 0;
    while number < COUNT {
        let row = TABLE[number];
        if let (Cow::Borrowed(own), Cow::Borrowed([first, ..])) = (&row.name, &row.overloads)
            && let Cow::Borrowed(params) = &first.params
            && is_same(own, name)
            && params.len() == arguments
        {
            return all[number];
        }
        number += 1;
    }
    panic!("there is no function of that name and number of arguments")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// A function or operator: the number of its row in [`Functions`]. Arguments are counted with the receiver as the first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(u16);

/// The things that the language knows by name.
impl Function {
    /// `tool_calls(names, tools)`; without `tools` the run's catalogue is meant.
    pub const TOOL_CALLS: Self = known("tool_calls", 2);
    /// `a + b`.
    pub const ADD: Self = known("+", 2);
    /// `a - b`.
    pub const SUBTRACT: Self = known("-", 2);
    /// `a * b`.
    pub const MULTIPLY: Self = known("*", 2);
    /// `a / b`.
    pub const DIVIDE: Self = known("/", 2);
    /// `a % b`.
    pub const MODULO: Self = known("%", 2);
    /// `-a`.
    pub const NEGATE: Self = known("-", 1);
    /// `!a`.
    pub const NOT: Self = known("!", 1);
    /// `a == b`.
    pub const EQUAL: Self = known("==", 2);
    /// `a != b`.
    pub const NOT_EQUAL: Self = known("!=", 2);
    /// `a < b`.
    pub const LESS: Self = known("<", 2);
    /// `a <= b`.
    pub const LESS_OR_EQUAL: Self = known("<=", 2);
    /// `a > b`.
    pub const GREATER: Self = known(">", 2);
    /// `a >= b`.
    pub const GREATER_OR_EQUAL: Self = known(">=", 2);
    /// `a in b`.
    pub const IN: Self = known("in", 2);
    /// `a[b]`.
    pub const INDEX: Self = known("[]", 2);
    /// `size(a)`, which evaluation answers without a copy of the value.
    pub const SIZE: Self = known("size", 1);
    /// `type(a)`: a type's own type is known before anything runs.
    pub const TYPE: Self = known("type", 1);
    /// `dyn(a)`: it does nothing at run time.
    pub const DYN: Self = known("dyn", 1);
    /// `a.sortBy(keys)`: the macro ends in it.
    pub const SORT_BY: Self = known("sortBy", 2);
    /// `keys(a)`: macros over maps begin with it.
    pub const KEYS: Self = known("keys", 1);
    /// `sum(a)`: an empty list sums up to the zero of its type.
    pub const SUM: Self = known("sum", 1);
    /// `math.least(…)`: whole literals beside floats are floats.
    pub const LEAST: Self = known("math.least", 1);
    /// `math.greatest(…)`: as [`Function::LEAST`].
    pub const GREATEST: Self = known("math.greatest", 1);
}

impl Function {
    /// All built-in ones, in order.
    pub const ALL: &'static [Self] = &all();

    /// The row of a built-in function; [`Functions::row`] knows those of all.
    #[must_use]
    pub fn built_in(self) -> Option<&'static FunctionRow> {
        ROWS.get(usize::from(self.0)).copied()
    }

    /// The name of a built-in function as it is written in an expression, `math.abs` with its prefix; for an operator its sign.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        self.built_in().map(|row| &*row.name)
    }

    /// Returns true for an operator.
    #[must_use]
    pub fn is_operator(self) -> bool {
        self.built_in().is_some_and(|row| row.form == FunctionForm::Operator)
    }

    /// The built-in function that `name(…)` calls, with `math.abs` written as one name.
    #[must_use]
    pub fn global(name: &str) -> Option<Self> {
        Self::written(&[FunctionForm::Global, FunctionForm::Either], name)
    }

    /// The built-in function that `x.name(…)` calls.
    #[must_use]
    pub fn receiver(name: &str) -> Option<Self> {
        Self::written(&[FunctionForm::Receiver, FunctionForm::Either], name)
    }

    fn written(forms: &[FunctionForm], name: &str) -> Option<Self> {
        let is_it = |row: &FunctionRow| forms.contains(&row.form) && row.name == name;
        Self::ALL.iter().copied().find(|own| own.built_in().is_some_and(is_it))
    }

    /// The number of an own function, by its place among those.
    fn own(place: usize) -> Self {
        Self(u16::try_from(COUNT + place).expect("own functions are limited in number"))
    }

    /// The place of an own function among those.
    fn own_place(self) -> usize {
        usize::from(self.0) - COUNT
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.debug_tuple("Function").field(&name).finish(),
            None => f.debug_tuple("Function").field(&self.0).finish(),
        }
    }
}

#[cfg(test)]
mod tests;
