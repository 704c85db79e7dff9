//! JSON as bytes, in no more memory than it takes.

use std::io::{Error, Write};

use serde::Serialize;

/// Longer texts, in bytes, are measured before they are written.
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
