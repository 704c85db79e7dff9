//! Uses of names, recorded where the checker resolves them, for whoever asks what a name at a place stands for.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::types::{EnumType, RecordId, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;
use crate::value::Str;

/// The kinds of thing that a name may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// A graph by its own name.
    Graph,
    /// A file that another one names.
    File,
    /// An input field.
    Input,
    /// A state field.
    State,
    /// A loop variable, a parameter, a `let` among statements.
    Local,
    /// A let.
    Let,
    /// An action.
    Action,
    /// A budget, or a family of budgets.
    Budget,
    /// A meter of a family.
    Meter,
    /// A node.
    Node,
    /// A text.
    Text,
    /// A type.
    Type,
    /// A field of a record, or an output of a graph.
    Field,
    /// A member of an enum.
    Member,
    /// A kind of error.
    Error,
    /// A role of models.
    Role,
    /// A tool.
    Tool,
    /// A function or a macro.
    Function,
    /// A value that the machine supplies.
    Supplied,
}

impl NameKind {
    /// The words for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::File => "file",
            Self::Input => "input",
            Self::State => "state",
            Self::Local => "local",
            Self::Let => "let",
            Self::Action => "action",
            Self::Budget => "budget",
            Self::Meter => "meter",
            Self::Node => "node",
            Self::Text => "text",
            Self::Type => "type",
            Self::Field => "field",
            Self::Member => "member",
            Self::Error => "error kind",
            Self::Role => "role",
            Self::Tool => "tool",
            Self::Function => "function",
            Self::Supplied => "supplied by the machine",
        }
    }
}

/// One use of a name. A declaration is the use whose own place is the definition.
#[derive(Debug, Clone, PartialEq)]
pub struct NameUse {
    /// The place. Quotation marks around the name may be part of it.
    pub span: Span,
    /// The kind of thing that is meant.
    pub kind: NameKind,
    /// The name.
    pub name: Str,
    /// The place of the declaration; none of what no file declares.
    pub definition: Option<Span>,
    /// The type of the value here, where it is one: with what is known of null.
    pub ty: Option<Type>,
}

/// A thing that has parts with names of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameHolder {
    /// A record, with its fields.
    Record(RecordId),
    /// A family of budgets by the place of its declaration, with its meters.
    Family(Span),
}

/// A name that may stand in the place of the probe.
#[derive(Debug, Clone, PartialEq)]
pub struct NameCandidate {
    /// The kind of thing.
    pub kind: NameKind,
    /// The name, as it would be written there.
    pub name: Str,
    /// The type of its value, where it has one.
    pub ty: Option<Type>,
}

#[derive(Debug, Default)]
struct RecordedNames {
    uses: Vec<NameUse>,
    /// The names that may stand in the place of the probe.
    candidates: Vec<NameCandidate>,
    /// The place where the probe was met in an expression.
    met: Option<Span>,
    parts: FxHashMap<(NameHolder, Str), Span>,
    /// The places of the members of enums. Enums with the same members are one type, and so have one place.
    members: FxHashMap<Vec<Str>, Vec<Span>>,
}

/// Records uses of names, or does nothing. Clones record in one list.
#[derive(Debug, Clone, Default)]
pub struct NameRecorder {
    names: Option<Arc<Mutex<RecordedNames>>>,
    /// A name that nothing has. Whoever meets it offers what may stand in its place.
    probe: Option<Str>,
}

impl NameRecorder {
    /// One that records.
    #[must_use]
    pub fn recording() -> Self {
        Self { names: Some(Arc::default()), probe: None }
    }

    /// One that records and collects what may stand in the place of a name.
    #[must_use]
    pub fn probing(probe: &str) -> Self {
        Self { names: Some(Arc::default()), probe: Some(probe.into()) }
    }

    /// True if a name, or the beginning of one, is the probe.
    pub(crate) fn is_probe(&self, name: &str) -> bool {
        self.probe.as_ref().is_some_and(|probe| name == probe)
    }

    /// Offers names in the place of one, if that is the probe.
    pub(crate) fn offer<'n>(
        &self,
        instead_of: &str,
        kind: NameKind,
        names: impl IntoIterator<Item = (&'n str, Option<&'n Type>)>,
    ) {
        if self.is_probe(instead_of) {
            let all = names.into_iter();
            let all = all.map(|(name, ty)| NameCandidate { kind, name: name.into(), ty: ty.cloned() });
            self.with(|recorded| recorded.candidates.extend(all));
        }
    }

    /// The names that may stand in the place of the probe, each once.
    #[must_use]
    pub fn take_candidates(&self) -> Vec<NameCandidate> {
        let mut all = self.with(|names| std::mem::take(&mut names.candidates)).unwrap_or_default();
        all.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        all.dedup_by(|b, a| (a.kind, &a.name) == (b.kind, &b.name));
        all
    }

    /// Notes that the probe was met in an expression.
    pub(crate) fn meet(&self, name: &str, span: Span) {
        if self.is_probe(name) {
            self.with(|names| names.met = Some(span));
        }
    }

    /// Offers the members of an enum as texts, if the probe was met at that place.
    pub(crate) fn offer_members(&self, span: Span, of: &EnumType) {
        if self.probe.is_some() {
            self.with(|names| {
                if names.met == Some(span) {
                    names.candidates.extend(of.members.iter().map(|member| NameCandidate {
                        kind: NameKind::Member,
                        name: ecow::eco_format!("'{member}'"),
                        ty: None,
                    }));
                }
            });
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut RecordedNames) -> T) -> Option<T> {
        let names = self.names.as_ref()?;
        Some(work(&mut names.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Notes a use.
    pub fn note(&self, kind: NameKind, name: &str, span: Span, definition: Option<Span>, ty: Option<&Type>) {
        self.with(|names| {
            names.uses.push(NameUse { span, kind, name: name.into(), definition, ty: ty.cloned() });
        });
    }

    /// Notes a declaration.
    pub fn define(&self, kind: NameKind, name: &Name, ty: Option<&Type>) {
        self.note(kind, &name.value, name.span, Some(name.span), ty);
    }

    /// Notes the declaration of a part.
    pub(crate) fn define_part(
        &self,
        holder: NameHolder,
        kind: NameKind,
        name: &Spanned<Str>,
        ty: Option<&Type>,
    ) {
        self.note(kind, &name.value, name.span, Some(name.span), ty);
        self.with(|names| *names.parts.entry((holder, name.value.clone())).or_insert(name.span));
    }

    /// Notes the use of a part.
    pub(crate) fn note_part(
        &self,
        holder: NameHolder,
        kind: NameKind,
        name: &str,
        span: Span,
        ty: Option<&Type>,
    ) {
        let definition = self.with(|names| names.parts.get(&(holder, name.into())).copied()).flatten();
        self.note(kind, name, span, definition, ty);
    }

    /// Notes the declaration of an enum.
    pub(crate) fn define_members(&self, members: &[Name]) {
        self.with(|names| {
            let all: Vec<Str> = members.iter().map(|member| member.as_str().into()).collect();
            let places = names.members.entry(all).or_insert_with(|| members.iter().map(|m| m.span).collect());
            for (member, definition) in members.iter().zip(places.iter()) {
                names.uses.push(NameUse {
                    span: member.span,
                    kind: NameKind::Member,
                    name: member.as_str().into(),
                    definition: Some(*definition),
                    ty: None,
                });
            }
        });
    }

    /// Notes the use of a member.
    pub(crate) fn note_member(&self, member: &str, of: &EnumType, span: Span) {
        let at = of.members.iter().position(|own| own == member);
        let place = |names: &mut RecordedNames| names.members.get(&of.members)?.get(at?).copied();
        if let Some(definition) = self.with(place) {
            self.note(NameKind::Member, member, span, definition, None);
        }
    }

    /// The uses so far in order of their places, each once.
    #[must_use]
    pub fn take(&self) -> Vec<NameUse> {
        let mut uses = self.with(|names| std::mem::take(&mut names.uses)).unwrap_or_default();
        // The first type counts: a let is typed for itself before it is written out.
        uses.sort_by_key(|one| (one.span, one.kind, one.definition));
        uses.dedup_by(|b, a| (a.span, a.kind, a.definition) == (b.span, b.kind, b.definition));
        uses
    }
}
