//! A search of the states of the second ReAct loop, with the answers that a file gives.

use std::path::{Path, PathBuf};

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::explore::{AnswerExamples, SearchLimits, StateSearch, StateSpace, WorldSettings};
use loopwright::model::{Files, Model};
use loopwright::program::Program;
use loopwright::source::Sources;

/// The graph and its world.
pub(crate) struct Explored {
    model: Model,
    program: Program,
    settings: WorldSettings,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Explored {
    /// Reads all.
    pub(crate) fn new() -> Self {
        let folder = root().join("graphs/react");
        let mut files = Files::new();
        for name in ["", "prompts"] {
            for entry in std::fs::read_dir(folder.join(name)).expect("the folder is there") {
                let path: PathBuf = entry.expect("an entry").path();
                if path.is_file() {
                    let own = path.strip_prefix(&folder).expect("it lies in the folder");
                    files = files.with(own.to_string_lossy(), read(&path));
                }
            }
        }
        let checked = check_file(&mut Sources::new(), &mut files, "v2.yaml");
        assert!(checked.is_sound(), "{:?}", checked.findings);
        let model = checked.model.expect("a sound graph has a model");
        let program = compile(&model).expect("a sound graph compiles");
        let mut sources = Sources::new();
        let file = sources.add("v2.yaml", read(&root().join("tests/explore/answers/v2.yaml")));
        let (examples, findings) = AnswerExamples::read(&sources, file);
        assert!(findings.is_empty(), "{findings:?}");
        let settings = WorldSettings { tools: examples.tools(), examples, ..WorldSettings::default() };
        Self { model, program, settings }
    }

    /// The states in which its runs may be.
    pub(crate) fn space(&self) -> StateSpace<'_> {
        StateSpace::new(&self.model, &self.program, &self.settings)
    }
}

/// Searches on one thread until so many states are found, and gives their number.
pub(crate) fn search(space: &StateSpace<'_>, states: usize) -> usize {
    let mut search = StateSearch::new(space, SearchLimits { depth: None, max_states: usize::MAX });
    while search.states() < states {
        let batch = search.batch();
        assert!(!batch.is_empty(), "there are more states");
        let expanded = search.expand(&batch);
        search.merge(expanded);
    }
    search.states()
}
