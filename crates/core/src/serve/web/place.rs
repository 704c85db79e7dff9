//! The places in the journal of a run that a reader of its events may be at.

use std::fmt;
use std::str::FromStr;

/// A place between two parts of a journal. Parts are events, and entries that no event tells. They are in the order of the journal.
///
/// As text it is the number of the event before it: `17`; after an entry without events it is that and the number of the entry: `17.9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct JournalPlace {
    /// The number of events before it.
    pub(super) events: u64,
    /// The number of the entry before it and one, if an entry without events is before it.
    pub(super) entry: u64,
}

impl JournalPlace {
    /// After an event.
    pub(super) const fn after_event(seq: u64) -> Self {
        Self { events: seq + 1, entry: 0 }
    }

    /// After an entry without events; `events` are those before it.
    pub(super) const fn after_entry(events: u64, entry: u64) -> Self {
        Self { events, entry: entry + 1 }
    }
}

impl fmt::Display for JournalPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.events.checked_sub(1), self.entry) {
            (Some(last), 0) => write!(f, "{last}"),
            (Some(last), entry) => write!(f, "{last}.{}", entry - 1),
            (None, _) => f.write_str("-1"),
        }
    }
}

impl FromStr for JournalPlace {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "-1" {
            return Ok(Self::default());
        }
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < u64::MAX).ok_or(());
        let (event, entry) = text.split_once('.').map_or((text, None), |(event, entry)| (event, Some(entry)));
        let entry = entry.map(number).transpose()?.map_or(0, |entry| entry + 1);
        Ok(Self { events: number(event)? + 1, entry })
    }
}

#[cfg(test)]
mod tests {
    use super::JournalPlace;

    #[test]
    fn places_are_in_the_order_of_the_journal_and_read_back() {
        let places = [
            JournalPlace::default(),
            JournalPlace::after_event(0),
            JournalPlace::after_entry(1, 4),
            JournalPlace::after_entry(1, 5),
            JournalPlace::after_event(1),
        ];
        assert!(places.is_sorted());
        let texts = places.map(|place| place.to_string());
        assert_eq!(texts, ["-1", "0", "0.4", "0.5", "1"]);
        assert_eq!(texts.map(|text| text.parse()), places.map(Ok));
        for odd in ["", "a", "-2", "1.", ".1", "1.2.3", "18446744073709551615", " 1"] {
            assert_eq!(odd.parse::<JournalPlace>(), Err(()), "{odd}");
        }
    }
}
