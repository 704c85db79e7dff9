//! Facts about values at a point of the flow: paths that are not null, paths of a narrower type.

use std::sync::Arc;

use super::path::slot_of;
pub use super::path::{Path, Root};
use super::present_keys::{MapKey, PresentKeys};
use super::slot_set::SlotSet;
use crate::model::expr::Expr;
use crate::model::types::Type;

/// So many facts are kept beside the slots that are not null. Further ones are not noted: knowing less is always right.
const MAX_KNOWN_FACTS: usize = 256;

/// One thing that is known: the path is not null, and perhaps of a narrower type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    path: Path,
    narrowed: Option<Type>,
}

impl Fact {
    /// True if it says more than that a slot is not null, which is kept elsewhere.
    fn says_more(&self) -> bool {
        self.narrowed.is_some() || self.path.slot().is_none()
    }
}

/// The facts that hold at a point of the flow. A clone is cheap; [`Facts::default`] knows nothing.
///
/// Facts of a point that is never reached know everything: they vanish in [`Facts::meet`].
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Slots that are not null.
    slots: SlotSet,
    /// All other facts, sorted by path, each path once. A slot as a whole is here where its type is narrower.
    known: Option<Arc<Vec<Fact>>>,
    keys: PresentKeys,
    unreached: bool,
    /// With `unreached`: the point may be reached, but a fault before it was reported, so that nothing is missed here.
    after_error: bool,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.unreached == other.unreached
            && self.after_error == other.after_error
            && self.slots == other.slots
            && self.keys == other.keys
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

    /// The facts of a point after a fault that was reported: they know everything, as
    /// [`Kind::Error`](crate::model::types::Kind::Error) fits everywhere, so that nothing is reported that may only
    /// follow from it.
    #[must_use]
    pub fn error() -> Self {
        Self { unreached: true, after_error: true, ..Self::default() }
    }

    /// True if the point is never reached.
    #[must_use]
    pub const fn is_unreached(&self) -> bool {
        self.unreached && !self.after_error
    }

    /// True if nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.unreached && self.known().is_empty() && self.slots.is_empty() && self.keys.is_empty()
    }

    /// True where everything is known: at a point that is never reached, or after a fault.
    pub(super) const fn is_after_all(&self) -> bool {
        self.unreached
    }

    /// True if the map at the path is known to have the key.
    pub(crate) fn has_key(&self, map: &Path, key: &MapKey) -> bool {
        self.keys.has(map, key)
    }

    /// Notes that the map at the path has the key.
    pub(crate) fn insert_key(&mut self, map: Path, key: MapKey) {
        self.keys.insert(map, key);
    }

    /// True if the path is known not to be null.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.unreached
            || path.slot().map_or_else(|| self.find(path).is_ok(), |slot| self.slots.contains(slot))
    }

    /// True if what the expression reads is known not to be null.
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

    /// The narrower type of a path, if one is known.
    #[must_use]
    pub fn narrowed_at(&self, path: &Path) -> Option<&Type> {
        self.known()[self.find(path).ok()?].narrowed.as_ref()
    }

    /// Notes that the path, and so every path above it, is not null.
    pub fn insert(&mut self, path: Path) {
        for above in 0..path.fields.len() {
            self.put(Path { root: path.root, fields: path.fields[..above].into() }, None);
        }
        self.put(path, None);
    }

    /// Notes that something that is not null was written to the path, which takes values of type `ty`. Where null could
    /// not be known anyway, only what lies above it is new.
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
        both.keys.join(&other.keys);
        for fact in other.known() {
            both.put(fact.path.clone(), fact.narrowed.clone());
        }
        both
    }

    /// Keeps the facts that hold on both paths that join here.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        if self.after_error && other.unreached {
            return self.clone();
        }
        if self.unreached {
            return other.clone();
        }
        if other.unreached {
            return self.clone();
        }
        let slots = self.slots.meet(&other.slots);
        let keys = self.keys.meet(&other.keys);
        if self.shared(other) {
            return Self { slots, keys, ..self.clone() };
        }
        let common = self.known().iter().filter_map(|fact| {
            let at = other.find(&fact.path).ok()?;
            let same = other.known()[at].narrowed == fact.narrowed;
            let narrowed = fact.narrowed.clone().filter(|_| same);
            Some(Fact { path: fact.path.clone(), narrowed }).filter(Fact::says_more)
        });
        let common: Vec<Fact> = common.collect();
        if common == self.known() {
            return Self { slots, keys, ..self.clone() };
        }
        let known = (!common.is_empty()).then(|| Arc::new(common));
        Self { slots, known, keys, ..Self::default() }
    }

    /// Forgets what an assignment to the path makes uncertain: the path, all below it, and narrower types above it.
    pub fn kill(&mut self, path: &Path) {
        if let Some(slot) = path.slot() {
            self.slots.remove(slot);
        }
        self.keys.kill(path);
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
        self.keys.kill_below(path);
        self.retain(|f| !(path.covers(&f.path) && f.path.fields.len() > path.fields.len()));
    }

    /// Forgets what is known of every slot.
    pub fn kill_slots(&mut self) {
        self.slots = SlotSet::default();
        self.keys.retain_roots(|root| !matches!(root, Root::Slot(_)));
        self.retain(|f| !matches!(f.path.root, Root::Slot(_)));
    }

    /// Forgets what is known of roots other than slots for which `keep` is false.
    pub fn retain_roots(&mut self, keep: impl Fn(Root) -> bool) {
        self.keys.retain_roots(|root| matches!(root, Root::Slot(_)) || keep(root));
        self.retain(|f| matches!(f.path.root, Root::Slot(_)) || keep(f.path.root));
    }

    /// The facts about one root, as facts about another one that has its value.
    pub(super) fn moved(&self, from: Root, to: Root) -> Self {
        let mut moved = Self::default();
        if self.unreached {
            return moved;
        }
        for fact in self.known().iter().filter(|fact| fact.path.root == from) {
            moved.put(fact.path.at(to), fact.narrowed.clone());
        }
        for (map, key) in self.keys.named(from) {
            moved.insert_key(map.at(to), key.clone());
        }
        moved
    }

    /// The facts that outlive the statement list or guard they were learned in: those about slots.
    #[must_use]
    pub fn of_slots(&self) -> Self {
        let mut remaining = self.clone();
        remaining.retain_roots(|_| false);
        remaining
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
            Err(at) => self.make_room_and_insert(at, Fact { path, narrowed }),
        }
    }

    /// Notes a fact at its place. The newest is the likeliest to be needed next: where there are too many, another one goes.
    fn make_room_and_insert(&mut self, at: usize, fact: Fact) {
        let known = self.known_mut();
        let mut at = at;
        if known.len() >= MAX_KNOWN_FACTS {
            let other = if at == known.len() { 0 } else { known.len() - 1 };
            known.remove(other);
            at -= usize::from(other < at);
        }
        known.insert(at, fact);
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
