//! The error nodes of a tree.

/// The parts of a text that were not read, since they have a fault that was reported.
///
/// The rule for whoever reads a tree: a part that stands here was given, with a value that nobody knows. So nobody
/// reports that it is missing or unknown, and what depends on its value is not judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unread {
    keys: Vec<&'static str>,
    names: Vec<String>,
    unnamed: bool,
    rest: bool,
}

impl Unread {
    /// Adds a key of a node or a section of a file: one that could not be read in full, or the one that a misspelt key was
    /// meant to be. A node's `kind` among them means that its kind is not known.
    pub(in crate::syntax) fn add_key(&mut self, key: &'static str) {
        self.keys.push(key);
    }

    /// Adds several keys.
    pub(in crate::syntax) fn add_keys(&mut self, keys: impl IntoIterator<Item = &'static str>) {
        self.keys.extend(keys);
    }

    /// Adds the declaration of a name.
    pub(in crate::syntax) fn add_name(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// Adds declarations whose names are not known.
    pub(crate) fn add_unnamed(&mut self) {
        self.unnamed = true;
    }

    /// Adds the rest of the text.
    pub(in crate::syntax) fn add_rest(&mut self) {
        self.rest = true;
    }

    /// Adds the parts of another text that is read as one with this.
    pub(crate) fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.names.extend(other.names);
        self.unnamed |= other.unnamed;
        self.rest |= other.rest;
    }

    /// True if the key or section is given, but could not be read.
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    /// The names whose declarations could not be read.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// True if declarations could not be read, and their names are not known either.
    #[must_use]
    pub const fn has_unnamed(&self) -> bool {
        self.unnamed
    }

    /// True if the text could not be read to its end.
    #[must_use]
    pub const fn has_rest(&self) -> bool {
        self.rest
    }
}
