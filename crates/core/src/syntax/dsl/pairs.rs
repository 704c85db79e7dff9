//! From the pairs of the grammar to the document.

use pest::iterators::{Pair, Pairs};

use super::body::Body;
use super::keys::section_of;
use super::{Part, Reader};
use crate::syntax::expr::Rule;
use crate::syntax::lower::Form;
use crate::syntax::yaml::{Entry, Node, NodeKind, Scalar};

impl<'s> Reader<'s, '_> {
    /// The place in the file of a pair.
    pub(super) fn range(&self, pair: &Pair<'_, Rule>) -> Part {
        let span = pair.as_span();
        let base = self.base.unwrap_or_default();
        (base + span.start(), base + span.end())
    }

    /// The word a pair begins with.
    fn first_word(&self, pair: &Pair<'s, Rule>) -> (Part, &'s str) {
        let word = self.t.word_at(self.range(pair).0);
        (word, &self.t.text[word.0..word.1])
    }

    /// Adds a declaration of the file to its sections.
    pub(super) fn declared(&mut self, pair: Pair<'s, Rule>, sections: &mut Vec<Entry<'s>>) {
        if let Some(section) = section_of(pair.as_rule()) {
            self.group_pair(section, pair, sections);
            return;
        }
        match pair.as_rule() {
            Rule::EOI => {}
            Rule::node => {
                let part = self.range(&pair);
                let node = self.node_pair(pair);
                self.add(sections, "nodes", part, vec![node]);
            }
            _ => {
                let part = self.range(&pair);
                let entry = self.key_pair(pair);
                self.put(sections, entry, part);
            }
        }
    }

    /// A key and its value.
    pub(super) fn key_pair(&mut self, pair: Pair<'s, Rule>) -> Entry<'s> {
        let key = self.verbatim(self.first_word(&pair).0);
        Entry { key, value: self.only_value(pair) }
    }

    /// The value after the word or sign of a pair.
    fn only_value(&mut self, pair: Pair<'s, Rule>) -> Node<'s> {
        let at = self.range(&pair);
        let value = pair.into_inner().next().map(|value| self.pair_value(value));
        value.unwrap_or_else(|| self.refused(at))
    }

    pub(super) fn pair_value(&mut self, pair: Pair<'s, Rule>) -> Node<'s> {
        let part = self.range(&pair);
        match pair.as_rule() {
            Rule::string => self.quoted(part),
            Rule::expr
            | Rule::type_expr
            | Rule::place
            | Rule::trigger
            | Rule::property
            | Rule::field_line => self.parsed(part, pair),
            Rule::block => self.block_pair(pair),
            Rule::names | Rule::tools | Rule::paths | Rule::triggers => {
                let items = pair.into_inner().map(|item| self.pair_value(item)).collect();
                self.nodes += 1;
                Node { kind: NodeKind::Sequence(items), span: self.span(part) }
            }
            Rule::edges => {
                let edges = pair.into_inner().map(|edge| self.edge_pair(edge)).collect();
                Node { kind: NodeKind::Sequence(edges), span: self.span(part) }
            }
            Rule::start => self.start_pair(pair),
            Rule::inner_graph => {
                let mut sections = Vec::new();
                for declaration in pair.into_inner() {
                    self.declared(declaration, &mut sections);
                }
                self.sections_node(sections, part)
            }
            Rule::text_file | Rule::text_here => {
                let (at, word) = self.first_word(&pair);
                let written = self.only_value(pair);
                let key = if word == "text" { "text" } else { "file" };
                let entry = self.named(key, at, written);
                self.mapping(vec![entry], part)
            }
            Rule::fields
            | Rule::record_body
            | Rule::record_fields
            | Rule::meters
            | Rule::branches
            | Rule::candidates
            | Rule::ignores
            | Rule::retry
            | Rule::migrate
            | Rule::renames
            | Rule::pause
            | Rule::nodes => {
                let entries = self.entries_of(pair.into_inner());
                self.mapping(entries, part)
            }
            _ => self.name_node(part),
        }
    }

    fn entries_of(&mut self, pairs: Pairs<'s, Rule>) -> Vec<Entry<'s>> {
        pairs.map(|pair| self.entry_pair(pair)).collect()
    }

    /// A name with what is declared of it, or a key with its value.
    pub(super) fn entry_pair(&mut self, pair: Pair<'s, Rule>) -> Entry<'s> {
        match pair.as_rule() {
            Rule::node => return self.node_pair(pair),
            Rule::budget_decl | Rule::view_decl | Rule::branch => return self.keyed_pair(pair),
            Rule::view_key
            | Rule::migrate_key
            | Rule::retry_key
            | Rule::branch_key
            | Rule::budget_key
            | Rule::pause_part => {
                return self.key_pair(pair);
            }
            _ => {}
        }
        let (at, mut parts) = (self.range(&pair), pair.into_inner());
        let key = parts.next().map_or(at, |name| self.range(&name));
        let key = self.verbatim(key);
        let value = parts.next().map(|value| self.pair_value(value));
        Entry { key, value: value.unwrap_or_else(|| self.nothing(at.1)) }
    }

    /// A name, perhaps a limit, and keys.
    fn keyed_pair(&mut self, pair: Pair<'s, Rule>) -> Entry<'s> {
        let (at, text) = (self.range(&pair), pair.as_str());
        let budget = pair.as_rule() == Rule::budget_decl;
        let mut parts = pair.into_inner();
        let name = parts.next().map_or(at, |name| self.range(&name));
        let mut rest = text[name.1 - at.0..].trim_start();
        if !budget && let Some(after_colon) = rest.strip_prefix(':') {
            rest = after_colon.trim_start();
        }
        let start = at.1 - rest.len();
        let key = self.verbatim(name);
        let entries: Vec<_> = parts.map(|part| self.keyed_part(part)).collect();
        Entry { key, value: self.mapping(entries, (start, at.1)) }
    }

    fn keyed_part(&mut self, pair: Pair<'s, Rule>) -> Entry<'s> {
        if pair.as_rule() != Rule::budget_limit {
            return self.key_pair(pair);
        }
        let at = self.range(&pair).0;
        let limit = self.only_value(pair);
        self.named("limit", (at, at + 1), limit)
    }

    /// Declarations of a section.
    fn group_pair(&mut self, section: &'static str, pair: Pair<'s, Rule>, sections: &mut Vec<Entry<'s>>) {
        let part = self.range(&pair);
        let mut parts = pair.into_inner();
        let entries = if parts.peek().is_some_and(|first| first.as_rule() == Rule::names) {
            let names = parts.next().map(|names| self.pair_value(names));
            names.map(|names| self.roles(names, part.1)).unwrap_or_default()
        } else {
            self.entries_of(parts)
        };
        self.add(sections, section, part, entries);
    }

    /// The names of a list as roles without further facts.
    pub(super) fn roles(&mut self, names: Node<'s>, end: usize) -> Vec<Entry<'s>> {
        let NodeKind::Sequence(names) = names.kind else { return Vec::new() };
        let scalars = names.into_iter().filter_map(|name| match name.kind {
            NodeKind::Scalar(key) => Some(key),
            _ => None,
        });
        scalars.map(|key| Entry { key, value: self.nothing(end) }).collect()
    }

    fn start_pair(&mut self, pair: Pair<'s, Rule>) -> Node<'s> {
        let part = self.range(&pair);
        let mut parts = pair.into_inner();
        let to = parts.next().map_or(part, |word| self.range(&word));
        let target = self.name_node(to);
        let Some(label) = parts.next() else { return target };
        let here = self.range(&label).0;
        let label = self.pair_value(label);
        let entries = vec![self.named("to", to, target), self.named("label", (here, here), label)];
        self.mapping(entries, part)
    }

    fn block_pair(&mut self, pair: Pair<'s, Rule>) -> Node<'s> {
        let (start, end) = self.range(&pair);
        let inner = (start + 1, end - 1);
        if self.t.text[inner.0..inner.1].trim().is_empty() {
            return Node { kind: NodeKind::Sequence(Vec::new()), span: self.span(inner) };
        }
        self.parsed(inner, pair)
    }

    pub(super) fn node_pair(&mut self, pair: Pair<'s, Rule>) -> Entry<'s> {
        let (part, (at, word)) = (self.range(&pair), self.first_word(&pair));
        let mut parts = pair.into_inner();
        let name = parts.next().map_or(part, |name| self.range(&name));
        let key = self.verbatim(name);
        let mut body = self.body(at, word);
        self.body_parts(parts, &mut body);
        let value = self.finish(body, part);
        Entry { key, value }
    }

    fn body_parts(&mut self, parts: Pairs<'s, Rule>, body: &mut Body<'s>) {
        for part in parts {
            self.body_part(part, body);
        }
    }

    /// One title, key, edge, inner node or run of statements of a node, or its body as a whole.
    pub(super) fn body_part(&mut self, part: Pair<'s, Rule>, body: &mut Body<'s>) {
        if let Some(section) = section_of(part.as_rule()) {
            self.group_pair(section, part, &mut body.entries);
            return;
        }
        match part.as_rule() {
            Rule::body | Rule::nested | Rule::patched => self.body_parts(part.into_inner(), body),
            Rule::string => {
                let at = self.range(&part).0;
                let title = self.pair_value(part);
                body.entries.push(self.named("title", (at, at), title));
            }
            Rule::edge => {
                let edge = self.edge_pair(part);
                body.edges.push(edge);
            }
            Rule::run => self.run_pair(part, body),
            Rule::node => {
                let at = self.range(&part);
                let node = self.node_pair(part);
                self.add(&mut body.entries, "nodes", at, vec![node]);
            }
            _ => {
                let key = self.key_pair(part);
                body.entries.push(key);
            }
        }
    }

    /// Statements with nothing between them.
    fn run_pair(&mut self, run: Pair<'s, Rule>, body: &mut Body<'s>) {
        let keyed = !matches!(body.kind, "" | "action" | "choice");
        if !keyed || !run.clone().into_inner().any(|statement| self.assigned_key(&statement, body).is_some())
        {
            let run = self.parsed(self.range(&run), run);
            body.runs.push(run);
            return;
        }
        for statement in run.into_inner() {
            let part = self.range(&statement);
            if let Some((at, form, value)) = self.assigned_key(&statement, body) {
                self.flush(body);
                self.no_field(at);
                let value = self.value_meant(form, value);
                body.entries.push(Entry { key: self.verbatim(at), value });
            } else {
                body.run = Some(body.run.map_or(part, |run| (run.0, part.1)));
            }
        }
        self.flush(body);
    }

    /// The key that a statement assigns to, its form and its value.
    fn assigned_key(
        &mut self,
        statement: &Pair<'s, Rule>,
        body: &Body<'s>,
    ) -> Option<(Part, Form, Pair<'s, Rule>)> {
        let assign = statement.clone().into_inner().next().filter(|s| s.as_rule() == Rule::assign)?;
        let mut parts = assign.into_inner();
        let (place, sign, value) = (parts.next()?, parts.next()?, parts.next()?);
        let form =
            if sign.as_str() == "=" { self.key_meant(place.as_str(), body.kind)? } else { return None };
        Some((self.range(&place), form, value))
    }

    fn value_meant(&mut self, form: Form, value: Pair<'s, Rule>) -> Node<'s> {
        let part = self.range(&value);
        match form {
            Form::Expr | Form::TextName => self.parsed(part, value),
            _ if value.as_str().starts_with(['\'', '"']) => self.quoted(part),
            // The key is at fault, so its value is not judged as what it is not.
            _ if value.as_str().starts_with(['[', '{', '(']) => self.refused(part),
            _ => self.code(part),
        }
    }

    pub(super) fn edge_pair(&mut self, pair: Pair<'s, Rule>) -> Node<'s> {
        let part = self.range(&pair);
        let mut entries = Vec::with_capacity(2);
        for clause in pair.into_inner() {
            let (at, rule) = (self.range(&clause), clause.as_rule());
            let word = self.first_word(&clause).0;
            let (name, at, value) = match rule {
                Rule::word => ("to", (part.0, part.0 + 2), self.name_node(at)),
                Rule::string => ("label", (at.0, at.0), self.pair_value(clause)),
                Rule::ignore_clause => ("ignore", word, self.only_value(clause)),
                Rule::outer_clause => ("outer", word, self.only_value(clause)),
                Rule::on_clause => ("on", word, self.only_value(clause)),
                Rule::when_clause => ("when", word, self.only_value(clause)),
                _ => ("do", word, self.only_value(clause)),
            };
            entries.push(self.named(name, at, value));
        }
        self.mapping(entries, part)
    }

    /// A part of the text that the grammar read.
    fn parsed(&mut self, part: Part, pair: Pair<'s, Rule>) -> Node<'s> {
        // Pairs of a piece count its bytes from the piece on.
        let pair = self.base.is_none().then(|| Box::new(pair));
        let scalar = Scalar { pair, ..self.verbatim(part) };
        self.reported.push(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }
}
