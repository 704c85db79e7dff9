//! Onlookers.

use serde_json::Value as Json;

use super::RunView;
use crate::machine::Event;

/// Sees a run go by.
pub trait Observer: Send + Sync {
    /// An event that was recorded. Events come in order, each after it was made durable. `graph` is the place of the
    /// graph it happened in among those of the program: the graph of the event's frame, which may be closed by now.
    /// `view` is the run after the step that recorded it.
    fn recorded(&self, event: &Event, graph: u32, view: RunView<'_>);

    /// An event of an earlier life of the run, before that is driven on. Only who [looks back](Observer::looks_back) is shown those.
    fn caught_up(&self, _event: &Event) {}

    /// Returns true if it wants to be shown what was recorded before a run is driven on.
    fn looks_back(&self) -> bool {
        false
    }

    /// Its knowledge of the run, for whoever looks back where the run is driven on; null if it cannot give that.
    fn memory(&self) -> Json {
        Json::Null
    }

    /// Goes on from what another one knew, in place of being shown what was recorded before; false if that does not do.
    fn recall(&self, _memory: &Json) -> bool {
        false
    }

    /// Something was done with the run that no event tells, in a line for people.
    fn noted(&self, _note: &str) {}
}
