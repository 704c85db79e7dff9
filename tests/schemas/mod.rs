//! The JSON Schemas of files that people write, beside their readers.

mod config;
mod corpus;
mod mutants;
mod scenarios;

use std::path::Path;

pub(crate) use config::fits_the_schema_of_configurations;
use jsonschema::Validator;
use serde_json::Value;

/// A schema, ready to judge.
fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).expect("the schema is a schema")
}

/// The faults of a value, each with its place.
fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name);
    std::fs::read_to_string(path).expect("the fixture can be read")
}
