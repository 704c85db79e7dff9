//! The two syntaxes of a graph file.

/// The two syntaxes of a graph file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// YAML.
    Yaml,
    /// The loop DSL.
    Loop,
}

impl Syntax {
    /// The syntax of a file, given by its name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let dsl = name.rsplit_once('.').is_some_and(|(_, extension)| extension == "loop");
        if dsl { Self::Loop } else { Self::Yaml }
    }

    /// The one this is not.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Yaml => Self::Loop,
            Self::Loop => Self::Yaml,
        }
    }

    /// The syntax of a text without a name: YAML, if its first word is a key with a colon or it starts with a sign.
    #[must_use]
    pub fn guess(text: &str) -> Self {
        let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        let word =
            first.len() - first.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let rest = &first[word..];
        let dsl = word > 0 && rest.starts_with([' ', '\t']) && !rest.trim_start().starts_with(':');
        if dsl { Self::Loop } else { Self::Yaml }
    }
}
