//! The identity of the file that is a user's store.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::store::StoreIdentity;

/// The user's note about a store.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreNote {
    pub(super) version: u32,
    pub(super) store: String,
    /// The identity of the file; none while it is being made.
    pub(super) file: Option<FileIdentity>,
    /// True if somebody else made it, and this user said that it may be continued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) agreed: bool,
}

/// The marks that tell a store from any other that may come to lie in its place: its file's number on the disk, and
/// when that was made, which nobody can choose; where the file system does not say that, the number of the disk. The
/// store's own number tells one that was written over the file, if it was not made by an earlier version.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disk: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<u32>,
}

impl FileIdentity {
    pub(super) fn of(meta: &Metadata, mark: Option<StoreIdentity>) -> Self {
        let made = meta.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let made = made.map(|made| made.as_nanos().to_string());
        Self {
            number: meta.ino(),
            disk: made.is_none().then(|| meta.dev()),
            made,
            store: mark.and_then(|mark| mark.number),
        }
    }
}
