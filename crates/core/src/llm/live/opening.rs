//! The bytes of a reply before its first frame, which is all of it where the provider sends no stream.

use serde::de::IgnoredAny;

use super::attempt_error::AttemptError;
use crate::wire::{Complaint, PartialReply, Provider};

/// Beginnings of lines of server-sent events. The last is llama.cpp's.
const FIELDS: [&str; 6] = [":", "data:", "event:", "id:", "retry:", "error:"];

/// The bytes of a reply as long as no frame of it was taken. Its owner bounds how many come.
#[derive(Debug)]
pub(super) struct ReplyOpening {
    bytes: Vec<u8>,
    over: bool,
}

impl ReplyOpening {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), over: false }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        if !self.over {
            self.bytes.extend_from_slice(piece);
        }
    }

    /// A frame was taken, so the reply is a stream.
    pub(super) fn end(&mut self) {
        *self = Self { bytes: Vec::new(), over: true };
    }

    /// Returns true if it may be the beginning of one JSON document, written over several lines.
    pub(super) fn may_be_json(&self) -> bool {
        matches!(self.bytes.trim_ascii_start().first(), Some(b'{' | b'['))
    }

    /// Returns true if it is one JSON document.
    pub(super) fn is_json(&self) -> bool {
        serde_json::from_slice::<IgnoredAny>(&self.bytes).is_ok()
    }

    /// The error of the reply if it is no stream; nothing if it is the beginning of one. Its text is never an answer:
    /// that it is whole, only the stream says.
    pub(super) fn failed_attempt(
        &self,
        provider: Provider,
        reply: &mut PartialReply,
    ) -> Option<AttemptError> {
        let body = String::from_utf8_lossy(&self.bytes);
        let body = body.trim();
        if body.is_empty() || body.split(['\n', '\r']).any(is_field) {
            return None;
        }
        if let Some(complaint) = Complaint::in_body(body) {
            return Some(AttemptError::failed(&complaint));
        }
        // What it says of its cost counts, as far as it says that where a stream does.
        let mut partial = PartialReply::default();
        if provider.read(body, &mut partial).is_ok() {
            reply.tokens = partial.tokens;
        }
        Some(AttemptError::no_stream(body))
    }
}

/// Returns true if a line is of a stream of events, or the beginning of such a line.
fn is_field(line: &str) -> bool {
    !line.is_empty() && FIELDS.iter().any(|field| line.starts_with(field) || field.starts_with(line))
}
