//! `read_file`, `list_files`, `search_files` and `write_file`: the files inside one folder.
//!
//! # Why
//! - A path is opened part by part, each below the handle of the one before, and no part may be a link: nobody can swap one
//!   in between a check and its use. Nothing is opened that is not a regular file or a folder.
//! - What is hidden is nobody's to read or write ([`is_hidden`](crate::folder::is_hidden)), and is not listed.
//! - `write_file` is idempotent: the same call made twice leaves the same file. A driver that died in the middle of a call
//!   makes it again.
//! - A call that was given up, or whose driver lost the run, stops at the next file, and a file that is not in its place by
//!   then is not put there.
//! - A listing is walked in the order in which it is shown, so that what is cut off does not depend on the disk.

mod fault;
mod list;
mod message;
mod read;
mod root;
mod search;
mod walk;
mod write;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;

use self::fault::FileToolFault;
pub use self::message::MessageFolder;
use self::root::FolderRoot;
use super::Tool;
use super::schema::{ArgType, closed};
use crate::config::{FileToolConfig, FileToolKind};
use crate::folder::Folder;
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, Claim, ToolInfo};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{Map, Value};

/// A tool over the files inside one folder. No path leaves it, by `..`, as an absolute path or through a symbolic link, and
/// hidden files are neither read nor written.
#[derive(Debug)]
pub struct FileTool {
    info: ToolInfo,
    root: Arc<FolderRoot>,
    config: FileToolConfig,
}

/// One call of a tool over files.
struct FileCall {
    tool: FileToolKind,
    root: Arc<FolderRoot>,
    max_bytes: usize,
    max_results: usize,
    args: Map,
    given_up: GivenUp,
    /// The right of the driver to the run; a file is put in its place before its end alone.
    claim: Option<Claim>,
}

/// True once nobody waits for a call any more.
#[derive(Debug, Clone, Default)]
struct GivenUp(Arc<AtomicBool>);

/// Gives a call up when it is dropped.
struct Waiting(GivenUp);

impl FileTool {
    /// The tool over the folder that a configuration names, whose paths start from `folder`.
    #[must_use]
    pub fn new(config: &FileToolConfig, folder: impl Into<PathBuf>) -> Self {
        Self::over(config, FolderRoot::named(folder.into().join(&config.root)))
    }

    /// The same over the folder at a place, a path without links. Where there is a link by then, nothing is opened.
    #[must_use]
    pub fn at(config: &FileToolConfig, place: impl Into<PathBuf>) -> Self {
        Self::over(config, FolderRoot::exact(place.into()))
    }

    fn over(config: &FileToolConfig, root: FolderRoot) -> Self {
        let info = info(config.tool);
        let info = ToolInfo { approval: config.approval, ..info };
        Self { info, root: root.into(), config: config.clone() }
    }
}

impl Tool for FileTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn needs_grant(&self) -> bool {
        self.config.tool.changes_files()
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        self.make(args, None)
    }

    fn call_within(&self, _: &CallId, args: Map, claim: &Claim) -> BoxFuture<'static, Outcome> {
        self.make(args, Some(claim.clone()))
    }
}

impl FileTool {
    fn make(&self, args: Map, claim: Option<Claim>) -> BoxFuture<'static, Outcome> {
        let FileToolConfig { tool, max_bytes, max_results, .. } = self.config;
        let given_up = GivenUp::default();
        let waiting = Waiting(given_up.clone());
        let call =
            FileCall { tool, root: Arc::clone(&self.root), max_bytes, max_results, args, given_up, claim };
        async move {
            let _waiting = waiting;
            match tokio::task::spawn_blocking(move || call.make()).await {
                Ok(Ok(value)) => Outcome::answer(value),
                Ok(Err(fault)) => Outcome::failed(fault.kind(), fault.to_string()),
                Err(_) => Outcome::failed(ErrorKind::Internal, "the work on the files was given up"),
            }
        }
        .boxed()
    }
}

impl FileCall {
    fn make(&self) -> Result<Value, FileToolFault> {
        match self.tool {
            FileToolKind::Read => read::read(self),
            FileToolKind::List => list::list(self),
            FileToolKind::Search => search::search(self),
            FileToolKind::Write => write::write(self),
        }
    }

    /// An argument that is a text; an empty one where it is left out.
    fn text(&self, name: &str) -> &str {
        self.args.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.args.get(name) == Some(&Value::Bool(true))
    }

    fn folder(&self) -> Result<&Folder, FileToolFault> {
        let failed = |why| FileToolFault::Root { tool: self.tool.name(), why };
        self.root.open().map_err(failed)
    }

    /// Fails once the call was given up, or its driver lost the run.
    fn go_on(&self) -> Result<(), FileToolFault> {
        let lost = self.claim.as_ref().is_some_and(Claim::is_over);
        if lost || self.given_up.0.load(Ordering::Acquire) { Err(FileToolFault::GivenUp) } else { Ok(()) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Release);
    }
}

/// The description of a tool without its approval.
fn info(tool: FileToolKind) -> ToolInfo {
    let path = ("path", ArgType::String, "Path of the file inside the folder, with `/` between the parts.");
    let glob = (
        "glob",
        ArgType::String,
        "Only paths that fit: `*.md` fits a name in any folder, `notes/**/*.md` a path. Left out: all.",
    );
    let (text, schema) = match tool {
        FileToolKind::Read => ("Reads a text file.", closed(&[path], &["path"])),
        FileToolKind::List => {
            let folder = ("path", ArgType::String, "The folder to list. Left out: the whole folder.");
            let depth = (
                "depth",
                ArgType::Count,
                "How many levels to list; 1 lists the folder alone. Left out: all.",
            );
            (
                "Lists files and folders, sorted. `cut_off` is true if there are more.",
                closed(&[folder, glob, depth], &[]),
            )
        }
        FileToolKind::Search => {
            let fields = [
                ("pattern", ArgType::String, "The text to find, or a regular expression with `regex`."),
                (
                    "regex",
                    ArgType::Flag,
                    "True if `pattern` is a regular expression (RE2). Left out: a plain text.",
                ),
                ("paths", ArgType::Strings, "Files and folders to search. Left out: the whole folder."),
                glob,
            ];
            let text = "Finds the lines of text files that hold a text or fit a regular expression, sorted by path and line. \
                        `cut_off` is true if there are more.";
            (text, closed(&fields, &["pattern"]))
        }
        FileToolKind::Write => {
            let fields = [
                path,
                ("content", ArgType::String, "The whole text of the file. It replaces what was there."),
                (
                    "create_folders",
                    ArgType::Flag,
                    "True to make missing folders on the way. Left out: none is made.",
                ),
            ];
            ("Writes a text file, whole or not at all.", closed(&fields, &["path", "content"]))
        }
    };
    let delivery = if tool.changes_files() { Delivery::Idempotent } else { Delivery::Pure };
    ToolInfo::new(tool.name(), schema).description(text).delivery(delivery)
}

#[cfg(test)]
mod tests;
