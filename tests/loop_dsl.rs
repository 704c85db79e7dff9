//! The `.loop` front end: what it reads, what it refuses, and that it reads the same as YAML.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile;
use loopwright::diag::{self, Diagnostic};
use loopwright::model::{Loader, beside};
use loopwright::program::{Program, listing};
use loopwright::source::Sources;
use loopwright::syntax::ast::{Expr, ExprKind};
use loopwright::syntax::tree::{KeyValue, NodeDecl, TextBody, Tree};
use loopwright::syntax::{Syntax, read};

use crate::cli::Desk;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn fixture(name: &str) -> String {
    fs::read_to_string(root().join("tests/loop").join(name)).expect("the fixture can be read")
}

/// Files in `.loop` come from the fixtures, all others from the graphs that are shipped.
struct Both;

impl Loader for Both {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = beside(from, path);
        let folder = if Syntax::of(&name) == Syntax::Loop { "tests/loop" } else { "graphs" };
        let text = fs::read_to_string(root().join(folder).join(&name));
        text.map(|text| (name, text)).map_err(|error| error.to_string().into())
    }
}

pub(crate) fn parse(name: &str, text: &str) -> (Sources, Tree, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, findings) = read(&sources, file);
    (sources, tree, findings)
}

fn program(name: &str) -> Program {
    let mut sources = Sources::new();
    let checked: Checked = check_file(&mut sources, &mut Both, name);
    let said = diag::text::render(&checked.findings, &sources, false);
    let model = checked.model.as_ref().filter(|_| checked.is_sound());
    let model = model.unwrap_or_else(|| panic!("{name} has errors:\n{said}"));
    compile(model).unwrap_or_else(|faults| panic!("{name} cannot be compiled: {faults:?}"))
}

/// The fixtures that stand for a graph that is shipped.
pub(crate) fn translated() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "tour", "tour/parts"] {
        let entries = fs::read_dir(root().join("tests/loop").join(folder)).expect("the folder is there");
        for entry in entries {
            let name = entry.expect("its entries can be read").file_name();
            let path = Path::new(folder).join(name);
            let shipped = root().join("graphs").join(path.with_extension("yaml"));
            if path.extension().is_some_and(|e| e == "loop") && shipped.exists() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a tree says, without its places.
fn told(tree: &Tree) -> String {
    let tree = Tree { comments: Vec::new(), ..tree.clone() };
    let places = regex::Regex::new(r"Span \{\s*file: FileId\(\s*\d+,?\s*\),\s*start: \d+,\s*end: \d+,?\s*\}")
        .expect("the pattern is one");
    let anchors = regex::Regex::new(r"anchors: \[[^\]]*\],\s*end: \d+").expect("the pattern is one");
    let text = format!("{tree:#?}");
    anchors.replace_all(&places.replace_all(&text, "@"), "@").into_owned()
}

#[test]
fn every_key_reads_as_in_yaml() {
    let yaml = fs::read_to_string(root().join("tests/yaml/every_key.yaml")).expect("the fixture can be read");
    let (sources, dsl, findings) = parse("every_key.loop", &fixture("every_key.loop"));
    assert_eq!(diag::text::render(&findings, &sources, false), "");
    let (_, yaml, _) = parse("every_key.yaml", &yaml);
    let (dsl, yaml) = (told(&dsl), told(&yaml));
    if let Some((i, (a, b))) = dsl.lines().zip(yaml.lines()).enumerate().find(|(_, (a, b))| a != b) {
        let around: Vec<_> = dsl.lines().skip(i.saturating_sub(20)).take(30).collect();
        panic!("`{a}` is `{b}` in YAML, in\n{}", around.join("\n"));
    }
    assert_eq!(dsl.len(), yaml.len());
}

#[test]
fn every_translated_graph_is_the_same_program() {
    let names = translated();
    assert!(names.len() >= 10, "{names:?}");
    for path in names {
        let name = path.to_str().expect("fixtures have plain names");
        if name.ends_with("shared.loop") {
            continue;
        }
        let yaml = name.replace(".loop", ".yaml");
        let (dsl, yaml) = (program(name), program(&yaml));
        assert_eq!(listing(&dsl), listing(&yaml), "{name}");
        assert_eq!(dsl.digest, yaml.digest, "{name}");
    }
}

#[test]
fn comments_are_kept() {
    let (sources, tree, _) =
        parse("a.loop", "# one\ngraph g # two\nstate { # three\n  x: int # four\n}\n# é\r\n");
    let comments: Vec<_> = tree.comments.iter().map(|c| (c.value.as_str(), sources.slice(c.span))).collect();
    let wanted = [" one", " two", " three", " four", " é"];
    assert_eq!(comments.len(), wanted.len());
    for ((text, slice), wanted) in comments.iter().zip(wanted) {
        assert_eq!((*text, *slice), (wanted, format!("#{wanted}").as_str()));
    }
}

#[test]
fn faults_are_told_one_by_one_in_order() {
    let mut all = String::new();
    for case in format!("\n{}", fixture("faults.txt")).split("\n== ").filter(|case| !case.trim().is_empty()) {
        let (name, text) = case.split_once('\n').unwrap_or((case, ""));
        let mut sources = Sources::new();
        let mut files = loopwright::model::Files::new().with("graph.loop", text);
        let checked = check_file(&mut sources, &mut files, "graph.loop");
        let starts: Vec<_> = checked.findings.iter().map(|d| d.span().start).collect();
        assert!(starts.is_sorted(), "{name}");
        // A case with several faults says so in its name; any other has one, and one finding tells of it.
        let several =
            ["two", "three", "four", "five"].iter().position(|n| name.starts_with(&format!("{n} faults")));
        assert_eq!(starts.len(), several.map_or(1, |at| at + 2), "{name}");
        let said = diag::text::render(&checked.findings, &sources, false);
        let _ = writeln!(all, "== {name}: {}\n{}\n", checked.findings.len(), said.trim_end());
    }
    insta::assert_snapshot!(all);
}

#[test]
fn any_prefix_and_any_lost_piece_is_answered() {
    let text = fixture("every_key.loop");
    for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
        let (_, tree, findings) = parse("a.loop", &text[..end]);
        assert!(findings.len() < 20, "{} findings at byte {end}", findings.len());
        drop(tree);
        let after = (end + 9).min(text.len());
        if text.is_char_boundary(after) {
            parse("a.loop", &format!("{}{}", &text[..end], &text[after..]));
        }
    }
}

/// A chain of nodes in both syntaxes: `.loop` and YAML.
fn long(nodes: usize) -> (String, String) {
    let mut dsl = String::from(
        "graph long\nstate {\n  phase: enum(open, closed) = 'open'\n  note: string?\n}\nbudget rounds = 100\nstart n0\n",
    );
    let mut yaml = String::from(
        "graph: long\nstate:\n  phase: enum(open, closed) = 'open'\n  note: string?\nbudgets:\n  rounds: 100\nstart: n0\nnodes:\n",
    );
    let last = nodes - 1;
    for node in 0..last {
        let next = node + 1;
        // Writing to a String cannot fail.
        if node % 10 == 0 {
            let _ = writeln!(
                dsl,
                "choice n{node} {{\n  -> n{last} when phase == 'closed' && note != null\n  -> n{next}\n}}"
            );
            let _ = writeln!(
                yaml,
                "  n{node}:\n    kind: choice\n    next:\n      - {{to: n{last}, when: phase == 'closed' && note != null}}\n      - {{to: n{next}}}"
            );
        } else {
            let body = ["note = 'at ", &node.to_string(), "'"].concat();
            let other = "phase = size(note ?? '') > 100 ? 'closed' : 'open'";
            let _ = writeln!(dsl, "action n{node} {{\n  {body}\n  {other}\n  -> n{next}\n}}");
            let _ = writeln!(
                yaml,
                "  n{node}:\n    do: |\n      {body}\n      {other}\n    next:\n      - {{to: n{next}}}"
            );
        }
    }
    let _ = writeln!(dsl, "final n{last} outcome note ?? 'done'");
    let _ = writeln!(yaml, "  n{last}: {{kind: final, outcome: note ?? 'done'}}");
    (dsl, yaml)
}

#[test]
fn a_long_file_loads_as_fast_as_its_yaml() {
    let (dsl, yaml) = long(10_000);
    let time = |name: &str, text: &str| {
        let mut sources = Sources::new();
        let file = sources.add(name, text);
        // The two are compared with each other in one run; neither is held to a time.
        let start = Instant::now();
        let (tree, findings) = read(&sources, file);
        let spent = start.elapsed();
        assert!(findings.is_empty() && tree.nodes.len() == 10_000);
        spent
    };
    // In turns, so that a busy moment meets both.
    let (mut least_dsl, mut least_yaml) = (Duration::MAX, Duration::MAX);
    for _ in 0..8 {
        least_dsl = least_dsl.min(time("long.loop", &dsl));
        least_yaml = least_yaml.min(time("long.yaml", &yaml));
    }
    println!("10,000 nodes: {least_dsl:?} in .loop, {least_yaml:?} in YAML");
    assert!(least_dsl <= least_yaml * 3 / 2, "{least_dsl:?} in .loop, {least_yaml:?} in YAML");
}

/// Checks that names stand where their places say.
fn places(sources: &Sources, node: &NodeDecl, seen: &mut usize) {
    let mut names = vec![&node.name];
    names.extend(&node.kind);
    names.extend(node.start.iter().map(|start| &start.to));
    names.extend(node.state.iter().map(|field| &field.name));
    for (key, value) in &node.keys {
        names.push(key);
        match value {
            KeyValue::Name(name) => names.push(name),
            KeyValue::Names(all) => names.extend(all),
            _ => {}
        }
    }
    let edges = node.edges.iter().flatten();
    names.extend(edges.flat_map(|edge| edge.on.iter().map(|on| &on.name).chain([&edge.to])));
    *seen += names.len();
    for name in names {
        assert_eq!(sources.slice(name.span).trim_matches('\''), name.value);
    }
    assert!(sources.slice(node.span).contains(&node.name.value));
    for edge in node.edges.iter().flatten() {
        assert!(sources.slice(edge.span).starts_with("->"));
        if let Some(label) = &edge.label {
            assert_eq!(sources.slice(label.span), label.value);
        }
        if let Some(when) = &edge.when {
            assert!(sources.text(when.span.file)[..when.span.start as usize].trim_end().ends_with("when"));
            expression(sources, when, seen);
        }
        for statement in edge.action.iter().flat_map(|block| &block.statements) {
            assert!(sources.slice(statement.span).starts_with(|c: char| c.is_alphabetic()));
        }
    }
    node.nodes.iter().for_each(|inner| places(sources, inner, seen));
}

fn expression(sources: &Sources, expr: &Expr, seen: &mut usize) {
    if let ExprKind::Name(name) = &expr.kind {
        assert_eq!(sources.slice(expr.span), name);
        *seen += 1;
    }
    expr.for_each_child(&mut |child| expression(sources, child, seen));
}

#[test]
fn every_place_is_right() {
    let mut seen = 0;
    for path in translated() {
        let name = path.to_str().expect("fixtures have plain names");
        let (sources, tree, _) = parse(name, &fixture(name));
        tree.nodes.iter().for_each(|node| places(&sources, node, &mut seen));
        for field in tree.state.iter().chain(&tree.input) {
            assert!(sources.slice(field.span).starts_with(&field.name.value));
        }
        for (name, value) in &tree.output {
            assert_eq!(sources.slice(name.span), name.value);
            expression(&sources, value, &mut seen);
        }
        for text in &tree.texts {
            if let TextBody::Inline(fragment) = &text.body {
                for (at, c) in fragment.text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                    assert_eq!(sources.slice(fragment.span(at, at + c.len_utf8())), c.to_string(), "{name}");
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} names were seen");
}

#[test]
fn the_program_takes_loop_files_everywhere() {
    let desk = Desk::new();
    desk.write("mini.loop", &fixture("mini.loop").replace("file 'prompts/decide.md'", "'Decide.'"));
    let scenarios = fs::read_to_string(root().join("graphs/mini.scenarios.yaml")).expect("it can be read");
    desk.write("mini.scenarios.yaml", &scenarios.replace("mini.yaml", "mini.loop"));
    let checked = desk.run("check mini.loop");
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{}", checked.stdout);
    let tested = desk.run("test mini.scenarios.yaml");
    assert_eq!(tested.code, Some(0), "{}{}", tested.stdout, tested.stderr);
    desk.write("broken.loop", "graph broken\nstart a\nchoice a { -> b if true }\nfinal b\n");
    let refused = desk.run("check broken.loop");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stdout.contains("broken.loop:3:17"), "{}{}", refused.stdout, refused.stderr);
}

/// A graph in either syntax calls, uses and is tested with files of the other one.
#[test]
fn both_syntaxes_stand_side_by_side() {
    let desk = Desk::new();
    let shipped =
        |name: &str| fs::read_to_string(root().join("graphs/tour").join(name)).expect("it can be read");
    let report = fixture("tour/05-called-graphs.loop");
    let compose = fixture("tour/parts/compose.loop");
    let shared = fixture("tour/parts/shared.loop");
    desk.write("graphs/tour/parts/compose.loop", &compose.replace("shared.loop", "shared.yaml"));
    desk.write("graphs/tour/parts/shared.loop", &shared);
    // The graph in `.loop`, one part in `.loop` that uses YAML, the other parts in YAML.
    let mixed = report.replace("look-up.loop", "look-up.yaml");
    assert!(mixed.contains("parts/compose.loop") && mixed.contains("parts/shared.loop"));
    desk.write("graphs/tour/mixed.loop", &mixed);
    // The graph in YAML, and the part in `.loop`.
    let other = shipped("05-called-graphs.yaml").replace("compose.yaml", "compose.loop");
    assert!(other.contains("parts/compose.loop") && other.contains("parts/look-up.yaml"));
    desk.write("graphs/tour/other.yaml", &other);
    let scenarios = shipped("05-called-graphs.scenarios.yaml");
    for name in ["mixed.loop", "other.yaml"] {
        let checked = desk.run(&format!("check graphs/tour/{name}"));
        assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{name}: {}", checked.stdout);
        desk.write("graphs/tour/mixed.scenarios.yaml", &scenarios.replace("05-called-graphs.yaml", name));
        let tested = desk.run("test graphs/tour/mixed.scenarios.yaml");
        assert_eq!(tested.code, Some(0), "{name}: {}{}", tested.stdout, tested.stderr);
        assert!(tested.stdout.contains("11 passed, 0 failed"), "{name}: {}", tested.stdout);
    }
}

#[test]
fn a_loop_file_runs_as_its_yaml() {
    let desk = Desk::new();
    desk.write("graphs/tour/sum.loop", &fixture("tour/sum.loop"));
    let grants = "--script graphs/tour/sum.script.yaml";
    let dsl = desk.run(&format!("run graphs/tour/sum.loop {grants}"));
    let yaml = desk.run(&format!("run graphs/tour/sum.yaml {grants}"));
    assert_eq!(dsl.code, Some(0), "{}{}", dsl.stdout, dsl.stderr);
    assert!(dsl.stdout.contains("The numbers add up to 49."), "{}", dsl.stdout);
    assert_eq!(dsl.stdout.replace("sum.loop", "sum.yaml"), yaml.stdout);
}
