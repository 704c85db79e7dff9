//! Every graph file under `graphs/`: what `check` finds in it and what its program looks like. A file dropped there gets
//! its snapshots without a line of Rust. The graphs of the benches are held the same way.

use std::path::Path;

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile;
use loopwright::diag::{Severity, text};
use loopwright::model::{Loader, beside};
use loopwright::program::{Program, listing};
use loopwright::source::Sources;

/// Reads files below the root of the repository; messages print paths relative to it.
///
/// The repository may also be seen as lying in a folder: a program does not depend on where its files are.
pub(crate) struct Repository {
    folder: &'static str,
}

impl Repository {
    /// The repository where it lies.
    pub(crate) fn whole() -> Self {
        Self { folder: "" }
    }

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }
}

impl Loader for Repository {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = beside(from, path);
        let file = name.strip_prefix(self.folder).unwrap_or(&name);
        let text = std::fs::read_to_string(Self::root().join(file));
        text.map(|text| (name, text)).map_err(|error| error.to_string().into())
    }
}

/// A file's path as messages print it.
pub(crate) fn name(path: &Path) -> String {
    let root = Repository::root().canonicalize().expect("the repository is there");
    let path = path.canonicalize().expect("the file was just found");
    let below = path.strip_prefix(root).expect("the file lies in the repository");
    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Judges one file. Its snapshots go by its own path, whatever other files there are.
fn each(path: &Path) {
    let name = name(path);
    if name.ends_with(".scenarios.yaml") || name.ends_with(".script.yaml") {
        return;
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/graphs");
    settings.set_snapshot_suffix(name.replace('/', "-"));
    settings.bind(|| judge(&name));
}

fn judge(name: &str) {
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut Repository { folder: "" }, name);
    // A file without a graph of its own serves others, by `use`; it is judged with them.
    if checked.trees.first().is_some_and(|tree| tree.graph.is_none()) {
        return;
    }
    insta::assert_snapshot!("findings", findings(&checked, &sources));
    assert_strict(name, &checked, &sources);
    let program = program(name, &checked, &sources);
    insta::assert_snapshot!("listing", listing(&program));
    let mut sources = Sources::new();
    let elsewhere = format!("some/where/{name}");
    let checked = check_file(&mut sources, &mut Repository { folder: "some/where/" }, &elsewhere);
    let moved = self::program(name, &checked, &sources);
    assert_eq!(program.digest, moved.digest, "{name}: a graph has one digest wherever it lies");
}

fn program(name: &str, checked: &Checked, sources: &Sources) -> Program {
    let model = checked.model.as_ref().filter(|_| checked.is_sound());
    let model = model.unwrap_or_else(|| panic!("{name} has errors:\n{}", findings(checked, sources)));
    compile(model).unwrap_or_else(|faults| panic!("{name} cannot be compiled: {faults:?}"))
}

/// A graph that is shipped has no warning, as `check --strict` asks.
fn assert_strict(name: &str, checked: &Checked, sources: &Sources) {
    let severe = checked.findings.iter().any(|finding| finding.severity > Severity::Note);
    assert!(!severe, "{name} does not pass a strict check:\n{}", findings(checked, sources));
}

fn findings(checked: &Checked, sources: &Sources) -> String {
    text::render(&checked.findings, sources, false)
}

#[test]
fn shipped_graphs() {
    insta::glob!("../graphs", "**/*.{yaml,loop}", each);
}

#[test]
fn graphs_of_the_benches() {
    insta::glob!("../benches/graphs", "*.yaml", each);
}

#[test]
fn graphs_of_the_examples() {
    insta::glob!("../examples", "*.{yaml,loop}", |path| {
        let name = name(path);
        let mut sources = Sources::new();
        let checked = check_file(&mut sources, &mut Repository::whole(), &name);
        assert_strict(&name, &checked, &sources);
    });
}

/// The files of all shipped graphs, and of parts that graphs take in, from the root of the repository.
pub(crate) fn files() -> Vec<std::path::PathBuf> {
    let mut open = vec![std::path::PathBuf::from("graphs")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for path in
            std::fs::read_dir(folder).expect("the folder can be listed").flatten().map(|own| own.path())
        {
            let name = path.to_string_lossy().into_owned();
            let graph = path.extension().is_some_and(|own| own == "yaml" || own == "loop");
            if path.is_dir() {
                open.push(path);
            } else if graph && !name.contains(".scenarios.") && !name.contains(".script.") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
