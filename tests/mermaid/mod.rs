//! The real Mermaid reads every drawing, and sees what was drawn: nodes, boxes, edges, labels.

mod random;
mod reader;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use loopwright::model::Model;
use loopwright::render::{ArrowEnd, Drawing, DrawingItem, ItemShape, TakenPath as Way, flow, state};
use serde_json::{Value as Json, json};

use super::graphs::name;
use super::render::{checked, ways};
use reader::Reader;

/// A label as a person reads it: lines without blanks around them, and no control characters. Pairs that Mermaid takes for
/// entities are kept apart.
fn read(label: &str) -> String {
    let label = label.replace("ﬂ°", "ﬂ\u{200c}°").replace("¶ß", "¶\u{200c}ß");
    let shown = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    let lines = label.trim().lines().map(|line| line.trim().chars().map(shown).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

/// What Mermaid shall see of a drawing.
struct Wanted {
    nodes: BTreeSet<String>,
    edges: Vec<String>,
}

fn node(id: &str, label: &str, parent: Option<&str>, group: bool) -> String {
    json!({"id": id, "label": label, "parent": parent, "group": group}).to_string()
}

fn edge(from: &str, to: &str, label: &str, dotted: bool) -> String {
    json!({"from": from, "to": to, "label": label, "dotted": dotted}).to_string()
}

fn id(drawing: &Drawing, end: ArrowEnd) -> String {
    let of = |item: Option<usize>| item.map_or("root", |item| &drawing.items[item].id);
    match end {
        ArrowEnd::Item(item) => drawing.items[item].id.clone(),
        ArrowEnd::Start(parent) => format!("{}_start", of(parent)),
        ArrowEnd::Finish(parent) => format!("{}_end", of(parent)),
    }
}

fn wanted(drawing: &Drawing, flow: bool) -> Wanted {
    let mut wanted = Wanted { nodes: BTreeSet::new(), edges: Vec::new() };
    let parent = |item: Option<usize>| item.map(|item| drawing.items[item].id.as_str());
    let drawn = drawing.items.iter().filter(|item| !item.alone);
    for item in drawn {
        // A choice of a state diagram has its title in a note; what Mermaid calls its label is its id.
        let note = !flow && item.shape == ItemShape::Choice;
        let label = if note { item.id.clone() } else { read(&item.label) };
        wanted.nodes.insert(node(&item.id, &label, parent(item.parent), item.open));
        if note && item.label != item.id {
            wanted.nodes.insert(json!({"note": read(&item.label)}).to_string());
        }
        if !flow && item.ends {
            point(drawing, ArrowEnd::Finish(item.parent), flow, &mut wanted);
            wanted.edges.push(edge(&item.id, &id(drawing, ArrowEnd::Finish(item.parent)), "", false));
        }
    }
    for arrow in &drawing.arrows {
        point(drawing, arrow.from, flow, &mut wanted);
        point(drawing, arrow.to, flow, &mut wanted);
        let (from, to) = (id(drawing, arrow.from), id(drawing, arrow.to));
        let dot = if arrow.taken && !flow { "● " } else { "" };
        let label = format!("{dot}{}", read(&arrow.label));
        wanted.edges.push(edge(&from, &to, label.trim(), flow && arrow.error));
    }
    wanted.edges.sort();
    wanted
}

/// Start and end points are nodes for Mermaid.
fn point(drawing: &Drawing, end: ArrowEnd, flow: bool, wanted: &mut Wanted) {
    if let ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) = end {
        let id = id(drawing, end);
        let label = if flow { "" } else { id.as_str() };
        let parent = parent.map(|item| drawing.items[item].id.as_str());
        wanted.nodes.insert(node(&id, label, parent, false));
    }
}

fn seen(diagram: &Json) -> Wanted {
    let mut seen = Wanted { nodes: BTreeSet::new(), edges: Vec::new() };
    let text = |value: &Json, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    for entry in diagram["nodes"].as_array().expect("nodes are a list") {
        let id = text(entry, "id");
        if id.contains("----note") {
            seen.nodes.insert(json!({"note": text(entry, "label")}).to_string());
        } else if !id.contains("----parent") {
            let group = entry["group"].as_bool().unwrap_or_default();
            seen.nodes.insert(node(&id, &text(entry, "label"), entry["parent"].as_str(), group));
        }
    }
    for entry in diagram["edges"].as_array().expect("edges are a list") {
        let (from, to) = (text(entry, "from"), text(entry, "to"));
        if !from.contains("----") && !to.contains("----") {
            let dotted = entry["dotted"].as_bool().unwrap_or_default();
            seen.edges.push(edge(&from, &to, &text(entry, "label"), dotted));
        }
    }
    seen.edges.sort();
    seen
}

/// Has all of them read at once, and compares each.
fn compare(reader: &Reader, drawings: &[(String, Drawing)]) {
    let both = |drawing: &Drawing| [(false, state(drawing)), (true, flow(drawing))];
    let texts: Vec<_> =
        drawings.iter().flat_map(|(name, d)| both(d).map(|(flow, text)| (name, d, flow, text))).collect();
    let plain: Vec<&str> = texts.iter().map(|(.., text)| text.as_str()).collect();
    let diagrams = reader.read(&plain);
    assert_eq!(diagrams.len(), texts.len());
    for ((name, drawing, flow, text), diagram) in texts.iter().zip(&diagrams) {
        assert!(diagram.get("error").is_none(), "{name}: {}\n{text}", diagram["error"]);
        let (wanted, seen) = (wanted(drawing, *flow), seen(diagram));
        let lacking: Vec<_> = wanted.nodes.difference(&seen.nodes).collect();
        let surplus: Vec<_> = seen.nodes.difference(&wanted.nodes).collect();
        assert!(
            lacking.is_empty() && surplus.is_empty(),
            "{name}: not seen: {lacking:#?}\nnot drawn: {surplus:#?}\n{text}"
        );
        assert_eq!(seen.edges, wanted.edges, "{name}\n{text}");
    }
}

/// Every shipped graph in every way.
pub(crate) fn shipped() -> &'static [(String, Drawing)] {
    static DRAWINGS: OnceLock<Vec<(String, Drawing)>> = OnceLock::new();
    DRAWINGS.get_or_init(draw_shipped)
}

fn draw_shipped() -> Vec<(String, Drawing)> {
    let mut drawings = Vec::new();
    let mut add = |path: &Path| {
        let file = name(path);
        if file.ends_with(".scenarios.yaml") || file.ends_with(".script.yaml") {
            return;
        }
        let checked = checked(path);
        let Some(model) = checked.model.as_ref().filter(|_| checked.is_sound()) else { return };
        for (way, options) in ways(model) {
            let drawing = Drawing::new(model, &checked.trees, &options).expect("shipped graphs are small");
            drawings.push((format!("{file} {way}"), drawing));
        }
    };
    insta::glob!("../../graphs", "**/*.{yaml,loop}", &mut add);
    insta::glob!("../render", "*.{yaml,loop}", &mut add);
    assert!(drawings.len() > 50);
    drawings
}

/// Random graphs with nasty names, each of them in one way, so that all ways come up; every third with the way of a run.
pub(crate) fn random() -> &'static [(String, Drawing)] {
    static DRAWINGS: OnceLock<Vec<(String, Drawing)>> = OnceLock::new();
    DRAWINGS.get_or_init(draw_random)
}

fn draw_random() -> Vec<(String, Drawing)> {
    let mut drawings = Vec::new();
    for seed in 0..500 {
        let checked = random::graph(seed);
        let model = checked.model.as_ref().unwrap_or_else(|| panic!("seed {seed}: {:?}", checked.findings));
        let mut all = ways(model);
        let (way, mut options) = all.swap_remove(usize::try_from(seed).expect("seeds are small") % all.len());
        options.path = (seed % 3 == 0).then(|| half(model));
        let drawing = Drawing::new(model, &checked.trees, &options).expect("random graphs are small");
        drawings.push((format!("seed {seed} {way}"), drawing));
    }
    let some = |has: &dyn Fn(&Drawing) -> bool| assert!(drawings.iter().any(|(_, drawing)| has(drawing)));
    some(&|drawing| drawing.arrows.iter().any(|arrow| arrow.taken && arrow.label.is_empty()));
    for sign in ["\u{202e}", "\u{200f}", "😀", "\n", ";", "\"", "<", "#", "ﬂ°°59", "¶ß"] {
        some(&|drawing| drawing.items.iter().any(|item: &DrawingItem| item.label.contains(sign)));
        some(&|drawing| drawing.arrows.iter().any(|arrow| arrow.label.contains(sign)));
    }
    some(&|drawing| drawing.items.iter().any(|item| item.id == "end_" && item.open));
    drawings
}

/// A run that entered every other node and took every other edge.
fn half(model: &Model) -> Way {
    let graph = model.root();
    let mut way = Way::default();
    graph.graph.node_weights().step_by(2).for_each(|node| way.enter(&graph.id.value, &node.name.value));
    graph.graph.edge_indices().step_by(2).for_each(|edge| way.take(&graph.id.value, edge.index()));
    way
}

#[test]
fn mermaid_sees_every_graph_as_it_is_drawn() {
    let Some(reader) = Reader::get() else { return };
    compare(reader, shipped());
}

#[test]
fn mermaid_sees_random_graphs_with_nasty_names_as_they_are_drawn() {
    let Some(reader) = Reader::get() else { return };
    compare(reader, random());
}
