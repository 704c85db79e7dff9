//! Random graphs: a small form of their own, and the same as YAML.

use std::fmt::Write;

use rand::Rng;
use rand::rngs::SmallRng;

use super::{Reply, Told, World};

/// State fields of the graph: `x0`, `x1`, `x2`.
pub(super) const FIELDS: usize = 3;
/// Error kinds of the graph's own, with their classes.
pub(super) const KINDS: [(&str, &str); 2] = [("oops", "recoverable"), ("halt", "fatal")];

/// A graph. Nodes stand in the order of the text, each composite before what it holds.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    /// The first is spent by every node that could be part of a loop, so that every run ends.
    pub(super) budgets: Vec<Budget>,
}

/// A hard counter, or one that only counts.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    pub(super) name: String,
    pub(super) limit: i64,
    pub(super) grace: i64,
    pub(super) hard: bool,
    /// The runtime spends 1 for every call of a tool.
    pub(super) meters_calls: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) kind: Kind,
    pub(super) entry: Vec<Statement>,
    pub(super) edges: Vec<Edge>,
    /// One past the last node inside it.
    pub(super) end: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Action,
    Choice,
    Composite { start: usize, budgets: Vec<Budget> },
    Tool { arg: Number, into: usize, then: Vec<Statement>, attempts: u32 },
    Final,
}

#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) on: Vec<Trigger>,
    pub(super) when: Option<Guard>,
    pub(super) action: Vec<Statement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trigger {
    Done,
    Error,
    Kind(&'static str),
    Class(&'static str),
    Exhausted(String),
    Unknown,
}

/// A number; a quotient fails when the field is 0.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Constant(i64),
    Field(usize),
    Sum(usize, i64),
    Quotient(i64, usize),
}

#[derive(Debug, Clone)]
pub(super) enum Guard {
    Less(Number, i64),
    Equals(Number, i64),
    Exhausted(String),
    Used(String, i64),
    ErrorKind(&'static str),
    And(Box<Guard>, Box<Guard>),
    Or(Box<Guard>, Box<Guard>),
}

#[derive(Debug, Clone)]
pub(super) enum Statement {
    Set(usize, Number),
    Spend(String, i64),
    Fail(&'static str),
    If(Guard, Vec<Statement>, Vec<Statement>),
}

/// What may be named at a place.
struct Names {
    /// Budgets in scope.
    budgets: Vec<String>,
    /// `error` is in scope.
    error: bool,
}

impl Graph {
    /// A random graph. Every run of it ends: an edge goes back only where the first budget was spent, and edges for
    /// exhausted budgets never do.
    pub(super) fn random(random: &mut SmallRng) -> Self {
        let mut budgets = vec![budget(random, "fuel".to_owned(), 12..30)];
        budgets[0].hard = true;
        for i in 0..random.random_range(1..3) {
            let mut one = budget(random, format!("b{i}"), 0..4);
            one.hard = random.random_bool(0.8);
            budgets.push(one);
        }
        if random.random_bool(0.4) {
            let mut calls = budget(random, "calls".to_owned(), 0..4);
            calls.meters_calls = true;
            budgets.push(calls);
        }
        let mut graph = Self { nodes: Vec::new(), start: 0, budgets };
        let count = random.random_range(2..5);
        graph.level(random, None, count, 0);
        let top = graph.inside(None);
        graph.start = top[random.random_range(0..top.len())];
        for node in 0..graph.nodes.len() {
            graph.fill(random, node);
        }
        graph
    }

    /// Adds the nodes of the graph or of one composite, the last of them a final.
    fn level(&mut self, random: &mut SmallRng, parent: Option<usize>, count: usize, depth: u32) {
        for i in 0..=count {
            let index = self.nodes.len();
            let last = i == count;
            let name = if last && parent.is_none() { "end".to_owned() } else { format!("n{index}") };
            let kind = if last { Kind::Final } else { Kind::Action };
            let empty = Node { name, parent, kind, entry: Vec::new(), edges: Vec::new(), end: index + 1 };
            self.nodes.push(empty);
            if last {
                continue;
            }
            match random.random_range(0..10) {
                0..3 => {}
                3..5 => self.nodes[index].kind = Kind::Choice,
                5..8 => {
                    let (into, attempts) = (random.random_range(0..FIELDS), random.random_range(1..3));
                    self.nodes[index].kind =
                        Kind::Tool { arg: Number::Constant(0), into, then: Vec::new(), attempts };
                }
                _ if depth < 2 => {
                    let mut budgets = Vec::new();
                    if random.random_bool(0.5) {
                        budgets.push(budget(random, format!("c{index}"), 0..3));
                    }
                    let inner = random.random_range(1..4);
                    self.nodes[index].kind = Kind::Composite { start: 0, budgets };
                    self.level(random, Some(index), inner, depth + 1);
                    self.nodes[index].end = self.nodes.len();
                    let inside = self.inside(Some(index));
                    let first = inside[random.random_range(0..inside.len())];
                    if let Kind::Composite { start, .. } = &mut self.nodes[index].kind {
                        *start = first;
                    }
                }
                _ => {}
            }
        }
    }

    fn inside(&self, parent: Option<usize>) -> Vec<usize> {
        (0..self.nodes.len()).filter(|i| self.nodes[*i].parent == parent).collect()
    }

    /// The composites around a node, innermost first.
    pub(super) fn around(&self, node: usize) -> Vec<usize> {
        std::iter::successors(self.nodes[node].parent, |at| self.nodes[*at].parent).collect()
    }

    /// Budgets in scope inside a composite, or of the whole graph.
    fn in_scope(&self, inside: Option<usize>) -> Vec<String> {
        let mut names: Vec<String> =
            self.budgets.iter().filter(|b| !b.meters_calls).map(|b| b.name.clone()).collect();
        let mut at = inside;
        while let Some(node) = at {
            if let Kind::Composite { budgets, .. } = &self.nodes[node].kind {
                names.extend(budgets.iter().map(|b| b.name.clone()));
            }
            at = self.nodes[node].parent;
        }
        names
    }

    /// Gives a node its statements and edges.
    fn fill(&mut self, random: &mut SmallRng, index: usize) {
        let node = self.nodes[index].clone();
        let own = matches!(node.kind, Kind::Composite { .. }).then_some(index);
        let names = Names { budgets: self.in_scope(own.or(node.parent)), error: false };
        let pays = !matches!(node.kind, Kind::Choice | Kind::Final);
        let mut entry = Vec::new();
        if pays {
            entry.push(Statement::Spend("fuel".to_owned(), 1));
        }
        if !matches!(node.kind, Kind::Choice) && random.random_bool(0.6) {
            entry.extend(statements(random, &names, 2));
        }
        self.nodes[index].entry = entry;
        if let Kind::Tool { arg, then, .. } = &mut self.nodes[index].kind {
            *arg = number(random);
            if random.random_bool(0.4) {
                *then = statements(random, &names, 2);
            }
        }
        if matches!(node.kind, Kind::Final) {
            return;
        }
        let outside = Names { budgets: self.in_scope(node.parent), error: false };
        let mut edges = Vec::new();
        for _ in 0..random.random_range(1..4) {
            if let Some(to) = self.target(random, index, pays) {
                let when = random.random_bool(0.6).then(|| guard(random, &outside));
                let action = maybe(random, &outside);
                edges.push(Edge { to, on: vec![Trigger::Done], when, action });
            }
        }
        for _ in 0..random.random_range(0..4) {
            edges.extend(self.other_edge(random, index, pays, &names.budgets, &outside.budgets));
        }
        self.nodes[index].edges = edges;
    }

    /// An edge for anything but success.
    fn other_edge(
        &self,
        random: &mut SmallRng,
        index: usize,
        pays: bool,
        own: &[String],
        outside: &[String],
    ) -> Option<Edge> {
        let is_tool = matches!(self.nodes[index].kind, Kind::Tool { .. });
        let trigger = match random.random_range(0..10) {
            0..2 => Trigger::Error,
            2 => Trigger::Kind("oops"),
            3 => Trigger::Kind("stuck"),
            4 => Trigger::Kind(pick(random, &["evaluation", "halt", "tool_failed", "unavailable"])),
            5 => Trigger::Class(pick(random, &["recoverable", "transient", "fatal"])),
            6 => Trigger::Kind("budget_exhausted"),
            7 if is_tool => Trigger::Unknown,
            8 if self.budgets.iter().any(|b| b.meters_calls) => Trigger::Exhausted("calls".to_owned()),
            _ => Trigger::Exhausted(own[random.random_range(0..own.len())].clone()),
        };
        let exhausted = matches!(trigger, Trigger::Exhausted(_) | Trigger::Kind("budget_exhausted"));
        let to = self.target(random, index, pays && !exhausted)?;
        let mut on = vec![trigger];
        if random.random_bool(0.2) && !exhausted {
            on.push(Trigger::Kind("oops"));
        }
        let error = !matches!(on[0], Trigger::Exhausted(_));
        let names = Names { budgets: outside.to_vec(), error };
        let when = random.random_bool(0.4).then(|| guard(random, &names));
        let action = maybe(random, &names);
        on.dedup();
        Some(Edge { to, on, when, action })
    }

    /// A target: any node where the way was paid, else one behind all that lies in this one.
    fn target(&self, random: &mut SmallRng, index: usize, paid: bool) -> Option<usize> {
        let first = if paid { 0 } else { self.nodes[index].end };
        (first < self.nodes.len()).then(|| random.random_range(first..self.nodes.len()))
    }
}

fn budget(random: &mut SmallRng, name: String, limit: std::ops::Range<i64>) -> Budget {
    let grace = i64::from(random.random_bool(0.3));
    Budget { name, limit: random.random_range(limit), grace, hard: true, meters_calls: false }
}

fn pick<T: Copy>(random: &mut SmallRng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

fn number(random: &mut SmallRng) -> Number {
    let field = random.random_range(0..FIELDS);
    match random.random_range(0..8) {
        0..2 => Number::Constant(random.random_range(0..4)),
        2..4 => Number::Field(field),
        4..7 => Number::Sum(field, random.random_range(-2..3)),
        _ => Number::Quotient(random.random_range(1..9), field),
    }
}

fn guard(random: &mut SmallRng, names: &Names) -> Guard {
    let name = |random: &mut SmallRng| names.budgets[random.random_range(0..names.budgets.len())].clone();
    match random.random_range(0..10) {
        0..3 => Guard::Less(number(random), random.random_range(0..4)),
        3..5 => Guard::Equals(number(random), random.random_range(0..4)),
        5 => Guard::Exhausted(name(random)),
        6 => Guard::Used(name(random), random.random_range(0..4)),
        7 if names.error => Guard::ErrorKind(pick(random, &["oops", "evaluation", "tool_failed"])),
        8 => Guard::And(Box::new(guard(random, names)), Box::new(guard(random, names))),
        9 => Guard::Or(Box::new(guard(random, names)), Box::new(guard(random, names))),
        _ => Guard::Less(number(random), 2),
    }
}

fn maybe(random: &mut SmallRng, names: &Names) -> Vec<Statement> {
    if random.random_bool(0.3) { statements(random, names, 1) } else { Vec::new() }
}

fn statements(random: &mut SmallRng, names: &Names, depth: u32) -> Vec<Statement> {
    (0..random.random_range(1..4)).map(|_| statement(random, names, depth)).collect()
}

fn statement(random: &mut SmallRng, names: &Names, depth: u32) -> Statement {
    match random.random_range(0..12) {
        0..6 => Statement::Set(random.random_range(0..FIELDS), number(random)),
        6..9 => {
            let name = names.budgets[random.random_range(0..names.budgets.len())].clone();
            Statement::Spend(name, random.random_range(1..3))
        }
        9 if depth < 2 => Statement::Fail(pick(random, &["oops", "halt"])),
        10 if depth > 0 => {
            let then = statements(random, names, depth - 1);
            let otherwise =
                if random.random_bool(0.5) { statements(random, names, depth - 1) } else { Vec::new() };
            Statement::If(guard(random, names), then, otherwise)
        }
        _ => Statement::Set(random.random_range(0..FIELDS), Number::Sum(random.random_range(0..FIELDS), 1)),
    }
}

/// What tools and people will say.
pub(super) fn world(random: &mut SmallRng) -> World {
    let replies = (0..random.random_range(0..20)).map(|_| match random.random_range(0..11) {
        0..5 => Reply::Value(random.random_range(0..4)),
        5..9 => Reply::Error(pick(random, &["tool_failed", "unavailable", "denied", "oops", "rate_limited"])),
        9 => Reply::NeverBegan(pick(random, &["unavailable", "rate_limited", "tool_failed"])),
        _ => Reply::Unknown,
    });
    let replies = replies.collect();
    let told = (0..4).map(|_| match random.random_range(0..3) {
        0 => Told::Retry,
        1 => Told::Fail,
        _ => Told::Result(random.random_range(0..4)),
    });
    World { replies, told: told.collect() }
}

// ---- as YAML ----------------------------------------------------------------------------------------------

impl Graph {
    /// The graph as a file.
    pub(super) fn to_yaml(&self) -> String {
        let mut out = String::from("graph: random\nerrors: {");
        let kinds: Vec<String> = KINDS.iter().map(|(kind, class)| format!("{kind}: {class}")).collect();
        let _ = writeln!(out, "{}}}\nstate:", kinds.join(", "));
        for field in 0..FIELDS {
            let _ = writeln!(out, "  x{field}: int = {field}");
        }
        write_budgets(&mut out, &self.budgets, 0);
        let _ = writeln!(out, "start: {}\nnodes:", self.nodes[self.start].name);
        for node in self.inside(None) {
            self.write_node(&mut out, node, 1);
        }
        out
    }

    fn write_node(&self, out: &mut String, index: usize, depth: usize) {
        let pad = "  ".repeat(depth);
        let node = &self.nodes[index];
        let _ = writeln!(out, "{pad}{}:", node.name);
        match &node.kind {
            Kind::Action => {
                let _ = writeln!(out, "{pad}  kind: action");
            }
            Kind::Choice => {
                let _ = writeln!(out, "{pad}  kind: choice");
            }
            Kind::Final => {
                let _ = writeln!(out, "{pad}  kind: final");
            }
            Kind::Tool { arg, into, then, attempts } => {
                let _ = writeln!(out, "{pad}  kind: tool\n{pad}  tool: probe\n{pad}  into: x{into}");
                let _ = writeln!(out, "{pad}  args: {{n: \"{}\"}}", number_text(*arg));
                let _ = writeln!(out, "{pad}  retry: {{attempts: {attempts}, on: [transient], first: 0s}}");
                write_block(out, "then", then, depth + 1);
            }
            Kind::Composite { start, budgets } => {
                let _ = writeln!(out, "{pad}  kind: composite\n{pad}  start: {}", self.nodes[*start].name);
                write_budgets(out, budgets, depth + 1);
            }
        }
        write_block(out, "do", &node.entry, depth + 1);
        if let Kind::Composite { .. } = node.kind {
            let _ = writeln!(out, "{pad}  nodes:");
            for inner in self.inside(Some(index)) {
                self.write_node(out, inner, depth + 2);
            }
        }
        if !node.edges.is_empty() {
            let _ = writeln!(out, "{pad}  next:");
        }
        for edge in &node.edges {
            let on: Vec<String> = edge.on.iter().map(trigger_text).collect();
            let _ = writeln!(
                out,
                "{pad}    - to: {}\n{pad}      on: [{}]",
                self.nodes[edge.to].name,
                on.join(", ")
            );
            if let Some(guard) = &edge.when {
                let _ = writeln!(out, "{pad}      when: \"{}\"", guard_text(guard));
            }
            write_block(out, "do", &edge.action, depth + 3);
        }
    }
}

fn write_budgets(out: &mut String, budgets: &[Budget], depth: usize) {
    let pad = "  ".repeat(depth);
    if !budgets.is_empty() {
        let _ = writeln!(out, "{pad}budgets:");
    }
    for budget in budgets {
        let gate = if budget.hard { "hard" } else { "advisory" };
        let charge = if budget.meters_calls { ", charge: tool.calls" } else { "" };
        let Budget { name, limit, grace, .. } = budget;
        let _ = writeln!(out, "{pad}  {name}: {{limit: {limit}, grace: {grace}, gate: {gate}{charge}}}");
    }
}

fn write_block(out: &mut String, key: &str, block: &[Statement], depth: usize) {
    if !block.is_empty() {
        let _ = writeln!(out, "{}{key}: |", "  ".repeat(depth));
        write_statements(out, block, depth + 1);
    }
}

fn write_statements(out: &mut String, block: &[Statement], depth: usize) {
    let pad = "  ".repeat(depth);
    for statement in block {
        let _ = match statement {
            Statement::Set(field, value) => writeln!(out, "{pad}x{field} = {}", number_text(*value)),
            Statement::Spend(name, 1) => writeln!(out, "{pad}spend {name}"),
            Statement::Spend(name, amount) => writeln!(out, "{pad}spend {name} by {amount}"),
            Statement::Fail(kind) => writeln!(out, "{pad}fail {kind} 'as told'"),
            Statement::If(guard, then, otherwise) => {
                let _ = writeln!(out, "{pad}if {} {{", guard_text(guard));
                write_statements(out, then, depth + 1);
                if !otherwise.is_empty() {
                    let _ = writeln!(out, "{pad}}} else {{");
                    write_statements(out, otherwise, depth + 1);
                }
                writeln!(out, "{pad}}}")
            }
        };
    }
}

fn number_text(number: Number) -> String {
    match number {
        Number::Constant(n) => n.to_string(),
        Number::Field(field) => format!("x{field}"),
        Number::Sum(field, n) if n < 0 => format!("x{field} - {}", -n),
        Number::Sum(field, n) => format!("x{field} + {n}"),
        Number::Quotient(n, field) => format!("{n} / x{field}"),
    }
}

fn guard_text(guard: &Guard) -> String {
    match guard {
        Guard::Less(number, n) => format!("{} < {n}", number_text(*number)),
        Guard::Equals(number, n) => format!("{} == {n}", number_text(*number)),
        Guard::Exhausted(name) => format!("exhausted({name})"),
        Guard::Used(name, n) => format!("used({name}) < {n}"),
        Guard::ErrorKind(kind) => format!("error.kind == '{kind}'"),
        Guard::And(left, right) => format!("({}) && ({})", guard_text(left), guard_text(right)),
        Guard::Or(left, right) => format!("({}) || ({})", guard_text(left), guard_text(right)),
    }
}

fn trigger_text(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Done => "done".to_owned(),
        Trigger::Error => "error".to_owned(),
        Trigger::Kind(kind) => format!("error({kind})"),
        Trigger::Class(class) => format!("error({class})"),
        Trigger::Exhausted(name) => format!("exhausted({name})"),
        Trigger::Unknown => "unknown".to_owned(),
    }
}
