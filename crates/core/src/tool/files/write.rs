//! `write_file`: a text put in a file's place, whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions};

use super::FileCall;
use super::fault::{FileToolFault, shown};
use super::root::{InnerPath, MissingFolders};
use crate::folder::reason;
use crate::value::{Map, Value};

/// The mode of a file that was not there: for its owner alone.
const OWN_FILE: u32 = 0o600;

/// The names that are tried for the file beside: an earlier process of the same number may have left one.
const MAX_NAMES: u32 = 64;

/// `{path: "notes/a.txt", content: "…"}` gives `{path, bytes}`.
pub(super) fn write(call: &FileCall) -> Result<Value, FileToolFault> {
    let (path, content) = (InnerPath::new(call.text("path"))?, call.text("content"));
    let (name, folders) = path.split()?;
    let text = || shown(path.text);
    if path.text.ends_with('/') {
        return Err(FileToolFault::NoFile(text()));
    }
    if content.len() > call.max_bytes {
        let (bytes, max) = (content.len(), call.max_bytes);
        return Err(FileToolFault::ContentTooLong { path: text(), bytes, max });
    }
    let missing = if call.flag("create_folders") { MissingFolders::Make } else { MissingFolders::Refuse };
    let folder = path.open_folders(call.folder()?, folders, missing).map_err(|fault| match fault {
        FileToolFault::Missing(_) => FileToolFault::NoFolder(shown(&folders.join("/"))),
        fault => fault,
    })?;
    let folder = Dir::from_std_file(File::from(folder));
    let old = replaced(&folder, name, path.text)?;
    let failed =
        |error: &io::Error| FileToolFault::Failed { path: text(), done: "written", reason: reason(error) };
    let fresh = fresh(&folder).map_err(|error| failed(&error))?;
    let put = fresh.fill(old, |file| file.write_all(content.as_bytes())).map_err(|error| failed(&error));
    let put = put.and_then(|()| call.go_on()).and_then(|()| fresh.put(name).map_err(|error| failed(&error)));
    if put.is_err() {
        fresh.remove();
    }
    put?;
    let mut written = Map::new();
    written.set("path", path.plain());
    written.set("bytes", i64::try_from(content.len()).unwrap_or(i64::MAX));
    Ok(Value::Map(written))
}

/// The permissions of the regular file that is replaced, if there is one.
fn replaced(folder: &Dir, name: &str, path: &str) -> Result<Option<Permissions>, FileToolFault> {
    let failed = |reason| FileToolFault::Failed { path: shown(path), done: "written", reason };
    match folder.symlink_metadata(name) {
        Ok(old) if old.is_symlink() => Err(FileToolFault::Link(shown(path))),
        Ok(old) if !old.is_file() => Err(FileToolFault::NoFile(shown(path))),
        Ok(old) if old.permissions().readonly() => Err(failed("it is read-only".to_owned())),
        Ok(old) => Ok(Some(old.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(reason(&error))),
    }
}

/// A file beside the place of another. Its name is hidden: no tool lists or reads it.
pub(super) struct FreshFile<'d> {
    folder: &'d Dir,
    name: String,
    file: cap_std::fs::File,
}

/// Makes a file that was not there: one that is there may be a link that somebody laid.
pub(super) fn fresh(folder: &Dir) -> io::Result<FreshFile<'_>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWN_FILE);
    for _ in 0..MAX_NAMES {
        let name = format!(".loopwright-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        match folder.open_with(&name, &options) {
            Ok(file) => return Ok(FreshFile { folder, name, file }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no name is free for the file that is written first"))
}

impl FreshFile<'_> {
    /// Writes it and waits until it is on the disk.
    pub(super) fn fill(
        &self,
        permissions: Option<Permissions>,
        write: impl FnOnce(&mut &cap_std::fs::File) -> io::Result<()>,
    ) -> io::Result<()> {
        write(&mut &self.file)?;
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()
    }

    /// Moves it to its place. A link that lies there by then is replaced, and what it leads to stays.
    pub(super) fn put(&self, name: &str) -> io::Result<()> {
        self.folder.rename(&self.name, self.folder, name)?;
        self.folder.try_clone()?.into_std_file().sync_all()
    }

    /// Removes it. Where that fails it is left: there is no more to be done.
    pub(super) fn remove(&self) {
        let _ = self.folder.remove_file(&self.name);
    }
}
