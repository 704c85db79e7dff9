//! The end of a run's journal, as far back as somebody needs it.

use crate::port::{JournalEntry, Store, StoreError};

/// So many of the last entries are read first.
const FIRST_LOOK: u32 = 8;

/// The last entries of a run, in order: more and more are read, until they are enough or there are no more.
pub(super) async fn last_entries(
    store: &dyn Store,
    run: &str,
    is_enough: impl Fn(&[JournalEntry]) -> bool + Send,
) -> Result<Vec<JournalEntry>, StoreError> {
    let mut many = FIRST_LOOK;
    loop {
        let entries = store.last_entries(run, many).await?;
        let is_whole = many == u32::MAX || u32::try_from(entries.len()).is_ok_and(|found| found < many);
        if is_whole || is_enough(&entries) {
            return Ok(entries);
        }
        many = many.saturating_mul(8);
    }
}
