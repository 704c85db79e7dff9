//! The keys that maps are known to have.

use std::sync::Arc;

use super::path::{Path, Root};
use crate::model::expr::{Expr, ExprKind};
use crate::value::{Str, Value};

/// So many keys are noted. Further ones are not: knowing less is always right.
const MAX_KNOWN_KEYS: usize = 128;

/// A key of a map.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MapKey {
    /// This one.
    Named(Str),
    /// The one that is read there.
    At(Path),
}

/// Keys that are there: by the path of the map.
#[derive(Debug, Clone, Default)]
pub(super) struct PresentKeys(Option<Arc<Vec<(Path, MapKey)>>>);

impl MapKey {
    /// The key that an index stands for, if it is a constant or can be read again.
    pub(super) fn of(index: &Expr) -> Option<Self> {
        match &index.kind {
            ExprKind::Const(Value::Str(name)) => Some(Self::Named(name.clone())),
            _ => Path::of(index).map(Self::At),
        }
    }

    fn root(&self) -> Option<Root> {
        match self {
            Self::Named(_) => None,
            Self::At(path) => Some(path.root),
        }
    }

    /// True if a write to the path may change the key.
    fn is_touched(&self, path: &Path) -> bool {
        matches!(self, Self::At(own) if path.covers(own))
    }
}

impl PartialEq for PresentKeys {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.all() == other.all()
    }
}

impl Eq for PresentKeys {}

impl PresentKeys {
    fn all(&self) -> &[(Path, MapKey)] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn has(&self, map: &Path, key: &MapKey) -> bool {
        self.all().iter().any(|(own, at)| own == map && at == key)
    }

    /// The keys by name of maps at that root.
    pub(super) fn named(&self, root: Root) -> impl Iterator<Item = (&Path, &MapKey)> {
        let all = self.all().iter().map(|(map, key)| (map, key));
        all.filter(move |(map, key)| map.root == root && key.root().is_none())
    }

    pub(super) fn insert(&mut self, map: Path, key: MapKey) {
        let new = (map, key);
        if let Err(at) = self.all().binary_search(&new)
            && self.all().len() < MAX_KNOWN_KEYS
        {
            Arc::make_mut(self.0.get_or_insert_default()).insert(at, new);
        }
    }

    /// The keys that are known here or there.
    pub(super) fn join(&mut self, other: &Self) {
        if self.is_same(other) {
            return;
        }
        if self.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (map, key) in other.all() {
            self.insert(map.clone(), key.clone());
        }
    }

    /// The keys that are known both here and there.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let mut common = self.clone();
        if !self.is_same(other) {
            common.retain(|map, key| other.has(map, key));
        }
        common
    }

    /// Forgets what a write to the path makes uncertain: what lies in it, and keys that are read there.
    pub(super) fn kill(&mut self, path: &Path) {
        self.retain(|map, key| !path.covers(map) && !key.is_touched(path));
    }

    /// The same for a write to what lies below the path. A map keeps its keys.
    pub(super) fn kill_below(&mut self, path: &Path) {
        let lies_below = |map: &Path| path.covers(map) && path != map;
        self.retain(|map, key| !lies_below(map) && !key.is_touched(path));
    }

    /// Keeps what is only about roots for which `keep` is true.
    pub(super) fn retain_roots(&mut self, keep: impl Fn(Root) -> bool) {
        self.retain(|map, key| keep(map.root) && key.root().is_none_or(&keep));
    }

    fn retain(&mut self, keep: impl Fn(&Path, &MapKey) -> bool) {
        if self.all().iter().all(|(map, key)| keep(map, key)) {
            return;
        }
        if let Some(all) = &mut self.0 {
            let all = Arc::make_mut(all);
            all.retain(|(map, key)| keep(map, key));
            if all.is_empty() {
                self.0 = None;
            }
        }
    }
}
