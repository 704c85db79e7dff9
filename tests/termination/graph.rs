//! Random graphs as YAML: loops through everything that can be left, with and without spends.

use std::fmt::Write;

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// The graph that others call: it loops under a budget of its own and can fail in many ways.
pub(super) const CHILD: &str = "\
graph: child
input: {n: int = 0}
state: {x: int = 0}
budgets: {own: {limit: 2, grace: 1}, calls: {limit: 2, charge: tool.calls}}
errors: {oops: recoverable}
start: a
nodes:
  a:
    kind: tool
    tool: probe
    into: x
    do: spend own
    next:
      - {to: a, when: x == 1}
      - {to: b}
      - {to: a, on: error(unavailable)}
      - {to: b, on: exhausted(own)}
      - {to: b, on: error(budget_exhausted)}
  b:
    kind: model
    role: r
    prompt: t
    output: int
    into: x
    next:
      - {to: end, when: x != 2}
      - {to: stop}
  stop: {do: fail oops, next: end}
  end: {kind: final}
texts: {t: hm}
";

/// A pause that some of the graphs have.
pub(super) const PAUSE: &str = "pause: {when: x == 1, ask: t}\n";

const TRIGGERS: &[&str] = &[
    "error",
    "error",
    "error(tool_failed)",
    "error(unavailable)",
    "error(evaluation)",
    "error(stuck)",
    "error(oops)",
    "error(recoverable)",
    "error(transient)",
    "error(budget_exhausted)",
    "error(cancelled)",
    "timeout",
];

/// A node while it is written.
struct Node {
    name: String,
    parent: Option<usize>,
    kind: &'static str,
    /// One of the nodes directly inside.
    start: usize,
    /// Its own budget.
    budget: Option<String>,
}

struct Writer<'r> {
    random: &'r mut SmallRng,
    nodes: Vec<Node>,
    budgets: Vec<String>,
    /// How likely an edge that leads back spends something.
    careful: f64,
    /// Guards ask for integers, flags, enums and lists that go down.
    measured: bool,
    out: String,
}

/// A condition of a guard, and a statement that mostly takes it down.
const MEASURES: &[(&str, &str)] = &[
    ("n < 3", "n += 1"),
    ("n <= 3", "n = n + 2"),
    ("size(xs) > n", "n += 1"),
    ("!f", "f = true"),
    ("p != 'three'", "p = 'three'"),
    ("p == 'one'", "p = 'two'"),
    ("xs != []", "xs = xs.slice(1, size(xs))"),
    ("size(xs) < 4", "xs += 1"),
    ("step() < 12", "emit ping"),
    ("visits(n0) < 3", "emit ping"),
    ("visits(n1) < 3", "emit ping"),
];

/// Statements that write what measures are made of.
const WRITES: &[&str] = &[
    "n = 0",
    "n += 1",
    "f = false",
    "f = true",
    "p = 'one'",
    "p = 'two'",
    "xs = []",
    "xs += 1",
    "xs = xs.filter(v, v > 0)",
];

/// A random graph that may call the one at `child.yaml`; with `measured` its loops go down some measure, too.
pub(super) fn random(random: &mut SmallRng, measured: bool) -> String {
    let careful = *[0.5, 0.8, 0.95].choose(random).expect("there are some");
    let mut writer =
        Writer { random, nodes: Vec::new(), budgets: Vec::new(), careful, measured, out: String::new() };
    writer.head();
    let count = writer.random.random_range(2..6);
    writer.level(None, count, 0);
    let start = writer.inside(None)[0];
    let _ = writeln!(writer.out, "start: {}\nnodes:", writer.nodes[start].name);
    for node in writer.inside(None) {
        writer.node(node, 1);
    }
    writer.out
}

impl Writer<'_> {
    fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from.choose(self.random).copied().unwrap_or_default()
    }

    fn head(&mut self) {
        self.out.push_str(
            "graph: random\nerrors: {oops: recoverable}\nstate: {x: int = 0, y: int = 1, none: 'list<int> = []'}\ntexts: {t: hm}\n",
        );
        if self.measured {
            let more = "state: {n: int = 0, f: bool = false, p: \"enum(one, two, three) = 'one'\", ";
            self.out = self.out.replacen("state: {", more, 1);
            self.out = self.out.replacen("y: int = 1,", "y: int = 1, xs: 'list<int>(4) = [1, 2]',", 1);
        }
        if self.chance(0.1) {
            self.out.push_str(PAUSE);
        }
        self.out.push_str("budgets:\n");
        for i in 0..self.random.random_range(1..4) {
            let gate = if self.chance(0.15) { "advisory" } else { "hard" };
            let grace = if gate == "hard" && self.chance(0.3) { ", grace: 1" } else { "" };
            let limit = self.random.random_range(1..5);
            let _ = writeln!(self.out, "  g{i}: {{limit: {limit}{grace}, gate: {gate}}}");
            self.budgets.push(format!("g{i}"));
        }
        if self.chance(0.12) {
            let limit = self.random.random_range(3..20);
            let _ = writeln!(self.out, "  steps: {{limit: {limit}, charge: transitions}}");
        }
        if self.chance(0.2) {
            let charge = self.pick(&["tool.calls", "model.calls"]);
            let _ = writeln!(self.out, "  metered: {{limit: 3, charge: {charge}}}");
        }
        if self.chance(0.15) {
            self.out.push_str("  f: {each: \"['a', 'b']\", as: k, meters: {m: {limit: 2}}}\n");
            self.budgets.push("f['a'].m".to_owned());
        }
        if self.chance(0.3) {
            self.out.push_str("actions: {pay: spend g0}\n");
        } else {
            self.out.push_str("actions: {pay: emit nothing}\n");
        }
    }

    /// Adds the nodes of a level, the last of them a final.
    fn level(&mut self, parent: Option<usize>, count: usize, depth: u32) {
        for i in 0..=count {
            let index = self.nodes.len();
            let last = i == count;
            let kind = if last {
                "final"
            } else if depth < 2 && self.chance(0.22) {
                "composite"
            } else {
                self.pick(&[
                    "tool", "tool", "tool", "tool", "model", "model", "human", "wait", "choice", "action",
                    "call", "each", "parallel",
                ])
            };
            let budget = (kind == "composite" && self.chance(0.6)).then(|| format!("c{index}"));
            self.nodes.push(Node { name: format!("n{index}"), parent, kind, start: index + 1, budget });
            if kind == "composite" {
                let inner = self.random.random_range(1..4);
                self.level(Some(index), inner, depth + 1);
            }
        }
    }

    fn inside(&self, parent: Option<usize>) -> Vec<usize> {
        (0..self.nodes.len()).filter(|i| self.nodes[*i].parent == parent).collect()
    }

    /// The budgets that may be named inside a composite.
    fn in_scope(&self, inside: Option<usize>) -> Vec<String> {
        let mut names = self.budgets.clone();
        let around = std::iter::successors(inside, |at| self.nodes[*at].parent);
        names.extend(around.filter_map(|at| self.nodes[at].budget.clone()));
        names
    }

    fn node(&mut self, index: usize, depth: usize) {
        let pad = "  ".repeat(depth);
        let (kind, parent) = (self.nodes[index].kind, self.nodes[index].parent);
        let own = if kind == "composite" { Some(index) } else { parent };
        let _ = writeln!(self.out, "{pad}{}:\n{pad}  kind: {kind}", self.nodes[index].name);
        let retry = format!(
            "{pad}  retry: {{attempts: {}, on: [transient], first: 0s}}\n",
            self.random.random_range(1..4)
        );
        let retry = if self.chance(0.4) { retry } else { String::new() };
        let keys = match kind {
            "tool" => format!("{pad}  tool: probe\n{pad}  into: x\n{pad}  timeout: 5s\n{retry}"),
            "model" => {
                format!("{pad}  role: r\n{pad}  prompt: t\n{pad}  output: int\n{pad}  into: x\n{retry}")
            }
            "human" => format!("{pad}  ask: t\n{pad}  answer: int\n{pad}  into: x\n{pad}  timeout: 1h\n"),
            "wait" => format!("{pad}  delay: 1s\n"),
            "call" => format!("{pad}  graph: child.yaml\n"),
            "each" => {
                let collect = if self.chance(0.3) { "collect" } else { "stop" };
                format!(
                    "{pad}  over: \"[1, 2, 3]\"\n{pad}  as: one\n{pad}  graph: child.yaml\n{pad}  with: {{n: one}}\n{pad}  limit: {}\n{pad}  on_error: {collect}\n",
                    self.random.random_range(3..6)
                )
            }
            "parallel" => {
                format!("{pad}  branches: {{p: {{graph: child.yaml}}, q: {{graph: child.yaml}}}}\n")
            }
            _ => String::new(),
        };
        self.out.push_str(&keys);
        if self.measured && kind == "composite" {
            let _ = writeln!(self.out, "{pad}  state: {{m{index}: int = 0}}");
        }
        if let Some(budget) = &self.nodes[index].budget {
            let limit = self.random.random_range(1..4);
            let _ = writeln!(self.out, "{pad}  budgets: {{{budget}: {limit}}}");
        }
        if kind != "choice" && self.chance(0.55) {
            let names = self.in_scope(own);
            self.block("do", &names, depth + 1);
        }
        if matches!(kind, "tool" | "model" | "human") && self.chance(0.2) {
            let names = self.in_scope(own);
            self.block("then", &names, depth + 1);
        }
        if kind == "composite" {
            let start = &self.nodes[self.nodes[index].start].name;
            let _ = writeln!(self.out, "{pad}  start: {start}\n{pad}  nodes:");
            for inner in self.inside(Some(index)) {
                self.node(inner, depth + 2);
            }
        }
        if kind != "final" {
            self.edges(index, depth);
        }
    }

    fn edges(&mut self, index: usize, depth: usize) {
        let pad = "  ".repeat(depth);
        let (kind, parent) = (self.nodes[index].kind, self.nodes[index].parent);
        let outside = self.in_scope(parent);
        let inner = if kind == "composite" { self.in_scope(Some(index)) } else { outside.clone() };
        let _ = writeln!(self.out, "{pad}  next:");
        let done = self.random.random_range(1..4);
        for i in 0..done {
            let guard = if i + 1 == done {
                "true"
            } else {
                self.pick(&["x == 0", "x == 1", "x > 0", "x < 2", "y / x > 0"])
            };
            self.edge(index, "done", guard, &outside, depth);
        }
        for _ in 0..self.random.random_range(0..3) {
            let budget = inner.choose(self.random).cloned().unwrap_or_default();
            // Mostly what really happens at such a node.
            let trigger = match self.random.random_range(0..10) {
                0..6 if matches!(kind, "human") => "timeout".to_owned(),
                0..6 if kind == "composite" => {
                    self.pick(&["error", "error(recoverable)", "error(oops)"]).to_owned()
                }
                0..5 if matches!(kind, "action" | "choice" | "wait") => continue,
                0..6 => self.pick(TRIGGERS).to_owned(),
                6 if matches!(kind, "tool" | "model") => "unknown".to_owned(),
                7 if self.out.contains("  steps: ") => "exhausted(steps)".to_owned(),
                7 if self.out.contains("  metered: ") => "exhausted(metered)".to_owned(),
                _ => format!("exhausted({budget})"),
            };
            let guard = if self.chance(0.2) { "x != 1" } else { "true" };
            self.edge(index, &trigger, guard, &outside, depth);
        }
    }

    fn edge(&mut self, from: usize, trigger: &str, guard: &str, names: &[String], depth: usize) {
        let pad = "  ".repeat(depth);
        // Mostly forward, so that not every graph is one knot.
        let forward = from + 1..self.nodes.len();
        let back = forward.is_empty() || self.chance(0.4);
        let to = if back {
            self.random.random_range(0..self.nodes.len())
        } else {
            self.random.random_range(forward)
        };
        let _ = writeln!(self.out, "{pad}    - to: {}\n{pad}      on: {trigger}", self.nodes[to].name);
        if self.measured && to <= from && self.chance(0.6) {
            let (asked, mut step) = *MEASURES.choose(self.random).expect("there are some");
            if self.chance(0.1) {
                step = self.pick(WRITES);
            }
            let own = self.own_counter(from);
            let (asked, step) = match own {
                Some(own) if self.chance(0.4) => (format!("{own} < 3"), format!("{own} += 1")),
                _ => (asked.to_owned(), step.to_owned()),
            };
            let _ = writeln!(self.out, "{pad}      when: \"{asked}\"\n{pad}      do: \"{step}\"");
            return;
        }
        if guard != "true" {
            let _ = writeln!(self.out, "{pad}      when: {guard}");
        }
        let careful = self.careful;
        if to <= from && self.chance(careful) {
            let name = names.choose(self.random).cloned().unwrap_or_default();
            let _ = writeln!(self.out, "{pad}      do: spend {name}");
        } else if self.chance(0.2) {
            self.block("do", names, depth + 3);
        }
    }

    /// The counter of the composite around a node.
    fn own_counter(&self, node: usize) -> Option<String> {
        self.nodes[node].parent.map(|composite| format!("m{composite}"))
    }

    fn block(&mut self, key: &str, names: &[String], depth: usize) {
        let pad = "  ".repeat(depth);
        let _ = writeln!(self.out, "{pad}{key}: |");
        if self.chance(0.15) {
            // What fails before the spends behind it, whenever a 0 came in.
            let _ = writeln!(self.out, "{pad}  y = 6 / x");
        }
        for _ in 0..self.random.random_range(1..4) {
            let statement = self.statement(names);
            let _ = writeln!(self.out, "{pad}  {statement}");
        }
    }

    fn statement(&mut self, names: &[String]) -> String {
        let name = names.choose(self.random).cloned().unwrap_or_default();
        if self.measured && self.chance(0.1) {
            return self.pick(WRITES).to_owned();
        }
        let number = self.random.random_range(0..3);
        match self.random.random_range(0..24) {
            0..10 => format!("spend {name}"),
            10 => format!("spend {name} by 2"),
            11..15 => "y = 1".to_owned(),
            15 => "y = 6 / x".to_owned(),
            16 => format!("if x == {number} {{ spend {name} }} else {{ spend {name}; y += 1 }}"),
            17 => format!("if x == {number} {{ spend {name} }}"),
            18 => format!("if x == {number} {{ fail oops }}"),
            19 => format!("for v in none {{ spend {name} }}"),
            20 => "emit ping".to_owned(),
            21 => "pay()".to_owned(),
            22 => format!("spend {name} by x"),
            _ => format!("x = {number}"),
        }
    }
}
