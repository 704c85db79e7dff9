//! The keys of scenario files and scripts: what the reader takes, and what the schemas tell editors.

use serde_json::json;

use super::forms::{COUNT, TEXT, TEXTS, VALUE, VALUES, list, mapping, named_items, text};
use crate::program::graph::Delivery;
use crate::syntax::{FileKey, KeyForm};

const fn key(name: &'static str, form: KeyForm, doc: &'static str) -> FileKey {
    FileKey::new(name, form, doc)
}

/// A value that the root of the schema defines.
macro_rules! defined {
    ($name:literal) => {
        KeyForm::Schema(|| json!({"$ref": concat!("#/$defs/", $name)}))
    };
}

/// The sections of a scenario file.
pub(super) const SECTIONS: &[FileKey] = &[
    key("graph", TEXT, "The path of the graph's file, relative to this one.").required(),
    key(
        "defaults",
        KeyForm::Schema(|| mapping(WORLD)),
        "Keys of every scenario that does not say otherwise.",
    ),
    key(
        "scenarios",
        KeyForm::Schema(|| list(&mapping(SCENARIO))),
        "The scripted worlds that the graph is tried in.",
    )
    .required(),
];

const INPUT: FileKey = key("input", VALUES, "The graph's inputs.");
const GIVEN: FileKey =
    key("given", KeyForm::Schema(|| mapping(START)), "The place in the middle where the run begins.");
const CATALOGUE: FileKey = key(
    "catalogue",
    KeyForm::Schema(|| named_items(TOOL)),
    "The tools on offer; default: those that the scenario has answers for and those that the graph calls by name.",
);
const SEED: FileKey = key("seed", COUNT, "The seed of the run's random numbers.");
const MODEL: FileKey = key(
    "model",
    defined!("models"),
    "Answers of models: a list for each role, or a plain list for a graph with one role.",
);
const TOOLS: FileKey = key("tools", defined!("tools"), "Answers of tools.");
const HUMAN: FileKey =
    key("human", defined!("people"), "Answers of people, also at a pause and to approvals of calls.");

/// The keys of `defaults`.
pub(super) const WORLD: &[FileKey] = &[INPUT, GIVEN, CATALOGUE, SEED, MODEL, TOOLS, HUMAN];

/// The keys of a scenario.
pub(super) const SCENARIO: &[FileKey] = &[
    key("name", TEXT, "The name of the scenario, unique in the file.").required(),
    INPUT,
    GIVEN,
    CATALOGUE,
    SEED,
    MODEL,
    TOOLS,
    HUMAN,
    key(
        "expect",
        KeyForm::Schema(|| mapping(EXPECT)),
        "The expected results; an empty mapping says that the scenario is only played.",
    ),
];

/// The sections of a script, which holds the answers alone.
pub(super) const SCRIPT: &[FileKey] = &[MODEL, TOOLS, HUMAN];

/// The keys of `given`.
pub(super) const START: &[FileKey] = &[
    key("at", TEXT, "The node that is entered; default: the graph's start."),
    key("state", VALUES, "State fields that are set."),
    key("budgets", VALUES, "The amounts of budgets that are used already."),
];

/// The keys of a tool in a catalogue.
pub(super) const TOOL: &[FileKey] = &[
    key("name", TEXT, "The name of the tool.").required(),
    key("description", VALUE, "The purpose of the tool, for models."),
    key("schema", VALUE, "The JSON Schema of its arguments."),
    key("tags", VALUE, "Words by which a graph can select tools."),
    key(
        "delivery",
        KeyForm::Words(|| Delivery::ALL.iter().map(|(word, _)| *word).collect()),
        "The number of times that one call may reach the tool.",
    ),
    key("approval", VALUE, "True has a person approve each call."),
    key("expires", VALUE, "The time in which the approval must come, such as `10m`."),
];

const OK: FileKey = key("ok", VALUE, "The answer itself.");
const ERROR: FileKey = key("error", defined!("error"), "The error with which the call fails.");
const NODE: FileKey = key("node", TEXT, "The node that must ask.");
const LANE: FileKey = key("lane", TEXT, "The lane from which it must be asked, such as `research[0]`.");
const AFTER: FileKey = key("after", TEXT, "The time that the answer takes, such as `5s`.");
const USAGE_KEY: FileKey =
    key("usage", KeyForm::Schema(|| mapping(USAGE)), "The tokens and the cost of the answer.");

/// Keys that say who an answer is for and how it comes.
pub(super) const AROUND: &[FileKey] = &[NODE, LANE, AFTER, USAGE_KEY];
/// The keys around the answer of a model.
pub(super) const MODEL_ANSWER: &[FileKey] = &[OK, ERROR, NODE, LANE, AFTER, USAGE_KEY];
/// The keys of the answer of a tool.
pub(super) const TOOL_ANSWER: &[FileKey] =
    &[key("tool", TEXT, "The tool; without it the answer fits any."), OK, ERROR, NODE, LANE, AFTER];
/// The keys around the answer of a person.
pub(super) const HUMAN_ANSWER: &[FileKey] = &[OK, NODE, LANE, AFTER];

/// The keys of an error.
pub(super) const FAILURE: &[FileKey] = &[
    key("kind", TEXT, "The kind: a built-in one, one that a graph declares under `errors`, or `unknown`.")
        .required(),
    key("message", VALUE, "The message; default: the kind."),
    key("details", VALUE, "Details of the error."),
    key("retry_after", TEXT, "The wait that a provider asks for, such as `5s`."),
    key("never_began", KeyForm::Flag, "True if the call certainly never started."),
];

/// The keys of `usage`.
pub(super) const USAGE: &[FileKey] = &[
    key("input_tokens", COUNT, "Tokens that are read."),
    key("cached_tokens", COUNT, "Tokens that are read out of the provider's cache."),
    key("cache_write_tokens", COUNT, "Tokens that are read and put into the provider's cache."),
    key("output_tokens", COUNT, "Tokens that are written."),
    key("reasoning_tokens", COUNT, "Tokens that are written and are reasoning."),
    key("cost", KeyForm::Schema(text), "The cost in dollars, such as `0.002`."),
];

/// The keys of `expect`.
pub(super) const EXPECT: &[FileKey] = &[
    key("path", TEXTS, "The top-level nodes that are entered, in order."),
    key("leaf_path", TEXTS, "The entered nodes without inner nodes, in order."),
    key("outcome", TEXT, "The outcome; after an unhandled error the kind of the error."),
    key("ok", KeyForm::Flag, "True if the run is a success."),
    key("waiting", TEXT, "The node at which the run waits for a person."),
    key("error", VALUE, "Fields of the error that ends the run."),
    key("state", VALUES, "Fields of the final state; those that are not named are ignored."),
    key("budgets", VALUES, "The amounts of budgets that are used."),
    key("output", VALUES, "Fields of the output; those that are not named are ignored."),
    key(
        "tool_calls",
        KeyForm::Schema(|| named_items(TOOL_CALL)),
        "Calls of tools, in this order; an empty list means none.",
    ),
    key(
        "model_calls",
        KeyForm::Schema(|| named_items(MODEL_CALL)),
        "Calls of models, in this order; an empty list means none.",
    ),
    key(
        "questions",
        KeyForm::Schema(|| named_items(QUESTION)),
        "Questions to people, in this order; an empty list means none.",
    ),
    key("events", KeyForm::Schema(|| named_items(EVENT)), "Events, in this order; an empty list means none."),
    key("violates", TEXTS, "The properties that do not hold; without this key, all must hold."),
];

const CALLING_NODE: FileKey = key("node", VALUE, "The node that asks.");
const CALLING_LANE: FileKey = key("lane", VALUE, "The lane that asks.");
const ATTEMPT: FileKey = key("attempt", VALUE, "The number of the attempt, from 1.");

/// The keys of an expected call of a tool; the first one stands alone as a text.
pub(super) const TOOL_CALL: &[FileKey] = &[
    key("tool", VALUE, "The tool."),
    key("args", VALUE, "Arguments; those that are not named are ignored."),
    CALLING_NODE,
    CALLING_LANE,
    ATTEMPT,
];

/// The keys of an expected call of a model; the first one stands alone as a text.
pub(super) const MODEL_CALL: &[FileKey] = &[
    key("role", VALUE, "The role."),
    key("system", VALUE, "The system text."),
    key("prompt", VALUE, "The prompt."),
    key("messages", VALUE, "The messages of a conversation."),
    key("offer", VALUE, "The tools on offer."),
    CALLING_NODE,
    CALLING_LANE,
    ATTEMPT,
];

/// The keys of an expected question; the first one stands alone as a text.
pub(super) const QUESTION: &[FileKey] = &[
    CALLING_NODE,
    key("text", VALUE, "The text of the question."),
    key("reason", VALUE, "The reason: `node`, `pause` or `unknown`."),
    CALLING_LANE,
];

/// The keys of an expected event; the first one stands alone as a text.
pub(super) const EVENT: &[FileKey] =
    &[key("name", VALUE, "The name of the event."), key("payload", VALUE, "What the event carries.")];
