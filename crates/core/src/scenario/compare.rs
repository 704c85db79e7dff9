//! Comparison of a run with its expectations.

use std::fmt::Write;

use super::align::align;
use super::facts::{RunFacts, names};
use super::failure::{FieldDifference, ScenarioFailure, ScenarioFault};
use super::file::{NamedValues, Scenario};
use super::play::{PlayEnd, PlayedRun};
use crate::source::{Span, Spanned};
use crate::value::{Str, Value, duration, usd};

/// Everything in which a run differs from what its scenario expects.
pub(super) fn compare(scenario: &Scenario, run: &PlayedRun, facts: &RunFacts) -> Vec<ScenarioFault> {
    let mut found = Comparison { faults: Vec::new() };
    let expect = &scenario.expect;
    found.ending(scenario, run, facts);
    found.value("outcome", expect.outcome.as_ref(), facts.outcome.clone().map(Value::Str));
    let ok = expect.ok.as_ref().map(|ok| Spanned::new(Value::Bool(ok.value), ok.span));
    found.value("ok", ok.as_ref(), facts.ok.map(Value::Bool));
    found.path("path", expect.path.as_ref(), &facts.path);
    found.path("leaf_path", expect.leaf_path.as_ref(), &facts.leaf_path);
    found.fields("state", expect.state.as_ref(), &Value::Map(facts.state.clone()));
    found.fields("budgets", expect.budgets.as_ref(), &Value::Map(facts.budgets.clone()));
    found.fields("output", expect.output.as_ref(), &facts.output);
    found.whole("error", expect.error.as_ref(), &facts.error);
    found.calls("tool_calls", expect.tool_calls.as_ref(), &facts.tool_calls);
    found.calls("model_calls", expect.model_calls.as_ref(), &facts.model_calls);
    found.calls("questions", expect.questions.as_ref(), &facts.questions);
    found.calls("events", expect.events.as_ref(), &facts.events);
    found.properties(scenario, facts);
    // What is left over when the run stopped early is no second fault.
    if matches!(run.ended, PlayEnd::Done(_) | PlayEnd::Waiting(_)) && !run.unused.is_empty() {
        let answers: Vec<Span> = run.unused.iter().map(|answer| answer.span).collect();
        found.add(answers[0], ScenarioFailure::Unused(answers));
    }
    // Of a scenario that fails, this is the likeliest cause. Of one that passes, it is what it tries.
    if !found.faults.is_empty() {
        let unfit = run.unfit.iter();
        let unfit = unfit.map(|answer| ScenarioFault {
            span: answer.span,
            failure: ScenarioFailure::Ended(answer.why.clone()),
        });
        found.faults.splice(0..0, unfit);
    }
    found.faults
}

struct Comparison {
    faults: Vec<ScenarioFault>,
}

impl Comparison {
    fn add(&mut self, span: Span, failure: ScenarioFailure) {
        self.faults.push(ScenarioFault { span, failure });
    }

    /// The run must come to an end, or wait where that is expected.
    fn ending(&mut self, scenario: &Scenario, run: &PlayedRun, facts: &RunFacts) {
        let expect = &scenario.expect;
        let name = scenario.name.span;
        match &run.ended {
            PlayEnd::Lacking(missing_answer) => {
                self.add(
                    missing_answer.span().unwrap_or(name),
                    ScenarioFailure::Ended(missing_answer.to_string()),
                );
            }
            PlayEnd::TooLong(limit) => {
                let message = format!("the run did not end: a scenario has at most {limit} inputs or events");
                self.add(name, ScenarioFailure::Ended(message));
            }
            PlayEnd::Drifted(difference) => self.add(name, ScenarioFailure::Ended(difference.to_string())),
            PlayEnd::Waiting(asks) => match (&expect.waiting, asks.first()) {
                (Some(wanted), _) => {
                    if !facts.waiting.contains(&wanted.value) {
                        let (expected, found) = (Value::Str(wanted.value.clone()), names(&facts.waiting));
                        self.add(
                            wanted.span,
                            ScenarioFailure::Value { what: "waiting", expected, found: Some(found) },
                        );
                    }
                }
                (None, Some(ask)) => {
                    let message = format!(
                        "node `{}` waits for a person, and the script has no answer left: {}",
                        ask.node,
                        Value::Str(ask.text.clone()).to_json()
                    );
                    self.add(name, ScenarioFailure::Ended(message));
                }
                (None, None) => {
                    self.add(
                        name,
                        ScenarioFailure::Ended(
                            "the run stopped without an end; it waits for nothing".to_owned(),
                        ),
                    );
                }
            },
            PlayEnd::Done(done) => {
                if let Some(wanted) = &expect.waiting {
                    let expected = Value::Str(wanted.value.clone());
                    self.add(wanted.span, ScenarioFailure::Value { what: "waiting", expected, found: None });
                }
                let silent = expect.outcome.is_none() && expect.ok.is_none() && expect.error.is_none();
                if silent && !done.error.is_null() {
                    let message = format!("the run ended with an unhandled error: {}", done.error.to_json());
                    self.add(name, ScenarioFailure::Ended(message));
                }
            }
        }
    }

    /// Every property must hold, but for those that are expected not to.
    fn properties(&mut self, scenario: &Scenario, facts: &RunFacts) {
        let expected = scenario.expect.violates.as_ref();
        let wanted =
            |name: &Str| expected.is_some_and(|e| e.value.iter().any(|wanted| wanted.value == *name));
        let broken: Vec<_> = facts.violates.iter().filter(|broken| !wanted(&broken.name)).cloned().collect();
        if !broken.is_empty() {
            let span = expected.map_or(scenario.name.span, |expected| expected.span);
            self.add(span, ScenarioFailure::Broken(broken));
        }
        let upheld = |name: &&Spanned<Str>| facts.violates.iter().all(|broken| broken.name != name.value);
        for name in expected.iter().flat_map(|expected| &expected.value).filter(upheld) {
            let expected = Value::Str(name.value.clone());
            self.add(name.span, ScenarioFailure::Value { what: "violates", expected, found: None });
        }
    }

    fn value<T>(&mut self, what: &'static str, expected: Option<&Spanned<T>>, found: Option<Value>)
    where
        T: Clone + Into<Value>,
    {
        let Some(expected) = expected else { return };
        let wanted: Value = expected.value.clone().into();
        if found.as_ref() != Some(&wanted) {
            self.add(expected.span, ScenarioFailure::Value { what, expected: wanted, found });
        }
    }

    fn path(&mut self, what: &'static str, expected: Option<&Spanned<Vec<Spanned<Str>>>>, taken: &[Str]) {
        let Some(expected) = expected else { return };
        let left: Vec<&str> = expected.value.iter().map(|name| name.value.as_str()).collect();
        let right: Vec<&str> = taken.iter().map(Str::as_str).collect();
        if left != right {
            let rows = align(&left, &right);
            let rows =
                rows.iter().map(|row| (row.expected.map(Str::from), row.taken.map(Str::from))).collect();
            self.add(expected.span, ScenarioFailure::Path { what, rows });
        }
    }

    fn fields(&mut self, what: &'static str, expected: Option<&Spanned<NamedValues>>, found: &Value) {
        let Some(expected) = expected else { return };
        let expected = Spanned::new(Value::Map(expected.value.values.clone()), expected.span);
        self.whole(what, Some(&expected), found);
    }

    fn whole(&mut self, what: &'static str, expected: Option<&Spanned<Value>>, found: &Value) {
        let Some(expected) = expected else { return };
        let mut differences = Vec::new();
        differ(&mut String::new(), &expected.value, Some(found), &mut differences);
        if !differences.is_empty() {
            self.add(expected.span, ScenarioFailure::Fields { what, differences });
        }
    }

    /// Each expected item must be there, in this order; others may be between them. An empty list expects none.
    fn calls(
        &mut self,
        what: &'static str,
        expected: Option<&Spanned<Vec<Spanned<Value>>>>,
        found: &[Value],
    ) {
        let Some(expected) = expected else { return };
        if expected.value.is_empty() && !found.is_empty() {
            let failure = ScenarioFailure::Calls { what, missing: None, found: found.to_vec() };
            return self.add(expected.span, failure);
        }
        let mut rest = found.iter();
        for wanted in &expected.value {
            if !rest.any(|item| fits(&wanted.value, item)) {
                let missing = Some(wanted.value.clone());
                return self
                    .add(wanted.span, ScenarioFailure::Calls { what, missing, found: found.to_vec() });
            }
        }
    }
}

fn fits(expected: &Value, found: &Value) -> bool {
    let mut differences = Vec::new();
    differ(&mut String::new(), expected, Some(found), &mut differences);
    differences.is_empty()
}

/// Maps are compared in the fields that are expected, lists item by item, everything else as a whole.
fn differ(at: &mut String, expected: &Value, found: Option<&Value>, out: &mut Vec<FieldDifference>) {
    match (expected, found) {
        (Value::Map(expected), Some(Value::Map(found))) => {
            for (key, value) in expected {
                let length = at.len();
                if !at.is_empty() {
                    at.push('.');
                }
                at.push_str(key);
                differ(at, value, found.get(key), out);
                at.truncate(length);
            }
        }
        (Value::List(expected), Some(Value::List(found))) if expected.len() == found.len() => {
            for (index, (value, found)) in expected.iter().zip(found.iter()).enumerate() {
                let length = at.len();
                let _ = write!(at, "[{index}]");
                differ(at, value, Some(found), out);
                at.truncate(length);
            }
        }
        (_, Some(found)) if same(expected, found) => {}
        _ => out.push(FieldDifference { at: at.clone(), expected: expected.clone(), found: found.cloned() }),
    }
}

/// Returns true if a value of the run is what a scenario writes as JSON.
fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Str(text), Value::Duration(found)) => duration::parse(text) == Ok(*found),
        (Value::Str(text), Value::Usd(found)) => usd::parse(text) == Ok(*found),
        (Value::Int(number), Value::Usd(found)) => number.checked_mul(1_000_000_000) == Some(*found),
        (Value::Float(number), Value::Usd(found)) => usd::from_float(*number) == Ok(*found),
        _ => *expected == Value::from_json(&found.to_json()),
    }
}
