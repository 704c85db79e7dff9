//! Hiding in a text that comes piece by piece.

use super::{Mask, MaskedSpan, REPLACEMENT};

/// Hides in a text that comes piece by piece. What may be the beginning of a hidden text is held back until that is known.
#[derive(Debug, Clone)]
pub struct MaskStream {
    mask: Mask,
    held: String,
}

impl MaskStream {
    pub(super) const fn new(mask: Mask) -> Self {
        Self { mask, held: String::new() }
    }

    /// Takes a piece and gives what may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        self.shown(false)
    }

    /// The text held back, at the end of the stream.
    pub fn end(&mut self) -> String {
        self.shown(true)
    }

    fn shown(&mut self, last: bool) -> String {
        let text = std::mem::take(&mut self.held);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        loop {
            match self.mask.find(&text, done, last) {
                Some(MaskedSpan::Hidden { from, to }) => {
                    out.push_str(&text[done..from]);
                    out.push_str(REPLACEMENT);
                    done = to;
                }
                Some(MaskedSpan::Open { from }) => {
                    out.push_str(&text[done..from]);
                    text[from..].clone_into(&mut self.held);
                    return out;
                }
                None => {
                    out.push_str(&text[done..]);
                    return out;
                }
            }
        }
    }
}
