//! Clean graphs with one fault put in: `check` must name it.

use rand::Rng;
use rand::rngs::SmallRng;
use serde_json::{Map, Value as Json, json};

use super::files::{FilePath, FileStep, found, part, paths, remove};
use super::graph::CleanCase;

/// A kind of fault.
pub(super) struct FaultPlan {
    pub(super) name: &'static str,
    /// The part of the design of the proof that says it is to be found.
    pub(super) section: u8,
    /// The rule that finds it.
    pub(super) slug: &'static str,
    /// Not found yet. The row must lose this word as soon as it is.
    pub(super) later: bool,
    /// Puts it in. False where the graph has no place for it.
    pub(super) plant: fn(&mut CleanCase, &mut SmallRng) -> bool,
}

/// A plan for a fault that comes with a node of its own.
macro_rules! node_plan {
    ($section:literal, $name:literal, $slug:literal, $later:literal, $sections:tt, $node:tt) => {
        FaultPlan {
            name: $name,
            section: $section,
            slug: $slug,
            later: $later,
            plant: |case, random| insert(case, random, $section, &json!($sections), &json!($node)),
        }
    };
}

pub(super) const PLANS: &[FaultPlan] = &[
    // 1. Values get in only where they fit.
    FaultPlan {
        name: "an answer goes to a field of another type",
        section: 1,
        slug: "type-mismatch",
        later: false,
        plant: wrong_into,
    },
    node_plan!(
        1, "a literal out of bounds", "type-mismatch", false,
        {"state": {"zz": "int(0..3) = 0"}},
        {"do": ["zz = 7"], "next": [{"to": "NEXT"}]}
    ),
    // 2. Null and names in templates.
    node_plan!(
        2, "a field of what may be null in a template", "maybe-null", false,
        {"types": {"Zz": {"f": "int"}}, "state": {"zz": "Zz?"}, "texts": {"zt": "{{ zz.f }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "a filter on what may be null in a template", "maybe-null", false,
        {"state": {"zz": "string?"}, "texts": {"zt": "{{ zz | length }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "an operator on what may be null in a template", "maybe-null", false,
        {"state": {"zz": "int?"}, "texts": {"zt": "{{ zz + 1 }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "a key that may not be there in a template", "maybe-missing", false,
        {"state": {"zz": "map<int> = {}"}, "texts": {"zt": "{{ zz.k }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "a key of a map that a template writes out without it", "maybe-missing", false,
        {"types": {"Zz": {"f": "int"}}, "state": {"zz": "Zz?"}, "texts": {"zt": "{{ (zz or {}).f }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "a field that an item of a list does not have in a template", "unknown-variable", false,
        {"types": {"Zz": {"f": "int"}}, "state": {"zz": "list<Zz> = []"},
         "texts": {"zt": "{% for one in zz %}{{ one.g }}{% endfor %}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "an unknown function in a template", "unknown-function", false,
        {"texts": {"zt": "{{ zz_there_is_none() }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "an unknown name in a template", "unknown-variable", false,
        {"texts": {"zt": "{{ zz_there_is_none }}"}},
        {"kind": "human", "ask": "zt", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "null in arithmetic", "maybe-null", false,
        {"state": {"zz": "int?", "zy": "int = 0"}},
        {"do": ["zy = zz + 1"], "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "null after a guard that was undone", "maybe-null", false,
        {"state": {"zz": "int?", "zy": "int = 0"}},
        {"do": ["zz = 3", "zz = null", "zy = zz"], "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        2, "an index into a map that nothing shows to be there", "maybe-missing", false,
        {"state": {"zz": "map<int> = {}", "zy": "int = 0"}},
        {"do": ["zy = zz['k']"], "next": [{"to": "NEXT"}]}
    ),
    // 3. Ways out.
    node_plan!(
        3, "a hard budget that nobody answers", "unhandled", false,
        {"budgets": {"zz": 1}},
        {"do": ["spend zz", "spend zz"], "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        3, "a tool whose error nobody answers", "unhandled", false,
        {},
        {"kind": "tool", "tool": "probe", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        3, "a tool whose kinds are answered one by one", "unhandled", false,
        {},
        {"kind": "tool", "tool": "probe", "next": [{"to": "NEXT"}, {"to": "NEXT", "on": [
            "error(invalid_args)", "error(unknown_tool)", "error(tool_failed)", "error(rate_limited)", "error(unavailable)",
            "error(timeout)", "error(denied)"
        ]}]}
    ),
    node_plan!(
        3, "an edge that fails after another one did", "unhandled", false,
        {"budgets": {"zz": 1}},
        {"do": ["spend zz"], "next": [
            {"to": "NEXT", "do": ["spend zz"]},
            {"to": "NEXT", "on": "exhausted(zz)", "do": ["spend zz"]},
            {"to": "NEXT", "on": "exhausted(zz)"}
        ]}
    ),
    node_plan!(
        3, "a model whose error nobody answers", "unhandled", false,
        {},
        {"kind": "model", "role": "writer", "prompt": "'well?'", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        3, "a person who is too late, and nobody answers", "unhandled", false,
        {},
        {"kind": "human", "ask": "'well?'", "timeout": "1h", "next": [{"to": "NEXT"}]}
    ),
    node_plan!(
        3, "an edge on a timeout that there is not", "dead-edge", false,
        {},
        {"kind": "human", "ask": "'well?'", "next": [{"to": "NEXT"}, {"to": "NEXT", "on": "timeout"}]}
    ),
    node_plan!(
        3, "an edge on an error that an action cannot have", "dead-edge", false,
        {"state": {"zz": "int = 0"}},
        {"do": ["zz += 1"], "next": [{"to": "NEXT"}, {"to": "NEXT", "on": "error(rate_limited)"}]}
    ),
    node_plan!(
        3, "null after an edge that was barred", "maybe-null", false,
        {"state": {"zz": "int?", "zy": "int = 0", "zx": "int = 0"}},
        {"kind": "tool", "tool": "probe", "into": "zy", "next": [
            {"to": "NEXT"},
            {"to": "NEXT", "on": "error", "when": "zz == null", "do": ["zy = 1 / zx"]},
            {"to": "NEXT", "on": "error", "do": ["zy = zz"]}
        ]}
    ),
    // 4. Guards, decided.
    FaultPlan {
        name: "an edge after one without a guard",
        section: 4,
        slug: "dead-edge",
        later: false,
        plant: dead_edge,
    },
    FaultPlan {
        name: "a guard for the last edge on success",
        section: 4,
        slug: "no-otherwise",
        later: false,
        plant: gap,
    },
    node_plan!(
        4, "a number between two guards", "no-otherwise", false,
        {"state": {"zz": "int = 0"}},
        {"kind": "choice", "next": [{"to": "NEXT", "when": "zz < 3"}, {"to": "NEXT", "when": "zz > 3"}]}
    ),
    node_plan!(
        4, "a member that no guard names", "no-otherwise", false,
        {"state": {"zz": "enum(one, two, three) = 'one'"}},
        {"kind": "choice", "next": [{"to": "NEXT", "when": "zz == 'one'"}, {"to": "NEXT", "when": "zz == 'two'"}]}
    ),
    node_plan!(
        4, "NaN between two guards", "no-otherwise", false,
        {"state": {"zz": "int = 0", "zy": "float = 0.0"}},
        {"kind": "tool", "tool": "probe", "into": "zy", "next": [
            {"to": "NEXT", "when": "zz < zy"}, {"to": "NEXT", "when": "zz >= zy"}, {"to": "NEXT", "on": "error"}
        ]}
    ),
    node_plan!(
        4, "a guard that an earlier one covers", "dead-edge", false,
        {"state": {"zz": "int = 0"}},
        {"kind": "choice", "next": [{"to": "NEXT", "when": "zz < 3"}, {"to": "NEXT", "when": "zz < 2"}, {"to": "NEXT"}]}
    ),
    node_plan!(
        4, "a guard that cannot hold", "dead-edge", false,
        {"state": {"zz": "bool = false"}},
        {"kind": "choice", "next": [{"to": "NEXT", "when": "zz && !zz"}, {"to": "NEXT"}]}
    ),
    node_plan!(
        4, "a guard out of the bounds of its type", "dead-edge", false,
        {"state": {"zz": "int(0..3) = 0"}},
        {"kind": "choice", "next": [{"to": "NEXT", "when": "zz > 5"}, {"to": "NEXT"}]}
    ),
    // 5. Ends.
    FaultPlan {
        name: "a loop without a spend",
        section: 5,
        slug: "endless-loop",
        later: false,
        plant: unpaid_loop,
    },
    FaultPlan {
        name: "the spends of a graph",
        section: 5,
        slug: "endless-loop",
        later: false,
        plant: no_spends,
    },
    node_plan!(
        5, "a spend after what may fail, round an error", "endless-loop", false,
        {"state": {"zz": "int = 0"}, "budgets": {"zb": 3}},
        {"do": ["zz += 1", "spend zb"], "next": [{"to": "NEXT"}, {"to": "OWN", "on": "error"}, {"to": "NEXT", "on": "exhausted(zb)"}]}
    ),
    node_plan!(
        5, "a measure that its own loop sets back", "endless-loop", false,
        {"state": {"zz": "int = 0"}},
        {"kind": "tool", "tool": "probe", "do": ["zz = 0"], "next": [
            {"to": "NEXT"}, {"to": "OWN", "on": "error", "when": "zz < 3", "do": ["zz += 1"]}, {"to": "NEXT", "on": "error"}
        ]}
    ),
    node_plan!(
        5, "an advisory budget as the only one", "endless-loop", false,
        {"budgets": {"zb": {"limit": 3, "gate": "advisory"}}},
        {"kind": "choice", "next": [{"to": "OWN", "when": "!exhausted(zb)", "do": ["spend zb"]}, {"to": "NEXT"}]}
    ),
    node_plan!(
        5, "a spend of nothing", "bad-amount", false,
        {"budgets": {"zb": 3}},
        {"do": ["spend zb by 0"], "next": [{"to": "NEXT"}, {"to": "NEXT", "on": "exhausted(zb)"}]}
    ),
];

/// The file of the graph that is run.
fn root(case: &mut CleanCase) -> Option<&mut Json> {
    case.files.iter_mut().find(|(name, _)| name == "root.yaml").map(|(_, doc)| doc)
}

/// The paths in a file that end with these keys, numbers of items aside.
fn ending(doc: &Json, fits: impl Fn(&[FileStep], &Json) -> bool) -> Vec<FilePath> {
    paths(doc).into_iter().filter(|path| found(doc, path).is_some_and(|part| fits(path, part))).collect()
}

fn is_key(step: Option<&FileStep>, name: &str) -> bool {
    matches!(step, Some(FileStep::Key(key)) if key == name)
}

/// Puts a node between the ends of an edge of the graph, or before its start. `NEXT` is where the edge led, `OWN` the node.
fn insert(case: &mut CleanCase, random: &mut SmallRng, section: u8, sections: &Json, node: &Json) -> bool {
    if section == 5 && pays_itself(case) {
        return false;
    }
    let Some(doc) = root(case) else { return false };
    let top: Vec<String> =
        doc["nodes"].as_object().map(|nodes| nodes.keys().cloned().collect()).unwrap_or_default();
    let edges = ending(doc, |path, part| {
        path.len() == 5
            && is_key(path.get(2), "next")
            && is_key(path.last(), "to")
            && top.iter().any(|name| part == name)
            // What leads there may never happen otherwise.
            && found(doc, &path[..4])
                .is_some_and(|edge| edge.get("on").is_none() && !edge["do"].to_string().contains("fail "))
    });
    let target = if edges.is_empty() || random.random_bool(0.3) {
        doc.get_mut("start")
    } else {
        part(doc, &edges[random.random_range(0..edges.len())])
    };
    let Some(target) = target else { return false };
    let next = std::mem::replace(target, json!("planted"));
    let Some(next) = next.as_str() else { return false };
    let node =
        node.to_string().replace("\"NEXT\"", &json!(next).to_string()).replace("\"OWN\"", "\"planted\"");
    doc["nodes"]["planted"] = serde_json::from_str(&node).expect("a node stays a node");
    for (section, entries) in sections.as_object().into_iter().flatten() {
        if !doc[section].is_object() {
            doc[section] = Json::Object(Map::new());
        }
        for (name, entry) in entries.as_object().into_iter().flatten() {
            doc[section][name] = entry.clone();
        }
    }
    true
}

/// True if every transition pays, so that no loop is without end.
fn pays_itself(case: &CleanCase) -> bool {
    case.files.iter().any(|(_, doc)| doc["budgets"].to_string().contains("transitions"))
}

fn wrong_into(case: &mut CleanCase, random: &mut SmallRng) -> bool {
    let Some(doc) = root(case) else { return false };
    let places = ending(doc, |path, _| {
        is_key(path.last(), "into") && !is_key(path.get(path.len().wrapping_sub(3)), "branches")
    });
    let typed: Vec<_> = places
        .into_iter()
        .filter(|path| {
            let node = found(doc, &path[..path.len() - 1]);
            // What may be anything is tested when it comes.
            let any =
                |node: &Json| ["output", "answer"].iter().any(|key| node[*key].to_string().contains("any"));
            node.is_some_and(|node| {
                matches!(node["kind"].as_str(), Some("model" | "human" | "call")) && !any(node)
            })
        })
        .collect();
    if typed.is_empty() {
        return false;
    }
    doc["state"]["zz"] = json!("map<list<usd>> = {}");
    let path = &typed[random.random_range(0..typed.len())];
    if let Some(place) = part(doc, path) {
        *place = json!("zz");
    }
    true
}

/// The lists of edges of nodes that have an edge on success without a guard.
fn open_lists(doc: &Json) -> Vec<FilePath> {
    ending(doc, |path, part| {
        let open = |edge: &Json| edge.get("on").is_none() && edge.get("when").is_none();
        is_key(path.last(), "next") && part.as_array().is_some_and(|edges| edges.iter().any(open))
    })
}

fn dead_edge(case: &mut CleanCase, random: &mut SmallRng) -> bool {
    let Some(doc) = root(case) else { return false };
    let lists = open_lists(doc);
    if lists.is_empty() {
        return false;
    }
    let Some(Json::Array(edges)) = part(doc, &lists[random.random_range(0..lists.len())]) else {
        return false;
    };
    let to = edges[0]["to"].clone();
    edges.push(json!({"to": to, "when": "step() > 1"}));
    true
}

fn gap(case: &mut CleanCase, random: &mut SmallRng) -> bool {
    let Some(doc) = root(case) else { return false };
    let lists = open_lists(doc);
    if lists.is_empty() {
        return false;
    }
    doc["state"]["zz"] = json!("string = ''");
    let Some(Json::Array(edges)) = part(doc, &lists[random.random_range(0..lists.len())]) else {
        return false;
    };
    for edge in edges.iter_mut().filter(|edge| edge.get("on").is_none() && edge.get("when").is_none()) {
        edge["when"] = json!("zz == 'a text that nobody writes'");
    }
    true
}

fn unpaid_loop(case: &mut CleanCase, random: &mut SmallRng) -> bool {
    let sections = json!({"state": {"zz": "bool = false"}});
    // A tool that is called in each round may pay.
    if case
        .files
        .iter()
        .any(|(_, doc)| ["tool.calls", "transitions"].iter().any(|paid| doc.to_string().contains(paid)))
    {
        return false;
    }
    let node = json!({"kind": "tool", "tool": "probe", "into": "zz", "next": [
        {"to": "OWN", "when": "zz"}, {"to": "NEXT"}, {"to": "NEXT", "on": "error"}
    ]});
    insert(case, random, 5, &sections, &node)
}

/// Takes all spends out of a graph that has a loop which they pay for.
fn no_spends(case: &mut CleanCase, _: &mut SmallRng) -> bool {
    // Where no loop is reached the bound names no limit.
    let bound = case.check().checked.bound;
    if pays_itself(case) || !bound.is_some_and(|bound| bound.transitions.formula.contains("limit(")) {
        return false;
    }
    let Some(doc) = root(case) else { return false };
    let mut spends = ending(doc, |path, part| {
        is_key(path.get(path.len().wrapping_sub(2)), "do")
            && part.as_str().is_some_and(|text| text.starts_with("spend "))
    });
    let back = spends.iter().any(|path| {
        let edge = found(doc, &path[..path.len() - 2]);
        let own = path.iter().rev().nth(4);
        matches!((edge.and_then(|edge| edge["to"].as_str()), own), (Some(to), Some(FileStep::Key(own))) if to == own)
            && edge.is_some_and(|edge| edge.get("when").is_none())
    });
    if !back {
        return false;
    }
    spends.sort();
    for path in spends.iter().rev() {
        remove(doc, path);
    }
    true
}
