//! Places of faults in a graph's text. It is no part of the journal: an event must stay the same when a comment is
//! added to the file, so places are handed out beside the outputs and neither kept nor compared.

use super::event::{Event, EventKind};
use crate::program::error::ErrorKind;
use crate::program::{Span, Stop, StopKind};
use crate::value::{Str, Value};

/// An event of the journal tells of a fault, and this is where in the text it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultOrigin {
    /// The event's number.
    pub seq: u64,
    /// The expression, statement or text that failed.
    pub span: Span,
    /// The frame whose unit failed. The event may tell of it in a frame that called that one.
    pub frame: u32,
}

/// A fault of a unit, with its place.
struct UnitFailure {
    kind: Str,
    /// [`None`] for a refused spend, which is known by its kind alone.
    message: Option<Str>,
    span: Span,
    frame: u32,
}

/// Follows the fault of one step from the unit that failed to every event that tells of it.
pub(super) struct Origins<'a> {
    out: &'a mut Vec<FaultOrigin>,
    /// The fault of the last unit that failed.
    last: Option<UnitFailure>,
}

impl<'a> Origins<'a> {
    pub(super) fn new(out: &'a mut Vec<FaultOrigin>) -> Self {
        Self { out, last: None }
    }

    /// A unit of this frame failed.
    pub(super) fn failed(&mut self, frame: u32, stop: &Stop) {
        self.last = match stop.kind() {
            StopKind::Error { kind, message, span } if *span != Span::default() => {
                Some(UnitFailure { kind: kind.clone(), message: Some(message.clone()), span: *span, frame })
            }
            StopKind::Exhausted { span, .. } => Some(UnitFailure {
                kind: ErrorKind::BudgetExhausted.into(),
                message: None,
                span: *span,
                frame,
            }),
            StopKind::Error { .. } => None,
        };
    }

    /// Forgets the place: the events that follow have none.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Returns true if there is a fault to follow.
    #[inline]
    pub(super) const fn follow(&self) -> bool {
        self.last.is_some()
    }

    /// An event is recorded. The error of a called graph arrives at its caller as it is, and at the end of the run.
    #[cold]
    pub(super) fn recorded(&mut self, event: &Event) {
        let Some(UnitFailure { kind, message, span, frame }) = &self.last else { return };
        let error = match &event.kind {
            EventKind::Failed { error, .. } => error,
            EventKind::Closed { ok: false, output, .. } => output,
            EventKind::Done(done) if !done.ok => &done.error,
            _ => return,
        };
        let is = |field: &str, text: &Str| {
            error.as_map().and_then(|e| e.get(field)).and_then(Value::as_str) == Some(text.as_str())
        };
        if is("kind", kind) && message.as_ref().is_none_or(|message| is("message", message)) {
            self.out.push(FaultOrigin { seq: event.seq, span: *span, frame: *frame });
        }
    }
}
