//! The kinds of error that a run can meet without its graph naming them.

use crate::value::Str;

/// A class of errors. Edges and `retry` may name it in place of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Another way may lead on.
    Recoverable,
    /// The same may succeed later.
    Transient,
    /// Nothing that the graph does will help.
    Fatal,
    /// The work was ended.
    Cancelled,
}

impl ErrorClass {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::Recoverable, Self::Transient, Self::Fatal, Self::Cancelled];

    /// Its name in graph files and journals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recoverable => "recoverable",
            Self::Transient => "transient",
            Self::Fatal => "fatal",
            Self::Cancelled => "cancelled",
        }
    }

    /// The class of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

macro_rules! kinds {
    ($($kind:ident $name:literal $class:ident $doc:literal;)*) => {
        /// A kind of error that every graph knows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $(#[doc = $doc] $kind,)*
        }

        impl ErrorKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its name in graph files and journals.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Its cause, in a line.
            #[must_use]
            pub const fn cause(self) -> &'static str {
                match self { $(Self::$kind => $doc,)* }
            }

            /// Its class.
            #[must_use]
            pub const fn class(self) -> ErrorClass {
                match self { $(Self::$kind => ErrorClass::$class,)* }
            }
        }
    };
}

kinds! {
    InvalidOutput "invalid_output" Recoverable "The answer of a model or a tool, or the result of a called graph, does not have the required type.";
    InvalidArgs "invalid_args" Recoverable "Arguments or inputs do not fit.";
    UnknownTool "unknown_tool" Recoverable "There is no tool of that name.";
    ToolFailed "tool_failed" Recoverable "A tool failed.";
    ContextLimit "context_limit" Recoverable "A prompt is longer than the model accepts.";
    Evaluation "evaluation" Recoverable "An expression has no value: division by zero, a missing key, a number out of bounds.";
    Stuck "stuck" Recoverable "No edge matches.";
    RateLimited "rate_limited" Transient "A provider accepts no more calls for now.";
    Unavailable "unavailable" Transient "A provider or a tool cannot be reached.";
    Timeout "timeout" Transient "A call or a person took too long.";
    Denied "denied" Fatal "Something is not allowed.";
    BudgetExhausted "budget_exhausted" Fatal "A budget of a called graph is used up.";
    TooLarge "too_large" Fatal "A value, a text or a step exceeds a limit.";
    Internal "internal" Fatal "A bug in the program itself.";
    Cancelled "cancelled" Cancelled "The run was cancelled.";
}

impl ErrorKind {
    /// The kind of this name; a graph may have more kinds of its own.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns true if that is its name.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        self.name() == name
    }
}

impl From<ErrorKind> for Str {
    fn from(kind: ErrorKind) -> Self {
        Self::from(kind.name())
    }
}

/// The kind that only the machine gives: nobody knows whether the call took place.
pub const UNKNOWN: &str = "unknown";

/// Returns true if `on: error` answers to a kind. The others want to be named.
#[must_use]
pub fn is_answered_by_error(kind: &str) -> bool {
    let named = matches!(ErrorKind::named(kind), Some(ErrorKind::Cancelled | ErrorKind::BudgetExhausted));
    !named && kind != UNKNOWN
}
