//! Random graphs of graphs: calls, items and branches in each other, some of which fail.

use std::fmt::Write as _;
use std::sync::Arc;

use loopwright::drive::open;
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::source::Sources;

use super::orders::play;
use crate::dice::Dice;

/// Graphs, and how many orders each is played in.
const GRAPHS: u64 = 250;
const ORDERS: u64 = 5;

/// Files that are being made up.
struct Made {
    dice: Dice,
    files: Vec<(String, String)>,
}

impl Made {
    /// A graph of at most this depth; gives its file. Every failure is collected or handled, so that no lane stops another.
    fn graph(&mut self, depth: usize) -> String {
        let nodes = 1 + self.dice.below(2);
        let mut text = String::new();
        for number in 0..nodes {
            let next = if number + 1 == nodes { "end".to_owned() } else { format!("s{}", number + 1) };
            let node = self.node(depth);
            let _ = writeln!(
                text,
                "  s{number}: {{{node}, next: [{{to: {next}, do: got += last}}, {{to: {next}, on: error, do: got += error.kind}}]}}"
            );
        }
        let name = format!("g{}.yaml", self.files.len());
        let text = format!(
            "graph: g\ninput: {{n: int = 4}}\nstate: {{got: 'list<any> = []', last: any = null}}\nbudgets: {{calls: {{limit: 9999, charge: tool.calls}}, steps: {{limit: 1, gate: advisory, charge: transitions}}}}\nstart: s0\nnodes:\n{text}  end: {{kind: final}}\noutput: {{got: got, last: last, calls: used(calls), steps: used(steps)}}\n"
        );
        self.files.push((name.clone(), text));
        name
    }

    fn node(&mut self, depth: usize) -> String {
        match if depth == 0 { self.dice.below(2) } else { self.dice.below(5) } {
            0 => format!(
                "kind: tool, tool: work, args: {{n: n, step: {}}}, into: last",
                1 + self.dice.below(3)
            ),
            1 => format!("kind: wait, delay: {}s", self.dice.below(4)),
            2 => format!("kind: call, graph: {}, with: {{n: n + 1}}, into: last", self.graph(depth - 1)),
            3 => {
                let items = ["[n, n + 1, n + 2, n + 3]", "[n]", "[]", "[n + 5, 3, 3]"][self.dice.below(4)];
                let (at_once, graph) = (1 + self.dice.below(3), self.graph(depth - 1));
                format!(
                    "kind: each, over: '{items}', as: item, graph: {graph}, with: {{n: item}}, into: last, at_once: {at_once}, on_error: collect"
                )
            }
            _ => {
                let (one, other) = (self.graph(depth - 1), self.graph(depth - 1));
                format!(
                    "kind: parallel, branches: {{one: {{graph: {one}, with: {{n: n}}, into: last}}, other: {{graph: {other}, with: {{n: n + 7}}}}}}, on_error: collect"
                )
            }
        }
    }
}

fn random(seed: u64) -> Arc<Program> {
    let mut made = Made { dice: Dice::new(seed), files: Vec::new() };
    let root = made.graph(3);
    let mut loader = made.files.iter().fold(Files::new(), |files, (name, text)| files.with(name, text));
    let mut sources = Sources::new();
    open(&mut sources, &mut loader, &root)
        .unwrap_or_else(|found| panic!("{seed}: {}", loopwright::diag::text::render(&found, &sources, false)))
}

#[test]
fn random_lanes_come_to_the_same_in_every_order() {
    let (mut lanes, mut calls) = (0, 0);
    for seed in 0..GRAPHS {
        let program = random(seed);
        let first = play(&program, 0);
        for order in 1..ORDERS {
            let played = play(&program, order);
            assert_eq!(played.output(), first.output(), "graph {seed}, order {order}");
            assert_eq!(played.meaning, first.meaning, "graph {seed}, order {order}");
        }
        lanes += first.meaning.lanes.len();
        calls += first.used(0);
    }
    println!("{GRAPHS} graphs in {ORDERS} orders, with {lanes} lanes and {calls} calls");
    assert!(lanes > 1_000 && calls > 1_000, "{lanes} lanes, {calls} calls");
}
