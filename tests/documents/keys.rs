//! `docs/reference/language/keys.md`: the keys of a graph file, from the schema that the tables of keys give.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

const OPENING: &str = "\
# Keys of a graph file

Every key with the form of its value. This page is made from the tables that read a file:
`LOOPWRIGHT_UPDATE=1 cargo test --locked --test main documents` writes it anew. `loopwright schema` prints the same for editors.

A *name* has letters, digits and `_`; the name of a *tool* may hold `-`, `.`, `/` and `:`, too. An *expression* may be written as a YAML number, boolean, list or mapping, too.
*Statements* stand in a list or in a text, one a line. The loop DSL has the same keys: [the grammar](../../../grammar/GRAMMAR.md#the-loop-dsl).
";

/// The parts of the page: a title, a word before the table, and the path to the properties in the schema.
const TABLES: &[(&str, &str, &str)] = &[
    ("Sections of a file", "", "/properties"),
    (
        "Edges",
        "An entry of `next`. An edge without other keys is the name of its node alone.",
        "/$defs/edge/properties",
    ),
    ("Retry", "A number alone is `attempts`.", "/$defs/node/properties/retry/anyOf/1/properties"),
    ("Branches of a parallel node", "", "/$defs/branch/properties"),
    ("Budgets", "An expression alone is `limit`.", "/$defs/budget/anyOf/1/properties"),
    ("Families of budgets", "", "/$defs/budget/anyOf/2/properties"),
    ("Pause", "", "/properties/pause/properties"),
    ("Migration", "", "/properties/migrate/properties"),
    ("Views", "", "/properties/views/additionalProperties/properties"),
];

/// The form of a value in a word or two.
fn form(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return if name == "#" { "graph" } else { name.trim_start_matches("#/$defs/") }.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        let mut forms: Vec<String> =
            forms.iter().filter(|form| form["type"] != "null").map(form_of_one).collect();
        forms.dedup();
        return forms.join(" or ");
    }
    form_of_one(schema)
}

fn form_of_one(schema: &Value) -> String {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("array") => format!("list of {}", form(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("{} by name", form(&schema["additionalProperties"]))
        }
        Some("object") => "mapping".to_owned(),
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => form(schema),
    }
}

fn table(page: &mut String, keys: &serde_json::Map<String, Value>, wanted: impl Fn(&str) -> bool) {
    page.push_str("\n| key | value | |\n|---|---|---|\n");
    for (name, schema) in keys.iter().filter(|(name, _)| wanted(name)) {
        let doc = schema["description"].as_str().expect("each key has a description");
        let _ = writeln!(page, "| `{name}` | {} | {doc} |", form(schema));
    }
}

fn page() -> String {
    let schema = loopwright::syntax::schema();
    let keys = |path: &str| schema.pointer(path).and_then(Value::as_object).expect("the schema has the keys");
    let mut page = OPENING.to_owned();
    let (sections, others) = TABLES.split_first().expect("there are tables");
    let add = |page: &mut String, (title, word, path): &(&str, &str, &str)| {
        let _ = write!(page, "\n## {title}\n");
        if !word.is_empty() {
            let _ = write!(page, "\n{word}\n");
        }
        table(page, keys(path), |_| true);
    };
    add(&mut page, sections);
    page.push_str("\n## Nodes\n\nEvery kind has `kind`, `title`, `doc`, `ignore` (rules of `check` that find nothing here, each with the reason) and \
         `new` (true for a node that a variant adds); what else it has stands here.\n");
    let cases = schema["$defs"]["node"]["allOf"].as_array().expect("a case for each kind");
    for case in cases {
        // The last case, of nodes without a kind, is that of `action` once more.
        let (Some(kind), Some(doc)) =
            (case["if"]["properties"]["kind"]["const"].as_str(), case["then"]["description"].as_str())
        else {
            continue;
        };
        let own = case["then"]["propertyNames"]["enum"].as_array().expect("the keys of the kind");
        let _ = write!(page, "\n### {kind}\n\n{doc}\n");
        table(&mut page, keys("/$defs/node/properties"), |name| {
            !matches!(name, "kind" | "title" | "doc" | "ignore" | "new") && own.iter().any(|key| key == name)
        });
    }
    for part in others {
        add(&mut page, part);
    }
    page
}

#[test]
fn the_page_of_keys_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(super::language::FOLDER).join("keys.md");
    let page = page();
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let shown = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        shown == page,
        "{} is stale: run LOOPWRIGHT_UPDATE=1 cargo test --locked --test main documents",
        path.display()
    );
}
