//! People who are asked before a call.

use crate::value::{Map, Value, duration};

/// The approval that a call of a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approval {
    /// None: it is made at once.
    #[default]
    NotNeeded,
    /// A person says yes to it.
    Needed,
    /// A person says yes to it within so many nanoseconds; after that nobody may.
    NeededWithin(i64),
}

impl Approval {
    /// Returns true if a person is asked.
    #[must_use]
    pub const fn is_needed(self) -> bool {
        !matches!(self, Self::NotNeeded)
    }

    /// The time within which a person may say yes, in nanoseconds, if it is bounded.
    #[must_use]
    pub const fn expires(self) -> Option<i64> {
        match self {
            Self::NeededWithin(nanos) => Some(nanos),
            Self::NotNeeded | Self::Needed => None,
        }
    }

    /// The approval that an entry of a catalogue says: `approval: true`, and `expires` with a duration as a text.
    #[must_use]
    pub fn of_entry(tool: &Map) -> Self {
        if tool.get("approval") != Some(&Value::Bool(true)) {
            return Self::NotNeeded;
        }
        let expires = tool.get("expires").and_then(Value::as_str);
        let nanos = expires.and_then(|text| duration::parse(text).ok()).filter(|nanos| *nanos > 0);
        nanos.map_or(Self::Needed, Self::NeededWithin)
    }

    /// Says so in an entry of a catalogue, which says nothing where none is needed.
    pub fn put(self, tool: &mut Map) {
        if self.is_needed() {
            tool.set("approval", true);
        }
        if let Some(nanos) = self.expires() {
            tool.set("expires", duration::text(nanos));
        }
    }
}
