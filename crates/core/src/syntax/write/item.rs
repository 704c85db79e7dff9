//! The content of a file, ready to be written in either syntax.

use super::code::Code;

/// A key with its value, a declaration with its body, or an item of a list.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are facts of the text that do not exclude each other"
)]
pub(super) struct Item {
    /// The key or the name; empty for the items of a list.
    pub(super) key: String,
    /// The comment after it.
    pub(super) value: Value,
    /// The start in the text that was read, in bytes.
    pub(super) start: usize,
    /// The end in the text that was read, in bytes.
    pub(super) end: usize,
    /// It is a graph in place.
    pub(super) is_graph: bool,
    /// It is the edges of a node.
    pub(super) is_edges: bool,
    /// It gathers declarations that are apart in the text, or has no key there: no comment belongs to it.
    pub(super) gathered: bool,
    /// It stood on one line.
    pub(super) one_line: bool,
    /// A blank line stood before it, or between it and the comments before it.
    pub(super) blank: bool,
    /// Comments on lines of their own before it.
    pub(super) before: Vec<Comment>,
    /// Comments after it on its line.
    pub(super) beside: Vec<String>,
    /// Comments on lines of their own after it, where nothing follows.
    pub(super) after: Vec<Comment>,
}

/// A comment on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    /// The text after its `#`.
    pub(super) text: String,
    /// A blank line stood before it.
    pub(super) blank: bool,
}

/// The value of an [`Item`].
#[derive(Debug)]
pub(super) enum Value {
    /// Nothing was written.
    Nothing,
    /// A name, a flag, one of a few words.
    Word(String),
    /// Text for people, a path, a template.
    Text(Text),
    /// An expression, a type, a place and the like.
    Code(Code),
    /// Items by name.
    Items(Vec<Item>),
    /// Items in order.
    List(Vec<Item>),
}

/// A text in quotes.
#[derive(Debug)]
pub(super) struct Text {
    /// Without quotes and escapes.
    pub(super) text: String,
    /// It was written in lines that were joined.
    pub(super) folded: bool,
}

impl Item {
    /// The value under a key, if there are keys.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.children().iter().find(|item| item.key == key)
    }

    /// Returns true if it is a graph in place that extends another one, and false if it extends none.
    pub(super) fn is_variant(&self) -> Option<bool> {
        self.is_graph.then(|| self.get("extends").is_some())
    }

    /// Its content.
    pub(super) fn children(&self) -> &[Self] {
        match &self.value {
            Value::Items(items) | Value::List(items) => items,
            _ => &[],
        }
    }

    /// Its content, to be changed.
    pub(super) fn children_mut(&mut self) -> &mut [Self] {
        match &mut self.value {
            Value::Items(items) | Value::List(items) => items,
            _ => &mut [],
        }
    }

    /// Returns true if there are comments in it or at it, other than before it.
    pub(super) fn has_comments(&self) -> bool {
        let own = !self.beside.is_empty() || !self.after.is_empty();
        own || self.has_inner_comments()
    }

    /// Returns true if there are comments inside of it, so that it takes more than one line.
    pub(super) fn has_inner_comments(&self) -> bool {
        let code = matches!(&self.value, Value::Code(code) if code.has_comments());
        code || self.children().iter().any(|item| !item.before.is_empty() || item.has_comments())
    }

    /// All comments inside of it, in order, for places that can have none.
    pub(super) fn inner_comments(&self) -> Vec<Comment> {
        let line = |text: &String| Comment { text: text.clone(), blank: false };
        let mut all = Vec::new();
        if let Value::Code(code) = &self.value {
            all.extend(code.comments().iter().map(line));
        }
        for item in self.children() {
            all.extend(item.before.iter().cloned());
            all.extend(item.inner_comments());
            all.extend(item.beside.iter().map(line));
            all.extend(item.after.iter().cloned());
        }
        all
    }
}
