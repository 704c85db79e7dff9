//! The faults for which a store is not opened.

use std::path::PathBuf;

use crate::folder::FileFault;
use crate::port::StoreError;

/// The fault for which a store is not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A link on the way to it leads out of the repository or the working folder.
    #[error("{}: {fault}", path.display())]
    Astray {
        /// The path of the store.
        path: PathBuf,
        /// The link, and where it leads.
        fault: FileFault,
    },
    /// There is no such file.
    #[error("{}: there is no such file", .0.display())]
    Missing(PathBuf),
    /// It is no store that can be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
