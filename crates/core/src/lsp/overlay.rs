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
    /// The texts that count in place of those of files, by name.
    instead: Option<&'b BTreeMap<String, String>>,
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

    /// With other texts in place of those of files.
    pub(super) fn with(self, texts: &'b BTreeMap<String, String>) -> Self {
        Self { instead: Some(texts), ..self }
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
        let text = match (self.instead.and_then(|texts| texts.get(&name)), self.buffers.get(&name)) {
            (Some(text), _) => text.clone(),
            (None, Some(buffer)) => buffer.text.clone(),
            (None, None) => place.text()?,
        };
        Ok((name, text))
    }
}
