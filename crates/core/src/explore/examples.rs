//! Answers that are given as examples.

use super::catalogue::name_of;
use crate::diag::{Diagnostic, rule};
use crate::machine::{Call, Question, Request, in_catalogue};
use crate::model::node::{NameSource, Node, NodeKind};
use crate::scenario::{
    ScriptedAnswer, ScriptedAnswers, ScriptedReply, encoded, is_script, read, read_answers, with_tools,
};
use crate::source::{FileId, Sources};
use crate::value::{Exact, List, Str, Value};

/// Answers that are given as examples. Models, tools and people for whom there are some give these alone; calls may fail
/// besides.
#[derive(Debug, Clone, Default)]
pub struct AnswerExamples {
    models: Vec<AnswerExample>,
    tools: Vec<AnswerExample>,
    people: Vec<AnswerExample>,
    /// Entries of scenarios' catalogues, each name once.
    catalogue: List,
}

/// One answer, and who gives it. What is absent fits everybody.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AnswerExample {
    from: Option<Str>,
    node: Option<Str>,
    value: Exact<Value>,
}

impl AnswerExamples {
    /// The values that a script gives as answers, and what is wrong with them. Its failures are no examples: a call may
    /// always fail.
    #[must_use]
    pub fn of(answers: &ScriptedAnswers) -> (Self, Vec<Diagnostic>) {
        let (mut examples, mut findings) = (Self::default(), Vec::new());
        examples.add(answers, &mut findings);
        (examples, findings)
    }

    /// The answers of a script, or of all scenarios of a scenario file, and what is wrong with the file. Answers of scenarios that
    /// have expressions in them are no examples.
    #[must_use]
    pub fn read(sources: &Sources, file: FileId) -> (Self, Vec<Diagnostic>) {
        if is_script(sources.text(file)) {
            let (answers, mut findings) = read_answers(sources, file);
            let (examples, wrong) = Self::of(&answers);
            findings.extend(wrong);
            return (examples, findings);
        }
        let (scenarios, findings) = read(sources, file);
        let mut examples = Self::default();
        for scenario in &scenarios.scenarios {
            examples.add(&scenario.answers, &mut Vec::new());
            examples.offer(scenario.catalogue.as_ref());
        }
        (examples, findings)
    }

    fn add(&mut self, answers: &ScriptedAnswers, findings: &mut Vec<Diagnostic>) {
        let lists = [
            (&mut self.models, &answers.models),
            (&mut self.tools, &answers.tools),
            (&mut self.people, &answers.people),
        ];
        for (examples, answers) in lists {
            for answer in answers {
                let example = AnswerExample::of(answer, findings);
                examples.extend(example.filter(|example| !examples.contains(example)));
            }
        }
    }

    /// Takes the tools of a scenario's catalogue: their schemas say what a model may call them with.
    fn offer(&mut self, catalogue: Option<&List>) {
        for entry in catalogue.into_iter().flatten() {
            if name_of(entry).is_some_and(|name| in_catalogue(&self.catalogue, &name).is_none()) {
                self.catalogue.push(entry.clone());
            }
        }
    }

    /// The tools on offer: those of the scenarios' catalogues, and others that have examples, by their names alone.
    #[must_use]
    pub fn tools(&self) -> List {
        let mut names: Vec<Str> = self.tools.iter().filter_map(|own| own.from.clone()).collect();
        names.sort_unstable();
        names.dedup();
        with_tools(self.catalogue.clone(), &names)
    }

    /// The answers to a call; none if there is no example.
    pub(super) fn of_call(&self, call: &Call) -> Vec<Value> {
        let (examples, name) = match &call.request {
            Request::Model { role, .. } => (&self.models, role),
            Request::Tool { tool, .. } => (&self.tools, tool),
        };
        let own = examples.iter().filter(|own| own.is_for(Some(name), &call.node));
        own.map(|own| encoded(own.value.0.clone(), &call.request)).collect()
    }

    /// True if there are examples of what a node gets, whoever gives it.
    pub(super) fn are_given(&self, node: &Node) -> bool {
        let (examples, from) = match &node.kind {
            NodeKind::Model(own) => (&self.models, fixed(&own.role)),
            NodeKind::Tool(own) => (&self.tools, fixed(&own.tool)),
            NodeKind::Human(_) => (&self.people, None),
            _ => return false,
        };
        examples.iter().any(|own| own.is_for(from, &node.name.value))
    }

    /// The answers to a question of a node; none if there is no example.
    pub(super) fn of_question(&self, ask: &Question) -> Vec<Value> {
        self.people.iter().filter(|own| own.is_for(None, &ask.node)).map(|own| own.value.0.clone()).collect()
    }
}

impl AnswerExample {
    fn of(answer: &ScriptedAnswer, findings: &mut Vec<Diagnostic>) -> Option<Self> {
        let ScriptedReply::Value(data) = &answer.reply else { return None };
        let Some(value) = data.constant() else {
            let message = "an example is a value, and this one has expressions in it";
            let found = Diagnostic::error(rule::SCENARIO_ANSWER, answer.span, message);
            findings.push(found.help("write the value itself"));
            return None;
        };
        let name = |name: &Option<crate::source::Spanned<Str>>| name.as_ref().map(|name| name.value.clone());
        Some(Self { from: name(&answer.from), node: name(&answer.node), value: Exact(value) })
    }

    /// True if it fits; a name that is computed may be any.
    fn is_for(&self, name: Option<&Str>, node: &str) -> bool {
        let is_own = self.from.as_ref().is_none_or(|from| name.is_none_or(|name| from == name));
        is_own && self.node.as_ref().is_none_or(|own| own == node)
    }
}

const fn fixed(name: &NameSource) -> Option<&Str> {
    match name {
        NameSource::Fixed(name) => Some(&name.value),
        NameSource::Computed(_) => None,
    }
}
