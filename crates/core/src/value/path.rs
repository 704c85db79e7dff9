//! Writing into the middle of a value.

use super::{MAX_DEPTH, Str, Value};

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum PathSeg {
    /// A field of a record or a key of a map.
    Key(Str),
    /// An element of a list, counted from 0.
    Index(i64),
}

/// An error of following a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFault {
    /// The number of the segment that failed, counted from 0; the path's length if the value at its end is the matter.
    pub at: usize,
    /// The fault found there.
    pub kind: PathFaultKind,
}

/// The fault at a segment of a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathFaultKind {
    /// A key, but the value there is no map.
    #[error("found {0} where a map was wanted")]
    NotMap(&'static str),
    /// An index, but the value there is no list.
    #[error("found {0} where a list was wanted")]
    NotList(&'static str),
    /// The map has no such key, and the path continues after it.
    #[error("the map has no key `{0}`")]
    NoKey(Str),
    /// The list has no such element.
    #[error("the list has {len} elements, so there is no element {index} (they are counted from 0)")]
    NoIndex {
        /// The index asked for.
        index: i64,
        /// The number of elements.
        len: usize,
    },
    /// The value would nest deeper than [`MAX_DEPTH`].
    #[error("lists and maps would nest deeper than {MAX_DEPTH}")]
    TooDeep,
}

impl Value {
    /// The value at the end of `path`, if there is one.
    #[must_use]
    pub fn get_path(&self, path: &[PathSeg]) -> Option<&Self> {
        path.iter().try_fold(self, |value, segment| match (segment, value) {
            (PathSeg::Key(key), Self::Map(map)) => map.get(key),
            (PathSeg::Index(index), Self::List(list)) => list.get(usize::try_from(*index).ok()?),
            _ => None,
        })
    }

    /// Sets the value at the end of `path`. A key of a map that is the last segment is inserted if it is new;
    /// everything before it must exist. Costs O(log n) in the sizes of the containers on the way, also where they are
    /// shared.
    ///
    /// # Errors
    /// [`PathFault`] says which segment does not fit; nothing is changed then.
    pub fn set_path(&mut self, path: &[PathSeg], value: Self) -> Result<(), PathFault> {
        if value.depth() as usize + path.len() > MAX_DEPTH as usize {
            return Err(PathFault { at: path.len(), kind: PathFaultKind::TooDeep });
        }
        match path.split_last() {
            Some((PathSeg::Key(key), outer)) => self.update_path(outer, |slot| match slot {
                Self::Map(map) => {
                    let _former = map.insert(key.clone(), value);
                    Ok(())
                }
                other => Err(PathFault { at: outer.len(), kind: PathFaultKind::NotMap(other.type_name()) }),
            })?,
            _ => self.update_path(path, |slot| {
                *slot = value;
                Ok(())
            })?,
        }
    }

    /// Appends `value` to the list at the end of `path`.
    ///
    /// # Errors
    /// [`PathFault`] says which segment does not fit, or that there is no list at the end; nothing is changed then.
    pub fn append_path(&mut self, path: &[PathSeg], value: Self) -> Result<(), PathFault> {
        let fault = |kind| Err(PathFault { at: path.len(), kind });
        if value.depth() as usize + path.len() + 1 > MAX_DEPTH as usize {
            return fault(PathFaultKind::TooDeep);
        }
        self.update_path(path, |slot| match slot {
            Self::List(list) => {
                list.push(value);
                Ok(())
            }
            other => fault(PathFaultKind::NotList(other.type_name())),
        })?
    }

    /// Lets `change` write to the value at the end of `path` in place.
    ///
    /// # Errors
    /// [`PathFault`] says which segment does not fit; `change` is not called then.
    pub fn update_path<R>(
        &mut self,
        path: &[PathSeg],
        change: impl FnOnce(&mut Self) -> R,
    ) -> Result<R, PathFault> {
        step(self, path, 0, change)
    }
}

fn step<R>(
    value: &mut Value,
    path: &[PathSeg],
    at: usize,
    change: impl FnOnce(&mut Value) -> R,
) -> Result<R, PathFault> {
    let Some(segment) = path.get(at) else { return Ok(change(value)) };
    let fault = |kind| PathFault { at, kind };
    match (segment, value) {
        (PathSeg::Key(key), Value::Map(map)) => map
            .update(key, |inner| step(inner, path, at + 1, change))
            .unwrap_or_else(|| Err(fault(no_key(key)))),
        (PathSeg::Index(index), Value::List(list)) => {
            let place = usize::try_from(*index).unwrap_or(usize::MAX);
            let missing = PathFaultKind::NoIndex { index: *index, len: list.len() };
            list.update(place, |inner| step(inner, path, at + 1, change))
                .unwrap_or_else(|| Err(fault(missing)))
        }
        (PathSeg::Key(_), other) => Err(fault(PathFaultKind::NotMap(other.type_name()))),
        (PathSeg::Index(_), other) => Err(fault(PathFaultKind::NotList(other.type_name()))),
    }
}

fn no_key(key: &Str) -> PathFaultKind {
    PathFaultKind::NoKey(key.clone())
}

impl From<PathFault> for Str {
    fn from(fault: PathFault) -> Self {
        ecow::eco_format!("{}", fault.kind)
    }
}
