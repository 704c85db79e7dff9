//! The output of a program, up to a limit.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that both streams of a program may still fill.
pub(super) struct OutputAllowance {
    left: AtomicUsize,
    stop: bool,
}

/// A stream held more than there was room for.
pub(super) struct OutputOverflow;

/// The output of one stream.
#[derive(Default)]
pub(super) struct StreamOutput {
    pub(super) bytes: Vec<u8>,
    /// The number of bytes over the limit.
    pub(super) lost: u64,
}

impl OutputAllowance {
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
        printed: &mut StreamOutput,
    ) -> Result<(), OutputOverflow> {
        let Some(mut stream) = stream else { return Ok(()) };
        let mut buffer = vec![0; 16 << 10];
        loop {
            // A stream that fails has ended for us.
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            if read == 0 {
                return Ok(());
            }
            let fitting = self.take(read);
            printed.bytes.extend_from_slice(&buffer[..fitting]);
            printed.lost += (read - fitting) as u64;
            if fitting < read && self.stop {
                return Err(OutputOverflow);
            }
        }
    }
}

impl StreamOutput {
    /// The text, with a note where something was cut off, and one where bytes that are no UTF-8 became replacement
    /// characters.
    pub(super) fn noted(&self) -> String {
        let whole = self.whole();
        let mut text = String::from_utf8_lossy(whole).into_owned();
        let replaced: usize = whole.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        // Writing to a string cannot fail.
        if replaced > 0 {
            let _done = write!(text, "\n[no UTF-8: {replaced} bytes, shown as \u{fffd}]");
        }
        self.note_cut(&mut text);
        text
    }

    /// The text, with a note where something was cut off.
    ///
    /// # Errors
    /// It is no UTF-8: where the first such byte is, counted from 0.
    pub(super) fn text(&self) -> Result<String, usize> {
        let text = std::str::from_utf8(self.whole()).map_err(|fault| fault.valid_up_to())?;
        let mut text = text.to_owned();
        self.note_cut(&mut text);
        Ok(text)
    }

    /// The last line with something on it.
    pub(super) fn last_line(&self) -> String {
        let text = String::from_utf8_lossy(self.whole());
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }

    /// The bytes without a character that the limit cut in two.
    fn whole(&self) -> &[u8] {
        match std::str::from_utf8(&self.bytes) {
            Err(fault) if self.lost > 0 && fault.error_len().is_none() => &self.bytes[..fault.valid_up_to()],
            _ => &self.bytes,
        }
    }

    fn note_cut(&self, text: &mut String) {
        if self.lost > 0 {
            let lost = self.lost + (self.bytes.len() - self.whole().len()) as u64;
            // Writing to a string cannot fail.
            let _done = write!(text, "\n[cut off: {lost} bytes more]");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StreamOutput;

    fn printed(bytes: &[u8], lost: u64) -> StreamOutput {
        StreamOutput { bytes: bytes.to_vec(), lost }
    }

    #[test]
    fn a_character_that_the_limit_cuts_is_left_out() {
        let cut = printed("aä".as_bytes().split_last().expect("bytes").1, 3);
        assert_eq!(cut.text(), Ok("a\n[cut off: 4 bytes more]".to_owned()));
        assert_eq!(cut.noted(), "a\n[cut off: 4 bytes more]");
        assert_eq!(cut.last_line(), "a");
    }

    #[test]
    fn bytes_that_are_no_text_are_counted() {
        let bytes = printed(b"a\xff\xfeb\xc3", 0);
        assert_eq!(bytes.text(), Err(1));
        assert_eq!(bytes.noted(), "a\u{fffd}\u{fffd}b\u{fffd}\n[no UTF-8: 3 bytes, shown as \u{fffd}]");
        assert_eq!(bytes.last_line(), "a\u{fffd}\u{fffd}b\u{fffd}");
        let cut = printed(b"\xffb\xc3", 1);
        assert_eq!(cut.text(), Err(0));
        assert!(cut.noted().ends_with("[no UTF-8: 2 bytes, shown as \u{fffd}]\n[cut off: 1 bytes more]"));
    }
}
