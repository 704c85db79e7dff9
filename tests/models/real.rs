//! The shipped loops on a real model, each to its end. The model is so small that it decides badly; the loops end well all
//! the same: within their budgets, with an outcome, and with no decision taken that does not fit its type.

use std::collections::BTreeMap;
use std::io::Write;

use loopwright::machine::{Call, Event, EventKind, Outcome, Request, Usage};
use loopwright::port::Store;
use loopwright::store::Sqlite;
use loopwright::value::Value;
use serde_json::Value as Json;

use super::part::Part;
use crate::cli::{Desk, Ran};

/// What is bound for the tests. Temperature and seed leave nothing to chance, and the prices let budgets of money count.
pub(super) fn config(url: &str, max_tokens: u32) -> String {
    format!(
        r#"
[builtin]
read_file = {{root = "graphs/react/sample"}}

[models."*"]
provider = "openai"
base_url = "{url}"
model = "SmolLM2-135M-Instruct"
temperature = 0
seed = 7
max_tokens = {max_tokens}
silence = "5m"
price = {{input = "$0.15", output = "$0.60"}}

[run]
timeout = "8m"
"#
    )
}

/// One loop on the real model.
struct Trial {
    /// A shipped graph, or a variant of one that is written beside `graphs/`.
    graph: &'static str,
    variant: Option<&'static str>,
    /// Flags of `run`, each with its value.
    flags: &'static [(&'static str, &'static str)],
    max_tokens: u32,
    /// What a person answers, if one is asked.
    answer: Option<&'static str>,
    /// The budgets that are gates, which no run goes past.
    gates: &'static [&'static str],
}

/// What the model decided in a run.
#[derive(Default)]
struct Decisions {
    accepted: usize,
    /// By the kind of error.
    rejected: BTreeMap<String, usize>,
    tools: usize,
    usage: Usage,
    /// The tokens of each request that the model worked through itself; the rest came out of its cache.
    evaluated: Vec<u64>,
}

impl Trial {
    /// What the model decided; nothing where there is no model.
    fn run(&self) -> Option<Decisions> {
        let part = Part::get()?;
        let desk = Desk::new();
        if let Some(text) = self.variant {
            desk.write(self.graph, text);
        }
        let server = part.serve();
        desk.write("models.toml", &config(&server.url, self.max_tokens));
        desk.trust("models.toml");
        let mut ran = self.started(&desk);
        for _ in 0..3 {
            let Some(answer) = self.answer.filter(|_| ran.code == Some(3)) else { break };
            ran = desk.run_words(&["resume", "real", "--config", "models.toml", "--answer", answer], &[]);
        }
        drop(server);

        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.transcript());
        assert!(ran.stdout.contains("outcome: "), "{}", ran.transcript());
        assert!(!ran.stderr.contains("panicked"), "{}", ran.transcript());
        let shown = json(&desk.run("show real --format json"));
        assert_eq!(shown["ok"], ran.code == Some(0), "{}", ran.transcript());
        let decisions = decisions(&desk);
        let budgets = self.budgets(&shown);
        offline(&desk);
        let line = format!(
            "{}: {}; {} decisions accepted, rejected {:?}; {} tool calls; {} tokens read, {} written; {}",
            self.graph,
            shown["outcome"],
            decisions.accepted,
            decisions.rejected,
            decisions.tools,
            decisions.usage.input_tokens,
            decisions.usage.output_tokens,
            budgets.join(", "),
        );
        // Past the test harness, which keeps what a test prints to itself as long as it passes.
        let _ = writeln!(std::io::stderr(), "real model: {line}");
        assert!(decisions.accepted + decisions.rejected.values().sum::<usize>() > 0, "nobody was asked");
        assert!(decisions.usage.output_tokens > 0, "the model wrote nothing");
        Some(decisions)
    }

    fn started(&self, desk: &Desk) -> Ran {
        let mut words = vec!["run", self.graph, "--config", "models.toml", "--run-id", "real"];
        for (flag, value) in self.flags {
            words.extend([flag, value]);
        }
        desk.run_words(&words, &[])
    }

    /// Each gate with what was used of it, which is no more than its limit and grace.
    fn budgets(&self, shown: &Json) -> Vec<String> {
        let budgets = &shown["lanes"][0]["budgets"];
        let line = |name: &&str| {
            let budget = &budgets[*name];
            let [used, limit, grace] = ["used", "limit", "grace"]
                .map(|key| budget[key].as_i64().unwrap_or_else(|| panic!("the budget {name}: {budgets:#}")));
            assert!(used <= limit + grace, "the budget {name} does not hold: {budget}");
            format!("{name} {used} of {limit}+{grace}")
        };
        self.gates.iter().map(line).collect()
    }
}

fn json(ran: &Ran) -> Json {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{}", ran.transcript()))
}

/// Without its model the run is made again from its journal, twice, to the same state.
fn offline(desk: &Desk) {
    let [first, second] = [(); 2].map(|()| desk.run("replay real --format json"));
    assert_eq!(first.code, Some(0), "{}", first.transcript());
    assert_eq!(first.stdout, second.stdout);
    assert!(
        json(&first)["digest"].as_str().is_some_and(|digest| digest.len() > 16),
        "{}",
        first.transcript()
    );
}

/// Reads from the journal what the model decided. What was accepted fits the schema that it was asked with.
fn decisions(desk: &Desk) -> Decisions {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = Sqlite::open(desk.folder.path().join(".loopwright/runs.db")).expect("the store opens");
    let entries = runtime.block_on(store.entries("real")).expect("the journal is whole");
    let mut told = Decisions::default();
    let mut asked: BTreeMap<u32, (Call, Option<Value>)> = BTreeMap::new();
    for event in entries.iter().flat_map(|entry| &entry.events) {
        told.hear(event, &mut asked);
    }
    told
}

impl Decisions {
    /// Takes an event. What is between a question and what becomes of its answer is kept for each frame.
    fn hear(&mut self, event: &Event, asked: &mut BTreeMap<u32, (Call, Option<Value>)>) {
        match &event.kind {
            EventKind::Called(call) => {
                if matches!(call.request, Request::Model { .. }) {
                    asked.insert(event.frame, ((**call).clone(), None));
                } else {
                    self.tools += 1;
                }
            }
            EventKind::Resolved { call, outcome } => {
                let Some(question) = asked.get_mut(&event.frame).filter(|(known, _)| known.id == *call)
                else {
                    return;
                };
                let usage = outcome.usage();
                self.usage.input_tokens += usage.input_tokens;
                self.usage.output_tokens += usage.output_tokens;
                self.evaluated.push(usage.input_tokens - usage.cached_tokens);
                match &**outcome {
                    Outcome::Answer { value, .. } => question.1 = Some(value.clone()),
                    Outcome::Failed { kind, .. } => {
                        *self.rejected.entry(kind.to_string()).or_default() += 1;
                        asked.remove(&event.frame);
                    }
                    Outcome::Unknown { message } => panic!("a model's answer is unknown: {message}"),
                }
            }
            EventKind::Completed { .. } => {
                if let Some((call, Some(answer))) = asked.remove(&event.frame) {
                    self.accepted += 1;
                    fits(&call, &answer);
                }
            }
            EventKind::Failed { .. } | EventKind::Retrying { .. } => {
                if let Some((_, Some(_))) = asked.remove(&event.frame) {
                    *self.rejected.entry("invalid_output".to_owned()).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}

/// An answer that was accepted fits its schema.
fn fits(call: &Call, answer: &Value) {
    let Request::Model { schema, .. } = &call.request else { panic!("no model was asked") };
    if schema.is_null() {
        return;
    }
    let text = answer.as_str().expect("a model answers with a text");
    let schema = schema.to_json();
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let value: Json = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "accepted, but it does not fit: {faults:?}\n{text}\n{schema:#}");
}

const SUM: (&str, &str) = ("--input", "request=What is 17 times 43? Use the calculator.");
const GARDEN: (&str, &str) = ("--input", "request=What is open in the file garden.md? Read the file.");
const OPEN: (&str, &str) = ("--input", r#"contract={"open":"inline"}"#);
const V1_GATES: &[&str] = &["wrapup", "decision_rounds", "tool_calls"];
const V2_GATES: &[&str] = &["rounds", "retries"];

#[test]
fn the_second_react_loop_ends_on_a_real_model() {
    Trial {
        graph: "graphs/react/v2.yaml",
        variant: None,
        flags: &[SUM, ("--input", "max_iterations=3")],
        max_tokens: 160,
        answer: None,
        gates: V2_GATES,
    }
    .run();
}

#[test]
fn the_first_react_loop_ends_on_a_real_model() {
    Trial {
        graph: "graphs/react/v1.yaml",
        variant: None,
        flags: &[GARDEN, OPEN],
        max_tokens: 160,
        answer: None,
        gates: V1_GATES,
    }
    .run();
}

#[test]
fn arkhon_ends_on_a_real_model() {
    let decisions = Trial {
        graph: "graphs/arkhon/main.loop",
        variant: None,
        flags: &[
            ("--input", "goal=What is 17 times 43? Use the calculator."),
            ("--input", "max_steps=3"),
            ("--input", r#"rules=[{"rule":"forbid_guessing"}]"#),
        ],
        max_tokens: 300,
        answer: Some(r#"{"verdict":"reject"}"#),
        gates: &["thoughts", "questions"],
    }
    .run();
    assert!(decisions.is_none_or(|decisions| decisions.accepted > 0), "it had no thought");
}

#[test]
fn a_conversation_with_tools_ends_on_a_real_model() {
    Trial {
        graph: "graphs/chat/agent.loop",
        variant: None,
        flags: &[
            ("--input", "question=What is 17 times 43? Use the calculator."),
            ("--input", r#"offered=["read_file","calculator"]"#),
            ("--input", "most_rounds=3"),
        ],
        max_tokens: 160,
        answer: None,
        gates: &["rounds"],
    }
    .run();
}

/// Of a conversation only what is new is worked through; written as one text with a first line that changes, all of it is.
#[test]
fn what_was_sent_before_is_read_from_the_cache() {
    let talk = |graph, text| {
        let trial = Trial {
            graph,
            variant: Some(text),
            flags: &[("--input", "rounds=6")],
            max_tokens: 48,
            answer: None,
            gates: &["turns"],
        };
        trial.run().map(|decisions| decisions.evaluated)
    };
    let Some(messages) = talk("talk.yaml", include_str!("small/talk.yaml")) else { return };
    let one_text = talk("talk-text.yaml", include_str!("small/talk-text.yaml")).expect("there is a model");
    let _ = writeln!(
        std::io::stderr(),
        "real model: tokens worked through: {messages:?}, as one text {one_text:?}"
    );
    assert_eq!((messages.len(), one_text.len()), (7, 7));
    let most = messages[1..].iter().max().expect("rounds");
    assert!(*most < 60, "it grows with the conversation: {messages:?}");
    assert!(one_text[6] > 5 * most, "the conversation as one text: {one_text:?}");
}

/// A model this small seldom writes a call on its own. Where the type of a decision has room for little else it does, and
/// the tools really work.
fn calls_tools(
    graph: &'static str,
    variant: &'static str,
    flags: &'static [(&'static str, &'static str)],
    gates: &'static [&'static str],
) {
    let decisions =
        Trial { graph, variant: Some(variant), flags, max_tokens: 400, answer: None, gates }.run();
    let Some(decisions) = decisions else { return };
    assert!(decisions.accepted > 0, "no decision was accepted");
    assert!(decisions.tools > 0, "no tool was called");
}

#[test]
fn a_small_model_calculates_where_its_type_is_narrow() {
    let flags = &[SUM, ("--input", "max_iterations=3")];
    calls_tools("calculator.yaml", include_str!("small/v2-calculator.yaml"), flags, V2_GATES);
}

#[test]
fn a_small_model_reads_a_file_where_its_type_is_narrow() {
    let flags = &[GARDEN, ("--input", "max_iterations=3")];
    calls_tools("reader.yaml", include_str!("small/v2-reader.yaml"), flags, V2_GATES);
    calls_tools("reader.yaml", include_str!("small/v1-reader.yaml"), &[GARDEN, OPEN], V1_GATES);
}
