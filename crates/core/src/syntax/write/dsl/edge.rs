//! Edges.

use super::super::item::{Item, Value};
use super::super::lines::{beside, fits};
use super::{Writer, braces, key, short_statements};
use crate::syntax::print::quoted_in;

/// The clauses in their order; the label has no word.
const CLAUSES: &[&str] = &["label", "ignore", "outer", "on", "when", "do"];

/// An edge on one line.
pub(super) fn flat(edge: &Item) -> Option<String> {
    // What stands after the last clause stands after the edge.
    let loud = |item: &Item| {
        let after = item.key != "do" && !item.after.is_empty();
        !item.before.is_empty() || !item.beside.is_empty() || after || item.has_inner_comments()
    };
    let own = edge.children().iter().filter(|item| !in_head(item));
    if !edge.get("do").is_none_or(short_statements) || own.into_iter().any(loud) {
        return None;
    }
    let clauses: Vec<_> = CLAUSES.iter().filter_map(|name| Some((*name, edge.get(name)?))).collect();
    joined(edge, &clauses)
}

/// Returns true if a value stands on the first line of its edge for sure: its comments go above the edge.
fn in_head(item: &Item) -> bool {
    matches!(item.key.as_str(), "to" | "label" | "ignore")
}

fn head(edge: &Item) -> String {
    let target = edge.get("to").unwrap_or(edge);
    match &target.value {
        Value::Word(word) => format!("-> {word}"),
        _ => "->".to_owned(),
    }
}

fn clause(name: &str, item: &Item) -> Option<String> {
    Some(match (name, &item.value) {
        ("label", Value::Text(text)) => quoted_in(&text.text, '"'),
        ("ignore", Value::Nothing) => "ignore {}".to_owned(),
        ("ignore", Value::Items(items)) => format!("ignore {}", key::in_braces(&key::reasons(items)?)),
        ("outer", Value::Text(text)) => format!("outer {}", quoted_in(&text.text, '"')),
        ("do", value) => format!("do {}", braces(value)?),
        _ => key::flat(item)?,
    })
}

impl Writer {
    /// The edges of a node.
    pub(super) fn edges(&mut self, edges: &Item, indent: usize) {
        let items = match &edges.value {
            Value::List(items) => items.as_slice(),
            Value::Nothing => &[],
            // One edge alone stands without a list.
            _ => {
                self.out.before(indent, edges);
                self.edge(edges, indent);
                return self.out.comments(indent, &edges.after);
            }
        };
        self.out.before(indent, edges);
        self.beside_above(edges, indent);
        if items.is_empty() {
            self.out.line(indent, "next {}");
        }
        for edge in items {
            self.out.before(indent, edge);
            self.edge(edge, indent);
            self.out.comments(indent, &edge.after);
        }
        self.out.comments(indent, &edges.after);
    }

    fn edge(&mut self, edge: &Item, indent: usize) {
        for item in edge.children().iter().filter(|item| in_head(item)) {
            self.out.comments(indent, &key::around(item));
        }
        let comments_after = edge.get("do").map(|item| item.after.as_slice()).unwrap_or_default();
        if let Some(flat) = flat(edge).filter(|flat| fits(indent, flat)) {
            self.out.line(indent, &format!("{flat}{}", beside(&edge.beside)));
            return self.out.comments(indent, comments_after);
        }
        let clauses: Vec<_> = CLAUSES.iter().filter_map(|name| Some((*name, edge.get(name)?))).collect();
        let statements = clauses.last().filter(|(name, _)| *name == "do").map(|(_, item)| *item);
        let quiet = |item: &Item| {
            let statements = item.key == "do";
            let own = item.beside.is_empty() && item.after.is_empty() && !item.has_inner_comments();
            item.before.is_empty() && (statements || own)
        };
        let whole = clauses.iter().all(|(_, item)| in_head(item) || quiet(item));
        if let Some(statements) = statements.filter(|_| whole)
            && let Some(first) = joined(edge, &clauses[..clauses.len() - 1])
            && fits(indent, &format!("{first} do {{"))
        {
            let remarks = [edge.beside.as_slice(), &statements.beside].concat();
            self.block_of(&format!("{first} do"), statements, &remarks, indent);
            return self.out.comments(indent, comments_after);
        }
        self.clauses(edge, &clauses, indent);
    }

    /// An edge whose clauses stand on lines of their own.
    fn clauses(&mut self, edge: &Item, clauses: &[(&str, &Item)], indent: usize) {
        let own = clauses
            .iter()
            .position(|(name, _)| !matches!(*name, "label" | "ignore"))
            .unwrap_or(clauses.len());
        let first = joined(edge, &clauses[..own]).unwrap_or_default();
        let remarks = if edge.get("ignore").is_some() {
            // After what is ignored it would be read as a comment of that.
            self.beside_above(edge, indent);
            String::new()
        } else {
            beside(&edge.beside)
        };
        self.out.line(indent, &format!("{first}{remarks}"));
        for (name, item) in &clauses[own..] {
            self.out.comments(indent + 2, &item.before);
            match *name {
                "do" => self.statements("do", item, indent + 2),
                "when" => self.code("when", item, indent + 2),
                _ => self.trigger(name, item, indent + 2),
            }
        }
        // What follows a clause on lines of its own is read as what stands before the next edge.
        for (_, item) in &clauses[own..] {
            self.out.comments(indent, &item.after);
        }
    }

    /// A clause that takes one line.
    fn trigger(&mut self, name: &str, item: &Item, indent: usize) {
        let text = match &item.value {
            Value::List(items) => {
                self.hoisted(item, indent);
                key::list(name, items).map(|list| format!("{name} {list}"))
            }
            _ => clause(name, item),
        };
        self.out.line(indent, &format!("{}{}", text.unwrap_or_default(), beside(&item.beside)));
    }
}

/// The head of an edge with clauses after it.
fn joined(edge: &Item, clauses: &[(&str, &Item)]) -> Option<String> {
    let mut out = head(edge);
    for (name, item) in clauses {
        out.push(' ');
        out.push_str(&clause(name, item)?);
    }
    (!out.contains('\n')).then_some(out)
}
