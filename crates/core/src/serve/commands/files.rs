//! The map of files that a command is given. There are no others.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::model::{Files, beside};
use crate::source::display::{is_obeyed, line};
use crate::syntax::{Syntax, outline};

/// The most files of a call.
pub const MAX_FILES: usize = 100;

/// The longest name of a file, in bytes.
pub const MAX_FILE_NAME_BYTES: usize = 200;

/// The most text of a call, in bytes.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// The texts of a call by the names of their files.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct FileMap(BTreeMap<String, String>);

impl FileMap {
    /// The files, for whatever reads graphs.
    ///
    /// # Errors
    /// There are too many, or one has a name that leads elsewhere.
    pub(super) fn files(&self) -> Result<Files, String> {
        if self.0.is_empty() {
            return Err(
                "`files` is empty: give at least one file, as {\"loop.yaml\": \"graph: ...\"}".to_owned()
            );
        }
        if self.0.len() > MAX_FILES {
            return Err(format!("`files` has {} files, and a call takes {MAX_FILES}", self.0.len()));
        }
        let bytes: usize = self.0.values().map(String::len).sum();
        if bytes > MAX_TEXT_BYTES {
            return Err(format!("`files` has {bytes} bytes of text, and a call takes {MAX_TEXT_BYTES}"));
        }
        let mut files = Files::new();
        for (name, text) in &self.0 {
            check_name(name)?;
            files = files.with(name.as_str(), text.as_str());
        }
        Ok(files)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// It is not in the map.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        match self.0.get(name) {
            Some(text) => Ok(text),
            None => Err(format!("`{}` is not in `files`, which has: {}", line(name), self.listed())),
        }
    }

    fn listed(&self) -> String {
        self.0.keys().map(|name| format!("`{}`", line(name))).collect::<Vec<_>>().join(", ")
    }

    /// The graph files, sorted: those that are named, or all that are none of scenarios and hold a graph.
    ///
    /// # Errors
    /// One that is named is not in the map, or there is none.
    pub(super) fn graphs(&self, named: &[String]) -> Result<Vec<String>, String> {
        let is_graph = |name: &str, text: &str| !is_scenarios(name) && outline(text, Syntax::of(name)).graph;
        self.chosen(named, is_graph, "graph file: a text with `graph: NAME`")
    }

    /// The scenario files, sorted: those that are named, or all whose name ends in `.scenarios.yaml`.
    ///
    /// # Errors
    /// One that is named is not in the map, or there is none.
    pub(super) fn scenarios(&self, named: &[String]) -> Result<Vec<String>, String> {
        self.chosen(
            named,
            |name, _| is_scenarios(name),
            "scenario file: a name that ends in `.scenarios.yaml`",
        )
    }

    /// The files that can be formatted, sorted: those that are named, or all with sections of a graph file.
    ///
    /// # Errors
    /// One that is named is not in the map, or there is none.
    pub(super) fn sources(&self, named: &[String]) -> Result<Vec<String>, String> {
        let is_source =
            |name: &str, text: &str| !is_scenarios(name) && outline(text, Syntax::of(name)).sections;
        self.chosen(named, is_source, "graph file")
    }

    fn chosen(
        &self,
        named: &[String],
        fits: impl Fn(&str, &str) -> bool,
        what: &str,
    ) -> Result<Vec<String>, String> {
        for name in named {
            self.text(name)?;
        }
        if !named.is_empty() {
            return Ok(named.to_vec());
        }
        let found: Vec<String> =
            self.0.iter().filter(|(name, text)| fits(name, text)).map(|(name, _)| name.clone()).collect();
        if found.is_empty() {
            return Err(format!("`files` has no {what}; it has: {}", self.listed()));
        }
        Ok(found)
    }

    /// The one graph that is meant: the one that is named, or the only one.
    ///
    /// # Errors
    /// There is none, or several.
    pub(super) fn graph(&self, named: Option<String>) -> Result<String, String> {
        let mut graphs = self.graphs(&named.into_iter().collect::<Vec<_>>())?;
        match graphs.len() {
            1 => Ok(graphs.remove(0)),
            _ => Err(format!("say with `graph` which of these is meant: {}", graphs.join(", "))),
        }
    }
}

/// True for the name of a scenario file.
pub(in crate::serve) fn is_scenarios(name: &str) -> bool {
    name.ends_with(".scenarios.yaml") || name.ends_with(".scenarios.yml")
}

/// Refuses a name that is none of a file in the map.
fn check_name(name: &str) -> Result<(), String> {
    let shown = || {
        let short: String = name.chars().take(MAX_FILE_NAME_BYTES).collect();
        format!("`files` has a file named `{}`", line(&short))
    };
    if name.len() > MAX_FILE_NAME_BYTES {
        return Err(format!("{}…: a name has at most {MAX_FILE_NAME_BYTES} bytes", shown()));
    }
    if name.is_empty() || name.contains(is_obeyed) {
        return Err(format!("{}: a name is not empty and has no control or hidden characters", shown()));
    }
    if name.starts_with('/') || name.contains('\\') || beside(None, name) != name || name.starts_with("..") {
        return Err(format!(
            "{}: a name is relative, with `/` between its parts and without `.` and `..`, as `loop.yaml` or `parts/ask.yaml`",
            shown()
        ));
    }
    Ok(())
}

/// The schema of the argument `files`.
pub(super) fn schema(what: &str) -> Json {
    json!({
        "type": "object",
        "description": format!(
            "{what} A map from the names of files to their texts. A file that a text names and that is not in the map is not \
             there: nothing is read from a disk."
        ),
        "additionalProperties": {"type": "string"},
        "minProperties": 1,
        "maxProperties": MAX_FILES,
    })
}

/// The schema of a list of names out of `files`.
pub(super) fn names_schema(description: &str) -> Json {
    json!({"type": "array", "items": {"type": "string"}, "maxItems": MAX_FILES, "description": description})
}

/// The schema of a list of findings.
pub(super) fn findings_schema() -> Json {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "rule": {"type": "string", "description": "The name of the rule; `explain` has its page."},
                "severity": {"enum": ["error", "warning", "note"]},
                "message": {"type": "string"},
                "file": {"type": "string"},
                "line": {"type": "integer", "description": "From 1."},
                "column": {"type": "integer", "description": "From 1, in characters."},
                "help": {"type": "array", "items": {"type": "string"}, "description": "Cures."},
            },
            "required": ["rule", "severity", "message", "file", "line", "column", "help"],
        },
    })
}
