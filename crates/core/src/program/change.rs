//! Changes by statements: the deltas that events carry.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::value::{PathSeg, Str, Value};

/// The number of changes after which a [`ChangeLog`] begins a new piece. Whoever keeps one event keeps its piece.
const CHANGES_IN_A_PIECE: usize = 256;

/// Changes of several units, one after the other; it is filled when the log closes it.
type Piece = OnceLock<Vec<Change>>;

/// The changes of one atomic unit, in order. Clones share them.
#[derive(Clone, Default)]
pub struct Changes {
    /// [`None`] when nothing changed.
    piece: Option<Arc<Piece>>,
    /// Place in the piece: the start in the upper half, the number in the lower. One word, so that it all fits two
    /// registers.
    place: u64,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A write that is final.
    Write(Write),
    /// A spend that was made, also one of a unit that failed.
    Spend(Spend),
    /// An `emit`.
    Emit(Box<Emit>),
    /// The `if` branch of this id was taken.
    Branch(u32),
}

impl Changes {
    /// Returns true if nothing changed.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.place == 0
    }

    /// The changes in order. Those of a step in progress are not there yet.
    #[must_use]
    pub fn as_slice(&self) -> &[Change] {
        let all = self.piece.as_ref().and_then(|piece| piece.get());
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (start, len) = (whole(self.place >> 32), whole(self.place & u64::from(u32::MAX)));
        all.and_then(|all| all.get(start..start + len)).unwrap_or_default()
    }

    /// The writes in order.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.as_slice()
            .iter()
            .filter_map(|change| if let Change::Write(write) = change { Some(write) } else { None })
    }

    /// The spends in order.
    pub fn spends(&self) -> impl Iterator<Item = &Spend> {
        self.as_slice()
            .iter()
            .filter_map(|change| if let Change::Spend(spend) = change { Some(spend) } else { None })
    }

    /// The emits in order.
    pub fn emits(&self) -> impl Iterator<Item = &Emit> {
        self.as_slice()
            .iter()
            .filter_map(|change| if let Change::Emit(emit) = change { Some(&**emit) } else { None })
    }

    /// The ids of the `if` branches taken, in order.
    pub fn branches(&self) -> impl Iterator<Item = u32> {
        self.as_slice()
            .iter()
            .filter_map(|change| if let Change::Branch(id) = change { Some(*id) } else { None })
    }
}

impl FromIterator<Change> for Changes {
    fn from_iter<I: IntoIterator<Item = Change>>(changes: I) -> Self {
        let changes: Vec<Change> = changes.into_iter().collect();
        if changes.is_empty() {
            return Self::default();
        }
        let place = place(0, changes.len());
        Self { piece: Some(Arc::new(OnceLock::from(changes))), place }
    }
}

fn place(start: usize, len: usize) -> u64 {
    let short = |n: usize| u32::try_from(n).expect("a unit has a million statements at most");
    u64::from(short(start)) << 32 | u64::from(short(len))
}

impl PartialEq for Changes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Changes {}

impl Hash for Changes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Changes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Change>::deserialize(deserializer).map(|changes| changes.into_iter().collect())
    }
}

/// The memory to which units of one step write what they change. Many units share one block, so that recording
/// allocates nothing for most of them; what [`ChangeLog::cut`] gave can be read once the log has closed that block, at
/// the latest when it is dropped.
#[derive(Debug, Default)]
pub struct ChangeLog {
    open: Vec<Change>,
    /// The place where the unit in progress begins in `open`.
    start: usize,
    piece: Option<Arc<Piece>>,
}

impl ChangeLog {
    /// Returns true if the unit in progress has changed nothing.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.open.len() == self.start
    }

    /// The bytes that the changes of the unit in progress take, what is in their values and paths left out.
    #[must_use]
    #[inline]
    pub const fn room(&self) -> usize {
        (self.open.len() - self.start) * size_of::<Change>()
    }

    /// Appends a change. It is made where it stays: moving it there would take longer than making it.
    #[inline]
    pub fn push(&mut self, make: impl FnOnce() -> Change) {
        self.open.extend(std::iter::once_with(make));
    }

    /// Forgets writes and emits of the unit in progress: it failed. Spends and branches stay.
    pub fn take_back(&mut self) {
        let unit = self.open.split_off(self.start);
        let stays = |change: &Change| matches!(change, Change::Spend(_) | Change::Branch(_));
        self.open.extend(unit.into_iter().filter(stays));
    }

    /// Ends the unit in progress and gives what it changed.
    #[inline]
    pub fn cut(&mut self) -> Changes {
        if self.is_empty() { Changes::default() } else { self.cut_some() }
    }

    #[inline(never)]
    fn cut_some(&mut self) -> Changes {
        let piece = Arc::clone(self.piece.get_or_insert_default());
        let place = place(self.start, self.open.len() - self.start);
        let changes = Changes { piece: Some(piece), place };
        self.start = self.open.len();
        if self.start >= CHANGES_IN_A_PIECE {
            self.close();
            self.open.reserve(CHANGES_IN_A_PIECE + CHANGES_IN_A_PIECE / 8);
        }
        changes
    }

    fn close(&mut self) {
        if let Some(piece) = self.piece.take() {
            let filled = piece.set(std::mem::take(&mut self.open));
            debug_assert!(filled.is_ok(), "a piece is closed once");
        }
        self.start = 0;
    }
}

impl Drop for ChangeLog {
    fn drop(&mut self) {
        self.close();
    }
}

/// A write.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Write {
    /// The variable.
    pub slot: u32,
    /// The way down from it.
    #[serde(default, skip_serializing_if = "ChangePath::is_root")]
    pub path: ChangePath,
    /// `+=` on a list: the value was appended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub append: bool,
    /// The new value, or the appended item.
    pub value: Value,
}

/// The way down from a variable; nearly always there is none, so that it is one pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(from = "Box<[PathSeg]>", into = "Box<[PathSeg]>")]
pub struct ChangePath(Option<Box<Box<[PathSeg]>>>);

impl ChangePath {
    /// Returns true if it leads nowhere: the variable itself is meant.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.0.is_none()
    }
}

impl From<Box<[PathSeg]>> for ChangePath {
    #[inline]
    fn from(path: Box<[PathSeg]>) -> Self {
        if path.is_empty() { Self(None) } else { Self(Some(Box::new(path))) }
    }
}

impl From<ChangePath> for Box<[PathSeg]> {
    fn from(path: ChangePath) -> Self {
        path.0.map_or_else(Self::default, |path| *path)
    }
}

impl Deref for ChangePath {
    type Target = [PathSeg];

    fn deref(&self) -> &[PathSeg] {
        self.0.as_ref().map_or(&[], |path| path)
    }
}

/// A spend.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spend {
    /// The budget's index in the frame's graph.
    pub budget: u32,
    /// The key of its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Box<Str>>,
    /// The amount.
    pub amount: i64,
}

/// An `emit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Emit {
    /// The name.
    pub name: Str,
    /// The payload.
    pub payload: Value,
}

#[cfg(test)]
mod tests {
    use super::{CHANGES_IN_A_PIECE, Change, ChangeLog, Changes};

    #[test]
    fn a_change_is_small() {
        // Every step makes some of them, and all of them stay until the step is recorded.
        assert!(size_of::<Change>() <= 40, "{}", size_of::<Change>());
        assert!(size_of::<Changes>() <= 16, "{}", size_of::<Changes>());
    }

    #[test]
    fn units_are_cut_apart_across_pieces() {
        let mut log = ChangeLog::default();
        let mut cut = Vec::new();
        let mut next = 0_u32;
        for unit in 0..4 * CHANGES_IN_A_PIECE {
            let many = if unit == 7 { 3 * CHANGES_IN_A_PIECE } else { unit % 4 };
            let first = next;
            for _ in 0..many {
                log.push(|| Change::Branch(next));
                next += 1;
            }
            cut.push((first..next, log.cut()));
        }
        drop(log);
        for (wanted, changes) in cut {
            assert_eq!(changes.branches().collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_unit_taken_back_leaves_the_ones_before_it() {
        let emit = || Change::Emit(Box::new(super::Emit { name: "e".into(), payload: 1.into() }));
        let mut log = ChangeLog::default();
        log.push(emit);
        let first = log.cut();
        log.push(emit);
        log.push(|| Change::Branch(3));
        log.take_back();
        let second = log.cut();
        assert!(first.as_slice().is_empty(), "nothing can be read before the log is closed");
        drop(log);
        assert_eq!(first.as_slice(), [emit()]);
        assert_eq!(second.as_slice(), [Change::Branch(3)]);
    }
}
