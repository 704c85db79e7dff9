//! Files that messages carry to a model.

use futures::future::BoxFuture;

/// The files of a folder that the operator allows one model.
pub trait MessageFiles: Send + Sync {
    /// The bytes of a file, by its path in the folder. The path comes from a graph, or from whoever it listens to.
    fn read(&self, path: &str) -> BoxFuture<'static, Result<Vec<u8>, UnreadFile>>;
}

/// The reason for which a file is not read, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadFile(pub String);
