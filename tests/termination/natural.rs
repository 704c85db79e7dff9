//! Loops that people write without a thought of the proof, one row each: the file that has it, and where it is refused the file
//! in which the cure of the message was applied.

use std::path::Path;

/// The loop in words, its file, and the cured one.
const NATURAL_LOOPS: [(&str, &str, Option<&str>); 34] = [
    ("a limit of transitions", "transitions-limit", None),
    ("a limit of transitions that is answered", "transitions-limit-handled", None),
    ("two budgets in turn", "two-budgets-alternate", None),
    ("two budgets, one in the other's loop", "two-budgets-nested", None),
    ("two budgets, one loop after the other", "two-budgets-in-sequence", None),
    ("a spend on the error edge", "spent-on-error-edge", None),
    ("a composite begun again under an outer budget", "composite-under-outer-budget", None),
    ("a chain of fallbacks", "fallback-chain", None),
    ("for each item by its index", "for-each", None),
    ("a countdown", "countdown", None),
    ("a counter of retries", "retry-counter", None),
    ("a flag for what was tried", "tried-flag", None),
    ("an enum that only advances", "enum-that-advances", None),
    ("a queue whose first item is taken off", "queue", None),
    ("the steps of a plan of at most ten", "plan-steps", None),
    ("`visits` in the guard", "visits-guard", None),
    ("`step` in the guard", "step-guard", None),
    ("a budget of model calls", "model-calls", None),
    ("a budget of tool calls", "tool-calls", None),
    ("a budget of tokens", "model-tokens", Some("cured-model-tokens")),
    ("a budget of money", "model-cost", Some("cured-model-cost")),
    ("a budget of time", "time-budget", Some("cured-time-budget")),
    ("a spend of one budget or the other", "branch-spends-one-of-two", None),
    ("an amount by a let", "spend-by-let", None),
    ("an amount by a bounded input", "spend-by-bounded-input", None),
    (
        "an assignment before the spend, back by its error",
        "failing-list-spends-last",
        Some("cured-failing-list"),
    ),
    ("a person who confirms", "human-confirms", Some("cured-human-confirms")),
    ("a person who is asked again", "human-asked-again", Some("cured-human-asked-again")),
    ("looking until a deadline", "poll", Some("cured-poll")),
    ("a limit that is computed", "limit-folds", None),
    ("a limit of a bounded input", "visits-guard-of-bounded-input", None),
    ("phases in a text", "phases-as-text", None),
    ("results until there are enough", "results-until-full", None),
    ("a nested for each", "nested-for-each", None),
];

#[test]
fn natural_loops_are_accepted_or_the_cure_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/termination/loops");
    // That the first line is what `check` finds is tested for every file of the folder.
    let verdict = |name: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.yaml")));
        let text = text.unwrap_or_else(|why| panic!("{name}: {why}"));
        text.lines().next().unwrap_or_default().to_owned()
    };
    for (loop_, file, cured) in NATURAL_LOOPS {
        let own = verdict(file);
        assert_eq!(own == "# refused", cured.is_some(), "{loop_}: {own}");
        let accepted = cured.map_or(own, verdict);
        assert!(accepted.starts_with("# ends: "), "{loop_}: {accepted}");
    }
}
