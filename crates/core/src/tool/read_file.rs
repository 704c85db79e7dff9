//! `read_file`: the text of a file inside one folder.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use super::Tool;
use crate::folder::{Folder, is_hidden, reason};
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, ToolInfo};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{Map, Value};

/// The deepest path below the folder.
const MAX_PARTS: usize = 64;

/// The tool `read_file`: `{path: "notes/a.txt"}` gives the file's text. Only regular files inside the folder are
/// read; no path leaves it, by `..`, as an absolute path or through a symbolic link, and hidden files are not read.
#[derive(Debug)]
pub struct ReadFileTool {
    info: ToolInfo,
    root: Arc<FolderRoot>,
    max_bytes: usize,
}

/// The folder that is read. It is opened once: what is put in its place afterwards is another one.
#[derive(Debug)]
struct FolderRoot {
    path: PathBuf,
    /// True if there are no links in the path, and a folder that one leads to is not meant.
    exact: bool,
    opened: OnceLock<Folder>,
}

/// An error of reading a file.
#[derive(Debug, thiserror::Error)]
enum ReadFault {
    #[error("`{0}` leaves the folder: write a path inside it, without `..`")]
    Outside(String),
    #[error("`{0}` is a symbolic link or its path contains one; links are not followed")]
    Link(String),
    #[error("`{0}` is hidden: nothing is read whose name, or that of a folder on the way, begins with a dot")]
    Hidden(String),
    #[error("there is no file `{0}`")]
    Missing(String),
    #[error("`{0}` is not a regular file")]
    NoFile(String),
    #[error("`{path}` is longer than {max} bytes")]
    TooLong { path: String, max: usize },
    #[error("`{0}` is not a UTF-8 text")]
    NoText(String),
    #[error("`{path}` cannot be read: {reason}")]
    Failed { path: String, reason: String },
}

impl ReadFault {
    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Outside(_) | Self::Link(_) | Self::Hidden(_) => ErrorKind::Denied,
            Self::TooLong { .. } => ErrorKind::TooLarge,
            _ => ErrorKind::ToolFailed,
        }
    }
}

impl ReadFileTool {
    /// The tool over a folder. Files of more than `max_bytes` bytes are refused.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, max_bytes: usize) -> Self {
        Self::over(FolderRoot { path: root.into(), exact: false, opened: OnceLock::new() }, max_bytes)
    }

    /// The same over the folder at a place, a path without links. Where there is a link by then, nothing is read.
    #[must_use]
    pub fn at(place: impl Into<PathBuf>, max_bytes: usize) -> Self {
        Self::over(FolderRoot { path: place.into(), exact: true, opened: OnceLock::new() }, max_bytes)
    }

    fn over(root: FolderRoot, max_bytes: usize) -> Self {
        let text = "Path of the file inside the folder, with `/` between the parts.";
        let info = ToolInfo::new("read_file", super::schema::closed(&[("path", "string", text)], &["path"]))
            .description("Reads a text file.")
            .delivery(Delivery::Pure);
        Self { info, root: root.into(), max_bytes }
    }
}

impl Tool for ReadFileTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let path = args.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (root, max) = (Arc::clone(&self.root), self.max_bytes);
        let work = tokio::task::spawn_blocking(move || read(&root, &path, max));
        async move {
            match work.await {
                Ok(Ok(text)) => Outcome::answer(text),
                Ok(Err(fault)) => Outcome::failed(fault.kind(), fault.to_string()),
                Err(_) => Outcome::failed(ErrorKind::Internal, "reading the file was given up"),
            }
        }
        .boxed()
    }
}

impl FolderRoot {
    fn open(&self) -> Result<&Folder, String> {
        if let Some(folder) = self.opened.get() {
            return Ok(folder);
        }
        // A folder that is not there may still be made.
        let folder = Folder::open(&self.path).map_err(|error| reason(&error))?;
        if self.exact && folder.path() != self.path {
            return Err("a link lies in its place".to_owned());
        }
        Ok(self.opened.get_or_init(|| folder))
    }
}

fn read(root: &FolderRoot, path: &str, max: usize) -> Result<String, ReadFault> {
    let parts = parts(path)?;
    let root = root.open().map_err(|why| ReadFault::Failed {
        path: path.to_owned(),
        reason: format!("the folder of `read_file` cannot be opened: {why}"),
    })?;
    let mut file = File::from(descend(root, &parts, path)?);
    let failed =
        |error: std::io::Error| ReadFault::Failed { path: path.to_owned(), reason: error.to_string() };
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(ReadFault::NoFile(path.to_owned()));
    }
    // One byte more than allowed: the length may have changed since, and some files have none.
    let most = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    file.by_ref().take(most).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > max {
        return Err(ReadFault::TooLong { path: path.to_owned(), max });
    }
    String::from_utf8(bytes).map_err(|_| ReadFault::NoText(path.to_owned()))
}

fn parts(path: &str) -> Result<Vec<&str>, ReadFault> {
    let outside = || ReadFault::Outside(path.to_owned());
    if path.contains('\0') {
        return Err(ReadFault::Missing(path.replace('\0', "\u{fffd}")));
    }
    let mut parts = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str().ok_or_else(outside)?),
            Component::CurDir => {}
            _ => return Err(outside()),
        }
    }
    if is_hidden(Path::new(path)) {
        return Err(ReadFault::Hidden(path.to_owned()));
    }
    if parts.is_empty() || parts.len() > MAX_PARTS {
        return Err(ReadFault::Missing(path.to_owned()));
    }
    Ok(parts)
}

/// Opens the parts one below the other. No part may be a link, so nobody can swap one in between a check and its
/// use; and nothing waits for the other end of a pipe.
fn descend(root: &Folder, parts: &[&str], path: &str) -> Result<OwnedFd, ReadFault> {
    let folder = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
    let file = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let fault = |error: Errno| match error {
        Errno::ELOOP => ReadFault::Link(path.to_owned()),
        Errno::ENOENT => ReadFault::Missing(path.to_owned()),
        error => ReadFault::Failed { path: path.to_owned(), reason: error.desc().to_owned() },
    };
    let (last, folders) = parts.split_last().ok_or_else(|| ReadFault::Missing(path.to_owned()))?;
    let mut at: Option<OwnedFd> = None;
    for part in folders {
        at = Some(step(at.as_ref().map_or(root.as_fd(), AsFd::as_fd), part, folder).map_err(fault)?);
    }
    step(at.as_ref().map_or(root.as_fd(), AsFd::as_fd), last, file).map_err(fault)
}

fn step(at: BorrowedFd<'_>, part: &str, flags: OFlag) -> Result<OwnedFd, Errno> {
    openat(at, part, flags | OFlag::O_NOFOLLOW, Mode::empty()).map_err(|error| match error {
        // A link where a folder is wanted counts as "no folder" for the system; tell the two apart.
        Errno::ENOTDIR if is_link(at, part) => Errno::ELOOP,
        error => error,
    })
}

fn is_link(at: BorrowedFd<'_>, part: &str) -> bool {
    let stat = nix::sys::stat::fstatat(at, part, nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW);
    let kind = |mode| nix::sys::stat::SFlag::from_bits_truncate(mode) & nix::sys::stat::SFlag::S_IFMT;
    stat.is_ok_and(|stat| kind(stat.st_mode) == nix::sys::stat::SFlag::S_IFLNK)
}
