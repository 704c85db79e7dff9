//! Reasons for which a value of a template may be undefined: using it ends the rendering.

use super::value::TemplateValue;
use crate::model::typing::{Facts, MapKey, Path};
use crate::source::Span;

/// A reason for which a value may be undefined.
#[derive(Debug, Clone)]
pub(super) enum Absence {
    /// It was taken from a value that may be null.
    OfNull(Box<TemplateValue>),
    /// It is a key of a map, and nothing shows that the map has it.
    NoKey { map: Option<Path>, key: Option<MapKey> },
    /// It is a key of a map that the text writes out without it.
    NotWritten(String),
    /// It is a field that its type does not have.
    NoField { name: String, record: Option<String>, meant: Option<String>, word: Span },
}

impl Absence {
    /// True if the facts do not rule it out for the value at the path.
    pub(super) fn may_be(&self, at: Option<&Path>, facts: &Facts) -> bool {
        let has = |map: &Path, key: &MapKey| facts.has_key(map, key);
        let shown = at.is_some_and(|at| {
            facts.contains(at) || map_and_key(at).is_some_and(|(map, key)| has(&map, &key))
        });
        !shown
            && match self {
                Self::OfNull(above) => above.may_be_null(facts),
                Self::NoKey { map: Some(map), key: Some(key) } => !has(map, key),
                Self::NoKey { .. } | Self::NotWritten(_) | Self::NoField { .. } => true,
            }
    }
}

/// The map and the key that a path ends with.
pub(super) fn map_and_key(path: &Path) -> Option<(Path, MapKey)> {
    let mut map = path.clone();
    let key = map.fields.pop()?;
    Some((map, MapKey::Named(key)))
}
