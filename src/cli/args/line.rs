//! Command lines that a person can copy.

use std::path::Path;

use loopwright_core::config::quoted;
use loopwright_core::store::StoreAddress;

/// The file in which runs are stored by default.
pub(in crate::cli) const DB: &str = ".loopwright/runs.db";

/// A line as a shell reads it, while it is put together.
pub(in crate::cli) struct Line(String);

impl Line {
    /// The line of a command without its words.
    pub(in crate::cli) fn of(command: &str) -> Self {
        Self(format!("loopwright {command}"))
    }

    /// Adds a word.
    pub(in crate::cli) fn word(self, word: &str) -> Self {
        Self(self.0 + " " + &quoted(word))
    }

    /// Adds a flag with each of its values; nothing where there are none.
    pub(in crate::cli) fn flag(self, name: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        values.into_iter().fold(self, |line, value| line.word(name).word(value.as_ref()))
    }

    /// Adds a flag without a value, if it is on.
    pub(in crate::cli) fn switch(self, name: &str, on: bool) -> Self {
        if on { self.word(name) } else { self }
    }

    /// Adds the store, if it is not where it is without a flag. The address of a database stands without its password.
    pub(in crate::cli) fn db(self, db: &StoreAddress) -> Self {
        let named = (db.file() != Some(Path::new(DB))).then(|| db.to_string());
        self.flag("--db", named)
    }

    /// The whole line.
    pub(in crate::cli) fn text(self) -> String {
        self.0
    }
}
