//! The diagrams of the descriptions that graphs were made after: all of each is in the drawing, and what the drawing has beyond
//! it is what `docs/graphs/differences.md` lists, line by line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use loopwright::render::{Drawing, End, Focus, Opening, Options};
use serde_json::Value as Json;

use super::render::checked;

/// What a diagram shows, as a person would tell it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    nodes: BTreeSet<String>,
    arrows: BTreeSet<String>,
}

impl Shown {
    fn arrow(&mut self, from: &str, to: &str, label: &str) {
        let label = label.trim().replace('\n', "<br>");
        self.arrows.insert(if label.is_empty() {
            format!("{from} --> {to}")
        } else {
            format!("{from} --> {to} : {label}")
        });
    }

    /// A diagram as the real Mermaid has read it.
    fn of_original(diagram: &Json) -> Self {
        let text = |entry: &Json, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let nodes: Vec<&Json> = diagram["nodes"].as_array().into_iter().flatten().collect();
        let name = |id: &str| {
            nodes
                .iter()
                .find(|node| node["id"] == id)
                .map_or_else(|| id.to_owned(), |node| text(node, "label"))
        };
        let mut shown =
            Self { nodes: nodes.iter().map(|node| text(node, "label")).collect(), ..Self::default() };
        for edge in diagram["edges"].as_array().into_iter().flatten() {
            shown.arrow(&name(&text(edge, "from")), &name(&text(edge, "to")), &text(edge, "label"));
        }
        shown
    }

    /// A drawing of ours.
    fn of_drawing(drawing: &Drawing) -> Self {
        let name = |end: End| match end {
            End::Item(item) => drawing.items[item].label.replace('\n', "<br>"),
            End::Start(_) | End::Finish(_) => "[*]".to_owned(),
        };
        let mut shown = Self::default();
        for (place, item) in drawing.items.iter().enumerate().filter(|(_, item)| !item.alone) {
            shown.nodes.insert(name(End::Item(place)));
            if item.ends {
                shown.arrow(&name(End::Item(place)), "[*]", "");
            }
        }
        for arrow in &drawing.arrows {
            shown.arrow(&name(arrow.from), &name(arrow.to), &arrow.label);
        }
        if shown.arrows.iter().any(|arrow| arrow.contains("[*]")) {
            shown.nodes.insert("[*]".to_owned());
        }
        shown
    }

    fn without<'a>(&'a self, other: &'a Self) -> BTreeSet<String> {
        let nodes = self.nodes.difference(&other.nodes).map(|node| format!("node {node}"));
        nodes.chain(self.arrows.difference(&other.arrows).cloned()).collect()
    }
}

/// A section of the page: the title of a diagram, the drawing's command, and what is listed.
struct Section {
    title: String,
    command: Vec<String>,
    listed: BTreeSet<String>,
}

fn sections() -> Vec<Section> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graphs/differences.md");
    let page = fs::read_to_string(page).expect("the page can be read");
    page.split("\n## ").skip(1).map(section).collect()
}

fn section(text: &str) -> Section {
    let title = text.lines().next().unwrap_or_default().to_owned();
    let command = text.split_once("`loopwright render ").and_then(|(_, rest)| rest.split_once('`'));
    let command = command.unwrap_or_else(|| panic!("{title}: no command")).0;
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let listed = rows.map(|row| {
        let (what, why) = row.trim_start_matches("| `").split_once("` | ").unwrap_or_else(|| panic!("{row}"));
        assert!(why.len() > 20, "{title}: `{what}` has no reason");
        what.to_owned()
    });
    let listed = listed.collect();
    Section { title, command: command.split(' ').map(str::to_owned).collect(), listed }
}

/// The drawing that a command makes.
fn drawn(command: &[String]) -> Drawing {
    let checked = checked(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&command[0]));
    let model = checked.model.as_ref().expect("the graph can be drawn");
    let mut options = Options::default();
    let mut words = command[1..].iter().map(String::as_str);
    while let Some(flag) = words.next() {
        match (flag, if flag == "--expand" { None } else { words.next() }) {
            ("--expand", None) => options.expand = true,
            ("--hide", Some("errors")) => options.errors = false,
            ("--node", Some(name)) => options.focus = Focus::Named(name.to_owned()),
            ("--depth", Some(depth)) => {
                options.opening = Opening::Depth(depth.parse().expect("a depth is a number"));
            }
            ("--view", Some(name)) => {
                let view = model.root().views.iter().find(|view| view.name.value == name);
                options = Options::of_view(view.unwrap_or_else(|| panic!("there is no view {name}"))).0;
            }
            (flag, word) => panic!("the page does not draw with {flag} {word:?}"),
        }
    }
    Drawing::new(model, &checked.trees, &options).expect("the graph can be drawn")
}

/// The inner states of one diagram sum up two others, which are compared themselves. They are left out of it.
const SUMMED_UP: &str = "Arkhon-Rheo: 2.1 State Diagram";

/// A drawing of a run that was rolled back, which no graph has.
const OF_A_RUN: &str = "Arkhon-Rheo: 7.2 State Rollback";

/// A diagram as it is compared.
fn compared(diagram: &Json) -> Json {
    let mut diagram = diagram.clone();
    if diagram["title"] != SUMMED_UP {
        return diagram;
    }
    let inner = |node: &Json| !node["parent"].is_null();
    let nodes = diagram["nodes"].as_array().expect("a diagram has nodes").clone();
    let hidden: Vec<&Json> = nodes.iter().filter(|node| inner(node)).map(|node| &node["id"]).collect();
    let edges = diagram["edges"].as_array().expect("a diagram has arrows").clone();
    let edges =
        edges.into_iter().filter(|edge| ["from", "to"].iter().all(|end| !hidden.contains(&&edge[*end])));
    diagram["edges"] = edges.collect();
    diagram["nodes"] = nodes.iter().filter(|node| !inner(node)).cloned().collect();
    diagram
}

#[test]
fn golden_seed_mermaid() {
    let file = "seed_mermaid.json";
    let diagrams: Json = serde_json::from_str(&crate::golden::read(file)).expect("recorded data are JSON");
    let mut faults = Vec::new();
    let (mut cases, mut passed) = (0, 0);
    let sections = sections();
    let told = |title: &Json| sections.iter().any(|section| *title == section.title);
    let titles = diagrams.as_array().into_iter().flatten().map(|diagram| &diagram["title"]);
    let untold: Vec<&Json> = titles.filter(|title| !told(title)).collect();
    assert_eq!(untold, [OF_A_RUN], "diagrams that the page has no section for");
    for section in sections {
        let found =
            diagrams.as_array().into_iter().flatten().filter(|diagram| diagram["title"] == section.title);
        let found: Vec<&Json> = found.collect();
        assert!(!found.is_empty(), "no diagram is called {:?}", section.title);
        for diagram in found {
            cases += 1;
            let (original, ours) =
                (Shown::of_original(&compared(diagram)), Shown::of_drawing(&drawn(&section.command)));
            let missing = original.without(&ours);
            let beyond = ours.without(&original);
            if missing.is_empty() && beyond == section.listed {
                passed += 1;
            } else {
                faults.push(format!("{}: missing {missing:#?}, beyond it {beyond:#?}", section.title));
            }
        }
    }
    println!("{file}: {cases} cases, {passed} passed");
    assert!(cases > 0, "no drawing is compared");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A run of any graph that makes four steps, is sent back to the second, and makes one more.
#[test]
fn golden_seed_mermaid_of_a_run_that_was_rolled_back() {
    let file = "seed_mermaid.json";
    let diagrams: Json = serde_json::from_str(&crate::golden::read(file)).expect("recorded data are JSON");
    let diagram = diagrams.as_array().into_iter().flatten().find(|diagram| diagram["title"] == OF_A_RUN);
    let original = Shown::of_original(diagram.expect("the seed draws it"));
    let desk = crate::cli::Desk::new();
    desk.write(
        "ring.yaml",
        "graph: ring\nstate: {n: int = 0}\nbudgets: {rounds: 9}\nstart: a\nnodes:\n  a: {do: [spend rounds, n += 1], next: [{to: ask, when: n == 4}, {to: end, when: n > 5}, {to: a}]}\n  ask: {kind: human, ask: \"'On?'\", options: [yes], next: [{to: a}]}\n  end: {kind: final}\n",
    );
    let run = |words: &str, code: i32| {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        ran.stdout
    };
    run("run ring.yaml --run-id ring", 3);
    run("rollback ring --to 2", 0);
    // The rest of the way in one piece: it is cut behind its first step.
    run("resume ring --format jsonl", 3);
    run("rollback ring --to 3", 0);
    let drawn: Json = serde_json::from_str(&run("render --run ring --format json", 0)).expect("JSON");
    let drawing = &drawn["drawing"];
    assert_eq!(drawing["across"], true);
    assert!(drawn["text"].as_str().is_some_and(|text| text.starts_with("flowchart LR\n")), "{drawn}");
    let label = |at: &Json| {
        let item = &drawing["items"][usize::try_from(at["item"].as_u64().expect("an item")).expect("small")];
        item["label"].as_str().and_then(|label| label.lines().next()).expect("a label").to_owned()
    };
    let mut ours = Shown::default();
    for item in drawing["items"].as_array().into_iter().flatten().take(6) {
        ours.nodes.insert(item["label"].as_str().and_then(|label| label.lines().next()).expect("one").into());
    }
    for arrow in drawing["arrows"].as_array().into_iter().flatten().take(6) {
        ours.arrow(&label(&arrow["from"]), &label(&arrow["to"]), arrow["label"].as_str().unwrap_or_default());
        assert_eq!(arrow["back"].as_bool().unwrap_or(false), arrow["label"] != "", "ways back are dotted");
    }
    assert_eq!(ours, original);
}
