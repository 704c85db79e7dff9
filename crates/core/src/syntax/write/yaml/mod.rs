//! YAML.

mod scalar;

use std::borrow::Cow;

use self::scalar::Meaning;
use super::Syntax;
use super::code::{Code, CodeKind};
use super::item::{Comment, Item, Text, Value};
use super::lines::{Lines, beside, fits};

/// A text as a scalar on one line, in quotes where another program could take it for something else; `flow`: inside of
/// brackets.
pub(crate) fn text(text: &str, flow: bool) -> String {
    scalar::inline(text, Meaning::Text, flow)
}

/// A text of several lines as a block: its sign, and its lines. Nothing where it cannot be one.
pub(crate) fn block(text: &str) -> Option<(&'static str, Vec<String>)> {
    scalar::block(text)
}

struct Writer {
    out: Lines,
    from: Syntax,
    /// The file extends another one.
    variant: bool,
}

/// Writes a file.
pub(super) fn write(items: &[Item], rest: &[Comment], from: Syntax, variant: bool) -> String {
    let mut writer = Writer { out: Lines::default(), from, variant };
    writer.out.comments(0, rest);
    let mut spaced = false;
    for item in writer.in_order(items) {
        let mut part = Writer { out: Lines::default(), from, variant };
        part.entry(item, 0);
        let text = part.out.finish();
        let long = text.trim_end().contains('\n');
        // Where the file was YAML, its blank lines are the author's.
        if from == Syntax::Loop && (long || spaced) {
            writer.out.blank();
        }
        writer.out.before(0, item);
        writer.out.text(&text);
        writer.out.comments(0, &item.after);
        spaced = long;
    }
    writer.out.finish()
}

impl Writer {
    /// Items in the order of the text; edges come last.
    fn in_order<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        let mut all: Vec<_> = items.iter().filter(|item| !self.is_implied(item, items)).collect();
        if self.from == Syntax::Loop {
            all.sort_by_key(|item| (item.is_edges, item.start));
        }
        all
    }

    /// A kind that a node has without saying so. The loop DSL always says it.
    fn is_implied(&self, item: &Item, all: &[Item]) -> bool {
        let Value::Word(kind) = &item.value else { return false };
        if self.from == Syntax::Yaml || self.variant || item.key != "kind" {
            return false;
        }
        kind == "action" || kind == "composite" && all.iter().any(|item| item.key == "nodes")
    }

    /// The items of a mapping, each with what stands before and after it.
    fn entries(&mut self, items: &[Item], indent: usize) {
        let mut seen = false;
        for item in self.in_order(items) {
            // Statements that stood apart are one list.
            let joined = if item.key == "do" && self.from == Syntax::Loop { runs(items) } else { None };
            if joined.is_some() && std::mem::replace(&mut seen, true) {
                continue;
            }
            let item = joined.as_ref().unwrap_or(item);
            self.out.before(indent, item);
            self.entry(item, indent);
            self.out.comments(indent, &item.after);
        }
    }

    /// `key: value`.
    fn entry(&mut self, item: &Item, indent: usize) {
        let key = scalar::inline(&item.key, Meaning::Name, false);
        let head = format!("{key}:");
        if let Some(value) = self.flow(item, false, false).filter(|value| !is_better_as_block(item, value)) {
            let line = if value.is_empty() { head.clone() } else { format!("{head} {value}") };
            // What cannot be broken stays on its line, however long it is.
            if fits(indent, &line) || is_one(item) {
                return self.out.line(indent, &format!("{line}{}", beside(&item.beside)));
            }
        }
        let remarks = beside(&item.beside);
        match &item.value {
            Value::Text(text) => self.text(&head, text, &remarks, indent),
            Value::Code(code) => self.code(&head, code, &remarks, indent),
            Value::Items(items) => {
                self.out.open(indent, &format!("{head}{remarks}"));
                let variant = item.is_variant().unwrap_or(self.variant);
                let outer = std::mem::replace(&mut self.variant, variant);
                self.entries(items, indent + 2);
                self.variant = outer;
            }
            Value::List(items) => {
                self.out.open(indent, &format!("{head}{remarks}"));
                self.list(items, indent + 2);
            }
            Value::Nothing | Value::Word(_) => {}
        }
    }

    fn list(&mut self, items: &[Item], indent: usize) {
        for item in items {
            self.out.before(indent, item);
            self.list_item(item, indent);
            self.out.comments(indent, &item.after);
        }
    }

    fn list_item(&mut self, item: &Item, indent: usize) {
        let remarks = beside(&item.beside);
        if let Some(value) = self.flow(item, false, false) {
            let line = format!("- {value}");
            if fits(indent, &line) || is_one(item) {
                return self.out.line(indent, &format!("{line}{remarks}"));
            }
        }
        match &item.value {
            Value::Text(text) => self.text("-", text, &remarks, indent),
            Value::Code(code) => self.code("-", code, &remarks, indent),
            Value::Items(items) => {
                // Comments before the first key stand above the dash.
                let first = self.in_order(items).first().map(|first| first.before.clone());
                self.out.comments(indent, &first.unwrap_or_default());
                for text in &item.beside {
                    self.out.line(indent, &format!("#{text}"));
                }
                let mut part = Self { out: Lines::default(), from: self.from, variant: self.variant };
                for (i, item) in self.in_order(items).into_iter().enumerate() {
                    if i > 0 {
                        part.out.before(indent + 2, item);
                    }
                    part.entry(item, indent + 2);
                    part.out.comments(indent + 2, &item.after);
                }
                let text = part.out.finish();
                self.out.text(&format!("{}- {}", " ".repeat(indent), text.trim_start_matches(' ')));
            }
            Value::List(items) => {
                let mut part = Self { out: Lines::default(), from: self.from, variant: self.variant };
                part.list(items, indent + 2);
                let text = part.out.finish();
                self.out.text(&format!("{}- {}", " ".repeat(indent), text.trim_start_matches(' ')));
            }
            Value::Nothing | Value::Word(_) => {}
        }
    }

    /// A value on one line; `flow`: inside of brackets.
    fn flow(&self, item: &Item, flow: bool, inner: bool) -> Option<String> {
        if item.has_inner_comments() || inner && item.has_comments() {
            return None;
        }
        match &item.value {
            Value::Nothing => Some(if flow { "~".to_owned() } else { String::new() }),
            Value::Word(word) => Some(scalar::inline(word, Meaning::Name, flow)),
            Value::Text(text) => flow_text(text, flow),
            Value::Code(code) => {
                if code.kind == CodeKind::Statements && !code.one_line() {
                    return None;
                }
                if code.is_empty() {
                    return Some("[]".to_owned());
                }
                let text = code.flat()?;
                (!text.contains('\n')).then(|| scalar::inline(&text, Meaning::Name, flow))
            }
            Value::Items(items) => {
                if items.is_empty() {
                    return Some("{}".to_owned());
                }
                if let Some(names) = names(item) {
                    return Some(names);
                }
                if !self.may_flow(item) {
                    return None;
                }
                let parts: Option<Vec<_>> = self.in_order(items).into_iter().map(|i| self.pair(i)).collect();
                Some(format!("{{{}}}", parts?.join(", ")))
            }
            Value::List(items) => {
                if items.is_empty() {
                    return Some("[]".to_owned());
                }
                if !self.may_flow(item) {
                    return None;
                }
                let parts: Option<Vec<_>> = items.iter().map(|i| self.flow(i, true, true)).collect();
                Some(format!("[{}]", parts?.join(", ")))
            }
        }
    }

    /// `key: value` inside of braces.
    fn pair(&self, item: &Item) -> Option<String> {
        if !item.before.is_empty() {
            return None;
        }
        Some(format!("{}: {}", scalar::inline(&item.key, Meaning::Name, true), self.flow(item, true, true)?))
    }

    /// Returns true if a mapping or a list may stand on one line.
    fn may_flow(&self, item: &Item) -> bool {
        // The loop DSL gathers what stands apart there.
        let section = self.from == Syntax::Loop
            && (item.gathered && !item.is_edges
                || matches!(item.key.as_str(), "input" | "state" | "actions" | "output"));
        item.one_line && !section
    }

    fn text(&mut self, head: &str, text: &Text, remarks: &str, indent: usize) {
        let room = super::MAX_LINE_CHARS.saturating_sub(indent + 2);
        let folded = if text.folded { scalar::folded(&text.text, room) } else { None };
        let Some((sign, lines)) = folded.or_else(|| scalar::block(&text.text)) else {
            let line = format!("{head} {}{remarks}", scalar::inline(&text.text, Meaning::Text, false));
            return self.out.line(indent, &line);
        };
        self.out.line(indent, &format!("{head} {sign}{remarks}"));
        for line in lines {
            self.out.line(indent + 2, &line);
        }
    }

    fn code(&mut self, head: &str, code: &Code, remarks: &str, indent: usize) {
        self.out.line(indent, &format!("{head} |{remarks}"));
        let lines = code.lines(0, super::MAX_LINE_CHARS.saturating_sub(indent + 2));
        for line in lines {
            // Lines inside of a text are indented like the others; YAML takes that away again.
            for (i, part) in line.text.split('\n').enumerate() {
                let inner = if i > 0 { 0 } else { line.indent };
                self.out.line(indent + 2 + inner, part);
            }
        }
    }
}

/// Returns true if code that stood on lines of its own would need quotes on the line of its key.
fn is_better_as_block(item: &Item, value: &str) -> bool {
    matches!(item.value, Value::Code(_)) && !item.one_line && value.starts_with(['"', '\''])
}

/// Returns true if a value is one that no line can be broken in.
fn is_one(item: &Item) -> bool {
    match &item.value {
        Value::Nothing | Value::Word(_) => true,
        Value::Text(text) => !text.folded,
        Value::Items(items) | Value::List(items) => items.is_empty(),
        Value::Code(_) => false,
    }
}

/// Roles without further facts but their names.
fn names(item: &Item) -> Option<String> {
    let bare =
        |role: &Item| matches!(role.value, Value::Nothing) && role.before.is_empty() && !role.has_comments();
    if item.key != "roles" || !item.children().iter().all(bare) {
        return None;
    }
    let names: Vec<_> = item.children().iter().map(|role| role.key.as_str()).collect();
    Some(format!("[{}]", names.join(", ")))
}

/// The runs of entry statements of a node as one.
fn runs(items: &[Item]) -> Option<Item> {
    let mut runs = items.iter().filter(|item| item.key == "do");
    let first = runs.next()?;
    let mut text = code_text(first)?.into_owned();
    let mut last = first;
    for run in runs {
        text.push('\n');
        text.extend(run.before.iter().map(|comment| format!("#{}\n", comment.text)));
        text.push_str(&code_text(run)?);
        last = run;
    }
    Some(Item {
        key: first.key.clone(),
        value: Value::Code(Code::new(CodeKind::Statements, text)),
        start: first.start,
        end: last.end,
        is_graph: false,
        is_edges: false,
        gathered: false,
        one_line: first.one_line && std::ptr::eq(first, last),
        blank: first.blank,
        before: first.before.clone(),
        beside: first.beside.clone(),
        after: last.after.clone(),
    })
}

fn code_text(item: &Item) -> Option<Cow<'_, str>> {
    match &item.value {
        Value::Code(code) => Some(Cow::Borrowed(code.text.trim())),
        Value::Nothing => Some(Cow::Borrowed("")),
        _ => None,
    }
}

/// A text on one line, unless a block shows it better.
fn flow_text(text: &Text, flow: bool) -> Option<String> {
    let several = text.text.contains('\n');
    if several && (scalar::block(&text.text).is_some() || text.folded) {
        return None;
    }
    if text.folded
        && text.text.chars().count() > super::MAX_LINE_CHARS / 2
        && scalar::folded(&text.text, 1).is_some()
    {
        return None;
    }
    Some(scalar::inline(&text.text, Meaning::Text, flow))
}
