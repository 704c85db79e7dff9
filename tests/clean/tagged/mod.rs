//! The flows that `check --flows` lists, against runs.
//!
//! Values are tagged while a run goes: by a shadow of the run, which follows tags through each unit of the machine's events,
//! and by marks in the texts themselves, which the real machine carries. Models and tools pass on whatever they were given.
//! Whatever comes to an argument, a question, a model, an outcome, or decides about a call, must be listed.

mod expression;
mod listed;
mod marks;
mod run;
mod shadow;
mod tags;
mod words;

use std::collections::BTreeMap;

use loopwright::check::{FlowTarget, check_file};
use loopwright::compile::compile;
use loopwright::drive::Disk;
use loopwright::model::Model;
use loopwright::program::Program;
use loopwright::source::Sources;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde_json::{Map, Value as Json, json};

use self::listed::ListedFlows;
use self::run::TaggedRun;
use super::graph::random_case;
use super::holes::is_closed;
use crate::dice::rounds;
use crate::flows::checked;

/// The number of random graphs that are run by default.
const GRAPHS: u32 = 60;
/// The runs of each.
const RUNS: u64 = 24;

/// The results of many graphs.
#[derive(Debug, Default)]
struct FlowTally {
    graphs: usize,
    seen: usize,
    listed: usize,
    unseen: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

impl FlowTally {
    fn add(&mut self, other: Self) {
        self.graphs += other.graphs;
        self.seen += other.seen;
        self.listed += other.listed;
        for (kind, times) in other.unseen {
            *self.unseen.entry(kind).or_default() += times;
        }
        self.wrong.extend(other.wrong);
    }

    fn run(&mut self, program: &Program, model: &Model, name: &str, shown: &dyn Fn() -> String) {
        let mut listed = ListedFlows::of(model);
        for seed in 0..RUNS {
            let random = SmallRng::seed_from_u64(seed);
            if let Some(flow) = TaggedRun::new(program, model, &mut listed, random).run() {
                self.wrong.push(format!("{name}, run {seed}: {flow}\n{}", shown()));
                break;
            }
        }
        let (seen, all) = listed.share();
        self.graphs += 1;
        self.seen += seen;
        self.listed += all;
        for (target, _) in listed.unseen() {
            *self.unseen.entry(kind(target)).or_default() += 1;
        }
    }
}

fn kind(target: &FlowTarget) -> &'static str {
    match target {
        FlowTarget::Argument { .. } => "argument",
        FlowTarget::Call(_) => "call",
        FlowTarget::Model(_) => "model",
        FlowTarget::Ask(_) => "ask",
        FlowTarget::Outcome => "outcome",
        FlowTarget::Output(_) => "output",
    }
}

/// Hands all variables of a graph to its tools, models and people, and gives them out at the end, so that whatever is in them
/// comes to a target.
fn expose(doc: &mut Json, is_root: bool) {
    let names: Vec<String> = ["input", "state"]
        .iter()
        .filter_map(|section| doc.get(section)?.as_object())
        .flat_map(|fields| fields.keys().cloned())
        .collect();
    if names.is_empty() {
        return;
    }
    let args: Map<String, Json> = names.iter().map(|name| (name.clone(), json!(name))).collect();
    let texts: Vec<String> = names.iter().map(|name| format!("json({name})")).collect();
    let all = texts.join(" + ");
    if let Some(nodes) = doc.get_mut("nodes") {
        expose_nodes(nodes, &args, &all);
    }
    if is_root {
        doc["output"] = Json::Object(args);
    }
}

fn expose_nodes(nodes: &mut Json, args: &Map<String, Json>, all: &str) {
    for node in nodes.as_object_mut().into_iter().flat_map(|nodes| nodes.values_mut()) {
        match node.get("kind").and_then(Json::as_str) {
            Some("tool") => node["args"] = Json::Object(args.clone()),
            Some("human") => node["ask"] = json!(all),
            Some("composite") => {
                if let Some(inner) = node.get_mut("nodes") {
                    expose_nodes(inner, args, all);
                }
            }
            _ => {}
        }
    }
}

fn every_second(first: u64, wanted: usize) -> FlowTally {
    let mut tally = FlowTally::default();
    let mut seed = first;
    while tally.graphs < wanted && tally.wrong.len() < 3 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut case = random_case(&mut random, &is_closed);
        let plain = case.clone();
        case.files.iter_mut().for_each(|(name, doc)| expose(doc, name == "root.yaml"));
        // What is shown may be null or too long where it is shown: then the graph is run as it was made.
        let (case, graph) = match case.compiled() {
            Some(graph) => (case, Some(graph)),
            None => (plain.clone(), plain.compiled()),
        };
        if let Some(graph) = graph {
            tally.run(&graph.program, graph.model(), &format!("seed {seed}"), &|| case.shown());
        }
        seed += 2;
    }
    tally
}

#[test]
fn nothing_flows_that_is_not_listed() {
    let wanted = rounds(GRAPHS) as usize;
    let mut tally = FlowTally::default();
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| scope.spawn(move || every_second(half, wanted.div_ceil(2))));
        for half in halves {
            match half.join() {
                Ok(half) => tally.add(half),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let FlowTally { graphs, seen, listed, unseen, wrong } = &tally;
    println!(
        "{graphs} graphs: {seen} of {listed} listed flows were seen ({} %); not: {unseen:?}",
        seen * 100 / listed.max(&1)
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn nothing_flows_in_graphs_by_hand_that_is_not_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows");
    let mut tally = FlowTally::default();
    for entry in std::fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|own| own == "yaml" || own == "loop") {
            let checked = checked(&path, &mut Sources::new());
            let model = checked.model.as_ref().expect("a sound graph has a model");
            let program = compile(model).unwrap_or_else(|faults| panic!("{}", faults[0]));
            let name = path.display().to_string();
            tally.run(&program, model, &name, &String::new);
        }
    }
    let FlowTally { graphs, seen, listed, unseen, wrong } = &tally;
    println!("{graphs} graphs: {seen} of {listed} listed flows were seen; not: {unseen:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The shipped graphs, with answers of all kinds that their types allow.
#[test]
fn nothing_flows_in_shipped_graphs_that_is_not_listed() {
    let mut tally = FlowTally::default();
    for path in crate::graphs::files() {
        let name = path.display().to_string();
        let mut sources = Sources::new();
        let found = check_file(&mut sources, &mut Disk::default(), &name);
        let Some(model) = found.model.as_ref().filter(|_| found.is_sound()) else { continue };
        let program = compile(model).unwrap_or_else(|faults| panic!("{}", faults[0]));
        tally.run(&program, model, &name, &String::new);
    }
    let FlowTally { graphs, seen, listed, unseen, wrong } = &tally;
    println!("{graphs} graphs: {seen} of {listed} listed flows were seen; not: {unseen:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(*graphs > 20, "only {graphs} graphs were run");
}
