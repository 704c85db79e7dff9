//! `diff`: what counts as a change, what is said of it, and that nothing a digest covers escapes.

mod command;
mod random;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopwright::check::{Bound, check_file};
use loopwright::compile::compile;
use loopwright::diff::{self, ChangeEffect, Diff, Version};
use loopwright::model::{Files, Model};
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::syntax::tree::Tree;
use serde::Deserialize;

const FILES: [&str; 9] = [
    "whole.yaml",
    "child.yaml",
    "other.yaml",
    "third.yaml",
    "short.yaml",
    "long.yaml",
    "shared.yaml",
    "variant.yaml",
    "same.yaml",
];

/// One version, ready to be compared.
struct Ready {
    model: Model,
    program: Program,
    trees: Vec<Arc<Tree>>,
    bound: Option<Bound>,
}

impl Ready {
    fn read(sources: &mut Sources, files: &mut Files, path: &str) -> Self {
        Self::try_read(sources, files, path).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn try_read(sources: &mut Sources, files: &mut Files, path: &str) -> Result<Self, String> {
        let checked = check_file(sources, files, path);
        if !checked.is_sound() {
            return Err(loopwright::diag::text::render(&checked.findings, sources, false));
        }
        let model = checked.model.expect("a sound graph has a model");
        let program = compile(&model).expect("a sound graph compiles");
        Ok(Self { model, program, trees: checked.trees, bound: checked.bound })
    }

    fn version(&self) -> Version<'_> {
        Version { model: &self.model, program: &self.program, trees: &self.trees, bound: self.bound.as_ref() }
    }
}

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff").join(name);
    std::fs::read_to_string(path).expect("the fixture can be read")
}

fn files() -> Files {
    FILES.iter().chain(&["ask.md"]).fold(Files::new(), |files, name| files.with(*name, text(name)))
}

/// Compares, and holds the diff against the digests: they differ exactly if something does that is not only shown, and a
/// change is never nameless.
fn compare(one: &Ready, other: &Ready) -> Diff {
    let found = diff::diff(&one.version(), &other.version());
    let differs = found.changes.iter().any(|change| change.effect() != ChangeEffect::Shown);
    assert_eq!(differs, one.program.digest != other.program.digest, "{:#?}", found.changes);
    assert!(found.changes.iter().all(|change| change.kind.slug != "program-changed"), "{:#?}", found.changes);
    assert_eq!(found.same_program(), one.program.digest == other.program.digest);
    found
}

fn kinds(found: &Diff) -> Vec<&'static str> {
    let set: BTreeSet<&str> = found.changes.iter().map(|change| change.kind.slug).collect();
    set.into_iter().collect()
}

#[derive(Debug, Deserialize)]
struct Edit {
    kinds: Vec<String>,
    #[serde(flatten)]
    step: Step,
    #[serde(default)]
    also: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    #[serde(default = "whole")]
    file: String,
    from: String,
    to: String,
}

fn whole() -> String {
    "whole.yaml".to_owned()
}

fn edits() -> Vec<Edit> {
    serde_yaml::from_str(&text("edits.yaml")).expect("the list of edits can be read")
}

fn edited(edit: &Edit) -> Files {
    let mut texts: Vec<(&str, String)> = FILES.iter().map(|name| (*name, text(name))).collect();
    for step in std::iter::once(&edit.step).chain(&edit.also) {
        let (_, text) = texts.iter_mut().find(|(name, _)| *name == step.file).expect("the file is there");
        assert!(text.contains(&step.from), "{} is not in {}", step.from, step.file);
        *text = text.replacen(&step.from, &step.to, 1);
    }
    let files = Files::new().with("ask.md", text("ask.md"));
    texts.iter().fold(files, |files, (name, text)| files.with(*name, text.as_str()))
}

#[test]
fn every_change_of_a_key_or_declaration_is_found_and_nothing_else() {
    let mut all = String::new();
    let mut wrong = String::new();
    let mut met = BTreeSet::new();
    let mut sources = Sources::new();
    let before = Ready::read(&mut sources, &mut files(), "whole.yaml");
    for edit in edits() {
        let after = match Ready::try_read(&mut sources, &mut edited(&edit), "whole.yaml") {
            Ok(after) => after,
            Err(errors) => {
                let _ = writeln!(wrong, "{edit:#?}\n{errors}");
                continue;
            }
        };
        let found = compare(&before, &after);
        let back = compare(&after, &before);
        assert_eq!(found.changes.is_empty(), back.changes.is_empty(), "{edit:#?}");
        if kinds(&found) != edit.kinds {
            let _ = writeln!(wrong, "wanted {:?}, found {:?}\n{edit:#?}", edit.kinds, kinds(&found));
        }
        met.extend(kinds(&found));
        let _ = writeln!(all, "## {:?}\n", edit.kinds);
        for change in &found.changes {
            let _ = writeln!(all, "{} [{}] {}", change.path, change.kind.slug, change.message);
        }
        let _ = writeln!(all, "\n{}", diff::text::render(&found, &sources, false));
    }
    assert!(wrong.is_empty(), "{wrong}");
    let missing: Vec<&str> = diff::kinds()
        .iter()
        .map(|kind| kind.slug)
        .filter(|slug| !met.contains(slug) && *slug != "program-changed")
        .collect();
    assert!(missing.is_empty(), "no edit shows {missing:?}");
    insta::assert_snapshot!("edits", all);
}

/// Words of the schema itself, which stand under its key `properties`; and two keys that stand on a line above what is changed.
const NO_EDIT: [&str; 6] =
    ["additionalProperties", "branches", "description", "propertyNames", "then", "type"];

#[test]
fn every_key_of_the_schema_is_changed_by_an_edit() {
    let schema = loopwright::syntax::schema();
    let mut keys = BTreeSet::new();
    collect(&schema, &mut keys);
    assert!(keys.len() > 60, "{keys:?}");
    let sections = schema["properties"].as_object().expect("the schema lists the sections");
    let mut touched = String::new();
    for edit in edits() {
        for step in std::iter::once(&edit.step).chain(&edit.also) {
            let text = text(&step.file);
            let from = text.find(&step.from).and_then(|at| text[..at].rfind('\n')).unwrap_or(0);
            let line = text[from..].trim_start().lines().next().unwrap_or_default();
            let _ = writeln!(touched, "{line}\n{}\n{}", step.from, step.to);
        }
    }
    let whole = text("whole.yaml") + &text("same.yaml");
    let missing: Vec<&String> = keys
        .iter()
        .filter(|key| !NO_EDIT.contains(&key.as_str()))
        .filter(|key| {
            let key = format!("{key}:");
            let section = sections.contains_key(key.trim_end_matches(':')) && whole.contains(&key);
            !touched.contains(&key) && !section
        })
        .collect();
    assert!(missing.is_empty(), "no edit touches {missing:?}");
}

fn collect(schema: &serde_json::Value, keys: &mut BTreeSet<String>) {
    if let Some(properties) = schema.get("properties").and_then(|p| p.as_object()) {
        keys.extend(properties.keys().cloned());
    }
    match schema {
        serde_json::Value::Object(map) => map.values().for_each(|inner| collect(inner, keys)),
        serde_json::Value::Array(list) => list.iter().for_each(|inner| collect(inner, keys)),
        _ => {}
    }
}

#[test]
fn a_variant_differs_in_what_it_overrides_and_in_nothing_else() {
    let mut sources = Sources::new();
    let before = Ready::read(&mut sources, &mut files(), "whole.yaml");
    let variant = Ready::read(&mut sources, &mut files(), "variant.yaml");
    let found = compare(&before, &variant);
    insta::assert_snapshot!("variant", diff::text::render(&found, &sources, false));
    insta::assert_snapshot!("variant_json", format!("{:#}", diff::json::render(&found, &sources)));
    let same = Ready::read(&mut sources, &mut files(), "same.yaml");
    assert!(compare(&before, &same).changes.is_empty());
}

#[test]
fn a_shipped_graph_does_not_differ_from_itself_and_differs_from_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("graphs/mini.yaml")];
    let tour = std::fs::read_dir(root.join("graphs/tour")).expect("the tour can be listed");
    paths.extend(tour.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.to_string_lossy();
        let is_graph = std::fs::read_to_string(path).is_ok_and(|text| text.contains("\ngraph: "));
        name.ends_with(".yaml") && !name.ends_with(".scenarios.yaml") && is_graph
    }));
    paths.sort();
    assert!(paths.len() > 5, "{paths:?}");
    let mut sources = Sources::new();
    let mut disk = loopwright::drive::Disk::default();
    let mut read = |path: &Path| {
        let checked = check_file(&mut sources, &mut disk, &path.to_string_lossy());
        let model = checked.model.expect("a shipped graph has a model");
        let program = compile(&model).expect("a shipped graph compiles");
        Ready { model, program, trees: checked.trees, bound: checked.bound }
    };
    let versions: Vec<[Ready; 2]> = paths.iter().map(|path| [read(path), read(path)]).collect();
    for (at, [one, again]) in versions.iter().enumerate() {
        assert!(compare(one, again).changes.is_empty(), "{}", paths[at].display());
        for [other, _] in &versions[at + 1..] {
            assert!(!compare(one, other).changes.is_empty());
            assert!(!compare(other, one).changes.is_empty());
        }
    }
}

#[test]
fn the_two_syntaxes_do_not_differ_and_a_change_is_shown_alike_in_both() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| std::fs::read_to_string(root.join(path)).expect("a graph can be read");
    let (yaml, dsl) = (text("graphs/mini.yaml"), text("tests/loop/mini.loop"));
    let edited = dsl.replacen("rounds = 3", "rounds = 5", 1);
    assert_ne!(dsl, edited);
    let prompt = text("graphs/prompts/decide.md");
    let mut files = Files::new()
        .with("mini.yaml", yaml)
        .with("mini.loop", dsl)
        .with("edited.loop", edited)
        .with("prompts/decide.md", prompt);
    let mut sources = Sources::new();
    let [yaml, dsl, edited] =
        ["mini.yaml", "mini.loop", "edited.loop"].map(|path| Ready::read(&mut sources, &mut files, path));
    assert!(compare(&yaml, &dsl).changes.is_empty());
    for one in [&yaml, &dsl] {
        let found = compare(one, &edited);
        let shown: Vec<_> = found.changes.iter().map(|change| change.message.as_str()).collect();
        assert_eq!(shown, ["the limit of the budget `rounds` changed from `3` to `5`"]);
    }
}

/// A graph of `count` nodes, all with that word and names that start with that letter.
fn long(count: usize, node: &str, word: &str) -> String {
    let mut text = format!("graph: long\nstate:\n  note: string = ''\nstart: {node}0\nnodes:\n");
    for at in 0..count {
        let _ = writeln!(text, "  {node}{at}:\n    do: note = '{word} {at}'\n    next: {node}{}", at + 1);
    }
    let _ = writeln!(text, "  {node}{count}: {{kind: final}}");
    text
}

/// Compares two graphs in which every node says something else, and two in which every node has another name. Gives the time
/// it took.
fn compare_long(count: usize) -> Duration {
    let mut sources = Sources::new();
    let mut files = Files::new()
        .with("one.yaml", long(count, "n", "a"))
        .with("other.yaml", long(count, "m", "a"))
        .with("changed.yaml", long(count, "n", "b"));
    let [one, other, changed] =
        ["one.yaml", "other.yaml", "changed.yaml"].map(|path| random::load(&mut sources, &mut files, path));
    let [one, other, changed] = [one, other, changed].map(|ready| ready.expect("a long graph compiles"));
    let start = Instant::now();
    assert_eq!(compare(&one, &changed).changes.len(), count);
    let renamed = compare(&one, &other);
    let names = renamed.changes.iter().filter(|change| change.kind.slug == "node-renamed").count();
    assert!(names >= count, "{names} renamed, {} changes", renamed.changes.len());
    let text = diff::text::render(&renamed, &sources, false);
    assert!(text.lines().count() > count * 9 / 10);
    start.elapsed()
}

#[test]
fn graphs_of_ten_thousand_nodes_take_ten_times_as_long_as_those_of_a_thousand() {
    let short = (0..3).map(|_| compare_long(1_000)).min().unwrap_or_default();
    let long = compare_long(10_000);
    println!("1,000 nodes: {short:?}, 10,000 nodes: {long:?}");
    // Both are measured in one run, beside other tests; quadratic work would take a hundred times as long.
    assert!(long < short * 40, "1,000 nodes: {short:?}, 10,000 nodes: {long:?}");
}
