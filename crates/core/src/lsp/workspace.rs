//! The files of a folder with what is known of each.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use ls_types::Uri;

use super::buffer::Buffer;
use super::examined_file::{ExaminedFile, ReadableFiles};
use super::file_names::FileNames;
use super::overlay::Overlay;
use super::placed_finding::PlacedFinding;
use super::text_index::ColumnUnit;
use crate::app::trust::Consent;
use crate::app::{FileKind, UnansweredCauses, files_of_kinds};
use crate::diag::rule;
use crate::drive::Disk;
use crate::folder::Folder;
use crate::model::name_use::NameRecorder;
use crate::model::{Loader, beside};

/// The kinds of file that are examined by themselves.
const KINDS: [FileKind; 4] =
    [FileKind::Configuration, FileKind::Scenarios, FileKind::Script, FileKind::Graph];

/// A file that is examined by itself, and not only where others name it.
#[derive(Debug)]
struct TrackedFile {
    kind: FileKind,
    /// The last examination.
    examined: Option<ExaminedFile>,
    /// True if something that it read has changed since.
    is_dirty: bool,
    /// The files that have changed since. What was found in them then may lie elsewhere now.
    changed: BTreeSet<String>,
}

impl TrackedFile {
    const fn new(kind: FileKind) -> Self {
        Self { kind, examined: None, is_dirty: true, changed: BTreeSet::new() }
    }

    /// The findings that still lie where they lay.
    fn findings(&self) -> impl Iterator<Item = &PlacedFinding> {
        let all = self.examined.iter().flat_map(|examined| &examined.findings);
        all.filter(|finding| self.changed.iter().all(|file| !finding.touches(file)))
    }
}

/// The files of the folders that the editor works in, with what is known of each.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) names: FileNames,
    pub(super) unit: ColumnUnit,
    folders: Vec<PathBuf>,
    disk: Disk,
    consent: Consent,
    pub(super) buffers: BTreeMap<String, Buffer>,
    tracked: BTreeMap<String, TrackedFile>,
    /// The file that was edited last.
    edited: Option<String>,
}

impl Workspace {
    pub(super) fn new(disk: Disk, consent: Consent) -> Self {
        Self {
            names: FileNames::of_process(),
            unit: ColumnUnit::default(),
            folders: Vec::new(),
            disk,
            consent,
            buffers: BTreeMap::new(),
            tracked: BTreeMap::new(),
            edited: None,
        }
    }

    /// Adds a folder. Its files are looked for by [`list`](Self::list).
    pub(super) fn add_folder(&mut self, folder: PathBuf) {
        self.disk.name_folder(&folder);
        self.folders.push(folder);
    }

    pub(super) fn remove_folder(&mut self, folder: &Path) {
        self.folders.retain(|own| own != folder);
    }

    /// Looks for the files of the folders anew. A folder that cannot be read has none.
    pub(super) fn list(&mut self) {
        let mut listed: BTreeMap<String, FileKind> = BTreeMap::new();
        for path in &self.folders {
            let files = Folder::open(path).map(|folder| files_of_kinds(&folder, &KINDS).unwrap_or_default());
            for (kind, file) in files.unwrap_or_default() {
                listed.extend(self.names.of_path(&path.join(file)).map(|name| (name, kind)));
            }
        }
        self.tracked.retain(|name, _| listed.contains_key(name) || self.buffers.contains_key(name));
        for (name, kind) in listed {
            if !self.buffers.contains_key(&name) {
                self.track(&name, Some(kind));
            }
        }
    }

    /// Opens a text in place of what is on disk.
    pub(super) fn open(&mut self, name: &str, buffer: Buffer) {
        self.buffers.insert(name.to_owned(), buffer);
        self.note_edit(name);
    }

    /// Notes that the text of a file has changed.
    pub(super) fn note_edit(&mut self, name: &str) {
        if let Some(buffer) = self.buffers.get(name) {
            let kind = KINDS.into_iter().find(|kind| kind.is_of(Path::new(name), &buffer.text));
            self.track(name, kind);
        }
        self.note_change(name);
        self.edited = Some(name.to_owned());
    }

    /// Closes a text. The file on disk counts again.
    pub(super) fn close(&mut self, name: &str) {
        if self.buffers.remove(name).is_some() {
            self.list();
            self.note_change(name);
        }
    }

    /// Notes that files on disk have changed.
    pub(super) fn note_disk(&mut self, names: &[String]) {
        self.list();
        for name in names {
            self.note_change(name);
            if FileKind::Configuration.is_name(Path::new(name)) {
                // Another one may be taken for any graph now.
                for tracked in self.tracked.values_mut() {
                    tracked.is_dirty = true;
                }
            }
        }
    }

    fn track(&mut self, name: &str, kind: Option<FileKind>) {
        match (kind, self.tracked.get(name)) {
            (None, _) => {
                self.tracked.remove(name);
            }
            (Some(kind), Some(tracked)) if tracked.kind == kind => {}
            (Some(kind), _) => {
                self.tracked.insert(name.to_owned(), TrackedFile::new(kind));
            }
        }
    }

    fn note_change(&mut self, name: &str) {
        for tracked in self.tracked.values_mut() {
            if tracked.examined.as_ref().is_some_and(|examined| examined.asked.contains(name)) {
                tracked.is_dirty = true;
                tracked.changed.insert(name.to_owned());
            }
        }
    }

    /// The next file to examine: the one that was edited last, then those that are open, then those that read the edited one.
    pub(super) fn next(&self) -> Option<String> {
        let dirty = self.tracked.iter().filter(|(_, tracked)| tracked.is_dirty);
        let rank = |name: &String, tracked: &TrackedFile| {
            let is_edited = self.edited.as_ref() == Some(name);
            let reads = self.edited.as_ref().is_some_and(|edited| tracked.changed.contains(edited));
            (!is_edited, !self.buffers.contains_key(name), !reads)
        };
        dirty.min_by_key(|(name, tracked)| rank(name, tracked)).map(|(name, _)| name.clone())
    }

    /// Examines a file, if something that it read has changed.
    pub(super) fn examine(&mut self, name: &str) {
        let files = ReadableFiles {
            disk: &self.disk,
            consent: &self.consent,
            buffers: &self.buffers,
            unit: self.unit,
        };
        if let Some(tracked) = self.tracked.get_mut(name).filter(|tracked| tracked.is_dirty) {
            tracked.examined = Some(ExaminedFile::of(tracked.kind, name, &files));
            tracked.is_dirty = false;
            tracked.changed.clear();
        }
    }

    /// The address of a file, as the client writes it where it is open.
    pub(super) fn uri(&self, name: &str) -> Option<Uri> {
        self.buffers.get(name).map(|buffer| buffer.uri.clone()).or_else(|| self.names.uri(name))
    }

    /// The files of a kind that are examined by themselves.
    pub(super) fn files_of(&self, kind: FileKind) -> impl Iterator<Item = String> {
        self.tracked.iter().filter(move |(_, tracked)| tracked.kind == kind).map(|(name, _)| name.clone())
    }

    /// The kind of a file that is examined by itself.
    pub(super) fn kind(&self, name: &str) -> Option<FileKind> {
        self.tracked.get(name).map(|tracked| tracked.kind)
    }

    /// True if something is known of the file as it is now.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.tracked.get(name).is_some_and(|tracked| !tracked.is_dirty)
            || !self.tracked.contains_key(name) && self.examinations_of(name).next().is_some()
    }

    /// A file to examine so that something is known of another one: itself, or one that reads it.
    pub(super) fn reader_of(&self, name: &str) -> Option<String> {
        if self.tracked.contains_key(name) {
            return Some(name.to_owned());
        }
        let reads = |tracked: &TrackedFile| {
            tracked.examined.as_ref().is_some_and(|examined| examined.asked.contains(name))
        };
        self.tracked
            .iter()
            .find(|(_, tracked)| tracked.is_dirty && reads(tracked))
            .map(|(name, _)| name.clone())
    }

    /// The examinations that read a file as it is now, that of the file itself first.
    pub(super) fn examinations_of(&self, name: &str) -> impl Iterator<Item = &ExaminedFile> {
        let own = self.tracked.get(name).into_iter();
        let others = self.tracked.iter().filter(move |(other, _)| *other != name).map(|(_, tracked)| tracked);
        let current = own.chain(others).filter(move |tracked| !tracked.changed.contains(name));
        current.filter_map(|tracked| tracked.examined.as_ref()).filter(move |one| one.asked.contains(name))
    }

    pub(super) fn all_examinations(&self) -> impl Iterator<Item = &ExaminedFile> {
        self.tracked.values().filter_map(|tracked| tracked.examined.as_ref())
    }

    /// An examination with another text of a file, which holds a name that nothing has: of the file itself, or of the first one
    /// that reads it.
    pub(super) fn probed(&self, name: &str, text: &str, probe: &str) -> Option<ExaminedFile> {
        let reads =
            |tracked: &&TrackedFile| tracked.examined.as_ref().is_some_and(|one| one.asked.contains(name));
        let own = self.tracked.get_key_value(name);
        let (root, tracked) = own.or_else(|| self.tracked.iter().find(|(_, tracked)| reads(tracked)))?;
        let files = self.readable();
        let texts = BTreeMap::from([(name.to_owned(), text.to_owned())]);
        let mut overlay = Overlay::new(&self.disk, &self.buffers).with(&texts);
        overlay.names = NameRecorder::probing(probe);
        Some(ExaminedFile::with(tracked.kind, root, &files, overlay))
    }

    /// The examinations that read one of some files, each with the same one made with other texts of these files.
    pub(super) fn examined_with<'w>(
        &'w self,
        texts: &'w BTreeMap<String, String>,
    ) -> impl Iterator<Item = (&'w ExaminedFile, ExaminedFile)> {
        self.tracked.iter().filter_map(|(name, tracked)| {
            let examined = tracked.examined.as_ref()?;
            examined.asked.iter().find(|asked| texts.contains_key(*asked))?;
            let overlay = Overlay::new(&self.disk, &self.buffers).with(texts);
            Some((examined, ExaminedFile::with(tracked.kind, name, &self.readable(), overlay)))
        })
    }

    pub(super) const fn disk(&self) -> &Disk {
        &self.disk
    }

    fn readable(&self) -> ReadableFiles<'_> {
        let (disk, consent, buffers) = (&self.disk, &self.consent, &self.buffers);
        ReadableFiles { disk, consent, buffers, unit: self.unit }
    }

    /// The examination of a file that is examined by itself.
    pub(super) fn examined(&self, name: &str) -> Option<&ExaminedFile> {
        self.tracked.get(name)?.examined.as_ref()
    }

    /// All findings by the files in which they lie, each once and in order of the text.
    pub(super) fn findings(&self) -> BTreeMap<&str, Vec<&PlacedFinding>> {
        let mut causes = UnansweredCauses::default();
        for (name, tracked) in &self.tracked {
            for finding in tracked.findings().filter(|finding| finding.rule == rule::UNHANDLED) {
                causes.add(finding, name);
            }
            causes.add_called(tracked.examined.iter().flat_map(|examined| examined.called.iter().cloned()));
        }
        let mut seen = HashSet::new();
        let mut found: BTreeMap<&str, Vec<&PlacedFinding>> = BTreeMap::new();
        for (name, tracked) in &self.tracked {
            for finding in tracked.findings() {
                let file = finding.place().file.as_str();
                let own = file == name || !self.is_configuration(file);
                if own && !causes.is_left_to_callers(&finding) && seen.insert(finding) {
                    found.entry(file).or_default().push(finding);
                }
            }
        }
        for findings in found.values_mut() {
            findings.sort_by_key(|finding| (finding.place().range.start, finding.place().range.end));
        }
        found
    }

    /// True for a configuration that is examined by itself: what graphs find in it is found there as well.
    fn is_configuration(&self, name: &str) -> bool {
        self.tracked.get(name).is_some_and(|tracked| tracked.kind == FileKind::Configuration)
    }

    /// The files that an examination of a file read and that are open.
    pub(super) fn open_parts(&self, name: &str) -> Vec<String> {
        let asked = self.examined(name).into_iter().flat_map(|examined| &examined.asked);
        asked.filter(|name| self.buffers.contains_key(*name)).cloned().collect()
    }

    /// The text of a file, as it is open or on disk.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = Overlay::new(&self.disk, &self.buffers).load(None, &beside(None, name));
        text.ok().map(|(_, text)| text)
    }
}
