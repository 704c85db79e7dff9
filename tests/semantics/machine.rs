//! The machine on the same graphs: its events as the reference's log.

use loopwright::compile::compile_as;
use loopwright::machine::{
    Call, Changes, Event, EventKind, Input, InputKind, Outcome, Output, Request, Snapshot, Start,
};
use loopwright::model::{Files, load};
use loopwright::program::{Program, Semantics};
use loopwright::source::Sources;
use loopwright::value::{List, Map, Value};

use super::{Deed, Reply, Told, World};
use crate::rebuilt::Machine;

/// More inputs than any of these graphs takes.
const MOST_INPUTS: usize = 10_000;

/// Loads, compiles and runs the graph and gives the log of what it did. `budgets` of the graph are its own, the others
/// belong to composites.
pub(super) fn run(text: &str, mut world: World, budgets: usize, semantics: Semantics) -> Vec<Deed> {
    let program = program(text, semantics);
    let (mut snapshot, mut machine) = (Snapshot::new(), Machine::new());
    let mut log = Vec::new();
    let mut tool = Map::new();
    tool.set("name", "probe");
    let start = Start { run: "r".into(), tools: List::from_iter([Value::Map(tool)]), ..Start::default() };
    let mut next = Some(InputKind::Started(Box::new(start)));
    for _ in 0..MOST_INPUTS {
        let Some(kind) = next.take() else { break };
        let mut out = Vec::new();
        machine.step(&program, &mut snapshot, Input { at: 0, kind }, &mut out);
        for output in out {
            match output {
                Output::Record(event) => record(&program, &snapshot, &event, budgets, &mut log),
                Output::Call(call) => next = Some(answer(&call, world.reply())),
                Output::Ask(ask) => {
                    let answer = match world.tell() {
                        Told::Retry => Value::from("retry"),
                        Told::Fail => Value::from("fail"),
                        Told::Result(n) => Value::Map([("result", Value::Int(n))].into_iter().collect()),
                    };
                    next = Some(InputKind::Answered { ask: ask.id.clone(), answer });
                }
                _ => {}
            }
        }
    }
    log
}

fn program(text: &str, semantics: Semantics) -> Program {
    let mut sources = Sources::new();
    let loaded = load(&mut sources, &mut Files::new().with("random.yaml", text), "random.yaml");
    let findings = loopwright::diag::text::render(&loaded.findings, &sources, false);
    assert!(!loaded.has_errors(), "{findings}\n{text}");
    let model = loaded.model.expect("a graph without errors has a model");
    compile_as(&model, semantics).unwrap_or_else(|faults| panic!("{}\n{text}", faults[0]))
}

fn answer(call: &Call, reply: Reply) -> InputKind {
    let outcome = match reply {
        Reply::Value(n) => Outcome::answer(n),
        Reply::Error(kind) => Outcome::failed(kind, "as told"),
        Reply::NeverBegan(kind) => Outcome::never_began(kind, "as told"),
        Reply::Unknown => Outcome::Unknown { message: "as told".into() },
    };
    InputKind::Resolved { call: call.id.clone(), outcome }
}

fn record(program: &Program, snapshot: &Snapshot, event: &Event, budgets: usize, log: &mut Vec<Deed>) {
    let graph = &program.graphs[0];
    let name = |node: u32| graph.nodes[node as usize].name.to_string();
    let budget = |index: u32| graph.budgets[index as usize].name.to_string();
    let spends = |changes: &Changes, log: &mut Vec<Deed>| {
        log.extend(changes.spends().map(|spend| Deed::Spent(budget(spend.budget), spend.amount)));
    };
    match &event.kind {
        EventKind::Crossed { node, changes } | EventKind::Entered { node, changes, .. } => {
            spends(changes, log);
            log.push(Deed::Entered(name(*node)));
        }
        EventKind::Completed { changes, .. } | EventKind::Failed { changes, .. } => spends(changes, log),
        EventKind::Charged(spend) => log.push(Deed::Spent(budget(spend.budget), spend.amount)),
        EventKind::Took { edge, changes } => {
            spends(changes, log);
            let from = &graph.nodes[graph.edges[*edge as usize].from as usize];
            let number = from.edges.iter().position(|own| own == edge).expect("an edge is one of its node's");
            log.push(Deed::Took(from.name.to_string(), number));
        }
        EventKind::Called(call) => {
            if let Request::Tool { args, .. } = &call.request {
                let n = args.get("n").and_then(Value::as_int).expect("the argument is a number");
                log.push(Deed::Called(call.node.to_string(), n));
            }
        }
        EventKind::Asked(ask) => log.push(Deed::Asked(ask.node.to_string())),
        EventKind::Done(done) => {
            let root = snapshot.root().expect("the root stays");
            let fields = root.frame.slots.iter().filter_map(Value::as_int).collect();
            let used = root.frame.counters.iter().take(budgets).map(|counters| counters.used).collect();
            log.push(Deed::Ended(done.outcome.to_string(), done.ok, fields, used));
        }
        _ => {}
    }
}
