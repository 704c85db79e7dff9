//! The document of a file to what is written.

use super::Syntax;
use super::code::{Code, CodeKind};
use super::item::{Comment, Item, Text, Value};
use crate::source::Span;
use crate::syntax::lower::tables::{
    BRANCH_KEYS, EDGE_KEYS, FAMILY_KEYS, METER_KEYS, MIGRATE_KEYS, NODE_KEYS, PAUSE_KEYS, RETRY_KEYS,
    ROLE_KEYS, SECTIONS, START_KEYS, TEXT_KEYS, VIEW_KEYS,
};
use crate::syntax::lower::{Form, Key};
use crate::syntax::yaml::{Document, Entry, Node, NodeKind, Scalar, Style};

/// The form of a value: one of those of keys, or a declaration of a section.
#[derive(Clone, Copy)]
enum Shape {
    Of(Form),
    Field,
    Type,
    Budget,
    Role,
    Template,
    Node,
    Edge,
    Branch,
    Property,
    View,
}

struct Gather<'a> {
    text: &'a str,
    from: Syntax,
}

/// The sections of a file.
pub(super) fn sections(document: &Document<'_>, text: &str, from: Syntax) -> Vec<Item> {
    let Some(Node { kind: NodeKind::Mapping(entries), .. }) = &document.root else { return Vec::new() };
    let gather = Gather { text, from };
    entries.iter().flat_map(|entry| gather.entry(entry, of(SECTIONS, entry))).collect()
}

/// The form of an entry, by its table. Only files without unknown keys are written.
fn of<T>(table: &[Key<T>], entry: &Entry<'_>) -> Shape {
    let known = table.iter().find(|key| key.name == entry.name());
    Shape::Of(known.map_or(Form::Expr, |key| key.form))
}

impl Shape {
    /// The shape of an entry of a mapping of this shape.
    fn under(self, entry: &Entry<'_>) -> Self {
        match self {
            Self::Of(Form::FieldDecls) | Self::Type => Self::Field,
            Self::Of(Form::Types) => Self::Type,
            Self::Of(Form::Errors | Form::Renames) => Self::Of(Form::Name),
            Self::Of(Form::Ignores) => Self::Of(Form::Text),
            Self::Of(Form::Budgets | Form::Meters) => Self::Budget,
            Self::Of(Form::Actions) => Self::Of(Form::Statements),
            Self::Of(Form::Roles) => Self::Role,
            Self::Of(Form::Texts) => Self::Template,
            Self::Of(Form::Nodes) => Self::Node,
            Self::Of(Form::Branches) => Self::Branch,
            Self::Of(Form::Edges) | Self::Edge => of(EDGE_KEYS, entry),
            Self::Of(Form::Properties) => Self::Property,
            Self::Of(Form::Views) => Self::View,
            Self::Of(Form::Graph) => of(SECTIONS, entry),
            Self::Of(Form::Graphs) => Self::Of(Form::Graph),
            Self::Of(Form::Start) => of(START_KEYS, entry),
            Self::Of(Form::Pause) => of(PAUSE_KEYS, entry),
            Self::Of(Form::Retry) => of(RETRY_KEYS, entry),
            Self::Of(Form::Migrate) => of(MIGRATE_KEYS, entry),
            Self::Budget if METER_KEYS.iter().any(|key| key.name == entry.name()) => of(METER_KEYS, entry),
            Self::Budget => of(FAMILY_KEYS, entry),
            Self::Role => of(ROLE_KEYS, entry),
            Self::Template | Self::Of(Form::TextName) => of(TEXT_KEYS, entry),
            Self::Node => of(NODE_KEYS, entry),
            Self::Branch => of(BRANCH_KEYS, entry),
            Self::View => of(VIEW_KEYS, entry),
            _ => Self::Of(Form::Expr),
        }
    }

    /// The shape of an item of a list of this shape.
    fn item(self) -> Self {
        match self {
            Self::Of(Form::Edges) => Self::Edge,
            Self::Of(Form::Roles) => Self::Of(Form::Name),
            other => other,
        }
    }

    fn scalar(self, scalar: &Scalar<'_>, text: &str) -> Value {
        let whole = || scalar.text.to_string();
        let code = |kind| Value::Code(Code::new(kind, whole()));
        match self {
            Self::Of(Form::Text | Form::Path | Form::Graph | Form::Graphs | Form::Paths)
            | Self::Template
            | Self::Role => {
                let quoted = !matches!(scalar.style, Style::Text);
                Value::Text(Text { text: whole(), folded: quoted && folded(scalar, text) })
            }
            Self::Of(Form::TextName) if is_name(&scalar.text) => Value::Word(whole()),
            // A name alone is that of a text; this one is an expression, as what stands around it says.
            Self::Of(Form::TextName) if is_name(scalar.text.trim()) => {
                Value::Code(Code::new(CodeKind::Expr, format!("({})", scalar.text.trim())))
            }
            Self::Of(Form::Type) | Self::Type => code(CodeKind::Type),
            Self::Of(Form::Statements) => code(CodeKind::Statements),
            Self::Of(
                Form::Expr
                | Form::TextName
                | Form::Fields
                | Form::Retry
                | Form::Place
                | Form::Triggers
                | Form::Lets
                | Form::Outputs,
            )
            | Self::Budget => code(CodeKind::Expr),
            Self::Field => code(CodeKind::Field),
            Self::Property => code(CodeKind::Property),
            _ => Value::Word(whole()),
        }
    }
}

/// Returns true if a value stands without its key where its node or edge begins. Comments there are those of the whole.
fn in_head(shape: Shape, key: &str) -> bool {
    match shape {
        Shape::Node => matches!(key, "kind" | "title"),
        Shape::Edge => matches!(key, "to" | "label"),
        _ => false,
    }
}

/// A key with single blanks: `open Name` and `name(a, b)` hold some.
fn tidy(key: &str) -> String {
    let call = key.ends_with(')') && key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match key.strip_prefix("open ") {
        Some(name) => format!("open {}", name.trim()),
        None if call => Code::new(CodeKind::Expr, key.to_owned()).bare(),
        None => key.to_owned(),
    }
}

fn is_name(text: &str) -> bool {
    crate::syntax::names::is_identifier(text)
}

/// Returns true if lines of the file were joined to a text.
fn folded(scalar: &Scalar<'_>, file: &str) -> bool {
    let source = file.get(scalar.span.start as usize..scalar.span.end as usize).unwrap_or_default();
    scalar.style == Style::Folded || scalar.style != Style::Literal && source.contains('\n')
}

impl Gather<'_> {
    /// An entry; statements that stand apart are several items.
    fn entry(&self, entry: &Entry<'_>, shape: Shape) -> Vec<Item> {
        if let (Syntax::Loop, Shape::Of(Form::Statements), NodeKind::Sequence(runs)) =
            (self.from, shape, &entry.value.kind)
            && !runs.is_empty()
        {
            let key = entry.name().to_string();
            return runs.iter().map(|run| self.item(key.clone(), run.span, run, shape)).collect();
        }
        vec![self.item(tidy(entry.name()), entry.span(), &entry.value, shape)]
    }

    fn item(&self, key: String, span: Span, node: &Node<'_>, shape: Shape) -> Item {
        let (start, mut end) = (span.start as usize, span.end as usize);
        let source = self.text.get(start..end).unwrap_or_default();
        let mut value = self.value(node, shape);
        let (mut before, mut beside) = (Vec::new(), Vec::new());
        if let Value::Code(code) = &mut value {
            if self.from == Syntax::Loop {
                end += self.with_comment(code, end);
            }
            if code.kind != CodeKind::Statements && code.has_comments() {
                let (outer, following) = code.take_outer_comments();
                before = outer.into_iter().map(|text| Comment { text, blank: false }).collect();
                beside.extend(following);
            }
        }
        let is_edges = matches!(shape, Shape::Of(Form::Edges));
        let sections = matches!(
            shape,
            Shape::Of(
                Form::Types
                    | Form::Errors
                    | Form::Budgets
                    | Form::Lets
                    | Form::Roles
                    | Form::Texts
                    | Form::Nodes
                    | Form::Edges
                    | Form::Properties
                    | Form::Views
            )
        );
        Item {
            key,
            value,
            start,
            end: end.max(start),
            is_graph: matches!((shape, &node.kind), (Shape::Of(Form::Graph), NodeKind::Mapping(_))),
            is_edges,
            gathered: self.from == Syntax::Loop && sections && !(is_edges && source.starts_with("next")),
            one_line: !source.trim_end().contains('\n'),
            blank: false,
            before,
            beside,
            after: Vec::new(),
        }
    }

    fn value(&self, node: &Node<'_>, shape: Shape) -> Value {
        match &node.kind {
            NodeKind::Scalar(scalar) if scalar.is_empty() => Value::Nothing,
            NodeKind::Scalar(scalar) => shape.scalar(scalar, self.text),
            NodeKind::Sequence(items) if matches!(shape, Shape::Of(Form::Statements)) => {
                let lines: Vec<_> =
                    items.iter().filter_map(Node::scalar).map(|s| s.text.trim_end()).collect();
                Value::Code(Code::new(CodeKind::Statements, lines.join("\n")))
            }
            NodeKind::Sequence(items) => {
                let items = items.iter();
                Value::List(items.map(|n| self.item(String::new(), n.span, n, shape.item())).collect())
            }
            // In the loop DSL a limit alone needs no word, and so it does in YAML.
            NodeKind::Mapping(entries) if self.is_limit(shape, node, entries) => {
                self.value(&entries[0].value, Shape::Of(Form::Expr))
            }
            NodeKind::Mapping(entries) => {
                let items = entries.iter().flat_map(|entry| self.entry(entry, shape.under(entry)));
                let mut items: Vec<_> = items.collect();
                for item in &mut items {
                    item.gathered |= self.from == Syntax::Loop && in_head(shape, &item.key);
                }
                Value::Items(items)
            }
            NodeKind::Refused => Value::Nothing,
        }
    }

    fn is_limit(&self, shape: Shape, node: &Node<'_>, entries: &[Entry<'_>]) -> bool {
        let source = self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or_default();
        let only = matches!(entries, [only] if only.name() == "limit");
        self.from == Syntax::Loop && matches!(shape, Shape::Budget) && only && !source.contains('\n')
    }

    /// A comment after the last statement belongs to the statements, and one after an expression with comments to the
    /// expression. Gives its length.
    fn with_comment(&self, code: &mut Code, end: usize) -> usize {
        let rest = self.text.get(end..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let several = code.kind == CodeKind::Statements || code.has_comments();
        if !several || !line.trim_start_matches([' ', '\t', ';']).starts_with('#') {
            return 0;
        }
        code.text.push_str(line);
        line.len()
    }
}
