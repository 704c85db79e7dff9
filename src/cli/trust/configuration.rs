//! The configuration of a run: which file it is, what it asks for, and whether that was allowed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::ground::Ground;
use super::note::Note;
use super::seal::Seal;
use super::showable::showable;
use super::{Digests, notes};
use crate::cli::state::{Kind, State};
use crate::cli::{Exit, screen};
use crate::config::{CommandConfig, Config, ExternalReach, RuleSeverities, is_configuration};
use crate::diag::Diagnostic;
use crate::drive::Disk;
use crate::folder;
use crate::source::Sources;
use crate::tool::ReadFileTool;

/// The configuration that is read when none is named.
pub(super) const NAME: &str = "loopwright.toml";

/// The message for a file of another kind. Nothing of it is shown: it may be anything that the words of a stranger lead to.
const NO_CONFIGURATION: &str = "it is not a configuration: no line starts one of the tables `inputs`, `builtin`, `tools`, `models`, `run`, `check`";

/// The tools, models and values that the names of a graph refer to.
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
    /// The same in a folder without links. It may be a link itself, where the operator named it: its paths start from
    /// where it is.
    pub(super) real: PathBuf,
    pub(super) ground: Ground,
    /// Its digest, with what that covers beside the content.
    pub(super) seal: Seal,
    pub(super) reaches: Vec<ExternalReach>,
}

/// Facts about a configuration whose content is not shown.
pub(in crate::cli) struct Glance {
    /// The content of the file. Where it is not trusted that may be more than what holds.
    pub(in crate::cli) config: Config,
    /// True if all it asks for holds.
    pub(in crate::cli) trusted: bool,
}

impl Configuration {
    /// Reads a file and says what is wrong with it. Only where the operator named it may it be a link.
    pub(super) fn read(
        path: &Path,
        named: bool,
        digests: &Digests,
        sources: &mut Sources,
    ) -> Result<Self, Exit> {
        Self::load(path, named, digests, sources).map_err(|fault| match fault {
            ConfigurationFault::Refused(why) => screen::refuse(&screen::line(&why)),
            ConfigurationFault::Findings(findings) => {
                screen::findings(&findings, sources);
                Exit::of(&findings).worse(Exit::Findings)
            }
        })
    }

    /// Reads a file, and says nothing where that fails.
    pub(in crate::cli) fn glance(path: &Path, digests: &Digests) -> Option<Glance> {
        let found = Found::at(path, false, &mut Sources::new()).ok()?;
        let noted = notes().and_then(|notes| noted(&found.real, notes));
        // Nothing else of the folder is looked at for a file that was never allowed.
        let known = noted.is_some() || !digests.are_none();
        let trusted = known && found.seal().is_ok_and(|seal| is_allowed(&seal, noted.as_ref(), digests));
        Some(Glance { config: found.config, trusted })
    }

    /// The severities that a file gives to rules. They are read whether or not the file was allowed and whatever else is
    /// wrong with it: they hide no error, and warnings no more than the graph beside it may.
    pub(in crate::cli) fn severities(
        path: &Path,
        sources: &mut Sources,
    ) -> Result<RuleSeverities, Vec<Diagnostic>> {
        let Ok(text) = text(path, false) else { return Ok(RuleSeverities::default()) };
        let file = sources.add(path.display().to_string(), showable(&text));
        RuleSeverities::of_text(&text, file)
    }

    /// Returns true if the user allowed what the configuration of a folder asks for.
    pub(in crate::cli) fn is_trusted_in(folder: &Path) -> bool {
        Self::glance(&folder.join(NAME), &Digests::default()).is_some_and(|found| found.trusted)
    }

    fn load(
        path: &Path,
        named: bool,
        digests: &Digests,
        sources: &mut Sources,
    ) -> Result<Self, ConfigurationFault> {
        let found = Found::at(path, named, sources)?;
        let seal = found.seal().map_err(ConfigurationFault::Refused)?;
        let noted = notes().and_then(|notes| noted(&found.real, notes));
        let trusted = is_allowed(&seal, noted.as_ref(), digests);
        let Found { path, folder, real, ground, config, .. } = found;
        let keys = config.models.iter().filter_map(|model| model.key.clone()).collect();
        let reaches = config.reaches(&ground);
        let file = Named { path, real, ground, seal, reaches };
        Ok(Self { config, folder, file: Some(file), trusted, keys })
    }

    /// The tool `read_file`, if it is on: over the very folder that was judged.
    pub(in crate::cli) fn read_file(&self) -> Option<ReadFileTool> {
        let read = self.config.builtin.read_file.as_ref()?;
        let root = self.file.as_ref().and_then(|file| file.seal.root.clone());
        // A link that led to nothing leads to nothing that was judged.
        Some(ReadFileTool::at(root.unwrap_or_default(), read.max_bytes))
    }

    /// All that a question about the file may show of it.
    pub(in crate::cli) fn asked(&self) -> String {
        let Some(file) = &self.file else { return String::new() };
        let mut asked = screen::path(&file.path);
        let commands = self.config.tools.iter();
        let commands = commands
            .flat_map(|command| [self.command_line(file, command), screen::asked(&command.description)]);
        for line in file.reaches.iter().map(|reach| screen::asked(&reach.to_string())).chain(commands) {
            asked.push('\n');
            asked.push_str(&line);
        }
        asked
    }

    /// A command with where it runs and what it sees.
    pub(super) fn command_line(&self, file: &Named, command: &CommandConfig) -> String {
        let folder = self.folder.join(command.folder.as_deref().unwrap_or("."));
        let folder: PathBuf = folder.components().filter(|part| *part != Component::CurDir).collect();
        let shown = if folder.as_os_str().is_empty() { ".".into() } else { folder.to_string_lossy() };
        screen::asked(&command.command_line(&shown, &file.ground))
    }
}

/// The reasons for which there is no configuration.
enum ConfigurationFault {
    Refused(String),
    Findings(Vec<Diagnostic>),
}

/// A configuration as it was read, before anybody asked whether it was allowed.
struct Found {
    path: PathBuf,
    folder: PathBuf,
    real: PathBuf,
    ground: Ground,
    text: String,
    config: Config,
}

impl Found {
    fn at(path: &Path, named: bool, sources: &mut Sources) -> Result<Self, ConfigurationFault> {
        let shown = path.display().to_string();
        let text = text(path, named).map_err(|why| ConfigurationFault::Refused(format!("{shown}: {why}")))?;
        let file = sources.add(shown, showable(&text));
        let config = Config::read(&text, file).map_err(|findings| {
            if is_configuration(&text) {
                ConfigurationFault::Findings(findings)
            } else {
                ConfigurationFault::Refused(format!("{}: {NO_CONFIGURATION}", path.display()))
            }
        })?;
        let folder = folder::of(path).to_owned();
        let ground = Ground::of(&folder).map_err(ConfigurationFault::Refused)?;
        let real = ground.path().join(path.file_name().unwrap_or_default());
        Ok(Self { path: path.to_owned(), folder, real, ground, text, config })
    }

    fn seal(&self) -> Result<Seal, String> {
        let failed = |why| format!("{}: {why}", self.path.display());
        Seal::of(&self.ground, &self.text, &self.config).map_err(failed)
    }
}

/// The user's note about the file at a real place.
fn noted(real: &Path, state: &State) -> Option<Note> {
    state.find(Kind::Configuration, &[real.as_os_str()])
}

fn is_allowed(seal: &Seal, noted: Option<&Note>, digests: &Digests) -> bool {
    digests.hold(&seal.digest) || noted.is_some_and(|note| note.digest == seal.digest)
}

impl Named {
    /// Its key in the user's notes.
    pub(super) fn key(&self) -> [&OsStr; 1] {
        [self.real.as_os_str()]
    }

    /// The user's note about it.
    pub(super) fn noted(&self, state: &State) -> Option<Note> {
        noted(&self.real, state)
    }

    /// A note of it as it is now.
    pub(super) fn note(&self) -> Note {
        Note {
            version: 1,
            configuration: self.real.to_string_lossy().into_owned(),
            digest: self.seal.digest.clone(),
            asks: self.reaches.iter().map(ToString::to_string).collect(),
            files: self.seal.files.clone(),
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

/// The text of a configuration. Where the operator named the file, it may be a link to a place below the root that a
/// graph in its folder would have.
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
