//! The keys of a node with their values, in the order of a program's listing.

use super::callable::Candidate;
use super::stage::Stage;
use crate::program::delivery::Delivery;
use crate::value::Str;

/// A key of a kind of node, as `diff` speaks of it.
#[derive(Debug, PartialEq, Eq)]
pub struct KindKey {
    /// Its name in the file.
    pub name: &'static str,
    /// The kind of change where it differs.
    pub slug: &'static str,
    /// Its value, in words.
    pub noun: &'static str,
}

impl KindKey {
    pub(super) const fn new(name: &'static str, slug: &'static str, noun: &'static str) -> Self {
        Self { name, slug, noun }
    }
}

/// The value of a key.
#[derive(Debug)]
pub enum Field<'n, S: Stage> {
    /// An expression.
    Expr(&'n S::Expr),
    /// A text.
    Text(&'n S::Text),
    /// A name.
    Name(&'n S::Name),
    /// A word.
    Word(&'n S::Word),
    /// A list of words, in which order means nothing.
    Words(&'n [S::Word]),
    /// The type of an answer.
    Answer(&'n S::Answer),
    /// A place.
    Place(&'n S::Place),
    /// A flag that is set.
    Flag,
    /// One of the words of the language.
    Choice(&'static str),
    /// A list, and the local that holds one of its items.
    Items(&'n S::Expr, &'n S::Local),
    /// A graph that is called, and its inputs in order; [`None`] takes the default.
    Called(&'n S::Graph, &'n [Option<S::Expr>]),
    /// The graphs of which one is called, and their inputs.
    Candidates(&'n [Candidate<S>]),
    /// A place, and the output that is merged into it.
    Merge(&'n S::Place, &'n Str),
    /// A branch and its own keys.
    Branch(&'n S::Word, KindParts<'n, S>),
}

/// A key with its value.
pub type Part<'n, S> = (&'static KindKey, Field<'n, S>);

/// The keys of a node that are written.
#[derive(Debug)]
pub struct KindParts<'n, S: Stage>(Vec<Part<'n, S>>);

impl<'n, S: Stage> KindParts<'n, S> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn with(mut self, key: &'static KindKey, field: Field<'n, S>) -> Self {
        self.0.push((key, field));
        self
    }

    fn with_some(self, key: &'static KindKey, field: Option<Field<'n, S>>) -> Self {
        match field {
            Some(field) => self.with(key, field),
            None => self,
        }
    }

    pub(super) fn expr(self, key: &'static KindKey, expr: Option<&'n S::Expr>) -> Self {
        self.with_some(key, expr.map(Field::Expr))
    }

    pub(super) fn text(self, key: &'static KindKey, text: Option<&'n S::Text>) -> Self {
        self.with_some(key, text.map(Field::Text))
    }

    pub(super) fn word(self, key: &'static KindKey, word: Option<&'n S::Word>) -> Self {
        self.with_some(key, word.map(Field::Word))
    }

    pub(super) fn words(self, key: &'static KindKey, words: &'n [S::Word]) -> Self {
        self.with_some(key, (!words.is_empty()).then_some(Field::Words(words)))
    }

    pub(super) fn place(self, key: &'static KindKey, place: Option<&'n S::Place>) -> Self {
        self.with_some(key, place.map(Field::Place))
    }

    pub(super) fn flag(self, key: &'static KindKey, flag: bool) -> Self {
        self.with_some(key, flag.then_some(Field::Flag))
    }

    pub(super) fn delivery(self, key: &'static KindKey, delivery: Option<Delivery>) -> Self {
        self.with_some(key, delivery.map(|delivery| Field::Choice(delivery.name())))
    }
}

impl<'n, S: Stage> IntoIterator for KindParts<'n, S> {
    type Item = Part<'n, S>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Declares the keys of a kind, and the list of them.
macro_rules! keys {
    ($($key:ident = $name:literal, $slug:literal, $noun:literal;)*) => {
        $(const $key: $crate::program::kind::KindKey = $crate::program::kind::KindKey::new($name, $slug, $noun);)*
        /// The keys of this kind alone.
        pub(super) const KEYS: &[&$crate::program::kind::KindKey] = &[$(&$key),*];
    };
}
pub(super) use keys;
