//! A connection to read. Where nobody else may be writing, it leaves no file, and needs no right to write.

use rusqlite::{Connection, OpenFlags};

use super::fault;
use super::fault::{refused, unreadable};
use super::settings::harden;
use super::site::Site;
use super::stamp::Stamp;
use crate::port::StoreError;

/// The number of times a file is read anew that others change meanwhile. The first change brings a log, and with that
/// nothing disturbs.
const TRIES: u32 = 16;

/// A connection, and what the files were like where it takes no locks.
#[derive(Debug)]
pub(super) struct ReadConnection {
    conn: Connection,
    still: Option<[Option<Stamp>; 3]>,
}

/// The ways to read a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadMode {
    /// With the locks that all share who have it open.
    Shared,
    /// As a file that does not change: without a log, everything is in it.
    Still,
    /// With its log, and without the file `-shm` that others would share.
    Alone,
}

impl ReadMode {
    /// The way that misses nothing and needs no right that is not there. While somebody has the store open there is a log.
    fn of(site: &Site) -> Self {
        if !site.has("-wal") {
            Self::Still
        } else if site.length("-shm").is_some() || site.may_write() {
            Self::Shared
        } else {
            Self::Alone
        }
    }

    const fn query(self) -> &'static str {
        match self {
            Self::Shared => "",
            Self::Still => "?immutable=1",
            Self::Alone => "?vfs=unix-none",
        }
    }
}

/// Reads anew until nobody wrote meanwhile: until an attempt gives something.
pub(super) fn undisturbed<T>(
    mut attempt: impl FnMut() -> Result<Option<T>, StoreError>,
) -> Result<T, StoreError> {
    for _ in 0..TRIES {
        if let Some(read) = attempt()? {
            return Ok(read);
        }
    }
    Err(StoreError::Failed("the store was written again and again while it was read; try again".to_owned()))
}

impl ReadConnection {
    /// Opens a store that somebody here has open to write.
    pub(super) fn beside_a_writer(site: &Site) -> Result<Self, StoreError> {
        Self::by(site, ReadMode::Shared)
    }

    /// Opens a store in the way that suits it.
    pub(super) fn open(site: &Site) -> Result<Self, StoreError> {
        Self::by(site, ReadMode::of(site))
    }

    fn by(site: &Site, mode: ReadMode) -> Result<Self, StoreError> {
        site.confirm()?;
        let still = (mode != ReadMode::Shared).then(|| site.stamp());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_URI;
        let name = format!("file:{}{}", in_uri(site), mode.query());
        let failed = |error: rusqlite::Error| unreadable(site.named(), &error);
        let conn = Connection::open_with_flags(name, flags).map_err(failed)?;
        harden(&conn).map_err(failed)?;
        if mode == ReadMode::Alone {
            // The index of the log is kept in memory then.
            conn.execute_batch("PRAGMA locking_mode = EXCLUSIVE").map_err(failed)?;
        }
        site.confirm()?;
        Ok(Self { conn, still })
    }

    /// Reads in one transaction, so that all that is read belongs together. Nothing if the files were changed meanwhile.
    pub(super) fn read<T>(
        &self,
        site: &Site,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Option<Result<T, StoreError>> {
        let result = self.in_transaction(work);
        match self.still {
            Some(still) if still != site.stamp() => None,
            _ => Some(result),
        }
    }

    fn in_transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let failed = |error: rusqlite::Error| fault::from(&error);
        self.conn.execute_batch("BEGIN").map_err(failed)?;
        let result = work(&self.conn);
        self.conn.execute_batch("COMMIT").map_err(failed)?;
        result
    }
}

/// The path of a store as it is in a URI.
fn in_uri(site: &Site) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt;
    site.path().as_os_str().as_bytes().iter().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // A `String` takes everything.
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

/// Refuses to read what must be put right first, which takes the right to write.
pub(super) fn needs_writing(site: &Site, why: &str) -> StoreError {
    let why = format!(
        "{why}, which cannot be done here: copy it, and the files next to it, to a folder of your own"
    );
    refused(site.named(), why)
}
