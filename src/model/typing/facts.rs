//! What is known of values at a point of the flow: which paths are not null, which have a narrower type.

use std::sync::Arc;

use smallvec::SmallVec;

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

/// One thing that is known: the path is not null, and perhaps of a narrower type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    path: Path,
    narrowed: Option<Type>,
}

/// What is known at a point of the flow. A clone is cheap; [`Facts::default`] knows nothing.
///
/// Facts of a point that is never reached know everything: they vanish in [`Facts::meet`].
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Sorted by path, each path once.
    known: Option<Arc<Vec<Fact>>>,
    unreached: bool,
    /// With `unreached`: the point may be reached, but a fault before it was reported, so that nothing is missed here.
    in_doubt: bool,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.unreached == other.unreached
            && self.in_doubt == other.in_doubt
            && (self.shared(other) || self.known() == other.known())
    }
}

impl Eq for Facts {}

impl Facts {
    /// The facts of a point that is never reached.
    #[must_use]
    pub const fn unreached() -> Self {
        Self { known: None, unreached: true, in_doubt: false }
    }

    /// The facts of a point behind a fault that was reported: they know everything, so that nothing is said that may
    /// only follow from it.
    #[must_use]
    pub const fn in_doubt() -> Self {
        Self { known: None, unreached: true, in_doubt: true }
    }

    /// Whether the point is never reached.
    #[must_use]
    pub const fn is_unreached(&self) -> bool {
        self.unreached && !self.in_doubt
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.unreached && self.known().is_empty()
    }

    /// Whether the path is known not to be null.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.unreached || self.find(path).is_ok()
    }

    /// Whether what the expression reads is known not to be null.
    #[must_use]
    pub fn knows(&self, expr: &Expr) -> bool {
        self.unreached || self.known().iter().any(|f| f.path.reads(expr))
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
        if self.unreached || self.shared(other) && !other.unreached {
            return other.clone();
        }
        if other.unreached {
            return self.clone();
        }
        let common = self.known().iter().filter_map(|fact| {
            let at = other.find(&fact.path).ok()?;
            let same = other.known()[at].narrowed == fact.narrowed;
            Some(Fact { path: fact.path.clone(), narrowed: fact.narrowed.clone().filter(|_| same) })
        });
        let common: Vec<Fact> = common.collect();
        if common.len() == self.known().len() && common == self.known() {
            return self.clone();
        }
        Self::from_sorted(common)
    }

    /// Forgets what an assignment to the path makes uncertain: the path, all below it, and narrower types above it.
    pub fn kill(&mut self, path: &Path) {
        self.retain(|f| !path.covers(&f.path));
        let narrowed_above = |f: &Fact| f.narrowed.is_some() && f.path.covers(path);
        if self.known().iter().any(narrowed_above) {
            for fact in self.known_mut().iter_mut().filter(|f| narrowed_above(f)) {
                fact.narrowed = None;
            }
        }
    }

    /// Forgets all below the path, but not the path itself: for a write to an element that is computed.
    pub fn kill_below(&mut self, path: &Path) {
        self.retain(|f| !(path.covers(&f.path) && f.path.fields.len() > path.fields.len()));
    }

    /// Forgets what is known of roots for which `keep` is false.
    pub fn retain_roots(&mut self, keep: impl Fn(Root) -> bool) {
        self.retain(|f| keep(f.path.root));
    }

    /// What of it outlives the statement list or guard it was learned in: what is known of slots.
    #[must_use]
    pub fn of_slots(&self) -> Self {
        let mut kept = self.clone();
        kept.retain_roots(|root| matches!(root, Root::Slot(_)));
        kept
    }

    fn known(&self) -> &[Fact] {
        self.known.as_deref().map_or(&[], Vec::as_slice)
    }

    fn known_mut(&mut self) -> &mut Vec<Fact> {
        Arc::make_mut(self.known.get_or_insert_default())
    }

    fn from_sorted(known: Vec<Fact>) -> Self {
        Self { known: (!known.is_empty()).then(|| Arc::new(known)), unreached: false, in_doubt: false }
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
        match self.find(&path) {
            Ok(at) if narrowed.is_some() => self.known_mut()[at].narrowed = narrowed,
            Ok(_) => {}
            Err(at) => self.known_mut().insert(at, Fact { path, narrowed }),
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
