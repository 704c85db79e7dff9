//! The place of a store.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::postgres::{self, Postgres};
use super::postgres_address::{AddressFault, PostgresAddress};
use super::purged::{Purge, Purged};
use super::sqlite::{self, Sqlite};
use super::surveyed::Survey;
use crate::port::{Store, StoreError};

/// The place of a store: a file, or a Postgres database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A file.
    File(PathBuf),
    /// A database.
    Postgres(Box<PostgresAddress>),
}

impl StoreAddress {
    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// Opens the store to write; it is made if there is none.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where it is none or cannot be made, and what failed below.
    pub fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(path) => Ok(Arc::new(Sqlite::open(path)?)),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => Ok(Arc::new(Postgres::open(address)?)),
            #[cfg(not(feature = "postgres"))]
            Self::Postgres(address) => Err(unsupported(address)),
        }
    }

    /// Opens the store to read; nothing is written.
    ///
    /// # Errors
    /// As [`StoreAddress::open`].
    pub fn open_to_read(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(path) => Ok(Arc::new(Sqlite::open_to_read(path)?)),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => Ok(Arc::new(Postgres::open_to_read(address)?)),
            #[cfg(not(feature = "postgres"))]
            Self::Postgres(address) => Err(unsupported(address)),
        }
    }

    /// Looks through the store without changing anything.
    ///
    /// # Errors
    /// If it is none, or cannot be opened.
    pub fn survey(&self) -> Result<Survey, StoreError> {
        match self {
            Self::File(path) => sqlite::survey(path),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => postgres::survey(address),
            #[cfg(not(feature = "postgres"))]
            Self::Postgres(address) => Err(unsupported(address)),
        }
    }

    /// Removes runs with all that belongs to them, programs that no run uses any more, and old answers. All of it is removed or
    /// nothing, whenever the process ends.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], [`StoreError::Unfinished`], [`StoreError::Held`] and [`StoreError::Damaged`] for a run that
    /// was named; as [`StoreAddress::open`]; or what failed below. Nothing was removed then.
    pub fn purge(&self, what: &Purge) -> Result<Purged, StoreError> {
        match self {
            Self::File(path) => sqlite::purge(path, what),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => postgres::purge(address, what),
            #[cfg(not(feature = "postgres"))]
            Self::Postgres(address) => Err(unsupported(address)),
        }
    }
}

/// The refusal of a program that was built without databases.
#[cfg(not(feature = "postgres"))]
fn unsupported(address: &PostgresAddress) -> StoreError {
    let why = "this program was built without Postgres; build it with `--features postgres`, or name a file";
    StoreError::Refused { path: address.to_string(), why: why.to_owned() }
}

impl FromStr for StoreAddress {
    type Err = AddressFault;

    fn from_str(text: &str) -> Result<Self, AddressFault> {
        if let Some(address) = PostgresAddress::parse(text) {
            return Ok(Self::Postgres(Box::new(address?)));
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            return Err(AddressFault::new("a database is written `postgres://HOST/DATABASE`"));
        }
        match scheme {
            Some(scheme) if !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                Err(AddressFault::new(format!(
                    "no store has an address that begins with `{scheme}://`; name a file, or a database as \
                     `postgres://HOST/DATABASE`"
                )))
            }
            _ if text.is_empty() => {
                Err(AddressFault::new("name a file, or a database as `postgres://HOST/DATABASE`"))
            }
            _ => Ok(Self::File(text.into())),
        }
    }
}

impl From<&Path> for StoreAddress {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for StoreAddress {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for StoreAddress {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Self> for StoreAddress {
    fn from(address: &Self) -> Self {
        address.clone()
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(address) => address.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StoreAddress;

    #[test]
    fn files_and_databases_are_told_apart() {
        for file in ["runs.db", "./a:b", "/a//b", "C:/x", "://"] {
            assert_eq!(file.parse(), Ok(StoreAddress::File(file.into())));
        }
        for address in ["postgres://h/d", "postgresql://u@h:1/d?schema=s"] {
            let parsed = address.parse::<StoreAddress>().expect("an address");
            assert_eq!((parsed.file(), parsed.to_string()), (None, address.to_owned()));
        }
        for fault in ["mysql://h/d", "postgres:h", "postgresql:/h/d", "http://x", ""] {
            let why = fault.parse::<StoreAddress>().expect_err(fault).to_string();
            assert!(why.contains("postgres://HOST/DATABASE"), "{fault}: {why}");
        }
    }
}
