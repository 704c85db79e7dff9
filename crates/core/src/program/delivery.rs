//! The promise about a call and its tool.

/// The number of times that a call may reach the tool; ordered from lax to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// No effect: may be repeated at will.
    Pure,
    /// May be repeated with the same key.
    Idempotent,
    /// May reach the tool more than once.
    AtLeastOnce,
    /// Never repeated.
    AtMostOnce,
}

impl Delivery {
    /// All of them with their names, from lax to strict.
    pub const ALL: [(&str, Self); 4] = [
        ("pure", Self::Pure),
        ("idempotent", Self::Idempotent),
        ("at_least_once", Self::AtLeastOnce),
        ("at_most_once", Self::AtMostOnce),
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, delivery)| *delivery)
    }
}
