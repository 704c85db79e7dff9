//! Graphs of the repository, run in a world that a test makes up: inputs, a beginning in the middle, scripted answers.

use std::sync::Arc;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::text;
use loopwright::drive::open;
use loopwright::model::{Files, Model};
use loopwright::program::Program;
use loopwright::program::graph::LinkedNodeKind;
use loopwright::scenario::{
    BoundExpressions, Data, NamedValues, PlayedRun, RunFacts, Scenario, ScenarioStart, ScriptedAnswer,
    ScriptedReply,
};
use loopwright::source::{Sources, Span, Spanned};
use loopwright::value::{List, Map, Str, Value};
use serde_json::Value as Json;

use crate::golden::Recorded;
use crate::graphs::Repository;
use crate::rebuilt;

/// A graph of the repository, checked.
pub(crate) fn model(path: &str) -> Model {
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Repository::whole(), path);
    let sound = checked.is_sound();
    let model = checked.model.filter(|_| sound);
    model.unwrap_or_else(|| panic!("{}", text::render(&checked.findings, &sources, false)))
}

/// A graph of the repository, compiled.
pub(crate) fn graph(path: &str) -> Program {
    compile(&model(path)).unwrap_or_else(|faults| panic!("{path} cannot be compiled: {faults:?}"))
}

/// Graphs that a test writes itself, by the names of their files; the first one is compiled, with those it calls.
pub(crate) fn compiled(files: &[(&str, &str)]) -> Arc<Program> {
    let mut loader = files.iter().fold(Files::new(), |loader, (name, text)| loader.with(*name, *text));
    let mut sources = Sources::new();
    open(&mut sources, &mut loader, files[0].0)
        .unwrap_or_else(|found| panic!("{}", text::render(&found, &sources, false)))
}

/// The type of what the first model node of a graph answers.
pub(crate) fn output_of_model(program: &Program) -> u32 {
    let output = program.graphs[0].nodes.iter().find_map(|node| match &node.kind {
        LinkedNodeKind::Model(code) => Some(code.output.shape),
        _ => None,
    });
    output.expect("the graph asks a model")
}

/// The inputs of a graph that a case gives. Keys that are none of them stay unread.
pub(crate) fn inputs_of<'a>(program: &Program, given: Recorded<'a>) -> &'a Json {
    let graph = &program.graphs[0];
    for slot in &graph.slots[..graph.inputs as usize] {
        if let Some(value) = given.find(&slot.name) {
            value.of_type(&program.shapes, slot.shape);
        }
    }
    given.peek()
}

/// A world for one run.
#[derive(Default)]
pub(crate) struct World {
    scenario: Scenario,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Gives an input, if there is something to give.
    pub(crate) fn input(mut self, name: &str, value: Option<&Json>) -> Self {
        if let Some(value) = value {
            put(&mut self.scenario.input, name, value);
        }
        self
    }

    /// Gives inputs by their names.
    pub(crate) fn inputs(self, values: &Json) -> Self {
        let values = values.as_object().expect("inputs have names");
        values.iter().fold(self, |world, (name, value)| world.input(name, Some(value)))
    }

    /// Begins at a node.
    pub(crate) fn at(mut self, node: &str) -> Self {
        self.given().at = Some(Spanned::new(node.into(), Span::default()));
        self
    }

    /// Begins with a field of the state set, if there is something to set.
    pub(crate) fn state(mut self, name: &str, value: Option<&Json>) -> Self {
        if let Some(value) = value {
            put(&mut self.given().state, name, value);
        }
        self
    }

    /// Begins with so much of a budget used.
    pub(crate) fn used(mut self, budget: &str, amount: &Json) -> Self {
        put(&mut self.given().budgets, budget, amount);
        self
    }

    /// The tools on offer, by name alone.
    pub(crate) fn tools<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.catalogue(names.into_iter().map(|name| (name, Value::Map(Map::new()))))
    }

    /// The tools on offer, with the schemas of their arguments.
    pub(crate) fn catalogue<'a>(mut self, tools: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let entry = |(name, schema): (&str, Value)| {
            let entry = [
                (Str::from("name"), name.into()),
                ("description".into(), "".into()),
                ("schema".into(), schema),
                ("tags".into(), Value::List(List::new())),
            ];
            Value::Map(entry.into_iter().collect())
        };
        self.scenario.catalogue = Some(tools.into_iter().map(entry).collect());
        self
    }

    /// The next answer of a model, whichever asks for it.
    pub(crate) fn model(mut self, reply: ScriptedReply) -> Self {
        self.scenario.answers.models.push(answer(reply));
        self
    }

    /// The next answer of the model that serves a role.
    pub(crate) fn model_as(mut self, role: &str, reply: ScriptedReply) -> Self {
        let from = Some(Spanned::new(role.into(), Span::default()));
        self.scenario.answers.models.push(ScriptedAnswer { from, ..answer(reply) });
        self
    }

    /// What the last answer of a model cost, in billionths of a dollar.
    pub(crate) fn cost(mut self, cost: u64) -> Self {
        if let Some(last) = self.scenario.answers.models.last_mut() {
            last.usage.cost = cost;
        }
        self
    }

    /// The next answer of a person to a node.
    pub(crate) fn person(mut self, node: &str, says: &Json) -> Self {
        let node = Some(Spanned::new(node.into(), Span::default()));
        let reply = ScriptedReply::Value(Data::Value(Value::from_json(says)));
        self.scenario.answers.people.push(ScriptedAnswer { node, ..answer(reply) });
        self
    }

    /// The next answer of a model to a node.
    pub(crate) fn model_at(mut self, node: &str, reply: ScriptedReply) -> Self {
        let node = Some(Spanned::new(node.into(), Span::default()));
        self.scenario.answers.models.push(ScriptedAnswer { node, ..answer(reply) });
        self
    }

    /// The next answer of a tool, whichever is called.
    pub(crate) fn tool(mut self, reply: ScriptedReply) -> Self {
        self.scenario.answers.tools.push(answer(reply));
        self
    }

    /// Plays it.
    pub(crate) fn play(&self, program: &Program) -> (PlayedRun, RunFacts) {
        let run = rebuilt::played(program, &Arc::new(BoundExpressions::default()), &self.scenario);
        let facts = RunFacts::of(program, &run);
        (run, facts)
    }

    fn given(&mut self) -> &mut ScenarioStart {
        self.scenario.given.get_or_insert_default()
    }
}

/// An answer that is a value.
pub(crate) fn says(value: &Json) -> ScriptedReply {
    ScriptedReply::Value(Data::Value(Value::from_json(value)))
}

/// An answer that is an error of this kind.
pub(crate) fn fails(kind: &str) -> ScriptedReply {
    fails_with(kind, "it fails")
}

/// An answer that is an error of this kind, and what it says.
pub(crate) fn fails_with(kind: &str, message: &str) -> ScriptedReply {
    ScriptedReply::Failed {
        kind: Spanned::new(kind.into(), Span::default()),
        message: Data::Value(message.into()),
        details: Data::default(),
        retry_after: None,
        never_began: false,
    }
}

fn answer(reply: ScriptedReply) -> ScriptedAnswer {
    ScriptedAnswer { shared: true, ..ScriptedAnswer::new(Span::default(), None, reply) }
}

fn put(named: &mut NamedValues, name: &str, value: &Json) {
    named.values.insert(name.into(), Value::from_json(value));
    named.places.push(Span::default());
}
