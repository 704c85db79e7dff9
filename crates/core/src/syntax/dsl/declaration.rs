//! The declarations of a file, and what stands where one should begin.

use super::Reader;
use super::keys::{GROUPS, OF_FILE, group, is_declaration, is_kind};
use crate::diag::{Diagnostic, nearest, rule};
use crate::syntax::expr::{Rule, Token, TokenKind};
use crate::syntax::lower::tables::NODE_KINDS;
use crate::syntax::names::clip;
use crate::syntax::yaml::Entry;

/// An example of a declaration, for hints.
const DECLARATIONS: &str = "declarations begin with `state`, `type`, `let`, `start` …, nodes with their kind";

/// Words of other languages, and ours for them.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("import", "use"),
    ("include", "use"),
    ("enum", "type"),
    ("record", "type"),
    ("struct", "type"),
    ("var", "state"),
    ("vars", "state"),
    ("variables", "state"),
    ("const", "let"),
    ("function", "let"),
    ("def", "let"),
    ("prompt", "text"),
    ("template", "text"),
    ("agent", "model"),
    ("llm", "model"),
    ("end", "final"),
    ("branch", "choice"),
];

/// The words that declarations begin with: kinds of node, sections with one entry or several, keys of the file.
pub(crate) fn declaration_words() -> impl Iterator<Item = &'static str> {
    let known = NODE_KINDS.iter().map(|(kind, _)| *kind);
    let words = GROUPS.iter().flat_map(|(_, one, all)| [*one, *all]);
    known.chain(words).chain(["graph", "title", "doc", "version", "extends", "use", "start", "pause", "node"])
}

impl<'s> Reader<'s, '_> {
    /// One declaration of the file.
    pub(super) fn declaration(&mut self, sections: &mut Vec<Entry<'s>>) {
        let Some(token) = self.t.next else { return };
        let text = self.t.text(token);
        let known = is_kind(text) || is_declaration(text) || text == "nodes";
        if token.kind == TokenKind::Word
            && known
            && let Some(pair) = self.piece(Rule::declaration)
        {
            self.declared(pair, sections);
            return;
        }
        match token.kind {
            TokenKind::Word if is_kind(text) => self.add_node(sections),
            TokenKind::Word if group(text).is_some() => self.group_of(sections),
            TokenKind::Word if text == "nodes" && !self.begins_yaml() => self.section(sections),
            TokenKind::Word if is_declaration(text) => self.section(sections),
            TokenKind::Word if self.looks_like_node() => self.add_node(sections),
            TokenKind::Word => self.unknown_declaration(token, sections),
            TokenKind::Close => self.closes_nothing(token),
            _ if self.at_arrow() => {
                self.edge_outside(token);
                self.edge();
            }
            TokenKind::Open if text == "{" && self.t.end_of_last == 0 => self.yaml(token),
            _ => {
                self.unread.add_unnamed();
                self.unexpected("a declaration", DECLARATIONS);
            }
        }
    }

    fn closes_nothing(&mut self, token: Token) {
        let text = self.t.text(token);
        if self.wrapped && text == "}" {
            self.wrapped = false;
            self.t.take();
            return;
        }
        let message = format!("this `{text}` closes nothing");
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
        self.report(found.help("remove it, or look for a `}` too many before it"));
        self.surplus = true;
        self.unread.add_rest();
        self.unread.add_unnamed();
        self.pass_line();
    }

    /// Reports an edge, whose first token this is, that stands in no node.
    fn edge_outside(&mut self, token: Token) {
        let message = "this edge is outside of every node";
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
        self.report(found.help("write edges in the body of their source: `choice gate { -> target }`"));
        self.unread.add_unnamed();
    }

    /// True if two words stand here as at the head of a node: its kind may be misspelt.
    pub(super) fn looks_like_node(&self) -> bool {
        let mut ahead = self.t.ahead();
        let (second, third) = (ahead.take(), ahead.take());
        second.is_some_and(|t| t.kind == TokenKind::Word)
            && third.is_some_and(|t| t.kind == TokenKind::Quoted || self.t.text(t) == "{")
    }

    fn unknown_declaration(&mut self, token: Token, sections: &mut Vec<Entry<'s>>) {
        let word = self.t.text(token);
        let (second, same) = self.t.second();
        match second.filter(|_| same).map_or("", |t| self.t.text(t)) {
            "->" => {
                self.edge_outside(token);
                self.t.take();
                self.edge();
                return;
            }
            ":" if word == "nodes" => return self.yaml(token),
            ":" if self.name_before_kind(token, sections) => return,
            _ => {}
        }
        let lower = word.to_ascii_lowercase();
        let other = OTHER_WORDS.iter().find(|(other, _)| *other == lower).map(|(_, ours)| *ours);
        let meant = other.or_else(|| nearest(word, declaration_words()));
        let message = format!("no declaration begins with `{}`", clip(word));
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
        self.report(found.meant_or(meant, DECLARATIONS));
        self.unread.add_unnamed();
        let start = token.start;
        self.t.take();
        self.t.rest_of_line();
        if self.t.next_text() == "{" {
            self.pass_braces();
        }
        self.reported.push((start, self.t.end_of_last));
        self.pass_indented(start);
    }

    /// `name: kind { … }`: reports it and reads the node. False if that does not stand here.
    fn name_before_kind(&mut self, name: Token, sections: &mut Vec<Entry<'s>>) -> bool {
        let mut ahead = self.t.ahead();
        ahead.take();
        let Some(kind) = ahead.take().filter(|t| is_kind(self.t.text(*t))) else { return false };
        let (word, named) = (self.t.text(kind), self.t.text(name));
        let message = format!("the name `{}` is before its kind", clip(named));
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(name), message);
        self.report(found.help(format!("write `{word} {} {{ … }}`", clip(named))));
        self.t.take();
        self.t.take();
        self.t.take();
        let node = self.node_named(kind, (name.start, name.end));
        self.add(sections, "nodes", (name.start, self.t.end_of_last), node.into_iter().collect());
        true
    }

    /// True if the next token, `nodes`, and what follows is YAML.
    fn begins_yaml(&self) -> bool {
        let mut ahead = self.t.ahead();
        ahead.take().is_some_and(|t| self.t.text(t) == ":")
            && ahead.take().is_none_or(|t| t.kind == TokenKind::Break)
    }

    /// True if the file is YAML by the section that every graph has.
    pub(super) fn is_yaml(&mut self) -> bool {
        let text = self.t.text;
        *self.yaml.get_or_insert_with(|| text.lines().any(|line| line.starts_with("nodes:")))
    }

    /// The rest of a file that is YAML.
    pub(super) fn yaml(&mut self, token: Token) {
        let what = if self.t.text(token) == "{" { "JSON" } else { "YAML" };
        let message = format!("this is {what}, in a file whose name ends in `.loop`");
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
        self.report(found.help("give it a name that ends in `.yaml`"));
        while self.t.take().is_some() {}
        self.reported.push((token.start, self.t.text.len()));
        self.unread.add_rest();
        self.unread.add_unnamed();
    }

    fn add_node(&mut self, sections: &mut Vec<Entry<'s>>) {
        let at = self.t.here();
        if let Some(node) = self.node() {
            self.add(sections, "nodes", (at, self.t.end_of_last), vec![node]);
        }
    }

    /// A key of the file that is given once.
    fn section(&mut self, sections: &mut Vec<Entry<'s>>) {
        let at = self.t.here();
        let entry = self.key(OF_FILE);
        if entry.key.text == "graph" && !self.t.broke {
            self.titled();
            self.in_braces();
        }
        self.put(sections, entry, (at, self.t.end_of_last));
    }

    /// `graph name "title"`, as nodes have it.
    fn titled(&mut self) {
        let Some(title) = self.t.next.filter(|t| t.kind == TokenKind::Quoted) else { return };
        self.t.take();
        let message = "the title of a graph needs a line of its own";
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(title), message);
        self.report(found.help(format!("write `title {}` below", clip(self.t.text(title)))));
        self.unread.add_unnamed();
    }

    /// `graph name {`: the brace is reported, and its other one is passed over later.
    fn in_braces(&mut self) {
        let Some(open) = self.t.next.filter(|t| self.t.text(*t) == "{") else { return };
        self.t.take();
        let message = "the declarations of a graph have no braces around them";
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(open), message);
        self.report(found.help("remove this `{` and its `}`"));
        self.wrapped = true;
    }
}
