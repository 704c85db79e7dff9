//! Long columns, in no more memory than they take.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, MAIN_DB, ToSql};

/// Longer columns, in bytes, are written piece by piece: given as a parameter, SQLite would copy it twice.
const MAX_BUFFERED_BYTES: usize = 1 << 20;

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
