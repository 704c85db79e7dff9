//! The loop DSL.

mod declaration;
mod edge;
mod key;
mod node;
mod text;

use std::borrow::Cow;

use super::Syntax;
use super::item::{Comment, Item, Value};
use super::lines::{Lines, beside, fits};
use crate::syntax::dsl::GROUPS;

/// Sections whose declarations stand in a block; those of the others stand one by one.
const BLOCKS: &[&str] = &["input", "state", "actions", "output"];

struct Writer {
    out: Lines,
    from: Syntax,
    /// The file extends another one.
    variant: bool,
}

/// Something that is declared, with the section it belongs to.
#[derive(Clone, Copy)]
struct DeclaredItem<'i> {
    section: &'i Item,
    item: &'i Item,
    /// It is the first or the last of its section in the text.
    first: bool,
    last: bool,
}

impl DeclaredItem<'_> {
    /// It stands in a block with others of its section.
    fn in_block(&self) -> bool {
        BLOCKS.contains(&self.section.key.as_str()) && !std::ptr::eq(self.section, self.item)
    }
}

/// Writes a file.
pub(super) fn write(items: &[Item], rest: &[Comment], from: Syntax, variant: bool) -> String {
    let mut writer = Writer { out: Lines::default(), from, variant };
    writer.out.comments(0, rest);
    let declared = writer.declared(items.iter());
    writer.declarations(&declared, 0);
    writer.out.finish()
}

/// Returns true if a key holds declarations.
fn is_section(key: &str) -> bool {
    key == "nodes" || GROUPS.iter().any(|(.., all)| *all == key)
}

impl Writer {
    /// The declarations in sections and the other keys, in the order of the text.
    fn declared<'i>(&self, items: impl Iterator<Item = &'i Item>) -> Vec<DeclaredItem<'i>> {
        let mut all = Vec::new();
        for section in items {
            let children = section.children();
            // The output of a model node is a type.
            if !is_section(&section.key) || children.is_empty() || !holds(section) {
                all.push(DeclaredItem { section, item: section, first: false, last: false });
                continue;
            }
            let last = children.len() - 1;
            let children = children.iter().enumerate();
            all.extend(children.map(|(i, item)| DeclaredItem {
                section,
                item,
                first: i == 0,
                last: i == last,
            }));
        }
        if self.from == Syntax::Loop {
            all.sort_by_key(|declared| declared.item.start);
        }
        all
    }

    fn declarations(&mut self, declared: &[DeclaredItem<'_>], indent: usize) {
        let mut rest = declared;
        let mut spaced = false;
        let mut previous: Option<DeclaredItem<'_>> = None;
        while let Some(first) = rest.first() {
            let block = first.in_block();
            let same = rest.iter().take_while(|d| std::ptr::eq(d.section, first.section)).count();
            let taken = if block { same } else { 1 };
            let mut part = Self { out: Lines::default(), from: self.from, variant: self.variant };
            if block {
                part.block(&rest[..taken], indent);
            } else {
                part.declaration(*first, indent);
            }
            let text = part.out.finish();
            let long = text.trim_end().contains('\n');
            let apart = indent == 0 && (long || spaced);
            // Where a blank line follows, what stands behind a declaration is read as what stands before the next one.
            self.comments_after(previous, indent, apart);
            self.comments_before(*first, indent, apart);
            self.out.text(&text);
            previous = Some(rest[taken - 1]);
            spaced = long;
            rest = &rest[taken..];
        }
        self.comments_after(previous, indent, indent == 0 && spaced);
    }

    /// Comments before a declaration, those of its section among them.
    fn comments_before(&mut self, declared: DeclaredItem<'_>, indent: usize, apart: bool) {
        if apart {
            self.out.blank();
        }
        if declared.first {
            self.out.before(indent, declared.section);
            if !declared.in_block() {
                self.beside_above(declared.section, indent);
            }
        }
        if !declared.in_block() {
            self.out.before(indent, declared.item);
        }
    }

    fn comments_after(&mut self, declared: Option<DeclaredItem<'_>>, indent: usize, apart: bool) {
        let Some(declared) = declared else { return };
        let own = if declared.in_block() { &[] } else { declared.item.after.as_slice() };
        // A declaration without a section is its own section.
        let section = declared.last && !std::ptr::eq(declared.section, declared.item);
        let section = if section { declared.section.after.as_slice() } else { &[] };
        if apart && !(own.is_empty() && section.is_empty()) {
            self.out.blank();
        }
        self.out.comments(indent, own);
        self.out.comments(indent, section);
    }

    /// `state { … }`.
    fn block(&mut self, declared: &[DeclaredItem<'_>], indent: usize) {
        let section = declared[0].section;
        let items: Vec<&Item> = declared.iter().map(|d| d.item).collect();
        let comments = items.iter().any(|i| !i.before.is_empty() || i.has_comments());
        let whole = section.one_line && !comments && section.beside.is_empty();
        let flat: Option<Vec<_>> = items.iter().map(|item| flat_entry(&section.key, item)).collect();
        if let Some(flat) = flat.filter(|_| whole) {
            let separator = if section.key == "actions" { "  " } else { ", " };
            let text = format!("{} {{ {} }}", section.key, flat.join(separator));
            if fits(indent, &text) {
                return self.out.line(indent, &text);
            }
        }
        let remark = if declared[0].first { beside(&section.beside) } else { String::new() };
        self.out.open(indent, &format!("{} {{{remark}", section.key));
        for item in items {
            self.out.before(indent + 2, item);
            self.entry(&section.key, item, indent + 2);
            self.out.comments(indent + 2, &item.after);
        }
        self.out.line(indent, "}");
    }

    fn entry(&mut self, section: &str, item: &Item, indent: usize) {
        if section == "actions" {
            return self.statements(&item.key, item, indent);
        }
        self.code(&format!("{}:", item.key), item, indent);
    }

    /// Text and after it statements in braces.
    fn statements(&mut self, head: &str, item: &Item, indent: usize) {
        let short = braces(&item.value).map(|braces| format!("{head} {braces}"));
        if let Some(short) = short.filter(|short| fits(indent, short) && short_statements(item)) {
            return self.out.line(indent, &format!("{short}{}", beside(&item.beside)));
        }
        self.block_of(head, item, &item.beside, indent);
    }

    /// Text and after it statements in braces, one a line.
    fn block_of(&mut self, head: &str, item: &Item, remarks: &[String], indent: usize) {
        let Value::Code(code) = &item.value else { return };
        // A comment after the brace is read as the first thing inside.
        self.out.open(indent, &format!("{head} {{"));
        for text in remarks {
            self.out.line(indent + 2, &format!("#{text}"));
        }
        for line in code.lines(0, super::MAX_LINE_CHARS.saturating_sub(indent + 2)) {
            self.out.line(indent + 2 + line.indent, &line.text);
        }
        self.out.line(indent, "}");
    }

    /// Text and after it an expression. A comment stands above when the expression takes several lines.
    fn code(&mut self, head: &str, item: &Item, indent: usize) {
        let whole = key::whole(item).map(Cow::Owned);
        let Some(code) = whole.or_else(|| key::code(&item.value)) else { return };
        // A mapping or a list of expressions is one expression here, and has no lines for comments.
        if !item.children().is_empty() {
            self.out.comments(indent, &item.inner_comments());
        }
        let taken = head.chars().count() + 1;
        let lines = code.lines(taken, super::MAX_LINE_CHARS.saturating_sub(indent));
        if lines.len() > 1 || lines.iter().any(|line| line.text.contains('\n')) {
            self.beside_above(item, indent);
        }
        let short = lines.len() == 1;
        for (i, line) in lines.into_iter().enumerate() {
            match i {
                0 if short => self.out.line(indent, &format!("{head} {}{}", line.text, beside(&item.beside))),
                0 => self.out.line(indent, &format!("{head} {}", line.text)),
                _ => self.out.line(indent + line.indent, &line.text),
            }
        }
    }

    /// Comments after an item that cannot stand there.
    fn beside_above(&mut self, item: &Item, indent: usize) {
        for text in &item.beside {
            self.out.line(indent, &format!("#{text}"));
        }
    }
}

/// One declaration of a block, if it fits a line.
fn flat_entry(section: &str, item: &Item) -> Option<String> {
    match section {
        "actions" => Some(format!("{} {}", item.key, braces(&item.value)?)),
        _ => Some(format!("{}: {}", item.key, key::code(&item.value)?.flat()?)),
    }
}

/// Returns true if a section's key has declarations under it here.
fn holds(section: &Item) -> bool {
    matches!(section.value, Value::Items(_) | Value::List(_))
}

/// Statements in braces on one line.
fn braces(value: &Value) -> Option<String> {
    match value {
        Value::Code(code) if code.is_empty() => Some("{}".to_owned()),
        Value::Code(code) => Some(format!("{{ {} }}", code.flat()?)),
        Value::Nothing => Some("{}".to_owned()),
        _ => None,
    }
}

/// Returns true if statements are few enough for one line: they stood on one, or there is only one.
fn short_statements(item: &Item) -> bool {
    match &item.value {
        Value::Code(code) => code.one_line(),
        _ => true,
    }
}
