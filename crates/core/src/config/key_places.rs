//! Places of keys in the text of a configuration.

use toml::de::{DeTable, DeValue};

/// The places of a key in tables of a configuration. Of a text that is no TOML nothing is found.
#[must_use]
pub fn key_places(text: &str, tables: &[&str], key: &str) -> Vec<(usize, usize)> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let tables = tables.iter().filter_map(|table| match document.get_ref().get(*table)?.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    let keys = tables.flat_map(|table| table.keys()).filter(|own| own.get_ref() == key);
    keys.map(|own| (own.span().start, own.span().end)).collect()
}

/// The keys of a table of a configuration.
#[must_use]
pub fn table_keys(text: &str, table: &str) -> Vec<String> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    match document.get_ref().get(table).map(toml::Spanned::get_ref) {
        Some(DeValue::Table(table)) => table.keys().map(|key| key.get_ref().to_string()).collect(),
        _ => Vec::new(),
    }
}
