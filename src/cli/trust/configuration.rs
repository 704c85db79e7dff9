//! The configuration of a run: which file it is, what it asks for, and whether that was allowed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::choice::Choice;
use super::ground::Ground;
use super::note::Note;
use super::showable::showable;
use super::{Digests, notes};
use crate::cli::args::Ports;
use crate::cli::check::verdict;
use crate::cli::state::{Kind, State};
use crate::cli::{Exit, screen};
use crate::config::{Command, Config, Reach, is_configuration};
use crate::diag::Diagnostic;
use crate::drive::Disk;
use crate::folder;
use crate::source::Sources;

/// The configuration that is read when none is named.
pub(super) const NAME: &str = "loopwright.toml";

/// The message for a file of another kind. Nothing of it is shown: it may be anything that the words of a stranger lead to.
const NO_CONFIGURATION: &str = "it is no configuration: no line of it begins one of the tables `inputs`, `builtin`, `tools`, `models`, `run`";

/// The version of what a digest is made of.
const VERSION: &str = "loopwright configuration 1";

/// The tools, models and values behind the names of a graph.
pub(in crate::cli) struct Configuration {
    /// The content of the file. Where it was not [admitted](Self::admit) that may be more than what holds.
    pub(in crate::cli) config: Config,
    /// The folder its paths start from.
    pub(in crate::cli) folder: PathBuf,
    /// The file; none where there is none.
    pub(super) file: Option<Named>,
    /// True if all it asks for holds.
    pub(in crate::cli) trusted: bool,
    /// The variables that it calls keys. Their values are hidden whether or not anything is sent to anybody.
    pub(in crate::cli) keys: Vec<String>,
}

/// A configuration file.
pub(super) struct Named {
    /// As it is named.
    pub(super) path: PathBuf,
    /// The same in a folder without links. It may be a link itself, where the operator named it: its paths start from where it is.
    pub(super) real: PathBuf,
    pub(super) ground: Ground,
    /// The content, with the files of the folder that it names.
    pub(super) digest: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) reaches: Vec<Reach>,
}

impl Configuration {
    /// The configuration that is named, or the [one that is chosen](Choice), or none.
    pub(in crate::cli) fn find(ports: &Ports, graph: &str, sources: &mut Sources) -> Result<Self, Exit> {
        let digests = Digests::of(&ports.trust)?;
        if let Some(path) = &ports.config {
            return Self::read(path, true, &digests, sources);
        }
        let Some(choice) = Choice::of(graph, &digests) else {
            return Ok(Self {
                config: Config::default(),
                folder: PathBuf::from("."),
                file: None,
                trusted: false,
                keys: Vec::new(),
            });
        };
        choice.say();
        Self::read(&choice.taken, false, &digests, sources)
    }

    /// The file that is [found](Self::find), if there is one; it is not opened.
    pub(in crate::cli) fn named(ports: &Ports, graph: &str) -> Result<Option<PathBuf>, Exit> {
        let digests = Digests::of(&ports.trust)?;
        Ok(ports.config.clone().or_else(|| Choice::of(graph, &digests).map(|choice| choice.taken)))
    }

    /// Reads a file and says what is wrong with it. Only where the operator named it may it be a link.
    pub(super) fn read(
        path: &Path,
        named: bool,
        digests: &Digests,
        sources: &mut Sources,
    ) -> Result<Self, Exit> {
        Self::load(path, named, digests, sources).map_err(|fault| match fault {
            Fault::Refused(why) => screen::refuse(&screen::line(&why)),
            Fault::Findings(findings) => {
                screen::findings(&findings, sources);
                verdict(&findings).worse(Exit::Findings)
            }
        })
    }

    /// Reads a file, and says nothing where that fails.
    pub(in crate::cli) fn read_quietly(path: &Path, digests: &Digests) -> Option<Self> {
        Self::load(path, false, digests, &mut Sources::new()).ok()
    }

    /// Returns true if the user allowed what the configuration of a folder asks for.
    pub(in crate::cli) fn is_trusted_in(folder: &Path) -> bool {
        Self::read_quietly(&folder.join(NAME), &Digests::default())
            .is_some_and(|configuration| configuration.trusted)
    }

    fn load(path: &Path, named: bool, digests: &Digests, sources: &mut Sources) -> Result<Self, Fault> {
        let shown = path.display().to_string();
        let text = text(path, named).map_err(|why| Fault::Refused(format!("{shown}: {why}")))?;
        let file = sources.add(shown, showable(&text));
        let config = Config::read(&text, file).map_err(|findings| {
            if is_configuration(&text) {
                Fault::Findings(findings)
            } else {
                Fault::Refused(format!("{}: {NO_CONFIGURATION}", path.display()))
            }
        })?;
        let folder = folder::of(path).to_owned();
        let file = Named::of(path, &folder, &text, &config).map_err(Fault::Refused)?;
        let noted = || notes().and_then(|notes| file.noted(notes));
        let trusted = digests.hold(&file.digest) || noted().is_some_and(|note| note.digest == file.digest);
        let keys = config.models.iter().filter_map(|model| model.key.clone()).collect();
        Ok(Self { config, folder, file: Some(file), trusted, keys })
    }

    /// Returns true if a path that the file names lies in its folder.
    pub(super) fn inside(&self, named: &str) -> bool {
        self.file.as_ref().is_some_and(|file| file.ground.inside(named))
    }

    /// A command with where it runs, what it sees, and its digest: its declaration and the files of the folder that its
    /// command line names.
    pub(super) fn told(&self, command: &Command) -> String {
        let folder = self.folder.join(command.folder.as_deref().unwrap_or("."));
        let folder: PathBuf = folder.components().filter(|part| *part != Component::CurDir).collect();
        let shown = if folder.as_os_str().is_empty() { ".".into() } else { folder.to_string_lossy() };
        screen::asked(&command.told(&shown))
    }
}

/// The reasons for which there is no configuration.
enum Fault {
    Refused(String),
    Findings(Vec<Diagnostic>),
}

impl Named {
    fn of(path: &Path, folder: &Path, text: &str, config: &Config) -> Result<Self, String> {
        let ground = Ground::of(folder)?;
        let real = ground.path().join(path.file_name().unwrap_or_default());
        let reaches = config.reaches(&|named| ground.inside(named));
        let files = contents(&ground, config.tools.iter())?;
        let digest = hash(VERSION, text, &files);
        Ok(Self { path: path.to_owned(), real, ground, digest, files, reaches })
    }

    /// The digest of one of its commands.
    pub(super) fn digest_of(&self, command: &Command) -> Result<String, String> {
        let files = contents(&self.ground, std::iter::once(command))?;
        Ok(hash("loopwright command 1", &command.declaration(), &files))
    }

    /// Its key in the user's notes.
    pub(super) fn key(&self) -> [&OsStr; 1] {
        [self.real.as_os_str()]
    }

    /// The user's note about it.
    pub(super) fn noted(&self, state: &State) -> Option<Note> {
        state.find(Kind::Configuration, &self.key())
    }

    /// A note of it as it is now.
    pub(super) fn note(&self) -> Note {
        Note {
            version: 1,
            configuration: self.real.to_string_lossy().into_owned(),
            digest: self.digest.clone(),
            asks: self.reaches.iter().map(ToString::to_string).collect(),
            files: self.files.clone(),
        }
    }

    /// The words by which the command `trust` finds it.
    pub(super) fn words(&self) -> String {
        let folder = folder::of(&self.path);
        let own = self.path.file_name() == Some(OsStr::new(NAME));
        let path = if own { folder } else { &self.path };
        crate::config::quoted(&path.to_string_lossy())
    }
}

/// The programs and scripts of the folder that command lines name.
fn contents<'c>(
    ground: &Ground,
    commands: impl Iterator<Item = &'c Command>,
) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    for (path, program) in commands.flat_map(Command::paths) {
        if let Some(content) = ground.content(&path, program)? {
            files.insert(path.to_string_lossy().into_owned(), content);
        }
    }
    Ok(files)
}

fn hash(version: &str, text: &str, files: &BTreeMap<String, String>) -> String {
    let mut hasher = blake3::Hasher::new();
    let parts = [version, text].into_iter();
    for part in parts.chain(files.iter().flat_map(|(name, content)| [name.as_str(), content])) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The text of a configuration. Where the operator named the file, it may be a link to a place below the root that a graph in its
/// folder would have.
fn text(path: &Path, named: bool) -> Result<String, String> {
    let link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    if link && !named {
        return Err(
            "it is a link, which is not followed; name the file it leads to with `--config`".to_owned()
        );
    }
    let place = Disk::default().named(path);
    let cure = if link { "; name the file it leads to" } else { "" };
    place.and_then(|place| place.text()).map_err(|why| format!("{why}{cure}"))
}
