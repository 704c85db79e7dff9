//! Edges of random graphs. Most lead to later nodes; one that leads back spends something.

use super::graph::Graph;
use super::writer::indented;

/// An edge that nodes have. The numbers are percentages.
struct Edge {
    /// How often one is there: at a node in a composite, and at one of the graph itself.
    shares: [usize; 2],
    on: On,
    guard: usize,
    act: usize,
    back: usize,
}

/// What an edge is for.
enum On {
    Done,
    Error,
    /// One of the failures of the kind of node.
    Failure,
    Budget,
    AllBudgets,
}

/// In the order in which they are tried.
const EDGES: [Edge; 9] = [
    Edge { shares: [75, 65], on: On::Done, guard: 100, act: 35, back: 30 },
    Edge { shares: [35, 35], on: On::Done, guard: 100, act: 35, back: 30 },
    Edge { shares: [85, 100], on: On::Done, guard: 0, act: 25, back: 12 },
    Edge { shares: [30, 30], on: On::Failure, guard: 50, act: 25, back: 15 },
    Edge { shares: [15, 30], on: On::Budget, guard: 40, act: 25, back: 0 },
    Edge { shares: [35, 35], on: On::Error, guard: 100, act: 30, back: 10 },
    Edge { shares: [35, 80], on: On::Error, guard: 0, act: 20, back: 8 },
    Edge { shares: [0, 85], on: On::AllBudgets, guard: 0, act: 15, back: 0 },
    // One is needed.
    Edge { shares: [0, 0], on: On::Done, guard: 0, act: 25, back: 0 },
];

impl Graph {
    /// The edges of a node. `budgets` are those that it sees, with its own.
    pub(super) fn edges(&mut self, at: usize, budgets: &[String]) -> String {
        let is_top = usize::from(self.nodes[at].parent.is_none());
        let mut edges = Vec::new();
        for edge in &EDGES {
            if self.writer.chance(edge.shares[is_top]) {
                edges.extend(self.edge(at, edge, budgets));
            }
        }
        if !edges.iter().any(|edge| !edge.contains("\non: ")) {
            edges.insert(0, self.edge(at, &EDGES[EDGES.len() - 1], budgets).expect("it needs no name"));
        }
        let listed: Vec<String> = edges.iter().map(|edge| indented(edge).replacen("  ", "- ", 1)).collect();
        format!("next:\n{}", indented(&listed.join("\n")))
    }

    /// An edge of a node. None if it is for something that is not there.
    fn edge(&mut self, at: usize, edge: &Edge, budgets: &[String]) -> Option<String> {
        let on = match edge.on {
            On::Done => None,
            On::Error => Some("error".to_owned()),
            On::Failure => Some(self.writer.any_of(self.nodes[at].kind.failures, 0)?),
            On::Budget => Some(self.writer.expand("exhausted(@budget)", 0)?),
            On::AllBudgets if budgets.is_empty() => return None,
            On::AllBudgets => {
                let all: Vec<String> = budgets.iter().map(|budget| format!("exhausted({budget})")).collect();
                Some(format!("[{}]", all.join(", ")))
            }
        };
        let back = if self.writer.chance(edge.back) { self.earlier(at) } else { None };
        let (to, spends) = back.unwrap_or_else(|| (self.ahead(at), String::new()));
        let mut lines = vec![format!("to: {}", self.nodes[to].name)];
        lines.extend(on.map(|on| format!("on: {on}")));
        if self.writer.chance(edge.guard) {
            lines.push(format!("when: \"{}\"", self.guard(at, &edge.on)));
        }
        let acts = if self.writer.chance(edge.act) { self.writer.block() } else { String::new() };
        if !(spends.is_empty() && acts.is_empty()) {
            lines.push(format!("do: |\n{}", indented(&(spends + &acts))));
        }
        Some(lines.join("\n"))
    }

    fn guard(&mut self, at: usize, on: &On) -> String {
        if matches!(on, On::Done) && self.nodes[at].kind.word == "composite" && self.writer.chance(15) {
            return "outcome == 'a'".to_owned();
        }
        self.writer.expression("bool", 2)
    }

    /// A node after one and all inside it: a near one more often than not.
    fn ahead(&mut self, at: usize) -> usize {
        let next = self.nodes[at].last + 1;
        let count = self.nodes.len() - next;
        let reach = [1, 1, count.min(3), count][self.writer.below(4)];
        next + self.writer.below(reach)
    }

    /// A node not after one, and the statement that bounds the loop: it spends a budget that the loop does not begin anew.
    fn earlier(&mut self, at: usize) -> Option<(usize, String)> {
        let budget = self.writer.name(|own| own.word == "budget")?;
        let near = at.saturating_sub(2).max(budget.since);
        let first = if self.writer.chance(50) { budget.since } else { near };
        let nodes: Vec<usize> = (first..=at).filter(|node| self.nodes[*node].kind.word != "final").collect();
        (!nodes.is_empty()).then(|| (*self.writer.pick(&nodes), format!("spend {}\n", budget.text)))
    }
}
