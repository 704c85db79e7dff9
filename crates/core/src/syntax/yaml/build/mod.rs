//! Parser events to the tree.

mod refused;

use std::borrow::Cow;
use std::ops::ControlFlow;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, StructureStyle};

use super::node::{Entry, Node, NodeKind};
use super::scalar::{Scalar, Style};
use super::{MAX_COMMENTS, MAX_DEPTH, MAX_FINDINGS, MAX_NODES, fault, split, text, unique};
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::names::clip;
use crate::syntax::tree::Unread;

/// The parts that were read of a file.
#[derive(Default)]
pub(crate) struct Document<'s> {
    /// The top value; nothing for an empty file.
    pub(crate) root: Option<Node<'s>>,
    /// Comments, without their `#`.
    pub(crate) comments: Vec<Spanned<String>>,
    /// The parts that were refused or left out, and the rest of the text if reading stopped before its end.
    pub(crate) unread: Unread,
    /// The place at which the grammar of the file stopped, if it refuses the file: a fault must be reported.
    pub(crate) refused: Option<Span>,
}

/// Reads a file's text.
pub(crate) fn parse<'s>(source: &'s str, file: FileId, out: &mut Vec<Diagnostic>) -> Document<'s> {
    let mut builder = Builder {
        source,
        file,
        out,
        open: Vec::new(),
        root: None,
        comments: Vec::new(),
        nodes: 0,
        documents: 0,
        unread: Unread::default(),
        last: Span { file, ..Span::default() },
    };
    let broken = !text::check(source, file, builder.out) || !builder.read();
    if broken && builder.out.last().is_some_and(|d| matches!(d.rule, rule::TOO_DEEP | rule::TOO_LARGE)) {
        // Such a file is a mistake or an attack; what else is wrong with it does not matter.
        builder.open.clear();
        builder.root = None;
    }
    if broken {
        builder.unread.add_rest();
        while !builder.open.is_empty() {
            builder.close(builder.last.end);
        }
    }
    Document { root: builder.root, comments: builder.comments, unread: builder.unread, refused: None }
}

/// A list or mapping whose end has not come yet.
struct Open<'s> {
    kind: Collection<'s>,
    flow: bool,
    start: u32,
    /// Refused as a whole: tagged, or the key of a mapping.
    refused: bool,
}

enum Collection<'s> {
    Sequence(Vec<Node<'s>>),
    Mapping { entries: Vec<Entry<'s>>, key: Option<Node<'s>> },
}

struct Builder<'s, 'o> {
    source: &'s str,
    file: FileId,
    out: &'o mut Vec<Diagnostic>,
    open: Vec<Open<'s>>,
    root: Option<Node<'s>>,
    comments: Vec<Spanned<String>>,
    nodes: usize,
    documents: usize,
    unread: Unread,
    /// The last scalar seen.
    last: Span,
}

impl<'s> Builder<'s, '_> {
    /// Reads all events; `false` when it had to stop early.
    fn read(&mut self) -> bool {
        let options = granit_parser::options! {
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
            max_buffered_comment_events: MAX_COMMENTS,
        };
        for event in Parser::new_from_str_with_options(self.source, options) {
            let more = match event {
                Ok((Event::StreamEnd, _)) => return true,
                Ok((event, span)) => self.event(event, &span),
                Err(error) => self.scan_error(&error),
            };
            if !more || self.out.len() >= MAX_FINDINGS {
                return false;
            }
        }
        true
    }

    /// Takes one event; `false` to stop.
    fn event(&mut self, event: Event<'s>, at: &granit_parser::Span) -> bool {
        let span = self.place(at);
        match event {
            Event::DocumentStart(..) => return self.document(span),
            Event::Comment(text, _) => return self.comment(text.into_owned(), span),
            Event::Anchor(_, name) => self.anchor(&name, span),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.alias(span),
            Event::Scalar(text, style, _, tag) => {
                let refused = tag.is_some() && self.tag(at);
                self.scalar(text, style, span, refused);
            }
            Event::SequenceStart(style, _, tag) => {
                let refused = tag.is_some() && self.tag(at);
                return self.start(Collection::Sequence(Vec::new()), style, span, refused);
            }
            Event::MappingStart(style, _, tag) => {
                let refused = tag.is_some() && self.tag(at);
                let kind = Collection::Mapping { entries: Vec::new(), key: None };
                return self.start(kind, style, span, refused);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            _ => {}
        }
        self.nodes <= MAX_NODES || self.too_many(span)
    }

    fn place(&self, at: &granit_parser::Span) -> Span {
        let range = at.byte_range().unwrap_or(0..0);
        Span::new(self.file, range.start, range.end)
    }

    fn document(&mut self, span: Span) -> bool {
        self.documents += 1;
        if self.documents == 1 {
            return true;
        }
        let found = Diagnostic::error(
            rule::YAML_DOCUMENTS,
            span,
            "a second document starts here; a file contains one graph",
        )
        .help("remove the `---`, or move what follows into another file");
        self.out.push(found);
        false
    }

    fn comment(&mut self, text: String, span: Span) -> bool {
        if self.comments.len() >= MAX_COMMENTS {
            self.out.push(fault::too_many_comments(span));
            return false;
        }
        self.comments.push(Spanned::new(text, span));
        true
    }

    fn too_many(&mut self, span: Span) -> bool {
        let message = format!("the file has more than {MAX_NODES} values");
        self.out.push(Diagnostic::error(rule::TOO_LARGE, span, message).help("split it into several files"));
        false
    }

    fn scan_error(&mut self, error: &ScanError) -> bool {
        // A pair in a list, `[a: b]`, is a mapping without braces.
        let opens = |o: &Open<'_>| {
            self.source.get(o.start as usize..).is_some_and(|rest| rest.starts_with(['{', '[']))
        };
        let flow = self.open.iter().rev().find(|o| !o.flow || opens(o)).filter(|o| o.flow).map(|o| o.start);
        let last = self.last;
        self.out.push(fault::explain(self.source, self.file, error, self.last, flow));
        // The value on the line of the fault is only a part of what was meant: nothing more is reported of it.
        let at = error.marker().byte_offset().unwrap_or(0);
        let between = self.source.get(self.last.end as usize..at).unwrap_or_default();
        let partial = self.last_value().filter(|node| !between.contains('\n') && node.span == last);
        if let Some(node) = partial {
            node.kind = NodeKind::Refused;
        }
        false
    }

    /// The value that was added last to the innermost open collection.
    fn last_value(&mut self) -> Option<&mut Node<'s>> {
        match &mut self.open.last_mut()?.kind {
            Collection::Sequence(items) => items.last_mut(),
            Collection::Mapping { entries, key: None } => entries.last_mut().map(|e| &mut e.value),
            Collection::Mapping { key, .. } => key.as_mut(),
        }
    }

    fn scalar(&mut self, text: Cow<'s, str>, style: ScalarStyle, span: Span, refused: bool) {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        if !refused {
            self.last = span;
        }
        let kind = if refused {
            NodeKind::Refused
        } else {
            NodeKind::Scalar(Scalar { text, style, span, pair: None })
        };
        self.add(Node { kind, span });
    }

    fn start(&mut self, kind: Collection<'s>, style: StructureStyle, span: Span, refused: bool) -> bool {
        if self.open.len() >= MAX_DEPTH {
            self.out.push(fault::too_deep(span));
            return false;
        }
        let flow = style == StructureStyle::Flow;
        self.open.push(Open { kind, flow, start: span.start, refused });
        true
    }

    fn close(&mut self, end: u32) {
        let Some(open) = self.open.pop() else { return };
        let (mut kind, last) = match open.kind {
            Collection::Sequence(mut items) => {
                if open.flow {
                    split::mend_list(self.source, &mut items, self.out);
                }
                let last = items.last().map(|n| n.span.end);
                // Most lists have one item: the room for more would take most of a document's memory.
                items.shrink_to_fit();
                (NodeKind::Sequence(items), last)
            }
            Collection::Mapping { mut entries, .. } => {
                if open.flow {
                    split::mend_mapping(self.source, &mut entries, self.out);
                }
                let last = entries.last().map(|e| e.value.span.end.max(e.key.span.end));
                (NodeKind::Mapping(self.without_duplicates(entries)), last)
            }
        };
        if open.refused {
            kind = NodeKind::Refused;
        }
        // The end of a block collection is reported where the next thing starts; its last part ends it.
        let end = if open.flow { end } else { last.unwrap_or(open.start) };
        let span = Span { file: self.file, start: open.start, end: end.max(open.start) };
        self.add(Node { kind, span });
    }

    /// Gives a finished value to the collection around it.
    fn add(&mut self, node: Node<'s>) {
        self.nodes += 1;
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { kind: Collection::Sequence(items), .. }) => items.push(node),
            Some(Open { kind: Collection::Mapping { entries, key }, .. }) => match key.take() {
                None => *key = Some(node),
                Some(Node { kind: NodeKind::Scalar(key), .. }) => entries.push(Entry { key, value: node }),
                Some(Node { kind: NodeKind::Refused, .. }) => {}
                Some(other) => {
                    let message = format!("{} cannot be a key", other.describe());
                    let found = Diagnostic::error(rule::YAML_KEY, other.span, message)
                        .help("a key is one word; a value that starts with `[` or `{` needs quotes");
                    self.out.push(found);
                }
            },
        }
    }

    /// Reports keys given twice and merge keys, and leaves them out.
    fn without_duplicates(&mut self, entries: Vec<Entry<'s>>) -> Vec<Entry<'s>> {
        unique(entries, |entry, earlier| {
            if self.out.len() >= MAX_FINDINGS {
                return ControlFlow::Break(());
            }
            if entry.key.text == "<<" && entry.key.style == Style::Plain {
                let found = Diagnostic::error(
                    rule::YAML_MERGE_KEY,
                    entry.key.span,
                    "`<<` is a YAML merge key; it is not used here",
                )
                .help(
                    "write the keys out; whole sections can be shared between files with `use` and `extends`",
                );
                self.out.push(found);
                // What it would bring is missing.
                self.unread.add_rest();
                return ControlFlow::Continue(false);
            }
            if let Some(earlier) = earlier {
                let found = Diagnostic::error(
                    rule::YAML_DUPLICATE_KEY,
                    entry.key.span,
                    format!("the key `{}` is given twice", clip(&entry.key.text)),
                )
                .also(earlier, "first given here")
                .help("keep one of the two, or rename one");
                self.out.push(found);
                if entry.value.scalar().is_none() {
                    self.unread.add_unnamed();
                }
            }
            ControlFlow::Continue(earlier.is_none())
        })
    }
}
