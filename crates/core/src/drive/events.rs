//! The events of a run as a stream.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::run::Run;
use crate::machine::Event;
use crate::port::{Observer, RunView};

/// An event that was stored, as an [`Observer`] sees it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// The event.
    pub event: Event,
    /// The graph it happened in, by its place among those of the program.
    pub graph: u32,
}

/// The events of a run from the moment on at which the stream was made, each after it was stored. It ends when the run
/// is dropped.
///
/// Events that nobody takes stay in memory.
pub struct EventStream(UnboundedReceiver<RecordedEvent>);

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

impl Stream for EventStream {
    type Item = RecordedEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RecordedEvent>> {
        self.0.poll_recv(cx)
    }
}

/// Hands events to a stream. Where nobody reads that any more, they go nowhere.
struct Sender(UnboundedSender<RecordedEvent>);

impl Observer for Sender {
    fn recorded(&self, event: &Event, graph: u32, _: RunView<'_>) {
        let _ = self.0.send(RecordedEvent { event: event.clone(), graph });
    }
}

impl Run {
    /// The events of the run from here on, beside whatever [`Driver::observer`](super::Driver::observer) sees.
    #[must_use]
    pub fn events(&mut self) -> EventStream {
        let (sender, receiver) = unbounded_channel();
        self.observe(Arc::new(Sender(sender)));
        EventStream(receiver)
    }
}
