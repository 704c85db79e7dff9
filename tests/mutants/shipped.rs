//! The mutants of the shipped graphs: `docs/mutants.md` has how many scenarios notice, and why the others are left.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use loopwright::app::{JudgedMutants, explored_equivalence};
use loopwright::mutate::MutantVerdict;

use crate::documents::similar_asserts;
use crate::graphs::Repository;

const PAGE: &str = "docs/mutants.md";

/// Where the rows begin, and where the reasons do.
const SCORES: &str =
    "| Graph | Killed | Refused | Equivalent | Survive | Score |\n|---|---|---|---|---|---|\n";
const REASONS: &str = "\n## Survivors\n\n";

/// Mutants that survive for one reason.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownSurvivors {
    file: String,
    faults: Vec<String>,
    reason: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn known() -> Vec<KnownSurvivors> {
    let text = fs::read_to_string(root().join("tests/mutants/survivors.yaml")).expect("the list is there");
    serde_yaml::from_str(&text).expect("the list can be read")
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("the page is there")
}

/// Compares a part of the page, or writes it.
fn compare(start: &str, end: Option<&str>, wanted: &str) {
    let page = page();
    let from = page.find(start).expect("the page has the part") + start.len();
    let to = end.map_or(page.len(), |end| page.find(end).expect("the page has the next part"));
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        let text = format!("{}{wanted}{}", &page[..from], &page[to..]);
        fs::write(root().join(PAGE), text).expect("the page can be written");
    } else {
        similar_asserts(Path::new(PAGE), &page[from..to], wanted);
    }
}

#[test]
fn the_page_has_every_survivor_and_its_reason() {
    let mut text = String::new();
    let mut file = String::new();
    for own in known() {
        assert!(Path::new(&root()).join(&own.file).exists(), "{} is there", own.file);
        assert!(own.reason.ends_with('.'), "{}: a reason is a sentence", own.file);
        if own.file != file {
            let _ = writeln!(text, "{}### `{}`\n", if file.is_empty() { "" } else { "\n" }, own.file);
            file.clone_from(&own.file);
        }
        own.faults.iter().for_each(|fault| {
            let _ = writeln!(text, "- {fault}");
        });
        let _ = writeln!(text, "\n  {}", own.reason);
    }
    compare(REASONS, None, &text);
}

/// All of them, by the long check alone.
#[test]
fn every_survivor_of_a_shipped_graph_has_a_reason() {
    if !crate::long::is_long() {
        return;
    }
    let paths = crate::scenarios::shipped();
    let name = |path: &PathBuf| {
        path.strip_prefix(root()).expect("it lies in the repository").to_string_lossy().into_owned()
    };
    let paths = paths.iter().map(name).collect();
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let judged = JudgedMutants::play(paths, &mut Repository::whole(), threads, Some(&explored_equivalence));
    let mut survivors = BTreeSet::new();
    let mut rows = String::new();
    for (graph, verdicts, score) in judged.graphs() {
        let file = judged.sources().name(graph.file());
        let percent = score.percent().map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"));
        let _ = writeln!(
            rows,
            "| `{file}` | {} | {} | {} | {} | {percent} |",
            score.killed, score.refused, score.equivalent, score.survived
        );
        let survive = graph.mutants.iter().zip(verdicts).filter(|(_, one)| **one == MutantVerdict::Survived);
        survivors.extend(survive.map(|(mutant, _)| (file.to_owned(), mutant.message())));
    }
    let wanted: BTreeSet<(String, String)> = known()
        .into_iter()
        .flat_map(|own| own.faults.into_iter().map(move |fault| (own.file.clone(), fault)))
        .collect();
    let unknown: Vec<_> = survivors.difference(&wanted).collect();
    let gone: Vec<_> = wanted.difference(&survivors).collect();
    assert!(
        unknown.is_empty() && gone.is_empty(),
        "without a reason: {unknown:#?}\nkilled by now: {gone:#?}"
    );
    compare(SCORES, Some(REASONS), &rows);
}
