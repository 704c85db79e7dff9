//! The operators.

macro_rules! operators {
    ($($operator:ident $name:literal $doc:literal;)*) => {
        /// A kind of fault that is planted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum MutationOperator {
            $(#[doc = $doc] $operator,)*
        }

        impl MutationOperator {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$operator,)*];

            /// Its name, which never changes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$operator => $name,)* }
            }

            /// Its work, in a sentence.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$operator => $doc,)* }
            }
        }
    };
}

operators! {
    EdgeDropped "edge-dropped" "An edge is missing.";
    EdgeRetargeted "edge-retargeted" "An edge or a start leads to the node after its target.";
    EdgesSwapped "edges-swapped" "An edge stands after the one that follows it.";
    TriggerReplaced "trigger-replaced" "An edge answers to the next class or kind of errors; `error` to transient ones alone; `timeout` and `unknown` to any error.";
    ConditionNegated "condition-negated" "A guard is negated, or the condition of an `if`, a pause or an input.";
    LogicExchanged "logic-exchanged" "`&&` and `||` are exchanged.";
    ComparisonShifted "comparison-shifted" "`<` and `<=` are exchanged, `>` and `>=`.";
    EqualityNegated "equality-negated" "`==` and `!=` are exchanged.";
    ConstantRaised "constant-raised" "A number or a duration is larger by one in its last digit or unit.";
    ConstantLowered "constant-lowered" "A number or a duration is smaller by one in its last digit or unit.";
    BooleanFlipped "boolean-flipped" "`true` and `false` are exchanged.";
    MemberReplaced "member-replaced" "A text that stands for a member of an enum is the next member.";
    ValuesSwapped "values-swapped" "Two values of one type that follow each other in a record, a map, `with` or `args` are swapped.";
    PlaceReplaced "place-replaced" "`into` names the next state field of its type.";
    SpendDropped "spend-dropped" "A `spend` is missing.";
    SpendMoved "spend-moved" "A `spend` in `do` of a node stands in its first edge, one in `then` in `do`, one in an edge in the edge after it.";
    StatementDropped "statement-dropped" "Another statement is missing; `let` is left alone, since a name would be missing.";
    RetryDropped "retry-dropped" "`retry` is missing.";
    TimeoutDropped "timeout-dropped" "`timeout` is missing.";
}
