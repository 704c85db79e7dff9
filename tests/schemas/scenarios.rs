//! Scenario files and scripts.

use loopwright::diag::Severity;
use loopwright::scenario::{file_schema, is_script, json, read, read_answers, script_schema};
use loopwright::source::Sources;
use serde_json::Value;

use super::corpus::texts;
use super::mutants::{keys_in, keys_of, mutants};
use super::{faults, fixture, validator};

/// The errors of the reader.
fn refused(text: &str, is_script: bool) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("a.yaml", text);
    let found = if is_script { read_answers(&sources, file).1 } else { read(&sources, file).1 };
    found.into_iter().filter(|one| one.severity == Severity::Error).map(|one| one.message).collect()
}

fn value(text: &str) -> Value {
    json(text).0
}

fn fits(schema: &Value, is_one: impl Fn(&str) -> bool, is_script: bool) -> usize {
    let validator = validator(schema);
    let (mut count, mut wrong) = (0, Vec::new());
    for (place, text) in texts("yaml", &["yaml", "yml"]) {
        if !is_one(&text) || !refused(&text, is_script).is_empty() {
            continue;
        }
        count += 1;
        let faults = faults(&validator, &value(&text));
        if !faults.is_empty() {
            wrong.push(format!("{place}: {faults:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}

#[test]
fn every_scenario_file_that_is_read_fits() {
    let count = fits(&file_schema(), |text| text.contains("scenarios:"), false);
    assert!(count > 40, "{count} files");
}

#[test]
fn every_script_that_is_read_fits() {
    let count = fits(&script_schema(), is_script, true);
    assert!(count > 15, "{count} scripts");
}

#[test]
fn a_file_has_every_key() {
    for (schema, name, is_script) in
        [(file_schema(), "every_key.scenarios.yaml", false), (script_schema(), "every_key.script.yaml", true)]
    {
        let text = fixture(name);
        assert_eq!(refused(&text, is_script), Vec::<String>::new(), "{name}");
        let value = value(&text);
        assert_eq!(faults(&validator(&schema), &value), Vec::<String>::new(), "{name}");
        let missing = &keys_of(&schema) - &keys_in(&schema, &value);
        assert!(missing.is_empty(), "tests/schemas/{name} lacks {missing:#?}");
    }
}

#[test]
fn the_reader_and_the_schema_agree_on_changed_files() {
    for (schema, name, is_script) in
        [(file_schema(), "every_key.scenarios.yaml", false), (script_schema(), "every_key.script.yaml", true)]
    {
        let validator = validator(&schema);
        let (mut count, mut wrong) = (0, Vec::new());
        for (words, mutant) in mutants(&schema, &value(&fixture(name))) {
            let found = refused(&mutant.to_string(), is_script);
            count += usize::from(!found.is_empty());
            if found.is_empty() != validator.is_valid(&mutant) {
                wrong.push(format!("{name}: {words}: the reader says {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count > 25, "{count} of {name}");
    }
}

#[test]
fn unknown_keys_and_wrong_types_are_refused() {
    let validator = validator(&file_schema());
    for text in [
        "grph: g.yaml",
        "graph: g.yaml",
        "graph: [g.yaml]\nscenarios: []",
        "graph: g.yaml\nscenarios: {}",
        "graph: g.yaml\nscenarios: [{expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, expct: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, expect: {ok: 'yes'}}]",
        "graph: g.yaml\nscenarios: [{name: a, expect: {path: act}}]",
        "graph: g.yaml\nscenarios: [{name: a, seed: -1, expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, tools: [{tool: t}], expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, tools: [{ok: 1, error: denied}], expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, model: [{error: {kind: denied, why: a}}], expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, model: [{ok: 1, usage: {cost: []}}], expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: a, catalogue: [{name: t, delivery: pur}], expect: {}}]",
        "graph: g.yaml\ndefaults: {expect: {}}\nscenarios: []",
    ] {
        assert!(!refused(text, false).is_empty(), "the reader takes {text}");
        assert!(!validator.is_valid(&value(text)), "the schema takes {text}");
    }
    for text in [
        "graph: g.yaml\nscenarios: [{name: a, model: [{ok: 1, more: 2}, {error: true}, 1, text], expect: {}}]",
        "graph: g.yaml\nscenarios: [{name: 5, human: [{ok: 1}, approve], expect: {}}]",
        "graph: g.yaml\ndefaults:\nscenarios:\n- {name: a, model: , tools: , expect: }",
    ] {
        assert_eq!(refused(text, false), Vec::<String>::new(), "{text}");
        assert_eq!(faults(&validator, &value(text)), Vec::<String>::new(), "{text}");
    }
}
