//! Random graphs, type-correct more often than not.

use super::kind::{CHOICE, FINAL};
use super::node::Node;
use super::types::{RECORD, TYPES, Type};
use super::writer::{Name, Writer, indented};

/// The types that answers go into.
const ANSWERS: [&str; 4] = ["bool", "small", "letter", "maybe_small"];

/// The kinds of errors that statements and edges name, and one that the graph declares.
const ERRORS: [&str; 2] = ["denied", "tool_failed"];
const OWN_ERROR: &str = "own";

/// What results of graphs that are called go into: the word that templates have for it, its name and its type.
const RESULTS: [(&str, &str, &str); 4] = [
    ("outputs", "one", "outputs('child.yaml')?"),
    ("outputs", "two", "outputs('child.yaml')?"),
    ("lanes", "all", "list<outputs('child.yaml')> = []"),
    ("tries", "tried", "list<Tried> = []"),
];
const TRIED: &str = "Tried: {ok: \"outputs('child.yaml')?\", error: any}";

/// A graph that is being written.
pub(super) struct Graph {
    pub(super) writer: Writer,
    pub(super) nodes: Vec<Node>,
    /// True for one that another graph calls.
    pub(super) is_child: bool,
    variables: usize,
    pub(super) budgets: usize,
}

/// The text of the graph `root.yaml` of a seed. It may call `child.yaml`.
pub(super) fn root(seed: u64) -> String {
    let mut graph = Graph::new(seed * 2, false);
    let count = 2 + graph.writer.below(3);
    graph.plan(None, 0, count);
    graph.add("judge".to_owned(), &CHOICE, None);
    for name in ["good", "bad", "odd"] {
        graph.add(name.to_owned(), &FINAL, None);
    }
    graph.text()
}

/// The text of the graph `child.yaml` of a seed.
pub(super) fn child(seed: u64) -> String {
    let mut graph = Graph::new(seed * 2 + 1, true);
    graph.plan(None, 0, 1);
    for name in ["good", "bad"] {
        graph.add(name.to_owned(), &FINAL, None);
    }
    graph.text()
}

impl Graph {
    const fn new(seed: u64, is_child: bool) -> Self {
        Self { writer: Writer::new(seed), nodes: Vec::new(), is_child, variables: 0, budgets: 0 }
    }

    /// The text of the graph. Each section sees the names of those that are made before it.
    fn text(&mut self) -> String {
        let mut sections = vec![self.head(), self.errors(), self.state(), self.limits()];
        let lets_see_nodes = self.writer.chance(50);
        let nodes: Vec<Name> =
            self.nodes.iter().map(|node| Name::fixed("node", node.name.as_str())).collect();
        self.writer.names.extend(nodes.iter().filter(|_| lets_see_nodes).cloned());
        sections.push(self.lets());
        self.writer.names.extend(nodes.into_iter().filter(|_| !lets_see_nodes));
        sections.extend([self.actions(), self.pause()]);
        let tops: Vec<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].parent.is_none()).collect();
        let nodes: Vec<String> = tops.into_iter().map(|at| self.node(at)).collect();
        sections.push(format!("start: {}", self.nodes[0].name));
        sections.push(section("nodes", &nodes));
        sections.extend([self.outputs(), self.properties()]);
        sections.retain(|section| !section.is_empty());
        sections.join("\n") + "\n"
    }

    fn head(&self) -> String {
        let tried = if self.calls() { format!("\n  {TRIED}") } else { String::new() };
        let head = if self.is_child { "graph: child\ninput: {w: int}" } else { "graph: root" };
        format!("{head}\ntypes:\n  {RECORD}{tried}")
    }

    /// True for a graph that calls another.
    fn calls(&self) -> bool {
        self.nodes.iter().any(|node| node.kind.calls())
    }

    fn errors(&mut self) -> String {
        self.writer.names.extend(ERRORS.map(|kind| Name::fixed("error", kind)));
        if self.writer.chance(50) {
            return String::new();
        }
        self.writer.names.push(Name::fixed("error", OWN_ERROR));
        format!("errors: {{{OWN_ERROR}: recoverable}}")
    }

    fn state(&mut self) -> String {
        let mut types: Vec<&Type> =
            ANSWERS.map(Type::of).into_iter().filter(|_| self.writer.chance(45)).collect();
        types.extend(["small", "letter"].map(Type::of));
        let others = if self.is_child { 15 } else { 20 + self.writer.below(6) * 10 };
        types.extend(TYPES.iter().filter(|_| self.writer.chance(others)));
        let mut lines: Vec<String> = types.into_iter().map(|ty| self.variable(ty, 0)).collect();
        if self.calls() {
            for (word, name, ty) in RESULTS {
                lines.push(format!("{name}: \"{ty}\""));
                self.writer.names.push(Name::fixed(word, name));
            }
        }
        if self.is_child {
            self.writer.names.push(Name::fixed("int", "w"));
        }
        section("state", &lines)
    }

    /// Declares a variable that nodes from one on see. Some of those of composites begin with what a constant expression says.
    pub(super) fn variable(&mut self, ty: &'static Type, since: usize) -> String {
        let first = if since > 0 && self.writer.chance(15) {
            let seen = std::mem::take(&mut self.writer.names);
            let first = self.writer.expression(ty.word, 1);
            self.writer.names = seen;
            first
        } else {
            (*self.writer.pick(ty.constants)).to_owned()
        };
        let name = format!("v{}", self.variables);
        self.variables += 1;
        let line = format!("{name}: \"{} = {first}\"", ty.text);
        self.writer.names.push(Name { word: ty.word, text: name, is_variable: true, since });
        line
    }

    fn limits(&mut self) -> String {
        let count = match (self.is_child, self.writer.below(100)) {
            (true, 0..25) => 1,
            (false, 0..85) => 1 + self.writer.below(2),
            _ => 0,
        };
        let lines: Vec<String> = (0..count).map(|_| self.budget(&["1", "1", "1", "2", "3"], 0)).collect();
        section("budgets", &lines)
    }

    fn lets(&mut self) -> String {
        let count = if !self.is_child && self.writer.chance(50) { 1 + self.writer.below(2) } else { 0 };
        let lines: Vec<String> = (0..count)
            .map(|at| {
                let word = *self.writer.pick(&["int", "bool", "text", "texts"]);
                let line = format!("l{at}: \"{}\"", self.writer.expression(word, 2));
                self.writer.names.push(Name::fixed(word, format!("l{at}")));
                line
            })
            .collect();
        section("let", &lines)
    }

    fn actions(&mut self) -> String {
        let count = if !self.is_child && self.writer.chance(50) { 1 + self.writer.below(2) } else { 0 };
        let lines: Vec<String> = (0..count)
            .map(|at| {
                let line = format!("act{at}: |\n{}", indented(&self.writer.block()));
                self.writer.names.push(Name::fixed("action", format!("act{at}")));
                line
            })
            .collect();
        section("actions", &lines)
    }

    fn pause(&mut self) -> String {
        let is_there = !self.is_child && self.writer.chance(8);
        let pause = is_there.then(|| self.writer.expand("pause: {when: \"$bool\", ask: \"'go'\"}", 1));
        pause.flatten().unwrap_or_default()
    }

    fn outputs(&mut self) -> String {
        let words: Vec<&str> = if self.is_child {
            ["small", "texts"][..=self.writer.below(2)].to_vec()
        } else if self.writer.chance(60) {
            (0..=self.writer.below(3)).map(|_| self.writer.pick(&TYPES).word).collect()
        } else {
            Vec::new()
        };
        let names = if self.is_child { ["r", "q", ""] } else { ["o0", "o1", "o2"] };
        let lines: Vec<String> = words
            .into_iter()
            .zip(names)
            .map(|(word, name)| format!("{name}: \"{}\"", self.writer.expression(word, 1)))
            .collect();
        section("output", &lines)
    }

    fn properties(&mut self) -> String {
        let count = self.writer.below(if self.is_child { 2 } else { 4 });
        let lines: Vec<String> =
            (0..count).map(|at| format!("p{at}: \"{}\"", self.writer.property())).collect();
        section("properties", &lines)
    }
}

/// A section of a graph file; nothing if it has no lines.
fn section(key: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("{key}:\n{}", indented(&lines.join("\n"))) }
}
