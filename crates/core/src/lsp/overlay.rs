//! Files of the disk, under the texts that are open.

use std::collections::{BTreeMap, BTreeSet};

use super::buffer::Buffer;
use crate::drive::Disk;
use crate::model::{LoadError, Loader, beside};

/// Reads files as the disk does, but for those that are open.
pub(super) struct Overlay<'b> {
    disk: Disk,
    buffers: &'b BTreeMap<String, Buffer>,
    /// The names of all files that were asked for, those among them that are not there.
    pub(super) asked: BTreeSet<String>,
}

impl<'b> Overlay<'b> {
    pub(super) fn new(disk: &Disk, buffers: &'b BTreeMap<String, Buffer>) -> Self {
        Self { disk: disk.clone(), buffers, asked: BTreeSet::new() }
    }
}

impl Loader for Overlay<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        self.asked.insert(name.clone());
        let place = self.disk.place(from, path)?;
        let text = match self.buffers.get(&name) {
            Some(buffer) => buffer.text.clone(),
            None => place.text()?,
        };
        Ok((name, text))
    }
}
