//! The graphs that are run, with what the world answers in them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use loopwright::app::Graph;
use loopwright::machine::{CallId, EventKind, Outcome, Start};
use loopwright::model::{Files, LoadError, Loader, beside};
use loopwright::scenario::{PlayEnd, Suite, play};
use loopwright::source::Sources;
use loopwright::value::{List, Map, Str, Value};

use crate::family;
use crate::world::place_of;

/// So many graphs are generated.
const GENERATED: u64 = 48;

/// The shipped scenarios that are run: the file, and how many of its first ones.
const SHIPPED: [(&str, usize); 4] = [
    ("graphs/react/v2.scenarios.yaml", 8),
    ("graphs/inbox/assistant.scenarios.yaml", 5),
    ("graphs/arkhon/main.scenarios.yaml", 4),
    ("graphs/okso/react.scenarios.yaml", 4),
];

/// A graph with its inputs and with recorded answers.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) graph: Arc<Graph>,
    input: Map,
    /// The catalogue; that of the world where it is empty.
    tools: List,
    /// Outcomes by the places of their calls.
    outcomes: BTreeMap<Str, Outcome>,
    /// Answers by the places of their questions.
    answers: BTreeMap<Str, Value>,
}

/// The generated graphs.
static FAMILY: LazyLock<Vec<Arc<Case>>> = LazyLock::new(|| (0..GENERATED).map(generated).collect());
/// The shipped ones.
static PLAYED: LazyLock<Vec<Arc<Case>>> =
    LazyLock::new(|| SHIPPED.iter().flat_map(|(path, many)| shipped(path, *many)).collect());

/// All cases: generated ones, and shipped ones.
pub(crate) fn cases() -> (&'static [Arc<Case>], &'static [Arc<Case>]) {
    (&FAMILY, &PLAYED)
}

impl Case {
    /// The beginning of a run of it.
    pub(crate) fn start(&self, run: Str, seed: u64) -> Start {
        Start { run, input: self.input.clone(), seed, tools: self.tools.clone(), ..Start::default() }
    }

    /// The recorded outcome of a call, if there is one.
    pub(crate) fn outcome(&self, call: &CallId) -> Option<&Outcome> {
        self.outcomes.get(place_of(&call.0))
    }

    /// True if its graph is a shipped one.
    pub(crate) fn is_shipped(&self) -> bool {
        !self.tools.is_empty()
    }

    /// The recorded answer to a question, if there is one.
    pub(crate) fn answer(&self, ask: &str) -> Option<&Value> {
        self.answers.get(place_of(ask))
    }
}

fn generated(number: u64) -> Arc<Case> {
    let text = family::generate(number);
    let graph = Graph::load("g.yaml", &mut Files::new().with("g.yaml", text.as_str()))
        .unwrap_or_else(|error| panic!("{text}\n{:?}", error.findings));
    Arc::new(Case {
        name: format!("generated {number}"),
        graph: Arc::new(graph),
        input: Map::new(),
        tools: List::default(),
        outcomes: BTreeMap::new(),
        answers: BTreeMap::new(),
    })
}

/// The first scenarios of a file that begin at the start, with everything that is answered in them.
fn shipped(path: &str, many: usize) -> Vec<Arc<Case>> {
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut Repository, path);
    let suite = loaded.suite.unwrap_or_else(|| panic!("{path}: {:?}", loaded.findings));
    let main = &suite.file.graph.as_ref().expect("it names its graph").value;
    let name = beside(Some(path), main);
    let graph = Graph::load(&name, &mut Repository).unwrap_or_else(|error| panic!("{:?}", error.findings));
    let graph = Arc::new(graph);
    let mut cases = Vec::new();
    for scenario in suite.file.scenarios.iter().filter(|scenario| scenario.given.is_none()) {
        let played = play(&suite.program, &suite.bound, scenario);
        if cases.len() == many || !matches!(played.ended, PlayEnd::Done(_)) {
            continue;
        }
        let mut case = Case {
            name: format!("{path}: {}", scenario.name.value),
            graph: Arc::clone(&graph),
            input: scenario.input.values.clone(),
            tools: List::default(),
            outcomes: BTreeMap::new(),
            answers: BTreeMap::new(),
        };
        for event in played.events {
            match event.kind {
                EventKind::Started { start, .. } => case.tools = start.tools,
                EventKind::Resolved { call, outcome } => {
                    case.outcomes.insert(place_of(&call.0).into(), *outcome);
                }
                EventKind::Answered { ask, answer } => {
                    case.answers.insert(place_of(&ask.0).into(), *answer);
                }
                _ => {}
            }
        }
        cases.push(Arc::new(case));
    }
    cases
}

/// The files of the repository.
struct Repository;

impl Loader for Repository {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(root.join(&name));
        text.map(|text| (name, text)).map_err(|error| error.to_string().into())
    }
}
