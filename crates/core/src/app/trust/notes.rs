//! The notes of the user, opened when they are first needed.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::state_folder::StateFolder;

/// The notes of the user. They are opened when they are first needed, so that a command that needs none is not warned of
/// them. Clones share them.
#[derive(Clone)]
pub struct Notes(Arc<LazyNotes>);

struct LazyNotes {
    folder: OnceLock<Option<StateFolder>>,
    report: fn(NotesWarning<'_>),
}

/// The fault of a note, after which a command still runs.
#[derive(Debug, Clone, Copy)]
pub enum NotesWarning<'a> {
    /// The notes may be anybody's, so nothing in them counts; with the reason.
    Foreign(&'a str),
    /// It could not be noted that a store is this user's; with the reason.
    StoreNotNoted(&'a str),
}

impl Notes {
    /// The notes of whoever runs this process. Warnings go to `report`.
    #[must_use]
    pub fn new(report: fn(NotesWarning<'_>)) -> Self {
        Self(Arc::new(LazyNotes { folder: OnceLock::new(), report }))
    }

    /// The folder of the notes; none where there is no place for it, or where it may be anybody's, which is reported once.
    #[must_use]
    pub fn folder(&self) -> Option<&StateFolder> {
        let open = || {
            StateFolder::of_user().unwrap_or_else(|why| {
                self.warn(NotesWarning::Foreign(&why));
                None
            })
        };
        self.0.folder.get_or_init(open).as_ref()
    }

    /// Reports what could not be noted.
    pub(super) fn warn(&self, warning: NotesWarning<'_>) {
        (self.0.report)(warning);
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Notes").field(&self.0.folder).finish()
    }
}
