//! Habits of other languages: arrows, dashes, comments and names that are written in another way.

use super::keys::{is_kind, node_form};
use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::{STATEMENT_WORDS, Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::names::{clip, is_identifier};
use crate::syntax::yaml::{Node, NodeKind};

/// Units of time as people write them after a blank.
const UNITS: &[&str] = &[
    "ns", "us", "ms", "s", "sec", "second", "seconds", "m", "min", "minute", "minutes", "h", "hour", "hours",
    "d",
];

impl<'s> Reader<'s, '_> {
    /// A name as it is written, with what other languages allow in names: dashes, and digits before.
    pub(super) fn name_part(&mut self) -> Option<Part> {
        let first = self.t.next.filter(|t| matches!(t.kind, TokenKind::Word | TokenKind::Number))?;
        self.t.take();
        while let Some(next) = self.t.next.filter(|t| t.start == self.t.end_of_last) {
            match next.kind {
                TokenKind::Word | TokenKind::Number => {}
                TokenKind::Symbol if self.t.text(next) == "-" => {
                    let joins = |t: &Token| {
                        t.start == next.end && matches!(t.kind, TokenKind::Word | TokenKind::Number)
                    };
                    if !self.t.second().0.as_ref().is_some_and(joins) {
                        break;
                    }
                }
                _ => break,
            }
            self.t.take();
        }
        let name = (first.start, self.t.end_of_last);
        if !is_identifier(&self.t.text[name.0..name.1]) {
            self.stop = None;
        }
        Some(name)
    }

    /// The tokens of the arrow that begins here: one for ours, none if there is none.
    fn arrow_tokens(&self) -> usize {
        let Some(first) = self.t.next.filter(|t| t.kind == TokenKind::Symbol) else { return 0 };
        let text = self.t.text(first);
        if !matches!(text, "=" | "==" | "-" | ">") {
            return usize::from(matches!(text, "->" | "→" | "⇒" | "⟶"));
        }
        let (second, same) = self.t.second();
        let second = second.filter(|_| same);
        let (joined, second) =
            (second.is_some_and(|t| t.start == first.end), second.map_or("", |t| self.t.text(t)));
        match (text, second) {
            ("=" | "==", ">") | ("-", "->") if joined => 2,
            ("-", ">") => 2,
            (">", _) => 1,
            _ => 0,
        }
    }

    /// True if an arrow begins here, ours or another one.
    pub(super) fn at_arrow(&self) -> bool {
        self.t.next_text() == "->" || self.arrow_tokens() > 0
    }

    /// Takes the arrow that begins here, and reports one that is not ours.
    pub(super) fn take_arrow(&mut self) -> Part {
        let start = self.t.here();
        let ours = self.t.next_text() == "->";
        let count = if ours { 1 } else { self.arrow_tokens() };
        for _ in 0..count {
            self.t.take();
        }
        let part = (start, self.t.end_of_last.max(start));
        // One that is no sign of the language at all is reported as such.
        if !ours && self.t.text[part.0..part.1].is_ascii() {
            let message = format!("`{}` is no arrow", &self.t.text[part.0..part.1]);
            self.report(
                Diagnostic::error(rule::LOOP_SYNTAX, self.span(part), message)
                    .help("an edge is written `-> target`"),
            );
        }
        part
    }

    /// Passes over a dash or a comment of another language at the start of a line; false if there is none.
    pub(super) fn habit(&mut self) -> bool {
        let Some(dash) = self.t.next.filter(|t| self.t.broke && self.t.text(*t) == "-") else { return false };
        let double = self.t.second().0.is_some_and(|t| t.start == dash.end && self.t.text(t) == "-");
        if double {
            let found = Diagnostic::error(
                rule::LOOP_SYNTAX,
                self.span((dash.start, dash.end + 1)),
                "`--` does not begin a comment",
            );
            self.report(found.help("comments begin with `#`"));
            self.t.take();
            while !self.t.broke && self.t.next.is_some() {
                self.t.take();
            }
            return true;
        }
        if !std::mem::replace(&mut self.dashed, true) {
            let found = Diagnostic::error(
                rule::LOOP_SYNTAX,
                self.token_span(dash),
                "a dash begins nothing here: that is YAML",
            );
            self.report(found.help("lists are written `[a, b]`; write nodes and edges one below the other, without a sign before them"));
        }
        self.t.take();
        true
    }

    /// Passes over lines that are indented deeper than the line of this byte, and a brace that ends them.
    pub(super) fn pass_indented(&mut self, at: usize) {
        let (margin, start) = (self.t.indentation(at), self.t.here());
        if !self.t.broke || self.t.next.is_none() || self.t.indentation(start) <= margin {
            return;
        }
        while self.t.next.is_some() && !(self.t.broke && self.t.indentation(self.t.here()) <= margin) {
            self.t.take();
        }
        if self.t.broke && self.t.next_text() == "}" && self.t.indentation(self.t.here()) == margin {
            self.t.take();
        }
        self.reported.push((start, self.t.end_of_last.max(start)));
    }

    /// Passes over braces with edges in them.
    pub(super) fn pass_braces(&mut self) {
        let Some(open) = self.t.next else { return };
        if !self.t.braces() && !self.unclosed {
            self.not_closed(open, None);
            self.unclosed = true;
            self.unread.add_rest();
        }
        self.reported.push((open.start, self.t.end_of_last.max(open.start)));
    }

    /// Words in a body that are no key, but nearly something else. What they are is reported and passed over; false if
    /// they are nothing known.
    pub(super) fn no_key(&mut self, word: Token) -> bool {
        let text = self.t.text(word);
        if node_form(text).is_some() {
            return false;
        }
        let (second, same) = self.t.second();
        let second = second.filter(|_| same).map_or("", |t| self.t.text(t));
        let name = clip(text);
        if is_kind(text) && self.looks_like_node() {
            let message = "a node is inside a node that is not a composite";
            let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(word), message);
            self.report(found.help("close the body before it with `}`; only a `composite` contains nodes"));
            self.unread.add_unnamed();
            self.t.take();
            self.t.take();
            if self.t.is(TokenKind::Quoted) {
                self.t.take();
            }
            if self.t.next_text() == "{" {
                self.pass_braces();
            }
            return true;
        }
        match (text, second) {
            ("else" | "otherwise" | "default", "->") => {
                self.before_arrow(
                    word,
                    format!("`{name}` does not begin an edge"),
                    "write `-> target` without a `when`: it is taken when no edge before it is",
                );
            }
            (_, "->") => {
                let help = "write an edge in the body of its source, beginning with the arrow: `-> target`";
                self.before_arrow(word, format!("`{name}` is before an arrow"), help);
            }
            (_, "when" | "on") if text != "when" && text != "on" => {
                let found = Diagnostic::error(
                    rule::LOOP_SYNTAX,
                    self.token_span(word),
                    format!("`{name}` is no key; an arrow is missing before it"),
                );
                self.report(found.help(format!("write `-> {name} {second} …`")));
                // The word is in the place of the target of an edge, on the line of its arrow.
                self.t.broke = false;
                self.edge_after((word.start, word.start));
            }
            ("when" | "on", _) => {
                let message = format!("`{name}` is before its edge");
                self.before_arrow(word, message, "the target comes first: `-> target on trigger when guard`");
            }
            _ => return false,
        }
        true
    }

    /// Reports what is before an arrow, and passes over it and the edge.
    fn before_arrow(&mut self, word: Token, message: String, help: &str) {
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(word), message);
        self.report(found.help(help));
        self.t.take();
        if !self.t.broke {
            self.t.rest_of_line();
        }
        self.reported.push((word.start, self.t.end_of_last));
        if self.t.next_text() == "->" {
            self.edge();
        }
    }

    /// Words after a value that are on its line and begin nothing: a text without its quotes, a unit after a blank.
    pub(super) fn loose_words(&mut self, value: Node<'s>, form: Form) -> Node<'s> {
        let Some(next) = self.t.next.filter(|t| !self.t.broke && t.kind == TokenKind::Word) else {
            return value;
        };
        let NodeKind::Scalar(scalar) = &value.kind else { return value };
        let word = self.t.text(next);
        if scalar.text.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&word) {
            let part = (value.span.start as usize, next.end);
            let found = Diagnostic::error(
                rule::LOOP_SYNTAX,
                self.span(part),
                "there is a blank between a number and its unit",
            );
            let unit = if word.len() > 2 { &word[..1] } else { word };
            self.report(found.help(format!("write `{}{unit}`", clip(&scalar.text))));
            self.t.take();
            return self.refused((value.span.start as usize, self.t.end_of_last));
        }
        let plain = form == Form::TextName && !scalar.text.contains(|c: char| !c.is_ascii_alphanumeric());
        let known =
            node_form(word).is_some() || STATEMENT_WORDS.contains(&word) || matches!(word, "when" | "ask");
        let writes = matches!(self.t.second().0.map_or("", |t| self.t.text(t)), "=" | "+=" | "." | "(" | "[");
        if !plain || known || writes {
            return value;
        }
        let start = value.span.start as usize;
        while !self.t.broke && !matches!(self.t.next_text(), "" | "}" | "{" | "->") {
            self.t.take();
        }
        let part = (start, self.t.end_of_last);
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.span(part), "this text has no quotes");
        let text = clip(self.t.text.get(part.0..part.1).unwrap_or("text"));
        let quote = if text.contains('\'') { '"' } else { '\'' };
        self.report(found.help(format!("write it in quotes: {quote}{text}{quote}")));
        self.reported.push(part);
        self.refused(part)
    }
}
