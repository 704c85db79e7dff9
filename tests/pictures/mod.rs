//! Pictures in a real browser: they show what the real Mermaid shows, and everything in them can be read.

mod browser;

use loopwright::render::{Drawing, flow, svg};
use serde_json::Value as Json;

use super::mermaid::{random, shipped};
use browser::Browser;

/// The longest side of a picture that is read as a whole, in pixels, and of one of more nodes than that.
const MAX_SIDE: u64 = 4_000;
const MAX_LARGE_SIDE: u64 = 15_000;

/// Has all of them looked at, and compares each with what Mermaid made of it.
fn compare(browser: &Browser, drawings: &[(String, Drawing)]) {
    let pictures: Vec<(String, String)> = drawings
        .iter()
        .map(|(name, drawing)| {
            // Of names and labels that are hard to write, Mermaid does not paint all as it reads them.
            let mermaid = if name.starts_with("graphs/") { flow(drawing) } else { String::new() };
            (svg(drawing).unwrap_or_else(|fault| panic!("{name}: {fault}")), mermaid)
        })
        .collect();
    let seen = browser.look(&pictures);
    assert_eq!(seen.len(), drawings.len());
    let mut faults: Vec<String> = Vec::new();
    for ((name, drawing), seen) in drawings.iter().zip(&seen) {
        for fault in seen["faults"].as_array().expect("faults are a list") {
            faults.push(format!("{name}: {}", fault.as_str().unwrap_or_default()));
        }
        for key in ["nodes", "points", "edges"] {
            let (ours, theirs) = (&seen["ours"][key], &seen["theirs"][key]);
            if ours != theirs && name.starts_with("graphs/") {
                faults.push(format!("{name}: {key}: {ours:#} and not {theirs:#}"));
            }
        }
        let sides: Vec<u64> =
            seen["size"].as_array().expect("a size").iter().filter_map(Json::as_u64).collect();
        let most = if drawing.items.len() > 40 { MAX_LARGE_SIDE } else { MAX_SIDE };
        if sides.len() != 2 || sides.iter().any(|side| !(20..=most).contains(side)) {
            faults.push(format!("{name}: it is {sides:?} pixels large"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn chromium_sees_every_graph_as_mermaid_does() {
    let Some(browser) = Browser::get() else { return };
    compare(&browser, shipped());
}

#[test]
fn random_graphs_with_nasty_names_become_pictures_that_are_only_pictures() {
    let Some(browser) = Browser::get() else { return };
    // Some of them: each takes its time.
    let drawings: Vec<_> = random().iter().step_by(3).collect();
    let pictures: Vec<(String, String)> = drawings
        .iter()
        .map(|(name, drawing)| {
            (svg(drawing).unwrap_or_else(|fault| panic!("{name}: {fault}")), String::new())
        })
        .collect();
    let seen = browser.look(&pictures);
    for ((name, drawing), seen) in drawings.iter().zip(&seen) {
        let faults = &seen["faults"];
        assert_eq!(*faults, Json::Array(Vec::new()), "{name}");
        let count = |key: &str| seen["ours"][key].as_array().map(Vec::len);
        assert_eq!(count("edges"), Some(drawing.arrows.len()), "{name}");
        assert_eq!(count("nodes"), Some(drawing.items.iter().filter(|item| !item.alone).count()), "{name}");
    }
}

/// A drawing of a file, as its name says.
fn drawn(name: &str) -> &'static Drawing {
    let found = shipped().iter().find(|(other, _)| other == name);
    &found.unwrap_or_else(|| panic!("{name} is not drawn")).1
}

#[test]
fn a_picture_says_what_each_part_stands_for() {
    let drawing = drawn("graphs/mini.yaml --depth 1");
    let picture = svg(drawing).expect("it is small");
    // A closed composite stands for what lies in it.
    assert!(picture.contains("data-graph=\"mini\" data-node=\"decision "), "{picture}");
    let numbers = drawing.arrows.iter().flat_map(|arrow| &arrow.edges).count();
    assert!(numbers >= drawing.arrows.len() - 1);
    for arrow in drawing.arrows.iter().filter(|arrow| !arrow.edges.is_empty()) {
        let edges: Vec<String> = arrow.edges.iter().map(usize::to_string).collect();
        assert!(picture.contains(&format!("data-edge=\"{}\"", edges.join(" "))), "{edges:?}");
    }
}
