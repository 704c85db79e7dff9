//! What happened in a simulation, as a digest and as lines.

use std::collections::VecDeque;
use std::fmt::{self, Write};

/// So many of the last lines are kept.
const MAX_LINES: usize = 2_000;

/// A digest over everything that happened, and the last lines of it where they are wanted.
pub(crate) struct Trace {
    digest: Digest,
    lines: Option<VecDeque<String>>,
}

/// FNV-1a over the bytes of lines: all that is wanted is that two traces are told apart.
struct Digest(u64);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

impl Trace {
    /// A trace; of `told` it keeps lines as well.
    pub(crate) fn new(told: bool) -> Self {
        Self { digest: Digest(0xcbf2_9ce4_8422_2325), lines: told.then(VecDeque::new) }
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, line: fmt::Arguments<'_>) {
        writeln!(self.digest, "{line}").expect("a digest takes every text");
        if let Some(lines) = &mut self.lines {
            if lines.len() == MAX_LINES {
                lines.pop_front();
            }
            lines.push_back(line.to_string());
        }
    }

    pub(crate) const fn digest(&self) -> u64 {
        self.digest.0
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.iter().flatten().cloned().collect()
    }
}
