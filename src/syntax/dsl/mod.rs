//! `.loop` text to the same spanned document that YAML is read to; `lower` makes the tree of it.
//!
//! `grammar/loop.pest` documents what is read here by hand. Only the frame of a file is read: declarations, nodes, keys,
//! edges. Expressions, statements and types are passed over and given on as they stand; their own readers judge them.
//! A fault costs its declaration, key, statement or edge, so one run reports several.
//!
//! # Why
//! - A missing brace is looked for by the layout: the file is read again, and a declaration at the margin of a block ends it.
//!   The second reading counts for a brace too many only if it finds less.
//! - An edge with a fault is left out, since without a clause it would mean another thing.

mod body;
mod build;
mod declaration;
mod edge;
mod extent;
mod fault;
mod habit;
mod keys;
mod node;
mod section;
mod statement;
mod tokens;
mod value;
mod word;

use rustc_hash::FxHashSet;

use self::extent::Part;
pub(super) use self::tokens::Tokens;
use super::yaml::{
    self, Document, MAX_DEPTH, MAX_FINDINGS, MAX_NODES, Node, NodeKind, too_deep, too_many_comments,
};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span};
use crate::syntax::expr::Token;
use crate::syntax::tree::Unread;

/// Reads a file's text.
pub(super) fn parse<'s>(source: &'s str, file: FileId, out: &mut Vec<Diagnostic>) -> Document<'s> {
    if !yaml::check(source, file, out) {
        let mut unread = Unread::default();
        unread.add_rest();
        return Document { root: None, comments: Vec::new(), unread };
    }
    let before = out.len();
    let (document, braces) = Reader::new(source, file, false, out).file();
    if braces == Braces::Even {
        return document;
    }
    // A brace is missing somewhere: read again, and take the layout for a sign of where.
    let plain = out.split_off(before);
    let (careful, _) = Reader::new(source, file, true, out).file();
    if braces == Braces::Surplus && out.len() - before >= plain.len() {
        // The layout does not tell of one that is missing: there is one too many.
        out.truncate(before);
        out.extend(plain);
        return document;
    }
    careful
}

/// What is known of a file's braces once it was read.
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
    /// Parts that other readers judge or that are left out: what is wrong inside of them is told there.
    told: Vec<Part>,
    /// The text could not be read to its end.
    broken: bool,
    /// Declarations could not be read whose names are not known.
    holes: bool,
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
    /// The names with a colon behind them, as fields have it, once somebody asked. The empty one: there may be more.
    fields: Option<FxHashSet<&'s str>>,
    /// Whether the file has a line of YAML that every graph has, once somebody asked.
    yaml: Option<bool>,
    /// There is no point in reading on.
    stopped: bool,
}

impl<'s, 'o> Reader<'s, 'o> {
    fn new(source: &'s str, file: FileId, careful: bool, out: &'o mut Vec<Diagnostic>) -> Self {
        Self {
            t: Tokens::new(source, file),
            file,
            out,
            depth: 0,
            nodes: 0,
            told: Vec::new(),
            broken: false,
            holes: false,
            careful,
            unclosed: false,
            surplus: false,
            wrapped: false,
            dashed: false,
            fields: None,
            yaml: None,
            stopped: false,
        }
    }

    /// Reads the whole file.
    fn file(mut self) -> (Document<'s>, Braces) {
        let mut sections = Vec::new();
        while self.t.next.is_some() && self.goes_on() {
            self.declaration(&mut sections);
        }
        for entry in &mut sections {
            if let NodeKind::Mapping(entries) = &mut entry.value.kind {
                let all = std::mem::take(entries);
                *entries = self.without_duplicates(all);
            }
        }
        self.broken |= self.open_text();
        self.holes |= self.t.torn;
        self.lexical_faults();
        self.broken |= self.stopped || self.out.len() >= MAX_FINDINGS;
        let root = if self.stopped {
            None
        } else {
            let span = Span::new(self.file, 0, self.t.text.len());
            let sections = self.without_duplicates(sections);
            (!sections.is_empty()).then_some(Node { kind: NodeKind::Mapping(sections), span })
        };
        let mut unread = Unread::default();
        if self.broken {
            unread.add_rest();
        }
        if self.holes {
            unread.add_unnamed();
        }
        let document = Document { root, comments: self.t.comments, unread };
        let braces = match (self.unclosed, self.surplus) {
            (true, _) => Braces::Missing,
            (_, true) => Braces::Surplus,
            _ => Braces::Even,
        };
        (document, braces)
    }

    /// Quotes that are not closed and the like, where nobody else tells of them.
    fn lexical_faults(&mut self) {
        for fault in std::mem::take(&mut self.t.faults) {
            if !self.told.iter().any(|part| part.0 <= fault.start && fault.start < part.1) {
                let message = fault.message.replace("in an expression", "here");
                let found =
                    Diagnostic::error(rule::LOOP_SYNTAX, self.span((fault.start, fault.end)), message);
                let found = fault.help.into_iter().fold(found, Diagnostic::help);
                self.report(found);
            }
        }
    }

    /// Whether there is a point in reading on; says so once when there is none.
    fn goes_on(&mut self) -> bool {
        if self.stopped || self.out.len() >= MAX_FINDINGS {
            return false;
        }
        if let Some(span) = self.t.flooded {
            self.out.push(too_many_comments(span));
            self.stopped = true;
        } else if self.nodes > MAX_NODES {
            let message = format!("the file holds more than {MAX_NODES} values");
            let span = self.span((self.t.behind, self.t.behind));
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

    /// Whether a block goes on at the next token. Its closing brace is taken; a missing one is reported.
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
                    self.broken = true;
                } else if !self.unclosed {
                    self.not_closed(open, None);
                    (self.unclosed, self.broken) = (true, true);
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

    /// Whether the file ends inside of a text, which is said elsewhere.
    fn open_text(&self) -> bool {
        let last = self.t.faults.last().and_then(|fault| self.t.text.get(fault.start..));
        last.is_some_and(|rest| {
            let quotes = rest.trim_start_matches(['r', 'R', 'b', 'B']);
            quotes.starts_with("'''") || quotes.starts_with("\"\"\"")
        })
    }
}
