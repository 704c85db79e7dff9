//! The files of the graphs, where people may save texts of them.

use std::fmt;

use super::web_graph::WebGraph;
use crate::port::BoxFuture;

/// Reads and writes the files of graphs. Graphs go by the names under which they are served, files by those among
/// [`WebGraph::files`]; both are known to be there, and the file is one of [`WebGraph::editable`].
pub trait GraphFiles: Send + Sync {
    /// The text of a file as it is now.
    ///
    /// # Errors
    /// Says why it cannot be read.
    fn text(&self, graph: &str, file: &str) -> Result<String, String>;

    /// Puts a text in the place of a file's, whole or not at all, in the name of a person.
    ///
    /// # Errors
    /// Says why it cannot be written. Then the file is as it was.
    fn save(&self, graph: &str, file: &str, text: &str, by: &str) -> Result<(), String>;

    /// Reads every graph anew that is made of a file, and prepares those that can be run. Each has the name that it had.
    fn prepare<'a>(&'a self, graph: &'a str, file: &'a str) -> BoxFuture<'a, Vec<WebGraph>>;
}

impl fmt::Debug for dyn GraphFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphFiles")
    }
}
