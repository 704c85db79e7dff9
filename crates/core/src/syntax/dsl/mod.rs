//! `.loop` text to the same spanned document that YAML is read to; `lower` makes the tree of it.
//!
//! The grammar reads a file as a whole ([`pairs`]), and its expressions, statements and types with it. A file that it
//! refuses is split: declarations, keys, statements and edges, each read by its own rule. What its rule refuses is cut out
//! ([`cut`]) and told, so that a fault costs its declaration, key, statement or edge, and one run reports several.
//!
//! # Why
//! - A missing brace is looked for by the layout: the file is read again, and a declaration at the margin of a block
//!   ends it. The second reading counts for a brace too many only if it finds less.
//! - An edge with a fault is left out, since without a clause it would mean another thing.

mod body;
mod build;
mod cut;
mod declaration;
mod depth;
mod edge;
mod entry;
mod fault;
mod habit;
mod keys;
mod node;
mod pairs;
mod piece;
#[cfg(test)]
mod tests;
mod tokens;
mod value;

use rustc_hash::FxHashSet;

#[cfg(feature = "lsp")]
pub(crate) use self::declaration::declaration_words;
pub(super) use self::keys::{GROUPS, group, is_kind};
pub(super) use self::tokens::Tokens;
use super::yaml::{
    self, Document, Entry, MAX_DEPTH, MAX_FINDINGS, MAX_NODES, Node, NodeKind, too_deep, too_many_comments,
};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span};
use crate::syntax::expr::{self, Rule, Token};
use crate::syntax::tree::Unread;

/// A part of the text, `start..end` in bytes.
type Part = (usize, usize);

/// Reads a file's text.
pub(super) fn parse<'s>(source: &'s str, file: FileId, out: &mut Vec<Diagnostic>) -> Document<'s> {
    if !yaml::check(source, file, out) {
        let mut unread = Unread::default();
        unread.add_rest();
        return Document { unread, ..Document::default() };
    }
    let (before, mut stop) = (out.len(), None);
    if let Some(document) = Reader::new(source, file, false, out).whole(&mut stop) {
        return document;
    }
    out.truncate(before);
    split(source, file, stop, out)
}

/// Reads piece by piece a file at which the grammar stopped at this byte.
fn split<'s>(source: &'s str, file: FileId, stop: Option<usize>, out: &mut Vec<Diagnostic>) -> Document<'s> {
    let before = out.len();
    let (document, braces) = Reader { stop, ..Reader::new(source, file, false, out) }.pieces();
    if braces == Braces::Even {
        return document;
    }
    // A brace is missing somewhere: read again, and take the layout for a sign of where.
    let plain = out.split_off(before);
    let (careful, _) = Reader { stop, ..Reader::new(source, file, true, out) }.pieces();
    if braces == Braces::Surplus && out.len() - before >= plain.len() {
        // The layout does not tell of one that is missing: there is one too many.
        out.truncate(before);
        out.extend(plain);
        return document;
    }
    careful
}

/// Facts about a file's braces once it was read.
#[derive(PartialEq, Eq)]
enum Braces {
    Even,
    /// One closes nothing: it is too many, or its other one is missing.
    Surplus,
    /// The file ended inside of a block.
    Missing,
}

/// Reads declarations and reports what is wrong with them.
#[expect(clippy::struct_excessive_bools, reason = "each tells of one thing that was met on the way")]
struct Reader<'s, 'o> {
    t: Tokens<'s>,
    file: FileId,
    out: &'o mut Vec<Diagnostic>,
    depth: usize,
    nodes: usize,
    /// Parts that other readers judge or that are left out: what is wrong inside of them is reported there.
    reported: Vec<Part>,
    /// The parts that could not be read.
    unread: Unread,
    /// A brace is known to be missing, so a declaration at the margin of its block ends that block.
    careful: bool,
    /// The file ended inside of a block.
    unclosed: bool,
    /// A brace closed nothing.
    surplus: bool,
    /// The whole graph stands in braces, which was reported.
    wrapped: bool,
    /// That dashes begin nothing was reported.
    dashed: bool,
    /// The names with a colon after them, as fields have it, once somebody asked. The empty one: there may be more.
    fields: Option<FxHashSet<&'s str>>,
    /// True if the file has a line of YAML that every graph has, once somebody asked.
    yaml: Option<bool>,
    /// There is no point in reading on.
    stopped: bool,
    /// The first byte of the piece whose pairs are read; [`None`] where the file is read as a whole.
    base: Option<usize>,
    /// The furthest byte at which the grammar refused the file so far; nodes that begin before it are split.
    refused: usize,
    /// The file is too deep for the grammar to read it at once, so each piece is looked at before it is read.
    deep: bool,
    /// The byte at which the grammar stopped at the whole file. Nothing, if what it refuses may be a name of a wrong
    /// form: who knows the names that there are tells of it.
    stop: Option<usize>,
}

impl<'s, 'o> Reader<'s, 'o> {
    fn new(source: &'s str, file: FileId, careful: bool, out: &'o mut Vec<Diagnostic>) -> Self {
        Self {
            t: Tokens::new(source, file),
            file,
            out,
            depth: 0,
            nodes: 0,
            reported: Vec::new(),
            unread: Unread::default(),
            careful,
            unclosed: false,
            surplus: false,
            wrapped: false,
            dashed: false,
            fields: None,
            yaml: None,
            stopped: false,
            base: None,
            refused: 0,
            deep: false,
            stop: None,
        }
    }

    /// Reads the file by its rule; [`None`] if that refuses it, at the byte that is noted, or must not see it.
    fn whole(mut self, refused: &mut Option<usize>) -> Option<Document<'s>> {
        if !self.t.survey(0) || !self.t.faults.is_empty() || self.t.flooded.is_some() {
            return None;
        }
        let file = match expr::parse(Rule::file, self.t.text) {
            Ok(file) => file,
            Err(stop) => {
                *refused = Some(stop.at);
                return None;
            }
        };
        let mut sections = Vec::new();
        for part in file.into_inner() {
            self.declared(part, &mut sections);
        }
        (self.nodes <= MAX_NODES).then(|| self.document(sections))
    }

    /// Reads the file piece by piece.
    fn pieces(mut self) -> (Document<'s>, Braces) {
        self.deep |= !Tokens::new(self.t.text, self.file).survey(0);
        let mut sections = Vec::new();
        while self.t.next.is_some() && self.goes_on() {
            self.declaration(&mut sections);
        }
        if self.open_text() {
            self.unread.add_rest();
        }
        if self.t.ends_in_text {
            self.unread.add_unnamed();
        }
        let braces = match (self.unclosed, self.surplus) {
            (true, _) => Braces::Missing,
            (_, true) => Braces::Surplus,
            _ => Braces::Even,
        };
        (self.document(sections), braces)
    }

    fn document(mut self, mut sections: Vec<Entry<'s>>) -> Document<'s> {
        self.drop_duplicates(&mut sections);
        self.lexical_faults();
        if self.stopped || self.out.len() >= MAX_FINDINGS {
            self.unread.add_rest();
        }
        let root = if self.stopped {
            None
        } else {
            let span = Span::new(self.file, 0, self.t.text.len());
            let sections = self.without_duplicates(sections);
            (!sections.is_empty()).then_some(Node { kind: NodeKind::Mapping(sections), span })
        };
        // What the grammar refuses is no file, also where nobody finds a fault in its pieces.
        let end = |at: usize| self.t.text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        let refused = self.stop.map(|at| Span::new(self.file, at, end(at)));
        Document { root, comments: self.t.comments, unread: self.unread, refused }
    }

    /// Quotes that are not closed and the like, where nobody else tells of them.
    fn lexical_faults(&mut self) {
        for fault in std::mem::take(&mut self.t.faults) {
            if !self.reported.iter().any(|part| part.0 <= fault.start && fault.start < part.1) {
                let message = fault.message.replace("in an expression", "here");
                let found =
                    Diagnostic::error(rule::LOOP_SYNTAX, self.span((fault.start, fault.end)), message);
                let found = fault.help.into_iter().fold(found, Diagnostic::help);
                self.report(found);
            }
        }
    }

    /// True if there is a point in reading on; says so once when there is none.
    fn goes_on(&mut self) -> bool {
        if self.stopped || self.out.len() >= MAX_FINDINGS {
            return false;
        }
        if let Some(span) = self.t.flooded {
            self.out.push(too_many_comments(span));
            self.stopped = true;
        } else if self.nodes > MAX_NODES {
            let message = format!("the file has more than {MAX_NODES} values");
            let span = self.span((self.t.end_of_last, self.t.end_of_last));
            self.out
                .push(Diagnostic::error(rule::TOO_LARGE, span, message).help("split it into several files"));
            self.stopped = true;
        }
        !self.stopped
    }

    fn report(&mut self, found: Diagnostic) {
        if self.out.len() < MAX_FINDINGS {
            self.out.push(found);
        }
    }

    fn span(&self, part: Part) -> Span {
        Span::new(self.file, part.0, part.1)
    }

    fn token_span(&self, token: Token) -> Span {
        self.span((token.start, token.end))
    }

    /// One block further in. False, said once, when that is too deep.
    fn enter(&mut self, open: Token) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH && !self.stopped {
            let found = too_deep(self.token_span(open));
            self.report(found);
            self.stopped = true;
        }
        !self.stopped
    }

    /// True if a block continues at the next token. Its closing brace is taken; a missing one is reported.
    fn inside(&mut self, open: Token) -> bool {
        if !self.goes_on() {
            return false;
        }
        match self.t.next_text() {
            "}" => {
                self.t.take();
                false
            }
            "" => {
                if self.open_text() {
                    self.unread.add_rest();
                } else if !self.unclosed {
                    self.not_closed(open, None);
                    self.unclosed = true;
                    self.unread.add_rest();
                }
                false
            }
            _ if self.careful && self.begins_outside(open) => {
                self.not_closed(open, self.t.next);
                false
            }
            _ => true,
        }
    }

    /// True if the file ends inside of a text, which is reported elsewhere.
    fn open_text(&self) -> bool {
        let last = self.t.faults.last().and_then(|fault| self.t.text.get(fault.start..));
        last.is_some_and(|rest| {
            let quotes = rest.trim_start_matches(['r', 'R', 'b', 'B']);
            quotes.starts_with("'''") || quotes.starts_with("\"\"\"")
        })
    }
}
