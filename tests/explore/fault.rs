//! The faults that are planted in shipped graphs, and the search for the properties that they break.

use std::path::Path;

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile;
use loopwright::explore::{
    AnswerExamples, FindingKey, FindingKind, SearchLimits, StateSearch, StateSpace, TakenCounts, Trail,
    WorldSettings,
};
use loopwright::machine::Input;
use loopwright::model::{LoadError, Loader, beside};
use loopwright::program::Program;
use loopwright::scenario::plain_tool;
use loopwright::source::Sources;
use loopwright::value::{List, Map, Str, Value};

use super::shipped::{cases, settings};

/// Graphs whose states have thousands of inputs. The long campaign alone searches them: first with the inputs and answers with which
/// they are explored whole, then with the answers of their scenarios.
pub(super) const LARGE: [&str; 5] = [
    "graphs/okso/react.yaml",
    "graphs/react/coordinator.yaml",
    "graphs/react/v1.yaml",
    "graphs/react/v1_code.yaml",
    "graphs/react/v2.yaml",
];

/// States that are expanded before it is looked whether the property is found broken.
const BATCH: usize = 16;

/// A fault, as `planted.yaml` has it.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlantedFault {
    pub(super) graph: String,
    pub(super) property: String,
    #[serde(default)]
    input: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    tools: Vec<serde_json::Value>,
    answers: Option<serde_json::Value>,
    /// True for a fault that the search does not find.
    #[serde(default)]
    pub(super) lost: bool,
    fault: Replacement,
}

/// A text that stands once in a file, and what it gives way to.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacement {
    file: String,
    find: String,
    replace: String,
}

/// The repository, with one text changed.
struct ChangedFiles<'a> {
    root: &'a Path,
    fault: &'a Replacement,
}

impl Loader for ChangedFiles<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        let text = std::fs::read_to_string(self.root.join(&name)).map_err(|error| error.to_string())?;
        let is_changed = name == self.fault.file;
        let text = if is_changed { text.replace(&self.fault.find, &self.fault.replace) } else { text };
        Ok((name, text))
    }
}

/// The limits of the search for one fault.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaultBudget {
    pub(super) max_states: usize,
    /// States that are expanded at most.
    pub(super) max_expanded: usize,
    pub(super) walks: u64,
}

/// The result of the search for one fault.
#[derive(Debug)]
pub(super) struct FaultResult {
    /// The run that breaks the property, its start first.
    pub(super) run: Option<Vec<Input>>,
    pub(super) states: usize,
    pub(super) walks: u64,
}

impl PlantedFault {
    /// All of them, in the order of the file.
    pub(super) fn all(root: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(root.join("tests/explore/planted.yaml"));
        serde_yaml::from_str(&text.expect("the faults are there")).expect("the faults can be read")
    }

    /// The graph with the fault in each world in which it is searched for, and the number of the property. They live as long as the
    /// program: `stateright` wants that.
    pub(super) fn spaces(&self, root: &Path) -> (Vec<&'static StateSpace<'static>>, u32) {
        let Replacement { file, find, .. } = &self.fault;
        let text = std::fs::read_to_string(root.join(file)).expect("the file is there");
        assert_eq!(text.matches(find.as_str()).count(), 1, "{self:?} is planted in one place");
        let mut sources = Sources::new();
        let checked = check_file(&mut sources, &mut ChangedFiles { root, fault: &self.fault }, &self.graph);
        assert!(checked.is_sound(), "{self:?} passes `check`: {:?}", checked.findings);
        let Checked { model, .. } = checked;
        let model = Box::leak(Box::new(model.expect("a model")));
        let program = Box::leak(Box::new(compile(model).expect("a program")));
        let mut properties = program.graphs[0].properties.iter();
        let property = properties.position(|(name, _)| *name == self.property);
        let property = property.unwrap_or_else(|| panic!("{} has no property {}", self.graph, self.property));
        let worlds = self.worlds(root, program).into_iter();
        let spaces = worlds.map(|world| &*Box::leak(Box::new(StateSpace::new(model, program, &world))));
        (spaces.collect(), u32::try_from(property).expect("few properties"))
    }

    fn worlds(&self, root: &Path, program: &Program) -> Vec<WorldSettings> {
        let own = map(&self.input);
        let mut worlds = Vec::new();
        let is_large = LARGE.contains(&self.graph.as_str()) && self.answers.is_none();
        for case in cases().iter().filter(|case| is_large && case.graph == self.graph) {
            let world = settings(case, program);
            let mut with_own = world.clone();
            own.iter().for_each(|(name, value)| drop(with_own.input.insert(name.clone(), value.clone())));
            worlds.extend([world, with_own]);
        }
        worlds.push(WorldSettings {
            input: own,
            tools: self.catalogue(),
            examples: self.examples(root),
            ..WorldSettings::default()
        });
        worlds
    }

    /// The only answers of models, tools and people, in the form of a script. Those of a large graph are the answers of its
    /// scenarios.
    fn examples(&self, root: &Path) -> AnswerExamples {
        let text = match &self.answers {
            Some(answers) => answers.to_string(),
            None if LARGE.contains(&self.graph.as_str()) => {
                let path = root.join(self.graph.replace(".yaml", ".scenarios.yaml"));
                std::fs::read_to_string(path).expect("the scenarios are there")
            }
            None => return AnswerExamples::default(),
        };
        let mut sources = Sources::new();
        let file = sources.add("answers.yaml".to_owned(), text);
        let (examples, findings) = AnswerExamples::read(&sources, file);
        assert!(findings.is_empty(), "{self:?}: {findings:?}");
        examples
    }

    /// The tools on offer: names, or entries of a catalogue.
    fn catalogue(&self) -> List {
        let entry = |tool: &serde_json::Value| match tool {
            serde_json::Value::String(name) => plain_tool(name.as_str().into()),
            serde_json::Value::Object(fields) => {
                let name = fields["name"].as_str().expect("a tool has a name");
                let mut entry = plain_tool(name.into()).as_map().expect("an entry is a map").clone();
                for (field, value) in fields {
                    entry.set(field.as_str(), Value::from_json(value));
                }
                Value::Map(entry)
            }
            other => panic!("{other} is no tool"),
        };
        self.tools.iter().map(entry).collect()
    }
}

fn map(fields: &serde_json::Map<String, serde_json::Value>) -> Map {
    fields.iter().map(|(name, value)| (Str::from(name.as_str()), Value::from_json(value))).collect()
}

/// Searches until a property of the graph is broken.
pub(super) fn search_for(space: &StateSpace<'_>, property: u32, budget: FaultBudget) -> FaultResult {
    let limits = SearchLimits { depth: None, max_states: budget.max_states };
    let mut search = StateSearch::new(space, limits);
    let mut left = budget.max_expanded;
    while left > 0 && broken(&search, property).is_none() {
        let batch = search.batch();
        if batch.is_empty() {
            break;
        }
        for part in batch[..batch.len().min(left)].chunks(BATCH) {
            left -= part.len();
            let successors = search.expand(part);
            search.merge(successors);
            if broken(&search, property).is_some() {
                break;
            }
        }
    }
    let mut counts = TakenCounts::default();
    let is_cut = search.is_cut() || left == 0;
    while is_cut && search.walks() < budget.walks && broken(&search, property).is_none() {
        let walked = search.walk(search.walks(), &counts);
        search.merge_walks(vec![walked], &mut counts);
    }
    let run = broken(&search, property).map(|trail| search.inputs(trail));
    FaultResult { run, states: search.states(), walks: search.walks() }
}

/// The first run that was found to break the property.
fn broken<'s>(search: &'s StateSearch<'_, '_>, property: u32) -> Option<&'s Trail> {
    let is_wanted = |key: &FindingKey| key.graph == 0 && key.kind == FindingKind::Broken(property);
    let found = search.found().filter(|(key, _)| is_wanted(key));
    found.map(|(_, trail)| trail).min_by_key(|trail| search.inputs(trail).len())
}
