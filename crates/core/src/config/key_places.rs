//! Keys of tables in the text of a configuration, with their places.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The keys of tables of a configuration, each with its bytes in the text. Of a text that is no TOML nothing is found.
#[must_use]
pub fn table_keys(text: &str, tables: &[&str]) -> Vec<(String, Range<usize>)> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let tables = tables.iter().filter_map(|table| match document.get_ref().get(*table)?.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    tables.flat_map(|table| table.keys()).map(|key| (key.get_ref().to_string(), key.span())).collect()
}
