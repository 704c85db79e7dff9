//! Templates. The rendering is still to come; only the interface stands.

use super::function::Fault;
use crate::value::{Str, Value};

/// A fault of one text.
#[derive(Debug)]
pub struct TextFault {
    /// The text's name.
    pub text: Str,
}

impl std::fmt::Display for TextFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// All texts of a graph.
#[derive(Debug, Default)]
pub struct Templates(Vec<(Str, String)>);

impl Templates {
    /// Compiles texts.
    ///
    /// # Errors
    /// One fault per text.
    pub fn new<'a>(texts: impl IntoIterator<Item = (Str, &'a str)>) -> Result<Self, Vec<TextFault>> {
        Ok(Self(texts.into_iter().map(|(n, t)| (n, t.to_owned())).collect()))
    }

    /// The source of a text.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, t)| t.as_str())
    }

    /// Renders a text.
    ///
    /// # Errors
    /// A [`Fault`].
    pub fn render(
        &self,
        name: &str,
        _lookup: &mut dyn FnMut(&str) -> Result<Option<Value>, Fault>,
    ) -> Result<Str, Fault> {
        Ok(self.source(name).unwrap_or_default().into())
    }
}
