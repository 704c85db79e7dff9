//! One test of the public CEL conformance suite.

use serde_json::Value as Json;

/// The keys of a line.
const KEYS: [&str; 8] = ["f", "n", "e", "x", "b", "c", "check_only", "disable_check"];

/// A line of `cel_simple.jsonl`.
pub(super) struct Case {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) wanted: Wanted,
    pub(super) bindings: Vec<(String, Typed)>,
    pub(super) container: String,
    /// The test says nothing of a value, only that the checker accepts it.
    pub(super) check_only: bool,
    /// The test is to be run without a type checker.
    pub(super) unchecked: bool,
}

/// What a test wants.
pub(super) enum Wanted {
    Error,
    Value(Typed),
}

/// A value with its CEL type: `["int", 3]`.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) kind: String,
    pub(super) json: Json,
}

impl Typed {
    pub(super) fn new(json: &Json) -> Self {
        let kind = json[0].as_str().expect("a typed value names its type").to_owned();
        Self { kind, json: json[1].clone() }
    }

    /// The values inside a list, or the keys and values of a map.
    pub(super) fn parts(&self) -> Vec<Self> {
        let entries = self.json.as_array().map(Vec::as_slice).unwrap_or_default();
        match self.kind.as_str() {
            "list" => entries.iter().map(Self::new).collect(),
            "map" => entries.iter().flat_map(|entry| [Self::new(&entry[0]), Self::new(&entry[1])]).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a value of that type is in it, at any depth.
    pub(super) fn holds(&self, kind: &str) -> bool {
        self.kind == kind || self.parts().iter().any(|part| part.holds(kind))
    }

    /// Whether a map with other keys than strings is in it.
    pub(super) fn has_other_keys(&self) -> bool {
        let parts = self.parts();
        let other = self.kind == "map" && parts.iter().step_by(2).any(|key| key.kind != "string");
        other || parts.iter().any(Self::has_other_keys)
    }
}

impl Case {
    pub(super) fn new(line: &str) -> Self {
        let json: Json = serde_json::from_str(line).expect("each line is JSON");
        let text = |key: &str| json[key].as_str().expect("a text").to_owned();
        let mut keys = json.as_object().expect("each line is a record").keys();
        assert!(keys.all(|key| KEYS.contains(&key.as_str())), "a key that is not read: {line}");
        let wanted = Typed::new(&json["x"]);
        Self {
            file: text("f"),
            name: text("n"),
            text: text("e"),
            wanted: if wanted.kind == "error" { Wanted::Error } else { Wanted::Value(wanted) },
            bindings: json["b"]
                .as_array()
                .expect("a list of bindings")
                .iter()
                .map(|b| (b[0].as_str().expect("a name").to_owned(), Typed::new(&b[1])))
                .collect(),
            container: text("c"),
            check_only: json["check_only"] == true,
            unchecked: json["disable_check"] == true,
        }
    }

    /// The values the test gives and wants.
    pub(super) fn values(&self) -> impl Iterator<Item = &Typed> {
        let wanted = match &self.wanted {
            Wanted::Error => None,
            Wanted::Value(value) => Some(value),
        };
        self.bindings.iter().map(|(_, value)| value).chain(wanted)
    }
}
