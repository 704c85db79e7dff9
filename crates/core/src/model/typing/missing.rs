//! Reads of maps: whether anything shows that the key is there.

use super::cx::Cx;
use super::facts::{Facts, Path};
use super::present_keys::MapKey;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Kind;
use crate::program::function::Function;
use crate::value::{Str, Value};

impl Cx<'_> {
    /// Warns of a read of a map's key that nothing shows to be there. Once it was read it is.
    pub(super) fn judge_key(&mut self, read: &Expr) {
        let (map, key) = match &read.kind {
            ExprKind::Field { target, name, .. } => (target, Some(MapKey::Named(name.clone()))),
            ExprKind::Index(target, index) => (target, MapKey::of(index)),
            _ => return,
        };
        if !matches!(map.ty.kind, Kind::Map(_)) || self.facts.is_after_all() || self.facts.knows(read) {
            return;
        }
        if let Some(MapKey::Named(name)) = &key
            && self.literal_has(map, name)
        {
            return;
        }
        if let ExprKind::Index(_, index) = &read.kind
            && let Kind::Enum(members) = &index.ty.kind
            && !index.ty.nullable
            && members.members.iter().all(|member| self.literal_has(map, member))
        {
            return;
        }
        let known = Path::of(map).zip(key);
        if known.as_ref().is_some_and(|(map, key)| self.facts.has_key(map, key)) {
            return;
        }
        let shown = match &known {
            Some((_, MapKey::Named(name))) => format!("`{name}`"),
            _ => "this key".to_owned(),
        };
        let fault =
            Diagnostic::warning(rule::MAYBE_MISSING, read.span, format!("the map may not have {shown}"));
        self.report(
            fault.help("test it first with `key in map`, or say what there is instead: `map[key] ?? …`"),
        );
        if let Some((map, key)) = known {
            self.facts.insert_key(map, key);
        }
    }

    fn literal_has(&self, map: &Expr, name: &Str) -> bool {
        match &map.kind {
            ExprKind::Let(id) => self.scope.let_has_key(*id, name),
            _ => literal_keys(map).contains(name),
        }
    }
}

/// The constant keys that are written in a map.
pub(super) fn literal_keys(map: &Expr) -> Vec<Str> {
    match &map.kind {
        ExprKind::Const(Value::Map(map)) => map.keys().cloned().collect(),
        ExprKind::Map(entries) => {
            let keys = entries.iter().filter_map(|(key, _)| match &key.kind {
                ExprKind::Const(Value::Str(name)) => Some(name.clone()),
                _ => None,
            });
            keys.collect()
        }
        ExprKind::Coerce(inner, _) => literal_keys(inner),
        _ => Vec::new(),
    }
}

/// Notes the keys of a value that was written to the path.
pub(in crate::model) fn learn_keys(facts: &mut Facts, path: &Path, value: &Expr) {
    for name in literal_keys(value) {
        facts.insert_key(path.clone(), MapKey::Named(name));
    }
}

/// Notes the key that was written at the end of a path.
pub(super) fn learn_written(facts: &mut Facts, read: &Expr) {
    let (map, key) = match &read.kind {
        ExprKind::Field { target, name, .. } => (target, Some(MapKey::Named(name.clone()))),
        ExprKind::Index(target, index) => (target, MapKey::of(index)),
        _ => return,
    };
    if let (Kind::Map(_), Some(path), Some(key)) = (&map.ty.kind, Path::of(map), key) {
        facts.insert_key(path, key);
    }
}

/// The path of the map whose keys are gone over.
pub(super) fn keys_gone_over(over: &Expr) -> Option<Path> {
    match &over.kind {
        ExprKind::Call(Function::KEYS, args) => args.first().and_then(keys_gone_over),
        _ => Path::of(over).filter(|_| matches!(over.ty.kind, Kind::Map(_))),
    }
}
