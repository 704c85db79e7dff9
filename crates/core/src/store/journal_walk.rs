//! A walk along the rows of a journal, with every sum and link looked at.

use super::body::unpack;
use super::damage;
use super::row::{EntryRow, Link, RunRow, entry_of, key};
use crate::machine::Snapshot;
use crate::port::{JournalEntry, StoreError};

/// The start of a walk along a journal.
#[derive(Debug, Clone)]
pub(super) struct WalkStart {
    /// The number of entries before it.
    pub(super) entry: u64,
    /// The link of the last of them.
    pub(super) chain: Link,
    /// The number of the next event.
    pub(super) seq: u64,
}

impl WalkStart {
    /// The beginning of a run, after the snapshot it began with if there is one.
    pub(super) fn start(run: &RunRow, base: Option<&Snapshot>) -> Self {
        Self { entry: 0, chain: run.first_link(), seq: base.map_or(0, |base| base.seq) }
    }
}

/// A row of a journal as it was found.
pub(super) struct FoundRow<'r> {
    /// Its key.
    pub(super) id: i64,
    /// Its columns.
    pub(super) row: EntryRow<'r>,
    /// The sum it has.
    pub(super) sum: i64,
    /// The link it has, if that is one.
    pub(super) link: Option<Link>,
}

/// A walk along a journal: what is whole, and where it ends otherwise than it should.
#[derive(Debug)]
pub(super) struct JournalWalk {
    /// After the last entry that is whole.
    pub(super) place: WalkStart,
    /// The fault found there.
    pub(super) wrong: Option<String>,
}

impl JournalWalk {
    /// A walk that has not begun.
    pub(super) const fn new(place: WalkStart) -> Self {
        Self { place, wrong: None }
    }

    /// The numbers of the first and the last entry to be read for the first `to` entries of a run; none where there is nothing to
    /// read. At the end one looks further: a row after the last is one too many.
    pub(super) fn range(&self, run: &RunRow, to: u64) -> Option<(u32, u32)> {
        let last = if to == u64::from(run.entries) { u64::from(u32::MAX) } else { to.saturating_sub(1) };
        if self.place.entry > last || to < self.place.entry || (to == 0 && last == 0) {
            return None;
        }
        let short = |entry: u64| u32::try_from(entry).unwrap_or(u32::MAX);
        Some((short(self.place.entry), short(last)))
    }

    /// Takes the next row. Nothing if the walk ends there, with what is wrong noted.
    pub(super) fn step(&mut self, run: &RunRow, to: u64, found: &FoundRow<'_>) -> Option<JournalEntry> {
        let wanted = key(run.no, u32::try_from(self.place.entry).unwrap_or(u32::MAX));
        let entry = if self.place.entry >= to {
            Err(format!("entry {} is one too many", entry_of(found.id)))
        } else if found.id == wanted {
            self.next(found)
        } else {
            Err(format!("entry {} is missing; {} follows", self.place.entry, entry_of(found.id)))
        };
        entry.map_err(|why| self.wrong = Some(why)).ok()
    }

    /// Ends a walk of which all rows up to the first `to` of the run were looked at.
    pub(super) fn end(&mut self, run: &RunRow, to: u64) {
        if self.wrong.is_none() && self.place.entry < to {
            self.wrong = Some(format!("entry {} is missing", self.place.entry));
        }
        let ends = to == u64::from(run.entries);
        if self.wrong.is_none() && ends && (self.place.chain != run.chain || self.place.seq != run.seq) {
            self.wrong = Some("the journal does not end as it was left".to_owned());
        }
    }

    /// The entries, if all are whole.
    pub(super) fn whole(
        self,
        run: &RunRow,
        entries: Vec<JournalEntry>,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        match self.wrong {
            None => Ok(entries),
            Some(why) => {
                let before = self.place.entry;
                let why = format!("{why}; the {before} entries before it are whole");
                Err(damage::of_run(&run.info.run, &why))
            }
        }
    }

    /// The entry of the next row, if that is what was written after those before it.
    fn next(&mut self, found: &FoundRow<'_>) -> Result<JournalEntry, String> {
        let (number, row) = (self.place.entry, &found.row);
        let (own_sum, own_link) = row.seal(found.id, &self.place.chain);
        if found.sum != own_sum {
            return Err(format!("entry {number} is not what was written"));
        }
        if found.link != Some(own_link) {
            return Err(format!("entry {number} does not follow the entry before it"));
        }
        if row.seq != self.place.seq {
            return Err(format!("entry {number} begins with event {}, not {}", row.seq, self.place.seq));
        }
        let entry = unpack(row).map_err(|why| format!("entry {number}: {why}"))?;
        self.place = WalkStart { entry: number + 1, chain: own_link, seq: row.seq + u64::from(row.events) };
        Ok(entry)
    }
}
