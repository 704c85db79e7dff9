//! Graphviz lays out every drawing, and sees what was drawn: nodes, boxes, edges, labels.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use loopwright::render::{ArrowEnd, Drawing, dot};
use serde_json::{Value as Json, json};

use super::mermaid::{random, shipped};
use super::parts::say;

/// What Graphviz sees of a drawing: nodes and boxes with their labels and what they lie in, edges in order of the alphabet.
#[derive(Debug, PartialEq)]
struct Seen {
    nodes: BTreeSet<String>,
    edges: Vec<String>,
}

/// What it shall see.
fn wanted(drawing: &Drawing) -> Seen {
    let mut wanted = Seen { nodes: BTreeSet::new(), edges: Vec::new() };
    let id = |item: Option<usize>| item.map_or("root", |item| drawing.items[item].id.as_str());
    let cluster = |item: usize| format!("cluster_{}", drawing.items[item].id);
    let node = |id: &str, label: &str, parent: Option<usize>| {
        json!([id, label.trim().chars().map(shown).collect::<String>(), parent.map(cluster)]).to_string()
    };
    for (at, item) in drawing.items.iter().enumerate().filter(|(_, item)| !item.alone) {
        let name = if item.open { cluster(at) } else { item.id.clone() };
        wanted.nodes.insert(node(&name, &item.label, item.parent));
        if item.open {
            wanted.nodes.insert(node(&format!("{}_start", item.id), "", Some(at)));
        }
    }
    // Where an arrow begins or ends, and the box that is meant.
    let end = |end: ArrowEnd| match end {
        ArrowEnd::Item(item) if drawing.items[item].open => {
            (format!("{}_start", drawing.items[item].id), Some(cluster(item)))
        }
        ArrowEnd::Item(item) => (drawing.items[item].id.clone(), None),
        ArrowEnd::Start(parent) => (format!("{}_start", id(parent)), None),
        ArrowEnd::Finish(parent) => (format!("{}_end", id(parent)), None),
    };
    for arrow in &drawing.arrows {
        for point in [arrow.from, arrow.to] {
            if let ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) = point {
                wanted.nodes.insert(node(&end(point).0, "", parent));
            }
        }
        let label: String = arrow.label.trim().chars().map(shown).collect();
        let style = arrow.error.then_some("dotted");
        let colour = arrow.taken.then_some("orangered");
        let ((from, tail), (to, head)) = (end(arrow.from), end(arrow.to));
        // Only what crosses the border of a box is cut there.
        let tail = tail.filter(|_| !lies_in(drawing, arrow.to, arrow.from));
        let head = head.filter(|_| !lies_in(drawing, arrow.from, arrow.to));
        wanted.edges.push(json!([[from, tail], [to, head], label, style, colour]).to_string());
    }
    wanted.edges.sort();
    wanted
}

/// Whether the first end lies in the second, or is it.
fn lies_in(drawing: &Drawing, inner: ArrowEnd, outer: ArrowEnd) -> bool {
    let mut next = match inner {
        ArrowEnd::Item(item) => Some(item),
        ArrowEnd::Start(parent) | ArrowEnd::Finish(parent) => parent,
    };
    std::iter::from_fn(|| {
        let item = next?;
        next = drawing.items[item].parent;
        Some(item)
    })
    .any(|item| ArrowEnd::Item(item) == outer)
}

fn shown(c: char) -> char {
    match c {
        '\n' => '\n',
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn seen(graph: &Json) -> Seen {
    let list = |value: &Json, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let objects = list(graph, "objects");
    let at = |number: &Json| usize::try_from(number.as_u64().expect("a number")).expect("it is small");
    let mut parents = vec![None; objects.len()];
    // A box names all that lies in it; the innermost box comes last.
    for (box_at, object) in objects.iter().enumerate() {
        for node in list(object, "nodes").iter().map(at) {
            parents[node] = Some(box_at);
        }
    }
    for (box_at, object) in objects.iter().enumerate() {
        for inner in list(object, "subgraphs").iter().map(at) {
            parents[inner] = Some(box_at);
        }
    }
    let name = |at: usize| objects[at]["name"].as_str().unwrap_or_default();
    let node = |(at, object): (usize, &Json)| {
        json!([name(at), read(&object["label"]), parents[at].map(name)]).to_string()
    };
    let edges = list(graph, "edges");
    let edge = |edge: &Json| {
        let (from, to) =
            ((name(at(&edge["tail"])), &edge["ltail"]), (name(at(&edge["head"])), &edge["lhead"]));
        json!([from, to, read(&edge["label"]), edge["style"], edge["color"]]).to_string()
    };
    let mut edges: Vec<String> = edges.iter().map(edge).collect();
    edges.sort();
    Seen { nodes: objects.iter().enumerate().map(node).collect(), edges }
}

/// A label as a person reads it: without escapes and entities.
fn read(label: &Json) -> String {
    let mut out = String::new();
    let mut rest = label.as_str().expect("a label is a text");
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            let next = rest.chars().next().expect("an escape is of two signs");
            rest = &rest[next.len_utf8()..];
            out.push(if next == 'n' { '\n' } else { next });
        } else if let Some((entity, behind)) = rest.split_once(';').filter(|_| c == '&') {
            rest = behind;
            let number = entity.strip_prefix('#').and_then(|number| char::from_u32(number.parse().ok()?));
            let sign = number.or_else(|| (entity == "amp").then_some('&'));
            out.push(sign.unwrap_or_else(|| panic!("what is &{entity};?")));
        } else {
            out.push(c);
        }
    }
    out
}

fn compare(drawings: &[(String, Drawing)]) {
    let texts: String = drawings.iter().map(|(_, drawing)| dot(drawing)).collect();
    let file = tempfile::NamedTempFile::new().expect("a file can be made");
    fs::write(file.path(), texts).expect("the file can be written");
    let output = match Command::new("dot").arg("-Tdot_json").arg(file.path()).output() {
        Ok(output) => output,
        Err(error) => return say("drawings are not read back with Graphviz", &format!("dot: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    // It has more to say where there are no fonts.
    let quiet = !said.lines().any(|line| line.starts_with("Error") || line.contains("cluster"));
    assert!(output.status.success() && quiet, "{said}");
    let graphs = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Json>();
    let graphs: Vec<Json> = graphs.map(|graph| graph.expect("Graphviz prints JSON")).collect();
    assert_eq!(graphs.len(), drawings.len());
    for ((name, drawing), graph) in drawings.iter().zip(&graphs) {
        let (wanted, seen) = (wanted(drawing), seen(graph));
        let lacking: Vec<_> = wanted.nodes.difference(&seen.nodes).collect();
        let surplus: Vec<_> = seen.nodes.difference(&wanted.nodes).collect();
        let text = dot(drawing);
        assert!(
            lacking.is_empty() && surplus.is_empty(),
            "{name}: not seen: {lacking:#?}\nnot drawn: {surplus:#?}\n{text}"
        );
        assert_eq!(seen.edges, wanted.edges, "{name}\n{text}");
    }
}

#[test]
fn graphviz_sees_every_graph_as_it_is_drawn() {
    compare(shipped());
}

#[test]
fn graphviz_sees_random_graphs_with_nasty_names_as_they_are_drawn() {
    compare(random());
}
