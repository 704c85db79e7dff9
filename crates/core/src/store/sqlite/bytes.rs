//! Long columns, in no more memory than they take.

use std::io::{Error, Write};

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, MAIN_DB, ToSql};
use serde::Serialize;

/// Longer columns, in bytes, are written piece by piece: given as a parameter, SQLite would copy it twice.
const MAX_BUFFERED_BYTES: usize = 1 << 20;

/// JSON as bytes. Of a long text the length is found first, so that it is not copied as it grows.
pub(super) fn json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut short = BoundedBuffer(Vec::with_capacity(1024));
    match serde_json::to_writer(&mut short, value) {
        Ok(()) => return Ok(short.0),
        Err(error) if !error.is_io() => return Err(error),
        Err(_) => drop(short),
    }
    let mut count = ByteCounter(0);
    serde_json::to_writer(&mut count, value)?;
    let mut bytes = Vec::with_capacity(count.0);
    serde_json::to_writer(&mut bytes, value)?;
    Ok(bytes)
}

/// Takes what is not long.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BUFFERED_BYTES {
            return Err(Error::other("it is long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A writer that counts bytes and drops them.
struct ByteCounter(usize);

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A column that may be long. It must be the last of its table, or SQLite makes room for it in memory after all.
pub(super) struct LongColumn<'a>(pub(super) &'a [u8]);

impl ToSql for LongColumn<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if self.0.len() > MAX_BUFFERED_BYTES {
            let room = u64::try_from(self.0.len());
            return Ok(ToSqlOutput::ZeroBlob(room.unwrap_or(u64::MAX)));
        }
        Ok(ToSqlOutput::from(self.0))
    }
}

impl LongColumn<'_> {
    /// Writes what has only got its room so far, into the row at a place (its `rowid`).
    pub(super) fn fill(&self, conn: &Connection, table: &str, place: i64) -> rusqlite::Result<()> {
        if self.0.len() > MAX_BUFFERED_BYTES {
            let mut blob = conn.blob_open(MAIN_DB, table, "body", place, false)?;
            for (number, piece) in self.0.chunks(MAX_BUFFERED_BYTES).enumerate() {
                blob.write_at(piece, number * MAX_BUFFERED_BYTES)?;
            }
            blob.close()?;
        }
        Ok(())
    }
}
