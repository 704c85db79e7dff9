//! Random graph files, with comments and blanks in odd places.

use std::fmt::Write as _;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng};

use loopwright::syntax::Syntax;

use super::{digest, hold_there_and_back, rewrite};

/// How many files of odd texts are tried.
const FILES: u64 = 400;
/// How many graphs that run are tried.
const GRAPHS: u64 = 1_000;

/// Texts that are hard to quote.
const TEXTS: &[&str] = &[
    "plain",
    "two words",
    "it's",
    "say \"x\"",
    "both ' and \"",
    "a: b",
    "a #b",
    "#",
    "- x",
    "yes",
    "no",
    "null",
    "~",
    "1",
    "1.0",
    "0x1f",
    "2026-01-01",
    "",
    " ",
    " lead",
    "trail ",
    "a\nb",
    "a\nb\n",
    "a\n\nb\n\n",
    "\n",
    "\na",
    "  a\n b\n",
    "a\n  b\n",
    "a\\b",
    "a\\n\nb",
    "'''",
    "\"\"\"",
    "'''\n\"\"\"\n",
    "tab\there",
    "\ttab\nx\n",
    "é ü 漢字 🙂",
    "\u{200f}rtl",
    "a\r\nb",
    "\u{85}",
    "\u{0}",
    "{{ a }}\n{% if x %}\n  y\n{%- endif %}\n",
    "[x]",
    "{x}",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "a,b",
    "a:b",
    ":",
    "?",
    "? a",
    "end",
    "a \nb",
    "a\n \nb",
    "x'",
    "x\"",
    "''",
    "\\",
    "a\\",
    "long words and long words and long words and long words and long words and long words and long words and more",
    "trailing blanks  \nand more\n",
    "a\n# b\n",
    "---",
    "...",
    "--- a\nb",
];

/// What the comments of random files begin with.
pub(super) const MARK: &str = "#~c";

const COMMENTS: &[&str] =
    &["", " a", " b # c", "!", " 'x", " \"", " {", " }", " -> x", " a: b", " é", "\ttab", " - a"];

struct Writer {
    random: SmallRng,
    out: String,
    number: usize,
}

impl Writer {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from.choose(&mut self.random).copied().unwrap_or_default()
    }

    fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    fn name(&mut self) -> String {
        self.number += 1;
        format!("n{}", self.number)
    }

    fn reference(&mut self) -> String {
        let number = self.random.random_range(1..=self.number.max(1));
        format!("n{number}")
    }

    /// Comments and blank lines between two lines.
    fn gap(&mut self, depth: usize) {
        while self.chance(0.15) {
            if self.chance(0.4) {
                self.out.push('\n');
            } else {
                let comment = self.comment();
                let _ = writeln!(self.out, "{:1$}{comment}", "", depth * 2);
            }
        }
    }

    /// A comment that stands nowhere else.
    fn comment(&mut self) -> String {
        self.number += 1;
        let text = self.pick(COMMENTS);
        format!("{MARK}{} {text}", self.number)
    }

    fn beside(&mut self) -> String {
        let comment = self.comment();
        if self.chance(0.1) { format!("  {comment}") } else { String::new() }
    }

    /// `key: value` on a line of its own.
    fn key(&mut self, depth: usize, key: &str, value: &str) {
        self.gap(depth);
        let beside = self.beside();
        let _ = writeln!(self.out, "{:1$}{key}: {value}{beside}", "", depth * 2);
    }

    fn head(&mut self, depth: usize, key: &str) {
        self.gap(depth);
        let beside = self.beside();
        let _ = writeln!(self.out, "{:1$}{key}:{beside}", "", depth * 2);
    }

    /// A text as a YAML scalar: as JSON, which YAML reads.
    fn text(&mut self) -> String {
        let text = self.pick(TEXTS);
        let json = serde_json::to_string(text).expect("a text is JSON");
        json.replace('\u{85}', "\\u0085").replace('\u{200f}', "\\u200f")
    }

    fn expression(&mut self, depth: u32) -> String {
        let choice =
            if depth == 0 { self.random.random_range(0..6) } else { self.random.random_range(0..22) };
        let next = |s: &mut Self| s.expression(depth.saturating_sub(1));
        match choice {
            0 => self.reference(),
            1 => self.pick(&["1", "-1", "0x1F", "1.5e+3", "1m30s", "true", "null", "2"]).to_owned(),
            2 => {
                let texts =
                    ["'a'", "\"b\"", r"r'\d'", r"'it\'s'", "'#'", "'''a\nb'''", "\"{\"", "'->'", "''"];
                self.pick(&texts).to_owned()
            }
            3 => format!("{}.f", self.reference()),
            4 => format!("{}[0]", self.reference()),
            5 => "[]".to_owned(),
            6..12 => {
                let operator = self.pick(&[
                    "&&", "||", "==", "!=", "<", ">=", "+", "-", "*", "/", "%", "??", " in ", " && ", "  +  ",
                ]);
                format!("{}{operator}{}", next(self), next(self))
            }
            12 => format!("!({})", next(self)),
            13 => format!("-({})", next(self)),
            14 => format!("( {} )", next(self)),
            15 => format!("({}) ? {} : {}", next(self), next(self), next(self)),
            16 => format!("[{}, {}]", next(self), next(self)),
            17 => format!("{{'k': {}, 'l':{}}}", next(self), next(self)),
            18 => format!("T{{f: {}}}", next(self)),
            19 => format!("size({})", next(self)),
            20 => format!("is({}, list<int>)", next(self)),
            _ => {
                let lines = format!("({}\n  && {})", next(self), next(self));
                if self.chance(0.2) {
                    format!("({} {}\n  || {lines})", next(self), self.comment())
                } else {
                    lines
                }
            }
        }
    }

    /// A scalar that holds code: in quotes, or as a block.
    fn code(&mut self, depth: usize, key: &str, code: &str) {
        if code.contains('\n') || self.chance(0.1) {
            self.gap(depth);
            let _ = writeln!(self.out, "{:1$}{key}: |", "", depth * 2);
            for line in code.split('\n') {
                let _ = writeln!(self.out, "{:1$}{line}", "", depth * 2 + 2);
            }
        } else {
            let value = serde_json::to_string(code).expect("a text is JSON");
            self.key(depth, key, &value);
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let value = self.expression(2);
        let name = self.reference();
        match self.random.random_range(0..if depth == 0 { 7 } else { 9 }) {
            0 => format!("{name} = {value}"),
            1 => format!("{name}.f[0] += {value}"),
            2 => format!("let {} = {value}", self.name()),
            3 => format!("spend {name}"),
            4 => format!("spend {name} by {value}"),
            5 => format!("emit {name} {{'a': {value}}}"),
            6 => format!("fail {name} 'x'"),
            7 => format!("if ({value}) {{{}}} else {{{}}}", self.block(depth - 1), self.block(depth - 1)),
            _ => format!("for {} in ({value}) {{{}}}", self.name(), self.block(depth - 1)),
        }
    }

    /// Statements; an odd one ends in a comment.
    fn block(&mut self, depth: u32) -> String {
        let mut out = String::new();
        for _ in 0..self.random.random_range(0..3) {
            out.push_str(&self.statement(depth));
            let comment = self.comment();
            match self.random.random_range(0..6) {
                0 => out.push_str("; "),
                1 => {
                    let _ = writeln!(out, "  {comment}");
                }
                2 => {
                    let _ = write!(out, "\n\n{comment}\n");
                }
                _ => out.push('\n'),
            }
        }
        out
    }

    fn statements(&mut self, depth: usize, key: &str) {
        let mut block = format!("{}\n{}", self.statement(2), self.block(2));
        // A text of several lines may not be indented with the block.
        block = block.replace("'''a\nb'''", "'ab'");
        self.code(depth, key, block.trim_end());
    }

    fn edges(&mut self, depth: usize) {
        let count = self.random.random_range(0..4);
        if count == 0 {
            return self.key(depth, "next", "[]");
        }
        self.head(depth, "next");
        for _ in 0..count {
            self.gap(depth + 1);
            let indent = depth * 2 + 2;
            if self.chance(0.4) {
                let (to, when, beside) = (self.reference(), self.expression(1), self.beside());
                let when = if when.contains('\n') { "true".to_owned() } else { when };
                let when = serde_json::to_string(&when).expect("a text is JSON");
                let _ = writeln!(self.out, "{:indent$}- {{to: {to}, when: {when}}}{beside}", "");
                continue;
            }
            let (to, beside) = (self.reference(), self.beside());
            let _ = writeln!(self.out, "{:indent$}- to: {to}{beside}", "");
            if self.chance(0.5) {
                let text = self.text();
                self.key(depth + 2, "label", &text);
            }
            if self.chance(0.3) {
                let on = self.pick(&["error", "[error(n1), timeout]", "exhausted(n1)", "done"]);
                self.key(depth + 2, "on", on);
            }
            if self.chance(0.5) {
                let when = self.expression(3);
                self.code(depth + 2, "when", &when);
            }
            if self.chance(0.4) {
                self.statements(depth + 2, "do");
            }
        }
    }

    fn node(&mut self, depth: usize, levels: u32) {
        let name = self.name();
        self.head(depth, &name);
        let depth = depth + 1;
        let kinds = ["action", "choice", "model", "tool", "human", "wait", "final", "composite", "each"];
        let kind = if levels == 0 { self.pick(&kinds[..7]) } else { self.pick(&kinds) };
        if kind != "action" || self.chance(0.5) {
            self.key(depth, "kind", kind);
        }
        if self.chance(0.4) {
            let text = self.text();
            self.key(depth, "title", &text);
        }
        if self.chance(0.2) {
            let text = self.text();
            self.key(depth, "doc", &text);
        }
        match kind {
            "model" => {
                self.key(depth, "role", "writer");
                let prompt = self.expression(1);
                self.code(depth, "prompt", &prompt);
                self.key(depth, "into", "n1.f[0]");
            }
            "tool" => {
                self.key(depth, "tool", "a.b-c/d:e");
                self.head(depth, "args");
                for _ in 0..2 {
                    let (name, value) = (self.name(), self.expression(2));
                    self.code(depth + 1, &name, &value);
                }
                self.key(depth, "retry", "{attempts: 3, on: [timeout]}");
            }
            "human" => self.key(depth, "options", "[a, b]"),
            "wait" => self.key(depth, "delay", "5s"),
            "final" => {
                let outcome = self.expression(2);
                self.code(depth, "outcome", &outcome);
            }
            "each" => {
                self.key(depth, "graph", "\"x y.yaml\"");
                let over = self.expression(1);
                self.code(depth, "over", &over);
            }
            "composite" => {
                self.key(depth, "start", "n1");
                self.key(depth, "state", "{inner: 'int = 0'}");
                self.head(depth, "nodes");
                for _ in 0..self.random.random_range(1..4) {
                    self.node(depth + 1, levels - 1);
                }
            }
            _ => {}
        }
        if kind != "choice" && self.chance(0.6) {
            self.statements(depth, "do");
        }
        if kind != "final" {
            self.edges(depth);
        }
    }

    fn file(&mut self) {
        self.gap(0);
        self.key(0, "graph", "g");
        if self.chance(0.2) {
            self.key(0, "extends", "base.yaml");
        }
        self.head(0, "state");
        for _ in 0..self.random.random_range(1..4) {
            let (name, value) = (self.name(), self.expression(2));
            let ty =
                self.pick(&["int", "list<string>", "map<list<int>(3)>?", "enum(a,b)", "T?", "int(0..9)"]);
            self.code(1, &name, &format!("{ty} = {value}"));
        }
        self.head(0, "texts");
        for _ in 0..self.random.random_range(1..5) {
            let (name, text) = (self.name(), self.text());
            self.key(1, &name, &text);
        }
        self.head(0, "let");
        for _ in 0..self.random.random_range(1..4) {
            let (name, value) = (self.name(), self.expression(4));
            let name = if self.chance(0.3) { format!("{name}(a,b)") } else { name };
            self.code(1, &name, &value);
        }
        self.head(0, "actions");
        for _ in 0..self.random.random_range(1..3) {
            let name = self.name();
            self.statements(1, &name);
        }
        self.head(0, "nodes");
        for _ in 0..self.random.random_range(1..5) {
            self.node(1, 2);
        }
        self.gap(0);
    }
}

/// Does the work of each number, on two threads.
fn on_two_threads(count: u64, work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let work = &work;
            scope.spawn(move || (half..count).step_by(2).for_each(work));
        }
    });
}

#[test]
fn random_files_are_written_the_same_again() {
    on_two_threads(FILES, |seed| {
        let random = SmallRng::seed_from_u64(seed);
        let mut writer = Writer { random, out: String::new(), number: 0 };
        writer.file();
        hold_there_and_back(&format!("random-{seed}.yaml"), &writer.out);
    });
}

#[test]
fn random_graphs_are_the_same_program_there_and_back() {
    on_two_threads(GRAPHS, |seed| {
        let yaml = crate::semantics::random_graph(&mut SmallRng::seed_from_u64(seed));
        let there = rewrite("graph.yaml", &yaml, Syntax::Loop).expect("a graph can be written");
        let back = rewrite("graph.loop", &there, Syntax::Yaml).expect("what was written can be, too");
        let first = digest("graph.yaml", ("graph.yaml", &yaml));
        assert_eq!(first, digest("graph.yaml", ("graph.loop", &there)), "seed {seed}\n{there}");
        assert_eq!(first, digest("graph.yaml", ("graph.yaml", &back)), "seed {seed}\n{back}");
    });
}
