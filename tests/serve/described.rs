//! The document of the API is made from the handlers, and what is committed is that document.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::world::{Served, TALK};

#[test]
fn the_document_is_the_committed_one_and_is_served() {
    let made = loopwright::serve::web::openapi_json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, &made).expect("the file can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "docs/openapi.json is stale; LOOPWRIGHT_UPDATE=1 writes it anew");
    let served = Served::of(&[("talk.yaml", TALK)], "");
    assert_eq!(served.client().get("/api/v1/openapi.json").is(200).body, made);
    // Every reference leads somewhere.
    let document: Value = serde_json::from_str(&made).expect("it is JSON");
    for reference in references(&document) {
        let place = reference.strip_prefix('#').expect("it leads into the document");
        assert!(document.pointer(place).is_some(), "{reference}");
    }
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value.as_str() {
                Some(text) if name == "$ref" => vec![text.to_owned()],
                _ => references(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
