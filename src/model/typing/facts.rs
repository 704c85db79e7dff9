//! What is known of values at a point of the flow: which paths are not null, which have a narrower type.

use std::sync::Arc;

use smallvec::SmallVec;

use super::slot_set::SlotSet;
use crate::model::expr::{Expr, ExprKind, LetId, LocalId, SlotId, Special};
use crate::model::types::Type;
use crate::value::{Str, Value};

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// An input or state field.
    Slot(SlotId),
    /// A parameterless let.
    Let(LetId),
    /// `result`, `error`, …
    Special(Special),
    /// A loop variable or the like.
    Local(LocalId),
}

/// A root and constant field names below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// Where it starts.
    pub root: Root,
    /// The way down.
    pub fields: SmallVec<[Str; 2]>,
}

impl Path {
    /// The path that is a root alone.
    #[must_use]
    pub fn root(root: Root) -> Self {
        Self { root, fields: SmallVec::new() }
    }

    /// The path an expression reads, if it reads one.
    #[must_use]
    pub fn of(expr: &Expr) -> Option<Self> {
        match &expr.kind {
            ExprKind::Coerce(inner, _) => Self::of(inner),
            kind => {
                if let Some(root) = root_of(kind) {
                    return Some(Self::root(root));
                }
                let (target, name) = step_of(kind)?;
                let mut path = Self::of(target)?;
                path.fields.push(name.clone());
                Some(path)
            }
        }
    }

    /// The slot that is the whole path.
    fn slot(&self) -> Option<SlotId> {
        match self.root {
            Root::Slot(id) if self.fields.is_empty() => Some(id),
            _ => None,
        }
    }

    /// Whether `self` is `other` or lies above it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.root == other.root && other.fields.starts_with(&self.fields)
    }

    /// Whether this is the path that `expr` reads. Allocates nothing.
    fn reads(&self, expr: &Expr) -> bool {
        let mut rest = self.fields.as_slice();
        let mut at = expr;
        loop {
            if let ExprKind::Coerce(inner, _) = &at.kind {
                at = inner;
            } else if let Some(root) = root_of(&at.kind) {
                return rest.is_empty() && root == self.root;
            } else {
                let (Some((target, name)), Some((last, above))) = (step_of(&at.kind), rest.split_last())
                else {
                    return false;
                };
                if name != last {
                    return false;
                }
                (at, rest) = (target, above);
            }
        }
    }
}

/// The slot that an expression reads as a whole.
fn slot_of(expr: &Expr) -> Option<SlotId> {
    match &expr.kind {
        ExprKind::Slot(id) => Some(*id),
        ExprKind::Coerce(inner, _) => slot_of(inner),
        _ => None,
    }
}

fn root_of(kind: &ExprKind) -> Option<Root> {
    match kind {
        ExprKind::Slot(id) => Some(Root::Slot(*id)),
        ExprKind::Let(id) => Some(Root::Let(*id)),
        ExprKind::Local(id) => Some(Root::Local(*id)),
        ExprKind::Special(which) => Some(Root::Special(*which)),
        _ => None,
    }
}

fn step_of(kind: &ExprKind) -> Option<(&Expr, &Str)> {
    match kind {
        ExprKind::Field { target, name, .. } => Some((target, name)),
        ExprKind::Index(target, index) => match &index.kind {
            ExprKind::Const(Value::Str(name)) => Some((target, name)),
            _ => None,
        },
        _ => None,
    }
}

/// So many facts are kept beside the slots that are not null. Further ones are not noted: knowing less is always right.
const MOST: usize = 256;

/// One thing that is known: the path is not null, and perhaps of a narrower type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    path: Path,
    narrowed: Option<Type>,
}

impl Fact {
    /// Whether it says more than that a slot is not null, which is kept elsewhere.
    fn says_more(&self) -> bool {
        self.narrowed.is_some() || self.path.slot().is_none()
    }
}

/// What is known at a point of the flow. A clone is cheap; [`Facts::default`] knows nothing.
///
/// Facts of a point that is never reached know everything: they vanish in [`Facts::meet`].
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Slots that are not null.
    slots: SlotSet,
    /// What else is known, sorted by path, each path once. A slot as a whole stands here where its type is narrower.
    known: Option<Arc<Vec<Fact>>>,
    unreached: bool,
    /// With `unreached`: the point may be reached, but a fault before it was reported, so that nothing is missed here.
    in_doubt: bool,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.unreached == other.unreached
            && self.in_doubt == other.in_doubt
            && self.slots == other.slots
            && (self.shared(other) || self.known() == other.known())
    }
}

impl Eq for Facts {}

impl Facts {
    /// The facts of a point that is never reached.
    #[must_use]
    pub fn unreached() -> Self {
        Self { unreached: true, ..Self::default() }
    }

    /// The facts of a point behind a fault that was reported: they know everything, so that nothing is said that may
    /// only follow from it.
    #[must_use]
    pub fn in_doubt() -> Self {
        Self { unreached: true, in_doubt: true, ..Self::default() }
    }

    /// Whether the point is never reached.
    #[must_use]
    pub const fn is_unreached(&self) -> bool {
        self.unreached && !self.in_doubt
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.unreached && self.known().is_empty() && self.slots.is_empty()
    }

    /// Whether the path is known not to be null.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.unreached
            || path.slot().map_or_else(|| self.find(path).is_ok(), |slot| self.slots.contains(slot))
    }

    /// Whether what the expression reads is known not to be null.
    #[must_use]
    pub fn knows(&self, expr: &Expr) -> bool {
        let known = || self.known().iter().any(|f| f.path.reads(expr));
        self.unreached || slot_of(expr).map_or_else(known, |slot| self.slots.contains(slot))
    }

    /// The narrower type of what the expression reads, if one is known.
    #[must_use]
    pub fn narrowed(&self, expr: &Expr) -> Option<&Type> {
        self.known().iter().find(|f| f.path.reads(expr)).and_then(|f| f.narrowed.as_ref())
    }

    /// Notes that the path, and so every path above it, is not null.
    pub fn insert(&mut self, path: Path) {
        for above in 0..path.fields.len() {
            self.put(Path { root: path.root, fields: path.fields[..above].into() }, None);
        }
        self.put(path, None);
    }

    /// Notes that something that is not null was written to the path, which takes values of type `ty`. Where null could
    /// not stand anyway, only what lies above it is new.
    pub fn write(&mut self, mut path: Path, ty: &Type) {
        if ty.nullable || path.fields.pop().is_some() {
            self.insert(path);
        }
    }

    /// Notes that the path has a narrower type that excludes null.
    pub fn narrow(&mut self, path: Path, ty: Type) {
        self.insert(path.clone());
        self.put(path, Some(ty));
    }

    /// All that is known here or there: for conditions that both hold.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if self.unreached || other.is_empty() {
            return self.clone();
        }
        if other.unreached || self.is_empty() {
            return other.clone();
        }
        let mut both = self.clone();
        both.slots.join(&other.slots);
        for fact in other.known() {
            both.put(fact.path.clone(), fact.narrowed.clone());
        }
        both
    }

    /// What is known on both ways that join here.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        if self.in_doubt && other.unreached {
            return self.clone();
        }
        if self.unreached {
            return other.clone();
        }
        if other.unreached {
            return self.clone();
        }
        let slots = self.slots.meet(&other.slots);
        if self.shared(other) {
            return Self { slots, ..self.clone() };
        }
        let common = self.known().iter().filter_map(|fact| {
            let at = other.find(&fact.path).ok()?;
            let same = other.known()[at].narrowed == fact.narrowed;
            let narrowed = fact.narrowed.clone().filter(|_| same);
            Some(Fact { path: fact.path.clone(), narrowed }).filter(Fact::says_more)
        });
        let common: Vec<Fact> = common.collect();
        if common == self.known() {
            return Self { slots, ..self.clone() };
        }
        let known = (!common.is_empty()).then(|| Arc::new(common));
        Self { slots, known, ..Self::default() }
    }

    /// Forgets what an assignment to the path makes uncertain: the path, all below it, and narrower types above it.
    pub fn kill(&mut self, path: &Path) {
        if let Some(slot) = path.slot() {
            self.slots.remove(slot);
        }
        self.retain(|f| !path.covers(&f.path));
        let narrowed_above = |f: &Fact| f.narrowed.is_some() && f.path.covers(path);
        if self.known().iter().any(narrowed_above) {
            for fact in self.known_mut().iter_mut().filter(|f| narrowed_above(f)) {
                fact.narrowed = None;
            }
            self.retain(Fact::says_more);
        }
    }

    /// Forgets all below the path, but not the path itself: for a write to an element that is computed.
    pub fn kill_below(&mut self, path: &Path) {
        self.retain(|f| !(path.covers(&f.path) && f.path.fields.len() > path.fields.len()));
    }

    /// Forgets what is known of every slot.
    pub fn kill_slots(&mut self) {
        self.slots = SlotSet::default();
        self.retain(|f| !matches!(f.path.root, Root::Slot(_)));
    }

    /// Forgets what is known of roots other than slots for which `keep` is false.
    pub fn retain_roots(&mut self, keep: impl Fn(Root) -> bool) {
        self.retain(|f| matches!(f.path.root, Root::Slot(_)) || keep(f.path.root));
    }

    /// What of it outlives the statement list or guard it was learned in: what is known of slots.
    #[must_use]
    pub fn of_slots(&self) -> Self {
        let mut kept = self.clone();
        kept.retain_roots(|_| false);
        kept
    }

    fn known(&self) -> &[Fact] {
        self.known.as_deref().map_or(&[], Vec::as_slice)
    }

    fn known_mut(&mut self) -> &mut Vec<Fact> {
        Arc::make_mut(self.known.get_or_insert_default())
    }

    fn shared(&self, other: &Self) -> bool {
        match (&self.known, &other.known) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    fn find(&self, path: &Path) -> Result<usize, usize> {
        self.known().binary_search_by(|f| f.path.cmp(path))
    }

    fn put(&mut self, path: Path, narrowed: Option<Type>) {
        if let Some(slot) = path.slot() {
            self.slots.insert(slot);
            if narrowed.is_none() {
                return;
            }
        }
        match self.find(&path) {
            Ok(at) if narrowed.is_some() => self.known_mut()[at].narrowed = narrowed,
            Ok(_) => {}
            Err(at) if self.known().len() < MOST => self.known_mut().insert(at, Fact { path, narrowed }),
            Err(_) => {}
        }
    }

    fn retain(&mut self, keep: impl Fn(&Fact) -> bool) {
        if self.known().iter().all(&keep) {
            return;
        }
        self.known_mut().retain(&keep);
        if self.known().is_empty() {
            self.known = None;
        }
    }
}
