//! Random graphs whose names and texts are hard on a drawing language.

use loopwright::check::{Checked, check_file};
use loopwright::model::Files;
use loopwright::source::Sources;
use loopwright::syntax::print::quoted;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value as Json, json};

const NAMES: &[&str] = &[
    "end",
    "End",
    "END",
    "end_",
    "default",
    "class",
    "classDef",
    "state",
    "note",
    "root",
    "graph",
    "subgraph",
    "style",
    "linkStyle",
    "click",
    "call",
    "href",
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "x",
    "o",
    "v",
    "_self",
    "direction",
    "start",
    "root_start",
    "root_end",
    "end_start",
    "x_end",
    "fork",
    "join",
    "choice",
    "flowchart",
    "title",
    "scale",
    "accTitle",
    "TB",
    "plain",
    "another_node",
    "_",
    "__",
    "a1",
    "node",
    "digraph",
    "strict",
    "edge",
    "cluster",
];

const PIECES: &[&str] = &[
    "end",
    ";",
    "\"",
    "'",
    "<",
    ">",
    "#",
    "&",
    "\n",
    "😀",
    "👩‍👩‍👧",
    "\u{200f}",
    "\u{202e}",
    "%%",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "|",
    ":",
    ":::",
    "-->",
    "--",
    "===",
    "`",
    "*",
    "_",
    "__",
    "$$",
    "~~~",
    "\\",
    "\\n",
    "/",
    "direction LR",
    "Direction  TB",
    "subgraph",
    "state x",
    "note right of",
    "1.",
    "- ",
    "+",
    "@{",
    "<br/>",
    "<<choice>>",
    "[*]",
    " x ",
    "a b",
    "&amp;",
    "#59;",
    "#quot;",
    "ﬂ°",
    "ﬂ°°59",
    "¶ß",
    "www.",
    "http://",
    "fa:fa-car",
    "style",
    "style:#1;",
    "classDef a:#b;",
    "\t",
    "---",
    "==",
    "%%{init: {}}%%",
    "{{",
    "}}",
    "日本",
    "عربي",
    "é",
    "<script>",
    "</b>",
    "javascript:",
    "\u{a0}",
    "\u{feff}",
    "as y",
    "0",
    "#",
];

/// A text of up to eight pieces.
fn text(random: &mut StdRng) -> String {
    let count = random.random_range(0..8);
    (0..count).map(|_| *PIECES.choose(random).expect("there are pieces")).collect()
}

/// A graph, read and judged; its edges lead anywhere, so there may be findings.
pub(super) fn graph(seed: u64) -> Checked {
    let random = &mut StdRng::seed_from_u64(seed);
    let count = random.random_range(2..14);
    let mut names: Vec<&str> = Vec::new();
    while names.len() < count {
        let name = NAMES.choose(random).expect("there are names");
        if !names.contains(name) {
            names.push(name);
        }
    }
    let (mut left, mut nodes) = (names.as_slice(), Map::new());
    let start = names[0];
    while let Some((name, rest)) = left.split_first() {
        left = rest;
        let node = node(random, &names, &mut left, 0);
        nodes.insert((*name).to_owned(), node);
    }
    let graph = json!({
        "graph": "random",
        "state": {"text": "string = ''"},
        "start": {"to": start, "label": text(random)},
        "nodes": nodes,
    });
    let mut files = Files::new().with("random.yaml", graph.to_string());
    check_file(&mut Sources::new(), &mut files, "random.yaml")
}

/// A node; a composite takes what lies in it from the names that are left.
fn node(random: &mut StdRng, names: &[&str], left: &mut &[&str], depth: usize) -> Json {
    let mut node = Map::new();
    if random.random_bool(0.7) {
        node.insert("title".to_owned(), text(random).into());
    }
    match random.random_range(0..6) {
        0 => {
            node.insert("kind".to_owned(), "final".into());
            if random.random_bool(0.5) {
                node.insert("as".to_owned(), "end".into());
            }
            return node.into();
        }
        1 => {
            node.insert("kind".to_owned(), "choice".into());
        }
        2 | 3 if depth < 3 && !left.is_empty() => {
            let count = random.random_range(1..=left.len().min(4));
            let mut inner = Map::new();
            node.insert("start".to_owned(), json!({"to": left[0], "label": text(random)}));
            for _ in 0..count {
                if let Some((name, rest)) = left.split_first() {
                    *left = rest;
                    let child = self::node(random, names, left, depth + 1);
                    inner.insert((*name).to_owned(), child);
                }
            }
            node.insert("nodes".to_owned(), inner.into());
        }
        _ => {
            node.insert("do".to_owned(), "text = 'x'".into());
        }
    }
    let edges: Vec<Json> = (0..random.random_range(1..4)).map(|_| edge(random, names)).collect();
    node.insert("next".to_owned(), edges.into());
    node.into()
}

fn edge(random: &mut StdRng, names: &[&str]) -> Json {
    let mut edge = Map::new();
    edge.insert("to".to_owned(), (*names.choose(random).expect("there are names")).into());
    for (key, often) in [("label", 0.5), ("outer", 0.2)] {
        if random.random_bool(often) {
            edge.insert(key.to_owned(), text(random).into());
        }
    }
    if random.random_bool(0.4) {
        edge.insert("when".to_owned(), format!("text == {}", quoted(&text(random))).into());
    }
    if random.random_bool(0.3) {
        let on = *["error", "error(evaluation)", "timeout"].choose(random).expect("there are triggers");
        edge.insert("on".to_owned(), on.into());
    }
    edge.into()
}
