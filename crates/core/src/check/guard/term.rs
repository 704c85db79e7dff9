//! Terms: expressions in normal form. Equal ones have one number.

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::model::expr::{BudgetId, FamilyId, LocalId, SlotId, TextId};
use crate::model::node::NodeId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, RecordId, Type};
use crate::program::function::Function;
use crate::program::op::{BudgetQuery, Macro, Special};
use crate::source::Span;
use crate::value::{Str, Value};

/// The most terms of one set of guards.
pub(super) const MAX_TERMS: usize = 20_000;

/// The number of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(pub(super) u32);

/// A constant. Other than the language's `==` it tells `1` from `1.0`.
#[derive(Debug, Clone)]
pub(super) struct Constant {
    pub(super) value: Value,
    lossless: String,
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.lossless == other.lossless
    }
}

impl Eq for Constant {}

impl std::hash::Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.lossless.hash(state);
    }
}

impl From<Value> for Constant {
    fn from(value: Value) -> Self {
        let lossless = serde_json::to_string(&value).expect("a value always has its lossless form");
        Self { value, lossless }
    }
}

/// The operation of a term; what it works on are the term's parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Const(Constant),
    Slot(SlotId),
    Local(LocalId),
    Special(Special),
    /// A field of a record or map.
    Field(Str),
    Index,
    Call(Function),
    And,
    Or,
    Not,
    Coalesce,
    Conditional,
    List,
    Map,
    Record(RecordId),
    Has(Str),
    Macro {
        kind: Macro,
        local: LocalId,
        second: Option<LocalId>,
        filter: bool,
        each: bool,
    },
    Is(Type),
    Coerce(Type),
    Budget(BudgetQuery, BudgetId),
    InFamily(FamilyId),
    Step,
    RolledBack,
    Visits(NodeId),
    InState(NodeId),
    Render(TextId),
    Now,
    Previous,
    /// A term that could not be typed, or nests too deep to be looked at. No two are the same.
    Unknown(u32),
}

/// What makes a term the one that it is.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    pub(super) head: Head,
    pub(super) parts: SmallVec<[TermId; 2]>,
}

/// What is known of a term besides its form.
#[derive(Debug)]
pub(super) struct TermInfo {
    /// A type that all its values have.
    pub(super) ty: Type,
    /// The place where it was met first.
    pub(super) span: Span,
}

/// A term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term<'t> {
    pub(super) head: &'t Head,
    pub(super) parts: &'t SmallVec<[TermId; 2]>,
    pub(super) ty: &'t Type,
    pub(super) span: Span,
}

/// All terms of a set of guards; the number of a term is its place.
#[derive(Debug)]
pub(super) struct Terms(IndexMap<Form, TermInfo, FxBuildHasher>);

impl Default for Terms {
    /// With room for what most sets of guards hold: growing costs more.
    fn default() -> Self {
        Self(IndexMap::with_capacity_and_hasher(24, FxBuildHasher))
    }
}

impl Terms {
    pub(super) fn get(&self, id: TermId) -> Term<'_> {
        let (form, info) = self.0.get_index(id.0 as usize).expect("a term has a place");
        Term { head: &form.head, parts: &form.parts, ty: &info.ty, span: info.span }
    }

    pub(super) fn heads(&self) -> impl Iterator<Item = &Head> {
        self.0.keys().map(|form| &form.head)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_TERMS
    }

    /// The term of that form. One that is there already gets a type that covers both.
    pub(super) fn add(
        &mut self,
        head: Head,
        parts: impl IntoIterator<Item = TermId>,
        ty: Type,
        span: Span,
    ) -> TermId {
        let parts: SmallVec<[TermId; 2]> = parts.into_iter().collect();
        let entry = self.0.entry(Form { head, parts });
        let id = TermId(u32::try_from(entry.index()).unwrap_or(u32::MAX));
        match entry {
            Entry::Occupied(mut known) => {
                let known = &mut known.get_mut().ty;
                if *known != ty {
                    *known = wider(known, &ty);
                }
            }
            Entry::Vacant(new) => {
                new.insert(TermInfo { ty, span });
            }
        }
        id
    }

    /// Lets fields of what may be null be null: where a guard reads them behind a test for null, their own types do
    /// not say so.
    pub(super) fn settle_types(&mut self) {
        // Parts come before what they are parts of.
        for place in 0..self.0.len() {
            let Some((form, _)) = self.0.get_index(place) else { return };
            if let (Head::Field(_), [above]) = (&form.head, form.parts.as_slice())
                && self.get(*above).ty.nullable
            {
                self.0[place].ty.nullable = true;
            }
        }
    }

    pub(super) fn constant(&mut self, value: Value, span: Span) -> TermId {
        let kind = match &value {
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int(None),
            Value::Float(_) => Kind::Float,
            Value::Usd(_) => Kind::Usd,
            Value::Duration(_) => Kind::Duration,
            Value::Str(_) => Kind::String(None),
            Value::Null => Kind::Null,
            Value::List(_) | Value::Map(_) => Kind::Any,
        };
        let ty = Type { nullable: value.is_null(), kind };
        self.add(Head::Const(value.into()), [], ty, span)
    }

    pub(super) fn as_constant(&self, id: TermId) -> Option<&Value> {
        match self.get(id).head {
            Head::Const(constant) => Some(&constant.value),
            _ => None,
        }
    }

    /// The variable and the fields on the way down from it, for a term that is a path.
    pub(super) fn path(&self, id: TermId) -> Option<(Head, Vec<Str>)> {
        let mut fields = Vec::new();
        let mut at = id;
        loop {
            let term = self.get(at);
            match term.head {
                Head::Slot(_) | Head::Special(_) => {
                    fields.reverse();
                    return Some((term.head.clone(), fields));
                }
                Head::Field(name) => {
                    fields.push(name.clone());
                    at = term.parts[0];
                }
                _ => return None,
            }
        }
    }

    /// True if evaluating the term may end with a fault.
    pub(super) fn can_fail(&self, id: TermId, types: &TypeTable) -> bool {
        let term = self.get(id);
        match term.head {
            Head::Const(_)
            | Head::Slot(_)
            | Head::Special(_)
            | Head::Step
            | Head::Visits(_)
            | Head::InState(_)
            | Head::Now
            | Head::RolledBack => false,
            Head::Budget(..) => !term.parts.is_empty(),
            Head::InFamily(_) => self.can_fail(term.parts[0], types),
            Head::Field(name) => {
                let target = term.parts[0];
                let declared = match &self.get(target).ty.kind {
                    Kind::Record(id) => types.record(*id).fields.get(name).is_some(),
                    _ => false,
                };
                !declared || self.can_fail(target, types)
            }
            _ => true,
        }
    }
}

/// A type that has the values of both.
fn wider(one: &Type, other: &Type) -> Type {
    let nullable = one.nullable || other.nullable;
    let kind = match (&one.kind, &other.kind) {
        (a, b) if a == b => a.clone(),
        (Kind::Null, kind) | (kind, Kind::Null) => return Type { kind: kind.clone(), nullable: true },
        (Kind::Int(a), Kind::Int(b)) => Kind::Int(a.zip(*b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)))),
        (Kind::String(a), Kind::String(b)) => Kind::String(a.zip(*b).map(|(a, b)| a.max(b))),
        (Kind::List(a, most), Kind::List(b, other)) if a == b => {
            Kind::List(a.clone(), most.zip(*other).map(|(a, b)| a.max(b)))
        }
        _ => return Type::of(Kind::Any).or_null(),
    };
    Type { kind, nullable }
}
