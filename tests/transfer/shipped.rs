//! Shipped graphs, carried over at every input of their scenarios: to themselves, to themselves with everything in
//! another order, and to forms of them that chance has edited.

use std::fs;
use std::path::{Path, PathBuf};

use loopwright::machine::{Input, InputKind, Snapshot, step, transfer};
use loopwright::model::{Loader, beside};
use loopwright::program::Program;
use loopwright::scenario::{Suite, play_with};
use loopwright::source::Sources;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::scenarios;

/// Reads files of the repository; graphs are edited on the way.
struct Edited<'e>(&'e mut dyn FnMut(&str) -> String);

impl Loader for Edited<'_> {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = beside(from, path);
        let text = fs::read_to_string(root().join(&name)).map_err(|error| error.to_string())?;
        let is_other = [".scenarios.yaml", ".script.yaml"].iter().any(|ending| name.ends_with(ending));
        let is_graph = Path::new(&name).extension().is_some_and(|ending| ending == "yaml") && !is_other;
        Ok((name, if is_graph { (self.0)(&text) } else { text }))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A suite whose graphs are edited, if they are still sound.
fn suite(path: &str, edit: &mut dyn FnMut(&str) -> String) -> Option<Suite> {
    Suite::load(&mut Sources::new(), &mut Edited(edit), path).suite
}

fn suites() -> Vec<String> {
    let name =
        |path: PathBuf| path.strip_prefix(root()).expect("it lies there").to_string_lossy().into_owned();
    let mut found: Vec<String> = scenarios::shipped().into_iter().map(name).collect();
    found.sort();
    found
}

/// Where the scenarios of a suite stand before each of their inputs.
fn stands(suite: &Suite) -> Vec<Snapshot> {
    let mut all = Vec::new();
    for scenario in &suite.file.scenarios {
        let mut keep = |snapshot: &mut Snapshot| {
            if snapshot.root().is_some() && snapshot.done.is_none() {
                all.push(snapshot.clone());
            }
        };
        let _ = play_with(&suite.program, &suite.bound, scenario, &mut keep);
    }
    all
}

fn bytes(snapshot: &Snapshot) -> String {
    serde_json::to_string(snapshot).expect("a snapshot can be written")
}

fn carried(old: &Program, new: &Program, snapshot: &Snapshot) -> Result<Snapshot, String> {
    let moved = transfer(old, new, snapshot, snapshot.at, &snapshot.tools);
    moved.map(|moved| moved.snapshot).map_err(|unfit| super::lines(&unfit))
}

#[test]
fn a_run_carried_to_its_own_graph_is_what_it_was() {
    let mut count = 0;
    for path in suites() {
        let suite = suite(&path, &mut str::to_owned).expect("it is sound");
        for snapshot in stands(&suite) {
            let moved = carried(&suite.program, &suite.program, &snapshot)
                .unwrap_or_else(|why| panic!("{path}: {why}"));
            assert_eq!(bytes(&moved), bytes(&snapshot), "{path}");
            count += 1;
        }
    }
    assert!(count > 900, "{count}");
}

/// The declarations below some keys of a graph, each with its lines, the last one first.
fn turned(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut inside = false;
    let close = |out: &mut Vec<_>, blocks: &mut Vec<Vec<_>>| out.extend(blocks.drain(..).rev().flatten());
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if indent == 0 && !line.is_empty() && !line.starts_with('#') {
            close(&mut out, &mut blocks);
            inside = ["nodes:", "state:", "input:"].contains(&line.trim_end());
            out.push(line);
        } else if inside && indent == 2 && !line.trim_start().starts_with('#') {
            blocks.push(vec![line]);
        } else if let Some(block) = blocks.last_mut() {
            block.push(line);
        } else {
            out.push(line);
        }
    }
    close(&mut out, &mut blocks);
    out.join("\n") + "\n"
}

/// Nothing is found by its number: where everything has another one, the run stands where the run of the turned graph does.
#[test]
fn a_run_carried_to_its_graph_in_another_order_stands_where_that_stands() {
    let (mut count, mut other) = (0, 0);
    for path in suites() {
        let suite_of = |edit: &mut dyn FnMut(&str) -> String| suite(&path, edit).expect("it is sound");
        let (was, is) = (suite_of(&mut str::to_owned), suite_of(&mut turned));
        other += usize::from(was.program.digest != is.program.digest);
        let (here, there) = (stands(&was), stands(&is));
        assert_eq!(here.len(), there.len(), "{path}");
        for (here, there) in here.iter().zip(&there) {
            let moved =
                carried(&was.program, &is.program, here).unwrap_or_else(|why| panic!("{path}: {why}"));
            assert_eq!(bytes(&moved), bytes(there), "{path}");
            count += 1;
        }
    }
    assert!(count > 900 && other > 12, "{count} places, {other} graphs");
}

/// A graph with a few lines left out, doubled, swapped, or with a number, a word or the depth of a line changed.
fn by_chance(text: &str, random: &mut SmallRng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..3) {
        let place = random.random_range(0..lines.len());
        match random.random_range(0..8) {
            0 => {
                lines.remove(place);
            }
            1 => lines.insert(place, lines[place].clone()),
            2 => lines[place] = lines[place].replace(['1', '2', '3'], "4"),
            3..=6 => {
                let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
                let word = words[random.random_range(0..words.len())];
                if word.len() > 2 {
                    let other = format!("{word}_x");
                    for line in &mut lines {
                        *line = line.replace(word, &other);
                    }
                }
            }
            _ => {
                let other = random.random_range(0..lines.len());
                lines.swap(place, other);
            }
        }
        if lines.is_empty() {
            return String::new();
        }
    }
    lines.join("\n") + "\n"
}

/// Whatever chance makes of a graph, a run either has its place in it and goes on there, or is told why not.
#[test]
fn edits_by_chance_do_no_harm() {
    let mut random = SmallRng::seed_from_u64(8);
    let small = ["graphs/mini.", "graphs/tour/", "graphs/parallel/"];
    let paths = suites().into_iter().filter(|path| small.iter().any(|begin| path.starts_with(begin)));
    let all: Vec<(String, Suite, Vec<Snapshot>)> = paths
        .map(|path| {
            let suite = suite(&path, &mut str::to_owned).expect("it is sound");
            let stands = stands(&suite);
            (path, suite, stands)
        })
        .collect();
    let (mut fits, mut not, mut tried) = (0, 0, 0);
    while fits + not < 300 {
        tried += 1;
        assert!(tried < 20_000, "{fits} fit, {not} do not");
        let (path, was, stands) = &all[random.random_range(0..all.len())];
        // Of several files one: an edit of each leaves none sound.
        let mut wait = random.random_range(0..2);
        let Some(is) = suite(path, &mut |text| {
            wait -= 1;
            if wait == -1 { by_chance(text, &mut random) } else { text.to_owned() }
        }) else {
            continue;
        };
        if was.program.digest == is.program.digest {
            continue;
        }
        // A few places for each edit: checking a graph takes longer than carrying runs over.
        for snapshot in stands.iter().step_by(1 + stands.len() / 40) {
            match carried(&was.program, &is.program, snapshot) {
                Err(why) => {
                    assert!(!why.is_empty());
                    not += 1;
                }
                Ok(mut moved) => {
                    fits += 1;
                    for kind in [InputKind::Time, InputKind::Cancel { reason: "enough".into() }] {
                        let at = moved.at + 3_600_000_000_000;
                        step(&is.program, &mut moved, Input { at, kind }, &mut Vec::new());
                    }
                }
            }
        }
    }
    assert!(fits + not >= 300, "{fits} fit, {not} do not");
}
