//! A walk through a folder and those below it, in a fixed order.

use std::ffi::OsString;
use std::fs::File;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use cap_std::fs::{Dir, FileType};
use globset::{GlobBuilder, GlobMatcher};

use super::FileCall;
use super::fault::{FileToolFault, shown};
use super::root::{InnerPath, MAX_PARTS, inner_folder};
use crate::folder::is_hidden;

/// The longest glob, in bytes.
const MAX_GLOB: usize = 1000;

/// The things of one folder, and of a whole walk, that are looked at.
const MAX_THINGS: usize = 100_000;

/// A thing on a walk.
pub(super) struct WalkEntry<'w> {
    /// Its path below the tool's folder.
    pub(super) path: &'w str,
    pub(super) name: &'w str,
    /// The folder it lies in.
    pub(super) at: BorrowedFd<'w>,
    /// True if it is a folder; else it is a regular file.
    pub(super) folder: bool,
}

/// How a walk ended, and what it left out.
#[derive(Debug, Default)]
pub(super) struct WalkEnd {
    /// The links, pipes, sockets and devices, the names that are no UTF-8, and the folders that may not be read.
    pub(super) skipped: i64,
    /// True if there is more than was looked at.
    pub(super) cut_off: bool,
}

/// The globs of a call.
pub(super) struct PathFilter(Option<(GlobMatcher, bool)>);

impl PathFilter {
    /// The glob of a call. One without `/` is for names, any other for paths.
    pub(super) fn of(glob: &str) -> Result<Self, FileToolFault> {
        if glob.is_empty() {
            return Ok(Self(None));
        }
        let refused =
            |why: &str| FileToolFault::Argument(format!("the glob `{}` cannot be used: {why}", shown(glob)));
        if glob.len() > MAX_GLOB {
            return Err(refused(&format!("it is longer than {MAX_GLOB} bytes")));
        }
        let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
        let built = built.map_err(|error| refused(&error.kind().to_string()))?;
        Ok(Self(Some((built.compile_matcher(), glob.contains('/')))))
    }

    pub(super) fn fits(&self, found: &WalkEntry<'_>) -> bool {
        let Some((glob, whole)) = &self.0 else { return true };
        glob.is_match(if *whole { found.path } else { found.name })
    }
}

/// A walk in progress.
struct FolderWalk<'w, V> {
    call: &'w FileCall,
    end: WalkEnd,
    looked_at: usize,
    visit: V,
}

/// Walks through the folder of a path, `depth` levels deep: things in the order of their names, and below a folder before
/// the next one.
pub(super) fn walk(
    call: &FileCall,
    from: &InnerPath<'_>,
    depth: usize,
    visit: impl FnMut(&WalkEntry<'_>) -> Result<ControlFlow<()>, FileToolFault>,
) -> Result<WalkEnd, FileToolFault> {
    let at = from.open_folders(call.folder()?, &from.parts, super::root::MissingFolders::Refuse)?;
    let mut walk = FolderWalk { call, end: WalkEnd::default(), looked_at: 0, visit };
    let things = walk.things(&at, from.text)?;
    if walk.through(&at, things, &from.plain(), (from.parts.len(), depth))?.is_break() {
        walk.end.cut_off = true;
    }
    Ok(walk.end)
}

/// A name in a folder, and whether it is a folder; none if it is something that is left out.
type Thing = (OsString, Option<bool>);

impl<V: FnMut(&WalkEntry<'_>) -> Result<ControlFlow<()>, FileToolFault>> FolderWalk<'_, V> {
    fn through(
        &mut self,
        at: &OwnedFd,
        things: Vec<Thing>,
        path: &str,
        (level, depth): (usize, usize),
    ) -> Result<ControlFlow<()>, FileToolFault> {
        for (name, folder) in things {
            self.call.go_on()?;
            let (Some(name), Some(folder)) = (name.to_str(), folder) else {
                self.end.skipped += 1;
                continue;
            };
            let below = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let entry = WalkEntry { path: &below, name, at: at.as_fd(), folder };
            if (self.visit)(&entry)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if !folder || depth <= 1 {
                continue;
            }
            if level + 1 >= MAX_PARTS {
                self.end.cut_off = true;
                continue;
            }
            let opened = inner_folder(at.as_fd(), name).ok();
            let Some((inner, things)) = opened.and_then(|inner| {
                let things = self.things(&inner, &below).ok()?;
                Some((inner, things))
            }) else {
                self.end.skipped += 1;
                continue;
            };
            if self.looked_at > MAX_THINGS
                || self.through(&inner, things, &below, (level + 1, depth - 1))?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The things in a folder that are not hidden, sorted by their names.
    fn things(&mut self, at: &OwnedFd, path: &str) -> Result<Vec<Thing>, FileToolFault> {
        let failed = |error: std::io::Error| FileToolFault::Failed {
            path: shown(path),
            done: "listed",
            reason: crate::folder::reason(&error),
        };
        let dir = Dir::from_std_file(File::from(at.try_clone().map_err(failed)?));
        let mut things = Vec::new();
        for (number, entry) in dir.entries().map_err(failed)?.enumerate() {
            if number >= MAX_THINGS {
                return Err(FileToolFault::TooMany { path: shown(path), max: MAX_THINGS });
            }
            if number % 1000 == 0 {
                self.call.go_on()?;
            }
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if !is_hidden(Path::new(&name)) {
                things.push((name, entry.file_type().ok().and_then(is_folder)));
            }
        }
        self.looked_at += things.len();
        things.sort();
        Ok(things)
    }
}

fn is_folder(kind: FileType) -> Option<bool> {
    (kind.is_dir() || kind.is_file()).then(|| kind.is_dir())
}
