//! Drawings: every graph at every depth in every form, and what each flag changes.
//!
//! A file dropped into `graphs/` or `tests/render/` gets its snapshots without a line of Rust.

mod command;

use std::path::Path;

use loopwright::check::{Checked, check_file};
use loopwright::model::node::{NodeId, NodeKind};
use loopwright::model::{Files, Graph, Model};
use loopwright::render::{
    ArrowEnd, Drawing, DrawingFormat, Focus, Opening, Options, RenderFault, dot, flow, state,
};
use loopwright::source::Sources;

use super::graphs::{Repository, name};

/// A drawing in one form.
fn written(drawing: &Drawing, form: DrawingFormat) -> String {
    match form {
        DrawingFormat::State => state(drawing),
        DrawingFormat::Flow => flow(drawing),
        DrawingFormat::Dot => dot(drawing),
    }
}

/// A file, read and judged.
pub(crate) fn checked(path: &Path) -> Checked {
    check_file(&mut Sources::new(), &mut Repository::whole(), &name(path))
}

/// How many levels of nodes a graph has.
fn levels(graph: &Graph) -> usize {
    let depth = |id: NodeId| {
        let mut depth = 1;
        let mut node = &graph.graph[id];
        while let Some(parent) = node.parent {
            node = &graph.graph[parent];
            depth += 1;
        }
        depth
    };
    graph.graph.node_indices().map(depth).max().unwrap_or(1)
}

/// All ways in which a graph is drawn here, each with a name.
pub(crate) fn ways(model: &Model) -> Vec<(String, Options)> {
    let root = model.root();
    let depth = |depth| Options { opening: Opening::Depth(depth), ..Options::default() };
    let mut all: Vec<(String, Options)> =
        (1..=levels(root)).map(|levels| (format!("--depth {levels}"), depth(levels))).collect();
    all.push(("--flat".to_owned(), Options { flat: true, ..Options::default() }));
    all.push(("--hide errors".to_owned(), Options { errors: false, ..Options::default() }));
    if model.graphs.len() > 1 {
        all.push(("--expand".to_owned(), Options { expand: true, ..Options::default() }));
    }
    for node in root.graph.node_weights() {
        if let NodeKind::Composite(_) | NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_) =
            node.kind
        {
            let focus = Focus::Named(node.name.to_string());
            all.push((format!("--node {}", node.name.value), Options { focus, ..Options::default() }));
        }
    }
    for view in &root.views {
        all.push((format!("--view {}", view.name.value), Options::of_view(view).0));
    }
    all
}

fn each(path: &Path) {
    let file = name(path);
    let checked = checked(path);
    let Some(model) = checked.model.as_ref().filter(|_| checked.is_sound()) else { return };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/render");
    settings.set_snapshot_suffix(file.replace('/', "-"));
    settings.bind(|| {
        for (form, word) in
            [(DrawingFormat::State, "state"), (DrawingFormat::Flow, "flow"), (DrawingFormat::Dot, "dot")]
        {
            let mut out = String::new();
            for (way, options) in ways(model) {
                let drawing =
                    Drawing::new(model, &checked.trees, &options).expect("shipped graphs are small");
                out.extend(["$ --as ", word, " ", &way, "\n", &written(&drawing, form), "\n"]);
            }
            insta::assert_snapshot!(word, out);
        }
    });
}

#[test]
fn every_graph_in_every_way() {
    insta::glob!("../../graphs", "**/*.{yaml,loop}", |path| {
        let text = path.to_string_lossy();
        if !text.ends_with(".scenarios.yaml") && !text.ends_with(".script.yaml") {
            each(path);
        }
    });
    insta::glob!("*.{yaml,loop}", each);
}

fn of(text: &str) -> (Model, Checked) {
    let mut files = Files::new().with("a.yaml", text);
    let checked = check_file(&mut Sources::new(), &mut files, "a.yaml");
    (checked.model.clone().expect("the text holds a graph"), checked)
}

#[test]
fn only_composites_and_calls_can_be_drawn_alone() {
    let (model, checked) = of("graph: a\nstart: work\nnodes:\n  work: {next: end}\n  end: {kind: final}\n");
    let draw = |name: &str| {
        let options = Options { focus: Focus::Named(name.to_owned()), ..Options::default() };
        Drawing::new(&model, &checked.trees, &options)
    };
    assert_eq!(draw("work"), Err(RenderFault::Empty("work".to_owned())));
    assert_eq!(draw("nobody"), Err(RenderFault::Unknown("nobody".to_owned())));
    assert!(draw("a").is_ok(), "a graph can be named by its id");
}

#[test]
fn called_graphs_that_multiply_are_refused() {
    // Each graph calls the next one twice: 2^40 drawings in the last.
    let mut files = Files::new();
    for i in 0..40 {
        let next = i + 1;
        let text = format!(
            "graph: g{i}\nstart: a\nnodes:\n  a: {{kind: call, graph: g{next}.yaml, next: b}}\n  b: {{kind: call, graph: g{next}.yaml, next: e}}\n  e: {{kind: final}}\n"
        );
        files = files.with(format!("g{i}.yaml"), &text);
    }
    files = files.with("g40.yaml", "graph: g40\nstart: e\nnodes:\n  e: {kind: final}\n");
    let checked = check_file(&mut Sources::new(), &mut files, "g0.yaml");
    let model = checked.model.as_ref().expect("the graphs can be read");
    let options = Options { expand: true, ..Options::default() };
    let refused = Drawing::new(model, &checked.trees, &options);
    assert!(matches!(refused, Err(RenderFault::TooLarge(_))), "{refused:?}");
}

#[test]
fn a_drawing_in_full_has_every_node_and_every_edge() {
    insta::glob!("../../graphs", "**/*.yaml", |path| {
        let checked = checked(path);
        let Some(model) = checked.model.as_ref().filter(|_| checked.is_sound()) else { return };
        let drawing =
            Drawing::new(model, &checked.trees, &Options::default()).expect("a shipped graph is small");
        let graph = &model.root().graph;
        let title = |node: &loopwright::model::node::Node| {
            node.title.as_ref().unwrap_or(&node.name.value).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let label = |end: ArrowEnd| match end {
            ArrowEnd::Item(item) => Some(drawing.items[item].label.replace('\n', " ")),
            ArrowEnd::Start(_) | ArrowEnd::Finish(_) => None,
        };
        let mut drawn: Vec<usize> = Vec::new();
        for arrow in &drawing.arrows {
            for edge in &arrow.edges {
                let (from, to) =
                    graph.edge_endpoints(petgraph::graph::EdgeIndex::new(*edge)).expect("an edge has ends");
                // A final may be drawn as the end of its box.
                for (end, node) in [(arrow.from, from), (arrow.to, to)] {
                    let seen = label(end).unwrap_or_else(|| title(&graph[node]));
                    assert_eq!(seen, title(&graph[node]), "{}", path.display());
                }
                drawn.push(*edge);
            }
        }
        drawn.sort_unstable();
        assert_eq!(drawn, (0..graph.edge_count()).collect::<Vec<_>>(), "{}", path.display());
        assert_eq!(drawing.items.len(), graph.node_count(), "{}", path.display());
    });
}
