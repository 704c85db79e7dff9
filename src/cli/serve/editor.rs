//! Texts of graphs that people save, and what becomes of the graphs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;

use super::edited_folder::EditedFolder;
use super::graphs::{FolderGraph, FolderGraphs};
use crate::cli::screen;
use loopwright_core::port::BoxFuture;
use loopwright_core::serve::web::{GraphFiles, WebGraph};

/// Saves texts in the folder, and prepares its graphs anew.
pub(super) struct FolderEditor {
    folder: FolderGraphs,
    graphs: Mutex<Vec<FolderGraph>>,
}

impl FolderEditor {
    pub(super) fn new(folder: FolderGraphs, graphs: Vec<FolderGraph>) -> Self {
        Self { folder, graphs: Mutex::new(graphs) }
    }

    fn graphs(&self) -> MutexGuard<'_, Vec<FolderGraph>> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder, and the path below it of a file of a graph.
    fn place(&self, graph: &str, file: &str) -> Result<(&EditedFolder, PathBuf), String> {
        let graphs = self.graphs();
        let path = graphs.iter().find(|own| own.name == graph).and_then(|own| own.editable(file));
        let place = self.folder.edited().zip(path.map(Path::to_owned));
        place.ok_or_else(|| format!("`{}` cannot be saved", screen::line(file)))
    }
}

impl GraphFiles for FolderEditor {
    fn text(&self, graph: &str, file: &str) -> Result<String, String> {
        let (folder, path) = self.place(graph, file)?;
        folder.text(&path)
    }

    fn save(&self, graph: &str, file: &str, text: &str, by: &str) -> Result<(), String> {
        let (folder, path) = self.place(graph, file)?;
        folder.replace(&path, text)?;
        screen::say(&format!("{}: saved by {}\n", screen::line(file), screen::line(by)));
        Ok(())
    }

    fn prepare<'a>(&'a self, graph: &'a str, file: &'a str) -> BoxFuture<'a, Vec<WebGraph>> {
        async move {
            let Ok((_, path)) = self.place(graph, file) else { return Vec::new() };
            let of_file = |own: &&FolderGraph| own.is_made_of(&path);
            let facts = |own: &FolderGraph| (own.name.clone(), own.file.clone(), own.last.clone());
            let before: Vec<_> = self.graphs().iter().filter(of_file).map(facts).collect();
            let mut listed = Vec::new();
            for (name, file, last) in before {
                // Where it cannot be read, that was said, and it stays as it was.
                let Ok(mut next) = self.folder.read(&file, last).await else { continue };
                next.name = name;
                listed.push(next.listed());
                if let Some(own) = self.graphs().iter_mut().find(|own| own.name == next.name) {
                    *own = next;
                }
            }
            listed
        }
        .boxed()
    }
}
