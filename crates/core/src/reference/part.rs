//! A printed part of a page.

/// A line of a part that stands for a thing of the language or the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartEntry {
    /// The word for the kind of thing: `function`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The line.
    pub line: String,
}

/// A part of a page that is printed from tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencePart {
    /// The page, by its path in the folder of the reference.
    pub page: &'static str,
    /// The name of the part, in the comment before it.
    pub name: String,
    /// The thing that the whole part is about, and the word for its kind.
    pub subject: Option<(&'static str, String)>,
    /// The lines of the part.
    pub text: String,
    /// The lines that stand for something.
    pub entries: Vec<PartEntry>,
}

impl ReferencePart {
    /// A part without lines.
    #[must_use]
    pub fn new(page: &'static str, name: impl Into<String>) -> Self {
        Self { page, name: name.into(), subject: None, text: String::new(), entries: Vec::new() }
    }

    /// The same, as the part about one thing.
    #[must_use]
    pub fn about(mut self, kind: &'static str, name: &str) -> Self {
        self.subject = Some((kind, name.to_owned()));
        self
    }

    /// Adds lines that stand for nothing.
    pub fn write(&mut self, lines: &str) {
        self.text += lines;
        self.text.push('\n');
    }

    /// Adds a line that stands for a thing.
    pub fn entry(&mut self, kind: &'static str, name: &str, line: String) {
        self.write(&line);
        self.entries.push(PartEntry { kind, name: name.to_owned(), line });
    }

    /// Adds the head of a table.
    pub fn table(&mut self, columns: &[&str]) {
        self.write(&format!("| {} |", columns.join(" | ")));
        self.write(&format!("|{}", "---|".repeat(columns.len())));
    }

    /// The comment before the part.
    #[must_use]
    pub fn opening(&self) -> String {
        format!("<!-- reference: {} -->", self.name)
    }
}

/// A text as a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', "\\n")
}
