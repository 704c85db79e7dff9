//! What the loader makes of several files: variants, used files, called graphs; and of graphs that are very faulty.

use std::fmt::Write;
use std::path::Path;

use loopwright::check::check_file;
use loopwright::model::expr::ExprKind;
use loopwright::model::node::{Node, NodeKind, TextSource};
use loopwright::model::types::Kind;
use loopwright::model::typing::show;
use loopwright::model::{Files, Graph, Loaded, load};
use loopwright::source::Sources;
use loopwright::value::Value;

/// The fixtures of the checks, by name.
fn fixtures() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut files = Files::new();
    for folder in ["", "parts/"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the fixtures are there") {
            let path = entry.expect("the folder can be read").path();
            if path.extension().is_some_and(|e| e == "yaml") {
                let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
                files = files.with(
                    format!("{folder}{name}"),
                    std::fs::read_to_string(&path).expect("a fixture is text"),
                );
            }
        }
    }
    files
}

fn loaded(name: &str) -> Loaded {
    let loaded = load(&mut Sources::new(), &mut fixtures(), name);
    assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
    loaded
}

fn node<'g>(graph: &'g Graph, name: &str) -> &'g Node {
    graph.graph.node_weights().find(|n| n.name.value == name).expect("the graph has this node")
}

#[test]
fn a_variant_replaces_what_it_gives_and_keeps_the_rest() {
    let loaded = loaded("good-variant.yaml");
    let graph = loaded.model.as_ref().expect("a sound graph has a model").root();
    assert_eq!(graph.id.value, "variant");
    assert!(matches!(&graph.budgets[0].limit.kind, ExprKind::Const(Value::Int(7))));
    assert!(graph.texts.iter().any(|t| t.name.value == "ask" && t.body.text.starts_with("Another")));
    assert!(graph.texts.iter().any(|t| t.name.value == "common"), "texts of files used by the base stay");
    // `think` is patched where it is nested: its own keys change, its entry and edges stay.
    let think = node(graph, "think");
    assert_eq!(graph.graph[think.parent.expect("it is nested")].name.value, "round");
    assert_eq!((think.entry.statements.len(), think.then.statements.len(), think.edges.len()), (1, 1, 3));
    let NodeKind::Model(model) = &think.kind else { panic!("it is a model node") };
    assert!(matches!(model.prompt, Some(TextSource::Text(_))));
    // `report` has a kind, so it is replaced as a whole, in its place; `extra` is new.
    let report = node(graph, "report");
    assert_eq!(report.edges.len(), 1);
    let (_, to) = graph.graph.edge_endpoints(report.edges[0]).expect("the edge has ends");
    assert_eq!(graph.graph[to].name.value, "extra");
    let names: Vec<&str> = graph.graph.node_weights().map(|n| n.name.value.as_str()).collect();
    assert_eq!(names, ["round", "think", "report", "end", "extra"]);
}

#[test]
fn called_graphs_are_linked_once_and_give_their_outputs() {
    let loaded = loaded("good-calls.yaml");
    let model = loaded.model.as_ref().expect("a sound graph has a model");
    let paths: Vec<&str> = model.graphs.iter().map(|g| g.path.as_str()).collect();
    assert_eq!(paths, ["good-calls.yaml", "parts/child.yaml"]);
    let slot = |name: &str| &model.root().slots.iter().find(|s| s.name.value == name).expect("a slot").ty;
    let Kind::Record(id) = slot("one").kind else { panic!("outputs are a record") };
    let fields: Vec<String> = model
        .types
        .record(id)
        .fields
        .iter()
        .map(|f| format!("{}: {}", f.name, show(&f.ty, &model.types)))
        .collect();
    assert_eq!(fields, ["outcome: string", "hits: list<string>", "notes: map<string>"]);
    let NodeKind::Call(call) = &node(model.root(), "single").kind else { panic!("it is a call") };
    let inputs: Vec<usize> = call.graph.callables().map(|callable| callable.with.len()).collect();
    assert_eq!(inputs, [2]);
    assert!(call.into.is_some() && call.merge.is_some());
}

#[test]
fn limits_stand_behind_those_they_use() {
    let loaded = loaded("good-sections.yaml");
    let graph = loaded.model.as_ref().expect("a sound graph has a model").root();
    let names: Vec<&str> = graph.budgets.iter().map(|b| b.name.value.as_str()).collect();
    assert_eq!(names, ["turns", "doubled", "money", "clock", "stage.tries"]);
}

#[test]
fn a_text_and_a_graph_are_found_beside_the_file_that_names_them() {
    let mut files = Files::new()
        .with("a/main.yaml", "graph: main\nuse: lib/words.yaml\nstart: go\nnodes:\n  go: {kind: call, graph: lib/sub.yaml, next: end}\n  end: {kind: final}\n")
        .with("a/lib/words.yaml", "texts:\n  hello: {file: hello.md}\n")
        .with("a/lib/hello.md", "Hello.")
        .with("a/lib/sub.yaml", "graph: sub\nstart: end\nnodes:\n  end: {kind: final}\n");
    let loaded = load(&mut Sources::new(), &mut files, "a/main.yaml");
    assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
    let model = loaded.model.expect("a sound graph has a model");
    assert_eq!(model.root().texts[0].body.text, "Hello.");
    assert_eq!(model.graphs[1].path, "a/lib/sub.yaml");
}

#[test]
fn a_very_faulty_graph_is_given_up_with_one_more_finding() {
    let mut text = String::from("graph: faulty\nstart: n0\nnodes:\n");
    for i in 0..5_000 {
        writeln!(text, "  n{i}:\n    do: countt = sizee(missing{i})\n    next: [{{to: nowhere{i}}}]")
            .expect("a string takes all");
    }
    let checked = check_file(&mut Sources::new(), &mut Files::new().with("faulty.yaml", text), "faulty.yaml");
    assert!(checked.model.is_none());
    assert!(checked.findings.len() < 1_000, "{}", checked.findings.len());
    assert!(checked.findings.iter().any(|f| f.rule.slug() == "too-many-findings"));
}

#[test]
fn files_that_call_ever_deeper_end_at_the_limit() {
    let mut files = Files::new();
    for i in 0..100 {
        let text = format!(
            "graph: g{i}\nstart: go\nnodes:\n  go: {{kind: call, graph: g{}.yaml, next: end}}\n  end: {{kind: final}}\n",
            i + 1
        );
        files = files.with(format!("g{i}.yaml"), text);
    }
    let checked = check_file(&mut Sources::new(), &mut files, "g0.yaml");
    let rules: Vec<&str> = checked.findings.iter().map(|f| f.rule.slug()).collect();
    assert_eq!(rules, ["too-deep"]);
}
