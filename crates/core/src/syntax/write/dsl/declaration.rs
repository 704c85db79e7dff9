//! One declaration of a section.

use super::super::item::{Item, Value};
use super::super::lines::{beside, fits};
use super::text::quoted;
use super::{DeclaredItem, Writer, key};
use crate::syntax::dsl::GROUPS;

impl Writer {
    pub(super) fn declaration(&mut self, declared: DeclaredItem<'_>, indent: usize) {
        let DeclaredItem { section, item, .. } = declared;
        if std::ptr::eq(section, item) {
            return self.plain(item, indent);
        }
        let word = GROUPS.iter().find(|(.., all)| *all == section.key).map_or("", |(_, one, _)| one);
        let head = format!("{word} {}", item.key);
        match section.key.as_str() {
            "nodes" => self.node(item, indent),
            "types" => self.type_decl(&head, item, indent),
            "budgets" => self.budget(&head, item, indent),
            "let" => self.code(&format!("{head} ="), item, indent),
            "roles" => self.role(word, item, indent),
            "texts" => self.text_decl(&head, item, indent),
            "views" => self.keys_in_braces(&head, item, indent),
            "properties" => self.code(&head, item, indent),
            _ => self.short(&head, item, indent),
        }
    }

    /// A key of the file or of a composite that is given once, or a section with nothing in it.
    fn plain(&mut self, item: &Item, indent: usize) {
        if super::is_section(&item.key) && !matches!(item.value, Value::Code(_) | Value::Word(_)) {
            if item.key == "nodes" {
                return self.beside_above(item, indent);
            }
            return self.out.line(indent, &format!("{} {{}}{}", item.key, beside(&item.beside)));
        }
        self.key(item, indent);
    }

    fn short(&mut self, head: &str, item: &Item, indent: usize) {
        if let Value::Word(word) = &item.value {
            self.out.line(indent, &format!("{head} {word}{}", beside(&item.beside)));
        }
    }

    fn role(&mut self, word: &str, item: &Item, indent: usize) {
        let doc = item.get("doc").unwrap_or(item);
        self.hoisted(item, indent);
        let line = match (&item.value, &doc.value) {
            (Value::Word(name), _) => format!("{word} {name}"),
            (_, Value::Text(text)) => format!("{word} {} {}", item.key, quoted(&text.text, '"', indent)),
            _ => format!("{word} {}", item.key),
        };
        self.last_line(&line, item, indent);
    }

    fn type_decl(&mut self, head: &str, item: &Item, indent: usize) {
        let Value::Items(fields) = &item.value else {
            return self.code(&format!("{head} ="), item, indent);
        };
        let flat: Option<Vec<_>> = fields.iter().map(key::field).collect();
        if let Some(flat) = flat.filter(|_| item.one_line && !item.has_inner_comments()) {
            let text = format!("{head} {}", key::in_braces(&flat));
            if fits(indent, &text) {
                return self.out.line(indent, &format!("{text}{}", beside(&item.beside)));
            }
        }
        self.fields(head, item, indent);
    }

    /// Text and after it values by name, one a line.
    pub(super) fn fields(&mut self, head: &str, item: &Item, indent: usize) {
        if item.children().is_empty() {
            return self.out.line(indent, &format!("{head} {{}}{}", beside(&item.beside)));
        }
        self.out.open(indent, &format!("{head} {{{}", beside(&item.beside)));
        for field in item.children() {
            self.out.before(indent + 2, field);
            self.code(&format!("{}:", field.key), field, indent + 2);
            self.out.comments(indent + 2, &field.after);
        }
        self.out.line(indent, "}");
    }

    fn text_decl(&mut self, head: &str, item: &Item, indent: usize) {
        self.hoisted(item, indent);
        let text = match (&item.value, item.get("text").map(|text| &text.value)) {
            (Value::Text(text), _) | (_, Some(Value::Text(text))) => quoted(&text.text, '\'', indent),
            _ => key::text_here(item, indent).unwrap_or_default(),
        };
        self.last_line(&format!("{head} {text}"), item, indent);
    }

    /// Text with the comments after it: on its line, if it has but one.
    pub(super) fn last_line(&mut self, text: &str, item: &Item, indent: usize) {
        if text.contains('\n') {
            self.beside_above(item, indent);
            self.out.line(indent, text);
        } else {
            self.out.line(indent, &format!("{text}{}", beside(&item.beside)));
        }
    }

    /// Comments inside of what stands on one line go above it.
    pub(super) fn hoisted(&mut self, item: &Item, indent: usize) {
        self.out.comments(indent, &item.inner_comments());
    }

    fn budget(&mut self, head: &str, item: &Item, indent: usize) {
        let Value::Items(keys) = &item.value else {
            return self.code(&format!("{head} ="), item, indent);
        };
        let flat: Option<Vec<_>> = keys.iter().map(meter_key).collect();
        let short = flat.filter(|_| !item.has_inner_comments());
        // A limit that stands first needs no word.
        let limit = keys.first().is_some_and(|key| key.key == "limit");
        let text = short.map(|flat| {
            let keys = flat.join(" ");
            if limit {
                format!("{head} = {}", keys.strip_prefix("limit ").unwrap_or(&keys))
            } else {
                format!("{head} {keys}")
            }
        });
        if let Some(text) = text.filter(|text| fits(indent, text)) {
            return self.out.line(indent, &format!("{text}{}", beside(&item.beside)));
        }
        self.out.open(indent, &format!("{head} {{{}", beside(&item.beside)));
        for key in keys {
            self.out.before(indent + 2, key);
            if key.key == "meters" {
                self.out.open(indent + 2, &format!("meters {{{}", beside(&key.beside)));
                for meter in key.children() {
                    self.out.before(indent + 4, meter);
                    self.budget(&meter.key, meter, indent + 4);
                    self.out.comments(indent + 4, &meter.after);
                }
                self.out.line(indent + 2, "}");
            } else {
                self.key(key, indent + 2);
            }
            self.out.comments(indent + 2, &key.after);
        }
        self.out.line(indent, "}");
    }

    /// Text and after it keys in braces.
    pub(super) fn keys_in_braces(&mut self, head: &str, item: &Item, indent: usize) {
        let flat: Option<Vec<_>> = item.children().iter().map(key::flat).collect();
        if let Some(flat) = flat.filter(|_| !item.has_inner_comments()) {
            let text = format!("{head} {}", key::in_braces(&flat));
            if fits(indent, &text) {
                return self.out.line(indent, &format!("{text}{}", beside(&item.beside)));
            }
        }
        self.key_lines(head, item, indent);
    }

    /// Keys in braces, one a line.
    pub(super) fn key_lines(&mut self, head: &str, item: &Item, indent: usize) {
        self.out.open(indent, &format!("{head} {{{}", beside(&item.beside)));
        for key in item.children() {
            self.out.before(indent + 2, key);
            self.key(key, indent + 2);
            self.out.comments(indent + 2, &key.after);
        }
        self.out.line(indent, "}");
    }
}

/// A key of a budget on one line.
fn meter_key(item: &Item) -> Option<String> {
    if item.key != "meters" {
        return key::flat(item);
    }
    let meters: Option<Vec<_>> = item.children().iter().map(meter).collect();
    Some(format!("meters {}", key::in_braces(&meters?)))
}

fn meter(item: &Item) -> Option<String> {
    match &item.value {
        Value::Items(keys) => {
            let flat: Option<Vec<_>> = keys.iter().map(key::flat).collect();
            let flat = flat?.join(" ");
            let limit = keys.first().is_some_and(|key| key.key == "limit");
            Some(match flat.strip_prefix("limit ").filter(|_| limit) {
                Some(rest) => format!("{} = {rest}", item.key),
                None => format!("{} {flat}", item.key),
            })
        }
        value => Some(format!("{} = {}", item.key, key::code(value)?.flat()?)),
    }
}
