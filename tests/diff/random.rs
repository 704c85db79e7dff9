//! Random graphs: the same in another form, and one thing changed.

use loopwright::diff::ChangeEffect;
use loopwright::model::Files;
use loopwright::source::Sources;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use serde_yaml::{Mapping, Value};

use super::{Ready, compare};

const GRAPHS: u64 = 100;

/// Puts the keys of nodes, edges and other constructs in another order; the order of declarations stays.
fn shuffle(value: &mut Value, named: bool, random: &mut SmallRng) {
    match value {
        Value::Mapping(map) => {
            let mut entries: Vec<(Value, Value)> = std::mem::take(map).into_iter().collect();
            for (key, inner) in &mut entries {
                let holds_names =
                    matches!(key.as_str(), Some("nodes" | "budgets" | "state" | "errors")) && !named;
                shuffle(inner, holds_names, random);
            }
            if !named {
                entries.shuffle(random);
            }
            *map = entries.into_iter().collect::<Mapping>();
        }
        Value::Sequence(items) => items.iter_mut().for_each(|item| shuffle(item, false, random)),
        _ => {}
    }
}

/// Changes one digit somewhere.
fn change(text: &str, random: &mut SmallRng) -> String {
    let digits: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let at = digits[random.random_range(0..digits.len())];
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &random.random_range(0..10).to_string());
    changed
}

fn read(text: &str, sources: &mut Sources) -> Option<Ready> {
    load(sources, &mut Files::new().with("random.yaml", text), "random.yaml")
}

/// Reads a graph without judging it: random ones may have dead ends and run all the same.
pub(super) fn load(sources: &mut Sources, files: &mut Files, path: &str) -> Option<Ready> {
    let loaded = loopwright::model::load(sources, files, path);
    let model = (!loaded.has_errors()).then_some(loaded.model)??;
    let program = loopwright::compile::compile(&model).ok()?;
    Some(Ready { model, program, trees: loaded.trees, bound: None })
}

#[test]
fn random_graphs_in_another_form_do_not_differ() {
    for seed in 0..GRAPHS {
        let (text, mut random) = graph(seed);
        let mut value: Value = serde_yaml::from_str(&text).expect("a graph is YAML");
        shuffle(&mut value, false, &mut random);
        let other = serde_yaml::to_string(&value).expect("it can be written");
        assert_ne!(text, other);
        let mut sources = Sources::new();
        let one = read(&text, &mut sources).expect("a random graph compiles");
        let other = read(&other, &mut sources).expect("so does its other form");
        assert!(compare(&one, &other).changes.is_empty(), "seed {seed}");
    }
}

#[test]
fn a_changed_digit_is_a_difference_exactly_if_the_digest_says_so() {
    let (mut differ, mut alike) = (0, 0);
    for seed in 0..GRAPHS {
        let (text, mut random) = graph(seed);
        let mut sources = Sources::new();
        let one = read(&text, &mut sources).expect("a random graph compiles");
        for _ in 0..4 {
            let Some(other) = read(&change(&text, &mut random), &mut sources) else { continue };
            // The comparison itself holds the diff against the digests.
            let found = compare(&one, &other);
            *(if found.count(ChangeEffect::Run) > 0 { &mut differ } else { &mut alike }) += 1;
        }
    }
    assert!(differ > 80 && alike > 5, "{differ} differ, {alike} do not");
}

#[test]
fn two_random_graphs_differ() {
    let mut sources = Sources::new();
    let mut before = None;
    for seed in 0..GRAPHS / 2 {
        let (text, _) = graph(seed);
        let one = read(&text, &mut sources).expect("a random graph compiles");
        if let Some(before) = &before {
            assert!(!compare(before, &one).changes.is_empty());
        }
        before = Some(one);
    }
}

fn graph(seed: u64) -> (String, SmallRng) {
    let mut random = SmallRng::seed_from_u64(seed);
    let text = crate::semantics::random_graph(&mut random);
    (text, random)
}
