//! Answers of tools that are given as examples.

use rustc_hash::FxHashMap;

use crate::diag::{Diagnostic, rule};
use crate::scenario::{ScriptedAnswers, ScriptedReply};
use crate::value::{Str, Value};

/// The values that a script gives as answers of tools, by name, and what is wrong with them. Its failures are no examples: a tool
/// may always fail.
#[must_use]
pub fn tool_examples(answers: &ScriptedAnswers) -> (FxHashMap<Str, Vec<Value>>, Vec<Diagnostic>) {
    let (mut examples, mut findings): (FxHashMap<Str, Vec<Value>>, _) = (FxHashMap::default(), Vec::new());
    for answer in &answers.tools {
        let ScriptedReply::Value(data) = &answer.reply else { continue };
        let Some(tool) = &answer.from else {
            let message = "an example is the answer of one tool, and this one is of any";
            let found = Diagnostic::error(rule::SCENARIO_ANSWER, answer.span, message);
            findings.push(found.help("add `tool: NAME`"));
            continue;
        };
        let Some(value) = data.constant() else {
            let message = "an example is a value, and this one has expressions in it";
            let found = Diagnostic::error(rule::SCENARIO_ANSWER, answer.span, message);
            findings.push(found.help("write the value that the tool answers"));
            continue;
        };
        let own = examples.entry(tool.value.clone()).or_default();
        if !own.contains(&value) {
            own.push(value);
        }
    }
    (examples, findings)
}
