//! A graph of the folder that is served.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::app::GraphHost;
use crate::value::Str;

/// A graph of the folder that is served.
pub struct WebGraph {
    /// The name under which it is served: its id, or that and its file where another graph has the id.
    pub name: String,
    /// Its id; empty where the text has none.
    pub id: String,
    /// The name of its file, as its texts name it.
    pub main: String,
    /// The texts it is made of, by the names of their files.
    pub files: BTreeMap<String, String>,
    /// The file of its scenarios, if there is one. It is among the texts.
    pub scenarios: Option<String>,
    /// The files of which people may save texts; none without [`WebParts::editor`](super::WebParts::editor).
    pub editable: BTreeSet<String>,
    /// The digest of its program; none of a graph with errors.
    pub digest: Option<Str>,
    /// The host that drives its runs; none where it is only shown.
    pub host: Option<Arc<dyn GraphHost>>,
}

impl fmt::Debug for WebGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebGraph").field("name", &self.name).finish_non_exhaustive()
    }
}
