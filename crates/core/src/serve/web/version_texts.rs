//! The texts of one version of a graph, under names that a map of files may have.

use super::web_graph::WebGraph;
use crate::model::beside;
use crate::port::ProgramText;

/// The folder that stands for one of which nothing but the way out of it is known.
const OUTER_FOLDER: &str = "outer/";

/// The texts of one version of a graph.
#[derive(Debug)]
pub(super) struct VersionTexts {
    /// The name of the file that holds the graph.
    main: String,
    /// The texts by the names of their files.
    files: Vec<(String, String)>,
    /// The folder into which all of them are moved, with `/` at its end.
    folder: String,
}

impl VersionTexts {
    /// Those of the graph as it is served. Its scenarios are no part of it.
    pub(super) fn served(graph: &WebGraph) -> Self {
        let own = graph.files.iter().filter(|(name, _)| graph.scenarios.as_ref() != Some(name));
        let files = own.map(|(name, text)| (name.clone(), text.clone())).collect();
        Self { main: graph.main.clone(), files, folder: String::new() }
    }

    /// Those of a program, as they are stored beside its runs.
    pub(super) fn stored(program: &ProgramText) -> Self {
        // A condition of the operator is among the texts of a program, under the name of its flag.
        let own = program.files.iter().filter(|(name, _)| !name.starts_with("--"));
        let files = own.map(|(name, text)| (name.to_string(), text.to_string())).collect();
        Self { main: program.main.to_string(), files, folder: String::new() }
    }

    /// The same in a folder of that name. Files that lie outside of the folder that names are relative to are moved into it as well, each
    /// as far from the others as before.
    pub(super) fn below(mut self, folder: &str) -> Self {
        let steps_out =
            |name: &String| beside(None, name).split('/').take_while(|part| *part == "..").count();
        let depth = self.files.iter().map(|(name, _)| steps_out(name)).max().unwrap_or_default();
        self.folder = format!("{folder}/{}", OUTER_FOLDER.repeat(depth));
        self
    }

    fn moved(&self, name: &str) -> String {
        beside(Some(&self.folder), name.trim_start_matches('/'))
    }

    /// The name of the file that holds the graph.
    pub(super) fn main(&self) -> String {
        self.moved(&self.main)
    }

    /// The texts by the names of their files.
    pub(super) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        self.files.iter().map(|(name, text)| (self.moved(name), text.clone()))
    }

    /// The names of the files as they are now, each with the one that it had.
    pub(super) fn names(&self) -> impl Iterator<Item = (String, String)> {
        self.files.iter().map(|(name, _)| (self.moved(name), name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::VersionTexts;

    #[test]
    fn files_outside_of_the_folder_are_moved_into_it() {
        let files = ["web/talk.yaml", "../lib/words.loop", "/srv/all.loop"];
        let files = files.map(|name| (name.to_owned(), String::new())).to_vec();
        let texts = VersionTexts { main: "web/talk.yaml".to_owned(), files, folder: String::new() };
        let moved = texts.below("before");
        assert_eq!(moved.main(), "before/outer/web/talk.yaml");
        let names: Vec<_> = moved.texts().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            ["before/outer/web/talk.yaml", "before/lib/words.loop", "before/outer/srv/all.loop"]
        );
    }
}
