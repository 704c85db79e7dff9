//! Nodes.

use super::super::item::{Comment, Item, Value};
use super::super::lines::{beside, fits};
use super::text::quoted;
use super::{DeclaredItem, Writer, edge, key};

/// The number of characters that keys on one line may take.
const MAX_SHARED_LINE_CHARS: usize = 80;

/// A node's body, in the order it is written.
struct Body<'i> {
    declared: Vec<DeclaredItem<'i>>,
    edges: Option<&'i Item>,
}

impl Writer {
    pub(super) fn node(&mut self, node: &Item, indent: usize) {
        let head = self.head(node);
        let body = self.body(node);
        if let Some(flat) = flat(&head, &body).filter(|_| node.one_line && !node.has_inner_comments())
            && fits(indent, &flat)
        {
            return self.out.line(indent, &format!("{flat}{}", beside(&node.beside)));
        }
        let moved = moved_comments(node);
        if body.declared.is_empty() && body.edges.is_none() {
            self.out.comments(indent, &moved);
            return self.out.line(indent, &format!("{head}{}", beside(&node.beside)));
        }
        self.out.open(indent, &format!("{head} {{{}", beside(&node.beside)));
        self.out.comments(indent + 2, &moved);
        self.inside(&body.declared, indent + 2);
        if let Some(edges) = body.edges {
            self.edges(edges, indent + 2);
        }
        self.out.line(indent, "}");
    }

    /// Kind, name and title.
    fn head(&self, node: &Item) -> String {
        let kind = match node.get("kind").map(|kind| &kind.value) {
            Some(Value::Word(kind)) => kind,
            _ if self.variant => "node",
            _ if node.get("nodes").is_some() => "composite",
            _ => "action",
        };
        let mut head = format!("{kind} {}", node.key);
        if let Some(Value::Text(title)) = node.get("title").map(|title| &title.value) {
            head.push(' ');
            head.push_str(&crate::syntax::print::quoted_in(&title.text, '"'));
        }
        head
    }

    fn body<'i>(&self, node: &'i Item) -> Body<'i> {
        let items = node.children().iter();
        let items = items.filter(|item| !matches!(item.key.as_str(), "kind" | "title" | "next"));
        Body { declared: self.declared(items), edges: node.get("next") }
    }

    /// Keys, statements and inner declarations.
    fn inside(&mut self, declared: &[DeclaredItem<'_>], indent: usize) {
        let mut rest = declared;
        while let Some(first) = rest.first() {
            let own = std::ptr::eq(first.section, first.item);
            let shared = if own { shared(rest) } else { 0 };
            if shared > 1 {
                self.out.before(indent, first.item);
                let keys: Vec<_> = rest[..shared].iter().filter_map(|d| key::flat(d.item)).collect();
                self.out.line(indent, &keys.join("  "));
                rest = &rest[shared..];
                continue;
            }
            let taken = rest.iter().take_while(|d| std::ptr::eq(d.section, d.item) == own).count();
            let taken = if own { 1 } else { taken };
            if own {
                self.out.before(indent, first.item);
                self.key(first.item, indent);
                self.out.comments(indent, &first.item.after);
            } else {
                self.declarations(&rest[..taken], indent);
            }
            rest = &rest[taken..];
        }
    }

    /// A key with its value.
    pub(super) fn key(&mut self, item: &Item, indent: usize) {
        let name = item.key.as_str();
        match &item.value {
            Value::Code(code) if name == "do" => {
                if code.is_empty() {
                    return self.out.line(indent, &format!("do {{}}{}", beside(&item.beside)));
                }
                self.beside_above(item, indent);
                for line in code.lines(0, super::super::MAX_LINE_CHARS.saturating_sub(indent)) {
                    self.out.line(indent + line.indent, &line.text);
                }
            }
            Value::Nothing if matches!(name, "do" | "then") => self.out.line(indent, &format!("{name} {{}}")),
            Value::Code(_) if name == "then" => self.statements("then", item, indent),
            Value::Text(text) => {
                let text = format!("{name} {}", quoted(&text.text, key::quote(name), indent));
                self.last_line(&text, item, indent);
            }
            Value::Items(_) if key::is_text_here(item) => {
                self.hoisted(item, indent);
                let text = key::text_here(item, indent).unwrap_or_default();
                self.last_line(&format!("{name} {text}"), item, indent);
            }
            Value::Items(_) if item.is_graph => self.inner_graph(item, indent),
            Value::Items(_) if name == "graphs" => self.candidates(item, indent),
            Value::Items(_) if key::is_fields(item) => self.with_fields(item, indent),
            Value::Items(_) if key::is_renames(item) => self.renames(item, indent),
            Value::Items(_) if key::is_keyed(item) => self.keys_in_braces(name, item, indent),
            Value::Items(_) if name == "branches" => self.branches(item, indent),
            Value::Items(_) if name == "start" => {
                self.hoisted(item, indent);
                let text = key::start(item.children()).unwrap_or_default();
                self.out.line(indent, &format!("start {text}{}", beside(&item.beside)));
            }
            Value::Word(_) => self.flat_key(item, indent),
            Value::List(_) if key::is_list(name) => self.flat_key(item, indent),
            _ => self.code(name, item, indent),
        }
    }

    /// A key whose value takes one line.
    fn flat_key(&mut self, item: &Item, indent: usize) {
        self.hoisted(item, indent);
        let text = match &item.value {
            Value::List(items) => key::list(&item.key, items).map(|list| format!("{} {list}", item.key)),
            _ => key::flat(item),
        };
        self.out.line(indent, &format!("{}{}", text.unwrap_or_default(), beside(&item.beside)));
    }

    /// Writes a key on one line, if it was on one and fits there.
    fn on_one_line(&mut self, item: &Item, indent: usize) -> bool {
        let short = key::flat(item).filter(|text| item.one_line && fits(indent, text));
        if let Some(text) = &short {
            self.out.line(indent, &format!("{text}{}", beside(&item.beside)));
        }
        short.is_some()
    }

    fn with_fields(&mut self, item: &Item, indent: usize) {
        if !self.on_one_line(item, indent) {
            self.fields(&item.key, item, indent);
        }
    }

    /// Names by earlier names.
    fn renames(&mut self, item: &Item, indent: usize) {
        if self.on_one_line(item, indent) {
            return;
        }
        self.out.open(indent, &format!("{} {{{}", item.key, beside(&item.beside)));
        for rename in item.children() {
            self.out.before(indent + 2, rename);
            let text = key::rename(rename).unwrap_or_default();
            self.out.line(indent + 2, &format!("{text}{}", beside(&rename.beside)));
            self.out.comments(indent + 2, &rename.after);
        }
        self.out.line(indent, "}");
    }

    /// A graph in place.
    fn inner_graph(&mut self, item: &Item, indent: usize) {
        self.out.open(indent, &format!("{} {{{}", item.key, beside(&item.beside)));
        let outer = std::mem::replace(&mut self.variant, item.is_variant().unwrap_or_default());
        let declared = self.declared(item.children().iter());
        self.declarations(&declared, indent + 2);
        self.variant = outer;
        self.out.line(indent, "}");
    }

    /// Graphs by name.
    fn candidates(&mut self, item: &Item, indent: usize) {
        if self.on_one_line(item, indent) {
            return;
        }
        self.out.open(indent, &format!("{} {{{}", item.key, beside(&item.beside)));
        for graph in item.children() {
            self.out.before(indent + 2, graph);
            match key::candidate(graph) {
                Some(text) => self.out.line(indent + 2, &format!("{text}{}", beside(&graph.beside))),
                None => self.inner_graph(graph, indent + 2),
            }
            self.out.comments(indent + 2, &graph.after);
        }
        self.out.line(indent, "}");
    }

    fn branches(&mut self, item: &Item, indent: usize) {
        self.out.open(indent, &format!("branches {{{}", beside(&item.beside)));
        for branch in item.children() {
            self.out.before(indent + 2, branch);
            self.branch(branch, indent + 2);
            self.out.comments(indent + 2, &branch.after);
        }
        self.out.line(indent, "}");
    }

    fn branch(&mut self, branch: &Item, indent: usize) {
        let flat: Option<Vec<_>> = branch.children().iter().map(key::flat).collect();
        let flat = flat.filter(|_| !branch.has_inner_comments()).map(|keys| keys.join("  "));
        match flat.map(|keys| format!("{} {{ {keys} }}", branch.key)).filter(|text| fits(indent, text)) {
            Some(text) => self.out.line(indent, &format!("{text}{}", beside(&branch.beside))),
            None => self.key_lines(&branch.key, branch, indent),
        }
    }
}

/// A node on one line: in braces where it holds statements.
fn flat(head: &str, body: &Body<'_>) -> Option<String> {
    let mut parts = Vec::new();
    let mut statements = false;
    for declared in &body.declared {
        if !std::ptr::eq(declared.section, declared.item) {
            return None;
        }
        parts.push(match &declared.item.value {
            Value::Code(code) if declared.item.key == "do" && !code.is_empty() => {
                statements = true;
                code.flat()?
            }
            _ => key::flat(declared.item)?,
        });
    }
    let edges: Vec<&Item> = match body.edges.map(|edges| (&edges.value, edges)) {
        None => Vec::new(),
        Some((Value::List(items), _)) if items.is_empty() => {
            parts.push("next {}".to_owned());
            Vec::new()
        }
        Some((Value::List(items), _)) => items.iter().collect(),
        Some((Value::Nothing, _)) => return None,
        Some((_, edge)) => vec![edge],
    };
    for item in edges {
        parts.push(edge::flat(item)?);
    }
    if parts.is_empty() {
        return Some(head.to_owned());
    }
    let text = if statements {
        format!("{head} {{ {} }}", parts.join("  "))
    } else {
        format!("{head} {}", parts.join(" "))
    };
    (!text.contains('\n')).then_some(text)
}

/// Counts the keys from here on that share a line.
fn shared(declared: &[DeclaredItem<'_>]) -> usize {
    let mut length = 0;
    let fitting = declared.iter().enumerate().take_while(|(i, declared)| {
        let item = declared.item;
        let first = *i == 0;
        let quiet = first || item.before.is_empty() && !item.blank;
        if !std::ptr::eq(declared.section, item) || !quiet || !key::is_short(item) {
            return false;
        }
        length += key::flat(item).map_or(MAX_SHARED_LINE_CHARS, |text| text.chars().count()) + 2;
        length <= MAX_SHARED_LINE_CHARS
    });
    fitting.count()
}

/// The comments of what stands in the head of a node.
fn moved_comments(node: &Item) -> Vec<Comment> {
    let mut found = Vec::new();
    for item in [node.get("kind"), node.get("title")].into_iter().flatten() {
        found.extend(key::around(item));
    }
    found
}
