//! Onlookers.

use super::View;
use crate::machine::Event;

/// Sees a run go by.
pub trait Observer: Send + Sync {
    /// An event that was recorded. Events come in order, each after it was made durable. `view` is the run after the
    /// step that recorded it.
    fn recorded(&self, event: &Event, view: View<'_>);
}
