//! Names of scenarios: what they show that no earlier one does.

use crate::machine::Done;
use crate::model::expr::BudgetRef;
use crate::model::node::Trigger;
use crate::model::{Graph, Model};
use crate::program::Program;
use crate::scenario::ProgramPart;
use crate::source::Sources;

/// The parts that a name speaks of.
const MAX_PARTS: usize = 2;
/// Longer texts of conditions are cut, in characters.
const MAX_CONDITION: usize = 60;

/// Words for parts of a graph.
#[derive(Clone, Copy)]
pub(super) struct PartWords<'a> {
    pub(super) model: &'a Model,
    pub(super) program: &'a Program,
    pub(super) sources: &'a Sources,
}

/// The weight of a part in a name: the higher, the more it tells of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartWeight {
    Node,
    Plain,
    Branch,
    Guarded,
    Failing,
}

impl PartWords<'_> {
    /// The name for a run that shows these parts, in the order in which it takes them, and ends so.
    pub(super) fn name(self, parts: &[ProgramPart], end: &RunFinish<'_>) -> String {
        let most = parts.iter().map(|part| self.weight(*part)).max();
        let telling = parts.iter().filter(|part| Some(self.weight(**part)) == most);
        let words: Vec<String> = telling.take(MAX_PARTS).map(|part| self.part(*part)).collect();
        let end = match end {
            RunFinish::Done(done) if done.outcome.is_empty() => "and ends".to_owned(),
            RunFinish::Done(done) => format!("and ends with `{}`", done.outcome),
            RunFinish::Waits(node) => format!("and waits at `{node}`"),
        };
        format!("{} {end}", words.join("; "))
    }

    fn weight(self, part: ProgramPart) -> PartWeight {
        match part {
            ProgramPart::Node(..) => PartWeight::Node,
            ProgramPart::Branch(_) => PartWeight::Branch,
            ProgramPart::Edge(graph, edge) => {
                let Some(edge) = self.model.graphs[graph as usize].graph.edge_weights().nth(edge as usize)
                else {
                    return PartWeight::Plain;
                };
                if edge.on.iter().any(|trigger| !matches!(trigger, Trigger::Done)) {
                    PartWeight::Failing
                } else if edge.when.is_some() {
                    PartWeight::Guarded
                } else {
                    PartWeight::Plain
                }
            }
        }
    }

    fn part(self, part: ProgramPart) -> String {
        match part {
            ProgramPart::Node(graph, node) => {
                let code = &self.program.graphs[graph as usize];
                format!("enters {}{}", self.place(graph), code.nodes[node as usize].name)
            }
            ProgramPart::Branch(branch) => {
                let span = self.program.branch_spans.get(branch as usize).copied().unwrap_or_default();
                let text = self.sources.slice(span);
                // Without an `else`, the place of not taking a branch is the whole `if`.
                match text.strip_prefix("if ").and_then(|rest| rest.split_once('{')) {
                    Some((condition, _)) => format!("passes over `if {}`", shown(condition)),
                    None => format!("takes the branch `{}`", shown(text)),
                }
            }
            ProgramPart::Edge(graph, edge) => self.edge(graph, edge),
        }
    }

    fn edge(self, graph: u32, number: u32) -> String {
        let own = &self.model.graphs[graph as usize];
        let code = &self.program.graphs[graph as usize];
        let edge = &code.edges[number as usize];
        let name = |node: u32| &code.nodes[node as usize].name;
        let (from, to) = (format!("{}{}", self.place(graph), name(edge.from)), name(edge.to));
        let Some(written) = own.graph.edge_weights().nth(number as usize) else {
            return format!("{from} goes to {to}");
        };
        let when = match &written.when {
            Some(when) => format!(", when `{}`,", shown(self.sources.slice(when.span))),
            None => String::new(),
        };
        match written.on.iter().find(|trigger| !matches!(trigger, Trigger::Done)) {
            Some(trigger) => format!("{from}: {}{when} leads to {to}", cause(trigger, own)),
            None => format!("{from}{when} goes to {to}"),
        }
    }

    /// The words for a graph before its parts; none for the graph itself.
    fn place(self, graph: u32) -> String {
        if graph == 0 { String::new() } else { format!("{}/", self.program.graphs[graph as usize].id) }
    }
}

/// A text on one line, cut where it is long.
fn shown(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().take(MAX_CONDITION).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// The end of a run.
pub(super) enum RunFinish<'a> {
    /// It ended.
    Done(&'a Done),
    /// It waits for a person at this node.
    Waits(&'a str),
}

/// The event that a trigger answers to.
fn cause(trigger: &Trigger, graph: &Graph) -> String {
    match trigger {
        Trigger::Done => "success".to_owned(),
        Trigger::AnyError => "an error".to_owned(),
        Trigger::Kind(kind) => format!("error `{kind}`"),
        Trigger::Class(class) => format!("an error of class `{class}`"),
        Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
            format!("the used-up budget `{}`", graph.budgets[id.0 as usize].name.value)
        }
        Trigger::Unknown => "an unknown outcome".to_owned(),
    }
}
