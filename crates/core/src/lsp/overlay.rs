//! Files of the disk, under the texts that are open.

use std::collections::{BTreeMap, BTreeSet};

use super::buffer::Buffer;
use crate::drive::Disk;
use crate::model::name_use::NameRecorder;
use crate::model::{LoadError, Loader, beside};

/// Reads files as the disk does, but for those that are open.
pub(super) struct Overlay<'b> {
    disk: Disk,
    buffers: &'b BTreeMap<String, Buffer>,
    /// A file, and the text that counts in place of its own.
    instead: Option<(&'b str, &'b str)>,
    /// The names of all files that were asked for, those among them that are not there.
    pub(super) asked: BTreeSet<String>,
    /// Hears of each name that is resolved.
    pub(super) names: NameRecorder,
}

impl<'b> Overlay<'b> {
    pub(super) fn new(disk: &Disk, buffers: &'b BTreeMap<String, Buffer>) -> Self {
        let (asked, names) = (BTreeSet::new(), NameRecorder::recording());
        Self { disk: disk.clone(), buffers, instead: None, asked, names }
    }

    /// With another text in place of a file's.
    pub(super) fn with(self, name: &'b str, text: &'b str) -> Self {
        Self { instead: Some((name, text)), ..self }
    }
}

impl Loader for Overlay<'_> {
    fn recorder(&self) -> NameRecorder {
        self.names.clone()
    }

    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        self.asked.insert(name.clone());
        let place = self.disk.place(from, path)?;
        let text = match (self.instead, self.buffers.get(&name)) {
            (Some((own, text)), _) if own == name => text.to_owned(),
            (_, Some(buffer)) => buffer.text.clone(),
            (_, None) => place.text()?,
        };
        Ok((name, text))
    }
}
