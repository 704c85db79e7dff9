//! What a program prints, up to a limit.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that both streams of a program may still fill.
pub(super) struct Room {
    left: AtomicUsize,
    stop: bool,
}

/// A stream held more than there was room for.
pub(super) struct NoRoom;

/// What one stream held.
#[derive(Default)]
pub(super) struct Printed {
    pub(super) bytes: Vec<u8>,
    /// How many bytes there was no room for.
    pub(super) lost: u64,
}

impl Room {
    /// Room for so many bytes. With `stop`, reading ends at the first byte there is no room for; without, the rest is
    /// read and thrown away, so that the program can end.
    pub(super) const fn new(bytes: usize, stop: bool) -> Self {
        Self { left: AtomicUsize::new(bytes), stop }
    }

    /// Takes up to `wanted` bytes of the room.
    fn take(&self, wanted: usize) -> usize {
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(wanted)));
        taken.unwrap_or_else(|left| left).min(wanted)
    }

    /// Reads a stream to its end into `printed`, which holds what came so far even if this is dropped half-way.
    ///
    /// # Errors
    /// It stopped for lack of room.
    pub(super) async fn fill(
        &self,
        stream: Option<impl AsyncRead + Unpin>,
        printed: &mut Printed,
    ) -> Result<(), NoRoom> {
        let Some(mut stream) = stream else { return Ok(()) };
        let mut buffer = vec![0; 16 << 10];
        loop {
            // A stream that fails has ended for us.
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            if read == 0 {
                return Ok(());
            }
            let kept = self.take(read);
            printed.bytes.extend_from_slice(&buffer[..kept]);
            printed.lost += (read - kept) as u64;
            if kept < read && self.stop {
                return Err(NoRoom);
            }
        }
    }
}

impl Printed {
    /// The text, with a note where something was cut off. Bytes that are no UTF-8 become replacement characters.
    pub(super) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.lost > 0 {
            // Writing to a string cannot fail.
            let _done = write!(text, "\n[cut off: {} bytes more]", self.lost);
        }
        text
    }
}
