//! The diagrams of the descriptions that graphs were made after: all of each is in the drawing, and what the drawing has beyond
//! it is what `docs/graphs/differences.md` lists, line by line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use loopwright::render::{ArrowEnd, Drawing, Focus, Opening, Options};
use serde_json::Value as Json;

use super::golden::{File, Recorded};
use super::render::checked;

/// What a diagram shows, as a person would tell it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    nodes: BTreeSet<String>,
    arrows: BTreeSet<String>,
    /// Which node lies in which.
    within: BTreeSet<String>,
}

const POINT: &str = "[*]";

/// A label in one line: where it is broken says nothing.
fn unbroken(label: &str) -> String {
    label.trim().replace("<br>", " ").replace('\n', " ")
}

impl Shown {
    /// An arrow with several labels is as many arrows.
    fn arrow(&mut self, from: &str, to: &str, label: &str, back: bool) {
        let line = if back { "-.->" } else { "-->" };
        for label in unbroken(label).split(" / ") {
            self.arrows.insert(if label.is_empty() {
                format!("{from} {line} {to}")
            } else {
                format!("{from} {line} {to} : {label}")
            });
        }
    }

    fn put_in(&mut self, node: &str, parent: &str) {
        if node != POINT {
            self.within.insert(format!("{node} in {parent}"));
        }
    }

    /// A diagram as the real Mermaid has read it: what lies inside of one node or, with `None`, all but what lies inside of the
    /// nodes that have drawings of their own.
    fn of_original(diagram: Recorded<'_>, inside: Option<&str>, apart: &[&str]) -> Self {
        let text = |entry: Recorded<'_>, key: &str| entry.at(key).text().unwrap_or_default().to_owned();
        let (nodes, hidden): (Vec<_>, Vec<_>) = diagram
            .at("nodes")
            .items()
            .map(|node| (text(node, "id"), unbroken(&text(node, "label")), text(node, "parent")))
            .partition(|(_, _, parent)| inside.map_or(!apart.contains(&&**parent), |node| parent == node));
        let name = |id: &str| {
            let found = nodes.iter().find(|(own, _, _)| own == id);
            found.map_or_else(|| id.to_owned(), |(_, label, _)| label.clone())
        };
        let mut shown = Self::default();
        for (_, label, parent) in &nodes {
            shown.nodes.insert(label.clone());
            if inside.is_none() && !parent.is_empty() {
                shown.put_in(label, &name(parent));
            }
        }
        for edge in diagram.at("edges").items() {
            let (from, to, label) = (text(edge, "from"), text(edge, "to"), text(edge, "label"));
            let back = edge.at("style") == "dotted";
            if !hidden.iter().any(|(id, _, _)| *id == from || *id == to) {
                shown.arrow(&name(&from), &name(&to), &label, back);
            }
        }
        shown
    }

    /// A drawing of ours.
    fn of_drawing(drawing: &Drawing) -> Self {
        let name = |end: ArrowEnd| match end {
            ArrowEnd::Item(item) => unbroken(&drawing.items[item].label),
            ArrowEnd::Start(_) | ArrowEnd::Finish(_) => POINT.to_owned(),
        };
        let mut shown = Self::default();
        for (place, item) in drawing.items.iter().enumerate().filter(|(_, item)| !item.alone) {
            shown.nodes.insert(name(ArrowEnd::Item(place)));
            if item.ends {
                shown.arrow(&name(ArrowEnd::Item(place)), POINT, "", false);
            }
            if let Some(parent) = item.parent {
                shown.put_in(&name(ArrowEnd::Item(place)), &name(ArrowEnd::Item(parent)));
            }
        }
        for arrow in &drawing.arrows {
            shown.arrow(&name(arrow.from), &name(arrow.to), &arrow.label, arrow.back);
        }
        if shown.arrows.iter().any(|arrow| arrow.contains(POINT)) {
            shown.nodes.insert(POINT.to_owned());
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

impl Section {
    /// The title of the diagram that it is about.
    fn diagram(&self) -> &str {
        self.title.split_once(INSIDE).map_or(&*self.title, |(diagram, _)| diagram)
    }

    /// The node of the diagram whose inner nodes it is about, if it is not about the others.
    fn inside(&self) -> Option<&str> {
        self.title.split_once(INSIDE).map(|(_, node)| node)
    }
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
        unbroken(what)
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
        match (flag, if flag == "--expand" || flag == "--flat" { None } else { words.next() }) {
            ("--expand", None) => options.expand = true,
            ("--flat", None) => options.flat = true,
            // The form changes the text alone, not what is drawn.
            ("--as", Some("flow")) => {}
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

const ORIGINALS: &str = "seed_mermaid.json";

/// What stands between the title of a diagram and a node of it in the title of a section about what lies inside of that node.
const INSIDE: &str = ", inside ";

/// A drawing of a run that was rolled back, which no graph has.
const OF_A_RUN: &str = "Arkhon-Rheo: 7.2 State Rollback";

#[test]
fn golden_seed_mermaid() {
    let sections = sections();
    let mut drawn_titles = BTreeSet::new();
    File::open(ORIGINALS).each(|diagram, _| {
        let title = diagram.at("title").text().unwrap_or_default().to_owned();
        drawn_titles.insert(title.clone());
        if title == OF_A_RUN {
            diagram.whole();
            return Ok(());
        }
        let mut own = sections.iter().filter(|section| section.diagram() == title).peekable();
        own.peek().ok_or("the page has no section for it")?;
        let apart: Vec<_> = own.clone().filter_map(Section::inside).collect();
        own.try_for_each(|section| {
            let original = Shown::of_original(diagram, section.inside(), &apart);
            let ours = Shown::of_drawing(&drawn(&section.command));
            let (missing, beyond) = (original.without(&ours), ours.without(&original));
            let outside: Vec<_> = original.within.difference(&ours.within).collect();
            if missing.is_empty() && outside.is_empty() && beyond == section.listed {
                return Ok(());
            }
            let title = &section.title;
            Err(format!("{title}: missing {missing:#?}, {outside:#?}, beyond it {beyond:#?}"))
        })
    });
    let nowhere = sections.iter().filter(|section| !drawn_titles.contains(section.diagram()));
    let nowhere: Vec<_> = nowhere.map(|section| &section.title).collect();
    assert!(nowhere.is_empty(), "no diagram is called {nowhere:?}");
}

/// A run of any graph that makes four steps, is sent back to the second, and makes one more.
#[test]
fn golden_seed_mermaid_of_a_run_that_was_rolled_back() {
    let file = File::open(ORIGINALS);
    let diagram = file.root().items().find(|diagram| diagram.at("title") == OF_A_RUN);
    let original = Shown::of_original(diagram.expect("the seed draws it"), None, &[]);
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
        let text = arrow["label"].as_str().unwrap_or_default();
        ours.arrow(&label(&arrow["from"]), &label(&arrow["to"]), text, arrow["back"] == true);
    }
    assert_eq!(ours, original);
}
