//! Reasoning before an answer: how much a model may do of it.

/// The amount of reasoning that a model may do before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// An effort; the provider says what it means.
    Effort(ReasoningEffort),
    /// So many tokens at most.
    Tokens(u32),
}

/// An effort of reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// Little.
    Low,
    /// The usual amount.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// All of them, with their names in configurations and at providers.
    pub(crate) const ALL: [(&str, Self); 3] =
        [("low", Self::Low), ("medium", Self::Medium), ("high", Self::High)];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Reasoning {
    /// The name of the effort, where it is one.
    pub(crate) const fn effort(self) -> Option<&'static str> {
        match self {
            Self::Effort(effort) => Some(effort.name()),
            Self::Tokens(_) => None,
        }
    }
}

impl std::fmt::Display for Reasoning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Effort(effort) => f.write_str(effort.name()),
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
        }
    }
}
