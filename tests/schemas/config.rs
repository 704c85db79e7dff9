//! `loopwright.toml`.

use std::sync::LazyLock;

use jsonschema::Validator;
use loopwright::config::file_schema;
use serde_json::Value;

use super::corpus::texts;
use super::mutants::{keys_in, keys_of, mutants};
use super::{faults, fixture, validator};
use crate::config::read;

fn json(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("the text is TOML");
    serde_json::to_value(table).expect("the text is JSON as well")
}

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| validator(&file_schema()));

/// Holds a text that the reader takes against the schema. Each test that reads a configuration does so.
pub(crate) fn fits_the_schema_of_configurations(text: &str) {
    assert_eq!(faults(&VALIDATOR, &json(text)), Vec::<String>::new(), "of {text}");
}

#[test]
fn every_configuration_that_is_read_fits() {
    let texts = texts("toml", &["toml"]);
    let read_ones = texts.iter().filter(|(_, text)| !text.trim().is_empty() && read(text).is_ok());
    let count = read_ones.count();
    assert!(count > 40, "{count} configurations");
}

#[test]
fn a_file_has_every_key() {
    let (schema, file) = (file_schema(), fixture("every_key.toml"));
    assert!(read(&file).is_ok(), "{:?}", read(&file));
    let value = json(&file);
    let missing = &keys_of(&schema) - &keys_in(&schema, &value);
    assert!(missing.is_empty(), "tests/schemas/every_key.toml lacks {missing:#?}");
}

#[test]
fn the_reader_and_the_schema_agree_on_changed_files() {
    let (schema, value) = (file_schema(), json(&fixture("every_key.toml")));
    let (mut refused, mut wrong) = (0, Vec::new());
    let mutants = mutants(&schema, &value);
    for (words, mutant) in &mutants {
        let table: toml::Table = serde_json::from_value(mutant.clone()).expect("it is TOML as well");
        let ours = read(&table.to_string());
        refused += usize::from(ours.is_err());
        if ours.is_ok() != VALIDATOR.is_valid(mutant) {
            wrong.push(format!("{words}: the reader says {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 150, "{refused} of {}", mutants.len());
}

#[test]
fn a_key_of_another_table_and_a_wrong_type_are_refused() {
    for text in [
        "[toolz]",
        "[models.a]\nprovider = \"openai\"",
        "[models.a]\nprovider = \"opanai\"\nmodel = \"m\"",
        "[models.a]\nprovider = \"openai\"\nmodel = \"m\"\nalso_on = []",
        "[models.a]\nuse = [\"b\"]\nmodel = \"m\"",
        "[builtin]\nlist_files = {root = \".\", max_bytes = 1}",
        "[builtin]\nread_file = true",
        "[limits.tools.calculator]\ncost = \"$1\"",
        "[run]\nat_once = 0",
        "[run]\nat_once = 1025",
        "[check]\nunusd = \"off\"",
        "[check]\nunused = \"quiet\"",
        "[hooks.a]\ncommand = [\"a\"]\non = [\"run.begun\"]",
        "[tools.\"a b\"]\ncommand = [\"a\"]",
        "[tools.a]\ncommand = \"a b\"",
        "[tools.a]\ncommand = [\"a\"]\nargs = {x = \"text\"}",
        "[webhooks.a]\ngraph = \"g\"",
        "[webhooks.a]\ngraph = \"g\"\nsecret_env = \"A\"\nsecret_file = \"b\"",
        "[mcp.a]\ncommand = \"a\"\nurl = \"https://a.com\"",
        "[inputs]\na = {env = 1}",
    ] {
        assert!(read(text).is_err(), "the reader takes {text}");
        assert!(!VALIDATOR.is_valid(&json(text)), "the schema takes {text}");
    }
}
