//! Connections to read, kept open for the next who reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::reader::{self, ReadConnection};
use super::site::Site;
use super::{disk, fault};
use crate::port::StoreError;

/// Connections to read that are kept open.
const IDLE: usize = 4;

/// Connections to read.
#[derive(Debug)]
pub(super) struct ReadConnections {
    pub(super) site: Arc<Site>,
    /// True if the store is open to be written, too.
    beside: bool,
    idle: Mutex<Vec<ReadConnection>>,
}

impl ReadConnections {
    pub(super) fn new(site: Arc<Site>, beside: bool) -> Self {
        Self { site, beside, idle: Mutex::default() }
    }

    /// Reads on a connection of its own, in one transaction, so that all that is read belongs together.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.undisturbed(&work) {
            Err(error) if fault::is_damage(&error) => {
                // A disk that fails once says through SQLite that the file is damaged.
                self.close();
                self.undisturbed(&work)
            }
            result => result,
        }
        .map_err(|error| disk::explained(&self.site, error))
    }

    /// Closes the connections that nobody reads on.
    pub(super) fn close(&self) {
        self.idle().clear();
    }

    fn undisturbed<T>(&self, work: impl Fn(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        reader::undisturbed(|| {
            let last = self.idle().pop();
            let reader = last.map_or_else(|| self.open(), Ok)?;
            let result = reader.read(&self.site, &work);
            if result.is_some() {
                let mut idle = self.idle();
                if idle.len() < IDLE {
                    idle.push(reader);
                }
            }
            result.transpose()
        })
    }

    fn open(&self) -> Result<ReadConnection, StoreError> {
        if self.beside {
            ReadConnection::beside_a_writer(&self.site)
        } else {
            ReadConnection::open(&self.site)
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ReadConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
