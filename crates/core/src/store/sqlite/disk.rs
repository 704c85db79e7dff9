//! The disk under a store: SQLite calls it damage where the disk refuses to give something.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Mutex, PoisonError};

use super::fault;
use super::site::Site;
use super::stamp::Stamp;
use crate::port::StoreError;

/// The bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// The error of the disk when a store is read from end to end, if there is one.
pub(super) fn error(site: &Site) -> Option<io::Error> {
    ["", "-wal"].into_iter().find_map(|end| read_through(site, end).err())
}

fn read_through(site: &Site, end: &str) -> io::Result<()> {
    /// Files that are never closed: that would take away the locks that SQLite has on them in this process.
    static OPEN: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let Some(stat) = site.look(end) else { return Ok(()) };
    let id = Stamp::of(&stat).file;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = open.iter().position(|file| file.metadata().is_ok_and(|meta| (meta.dev(), meta.ino()) == id));
    let at = if let Some(at) = known {
        at
    } else {
        open.push(site.open_to_read(end)?);
        open.len() - 1
    };
    let mut bytes = vec![0; PIECE_BYTES];
    let mut place = 0;
    loop {
        match open[at].read_at(&mut bytes, place)? {
            0 => return Ok(()),
            many => place += u64::try_from(many).unwrap_or_default(),
        }
    }
}

/// A failure that stayed, in the words of the system where the disk does not give the file any more.
pub(super) fn explained(site: &Site, error: StoreError) -> StoreError {
    let failed = match &error {
        StoreError::Failed(why) | StoreError::Refused { why, .. } => why.contains(fault::DISK),
        _ => false,
    };
    match (failed || fault::is_damage(&error)).then(|| self::error(site)).flatten() {
        Some(why) => {
            StoreError::Failed(format!("{}: the disk cannot be read: {why}", site.named().display()))
        }
        None => error,
    }
}
