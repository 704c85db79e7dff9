//! The configuration of a run: which file it is, what it asks for, and whether that was allowed.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::configuration_file::{ConfigurationFile, noted};
use super::consent::Consent;
use super::ground::Ground;
use super::note::Note;
use super::seal::Seal;
use super::showable::{hidden_values, showable};
use crate::config::{
    CommandConfig, Config, ExternalReach, FileToolConfig, McpServerConfig, PathResolver, Policy,
    RuleSeverities, imported, is_configuration, led,
};
use crate::diag::Diagnostic;
use crate::drive::Disk;
use crate::folder::{self, FileFault, Folder};
use crate::source::Sources;
use crate::tool::{FileTool, MessageFolder};
use crate::value::Str;

/// The name of the configuration that is read where none is named.
pub const FILE_NAME: &str = "loopwright.toml";

/// The largest file with servers that a configuration takes, in bytes.
const MAX_IMPORT: u64 = 1 << 20;

/// The message for a file of another kind. Nothing of it is shown: it may be anything that the words of a stranger lead to.
const NO_CONFIGURATION: &str = "it is not a configuration: no line starts one of the tables `inputs`, `builtin`, `tools`, `models`, `run`, `check`, `hooks`, `limits`, `policy`, `mcp`";

/// The tools, models and values that the names of a graph refer to.
#[derive(Debug)]
pub struct Configuration {
    /// The content of the file. Where it was not [admitted](Self::admit) that may be more than what was allowed.
    pub config: Config,
    /// The folder its paths start from.
    pub folder: PathBuf,
    /// The file; none where there is none.
    pub file: Option<ConfigurationFile>,
    /// True if all it asks for was allowed.
    pub trusted: bool,
    /// The variables that it calls keys. Their values are hidden whether or not anything is sent to anybody.
    pub keys: Vec<String>,
}

/// Facts about a configuration whose content is not shown.
#[derive(Debug)]
pub struct Glance {
    /// The content of the file. Where it is not trusted that may be more than what was allowed.
    pub config: Config,
    /// True if all it asks for was allowed.
    pub trusted: bool,
}

impl Configuration {
    /// The configuration where there is no file.
    #[must_use]
    pub fn none() -> Self {
        Self {
            config: Config::default(),
            folder: PathBuf::from("."),
            file: None,
            trusted: false,
            keys: Vec::new(),
        }
    }

    /// Reads a file; its text is added to `sources`. Only where the operator `named` it may it be a link.
    ///
    /// # Errors
    /// It cannot be read, or has faults.
    pub fn read(
        path: &Path,
        named: bool,
        consent: &Consent,
        sources: &mut Sources,
    ) -> Result<Self, ConfigurationFault> {
        let found = Found::at(path, named, sources)?;
        let seal = found.seal().map_err(ConfigurationFault::Refused)?;
        let noted = consent.notes.folder().and_then(|notes| noted(&found.real, notes));
        let trusted = is_allowed(&seal, noted.as_ref(), consent);
        let Found { path, folder, real, ground, config, .. } = found;
        let models = config.models.iter().filter_map(|model| model.key.clone());
        let servers = config.mcp.iter().flat_map(McpServerConfig::keys).map(str::to_owned);
        let keys = models.chain(servers).collect();
        let reaches: Vec<ExternalReach> = config.reaches(&ground);
        let file = ConfigurationFile { path, real, ground, seal, reaches };
        Ok(Self { config, folder, file: Some(file), trusted, keys })
    }

    /// The configuration with the servers of a file that a flag names. They need grants of their own: trust in the
    /// configuration does not count for them. Where there is no configuration, that file is it, and paths start from the
    /// working folder.
    ///
    /// # Errors
    /// The file cannot be read, has faults, or declares a server that there is.
    pub fn with_servers(
        mut self,
        path: &Path,
        consent: &Consent,
        sources: &mut Sources,
    ) -> Result<Self, ConfigurationFault> {
        let shown = path.display().to_string();
        let text = text(path, true).map_err(|why| ConfigurationFault::Refused(format!("{shown}: {why}")))?;
        let mut servers = servers(&text, shown, sources)?;
        for server in &mut servers {
            server.by_flag = true;
            if self.config.mcp.iter().any(|own| own.name == server.name) {
                let (name, path) = (&server.name, path.display());
                let why = format!("{path}: the configuration declares an MCP server `{name}`, too");
                return Err(ConfigurationFault::Refused(why));
            }
        }
        self.keys.extend(servers.iter().flat_map(McpServerConfig::keys).map(str::to_owned));
        let refused = ConfigurationFault::Refused;
        if let Some(file) = &mut self.file {
            let here = std::path::absolute(".").map_err(|error| refused(error.to_string()))?;
            for server in &mut servers {
                server.start_from(&here);
                file.seal.add(&file.ground, server).map_err(refused)?;
            }
            self.config.mcp.append(&mut servers);
            return Ok(self);
        }
        self.config.mcp = servers;
        let ground = Ground::of(&self.folder).map_err(refused)?;
        let real = fs::canonicalize(path).map_err(|error| refused(error.to_string()))?;
        let seal = Seal::of(&ground, &text, None, &self.config).map_err(refused)?;
        self.trusted = consent.digests.contain(&seal.digest);
        let reaches = self.config.reaches(&ground);
        self.file = Some(ConfigurationFile { path: path.to_owned(), real, ground, seal, reaches });
        Ok(self)
    }

    /// The way to an MCP server in words; empty where there is no file.
    #[must_use]
    pub fn server_work(&self, server: &McpServerConfig) -> String {
        let Some(file) = &self.file else { return String::new() };
        let folder = server.command().and_then(|command| command.folder.as_deref()).unwrap_or(".");
        server.work(&self.shown(folder), &file.ground)
    }

    /// The same with the folder as the file names it, wherever this command is given: as a lock has it.
    #[must_use]
    pub fn server_place(&self, server: &McpServerConfig) -> String {
        let Some(file) = &self.file else { return String::new() };
        let folder = server.command().and_then(|command| command.folder.as_deref()).unwrap_or(".");
        server.work(folder, &file.ground)
    }

    /// Reads a file of which nothing is reported; none where that fails.
    #[must_use]
    pub fn glance(path: &Path, consent: &Consent) -> Option<Glance> {
        let found = Found::at(path, false, &mut Sources::new()).ok()?;
        let noted = consent.notes.folder().and_then(|notes| noted(&found.real, notes));
        // No further file than the one that it imports is opened for a configuration that was never allowed.
        let known = noted.is_some() || !consent.digests.is_empty();
        let trusted = known && found.seal().is_ok_and(|seal| is_allowed(&seal, noted.as_ref(), consent));
        Some(Glance { config: found.config, trusted })
    }

    /// The severities that a file gives to rules. They are read whether or not the file was allowed and whatever else is
    /// wrong with it: they hide no error, and warnings no more than the graph beside it may.
    ///
    /// # Errors
    /// The faults of the table `[check]`.
    pub fn severities(path: &Path, sources: &mut Sources) -> Result<RuleSeverities, Vec<Diagnostic>> {
        let Ok(text) = text(path, false) else { return Ok(RuleSeverities::default()) };
        let file = sources.add(path.display().to_string(), showable(&text));
        RuleSeverities::of_text(&text, file)
    }

    /// The policy of a file. It is read whether or not the file was allowed and whatever else is wrong with it: it only
    /// restricts. Only where the operator `named` the file it may be a link.
    ///
    /// # Errors
    /// The faults of the table `[policy]`.
    pub fn policy(path: &Path, named: bool, sources: &mut Sources) -> Result<Policy, Vec<Diagnostic>> {
        let Ok(text) = text(path, named) else { return Ok(Policy::default()) };
        let file = sources.add(path.display().to_string(), showable(&text));
        Policy::of_text(&text, file)
    }

    /// Returns true if the user allowed what the configuration of a folder asks for.
    #[must_use]
    pub fn is_trusted_in(folder: &Path, consent: &Consent) -> bool {
        Self::glance(&folder.join(FILE_NAME), consent).is_some_and(|found| found.trusted)
    }

    /// The tools over files that are on: over the very folders that were judged.
    pub fn file_tools(&self) -> impl Iterator<Item = FileTool> {
        self.config.builtin.file_tools.iter().map(|config| {
            let root = self.file.as_ref().and_then(|file| file.seal.roots.get(&config.tool));
            // A link that led to nothing leads to nothing that was judged.
            FileTool::at(config, root.cloned().unwrap_or_default())
        })
    }

    /// The files that messages may carry, by the entries of their models: below the very folders that were judged.
    pub fn message_files(&self) -> impl Iterator<Item = (Str, MessageFolder)> {
        self.config.models.iter().filter_map(|model| {
            let root = self.file.as_ref().and_then(|file| file.seal.message_roots.get(&model.role));
            let folder = MessageFolder::at(model.files.as_ref()?, root.cloned().unwrap_or_default());
            Some((model.role.clone(), folder))
        })
    }

    /// The act of a tool over files that needs a grant, in words.
    #[must_use]
    pub fn file_work(&self, config: &FileToolConfig) -> String {
        let Some(file) = &self.file else { return String::new() };
        let unasked = if config.approval.is_needed() { "" } else { ", without asking a person" };
        let folder = led(&self.shown(&config.root), file.ground.leads(&config.root));
        format!("{} files below {folder}{unasked}", config.tool.does())
    }

    /// The command line of a command, with where it runs and what it sees; empty where there is no file.
    #[must_use]
    pub fn command_line(&self, command: &CommandConfig) -> String {
        let Some(file) = &self.file else { return String::new() };
        command.command_line(&self.shown(command.folder.as_deref().unwrap_or(".")), &file.ground)
    }

    /// A folder that the file names, as a path from the working folder.
    fn shown(&self, folder: &str) -> String {
        let folder = self.folder.join(folder);
        let folder: PathBuf = folder.components().filter(|part| *part != Component::CurDir).collect();
        if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.to_string_lossy().into_owned() }
    }
}

/// The reasons for which there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationFault {
    /// The file cannot be read, or is no configuration.
    #[error("{0}")]
    Refused(String),
    /// The findings in it.
    #[error("the configuration has faults")]
    Findings(Vec<Diagnostic>),
}

/// A configuration as it was read, before anybody asked whether it was allowed.
struct Found {
    path: PathBuf,
    folder: PathBuf,
    real: PathBuf,
    ground: Ground,
    text: String,
    /// The text of the file whose servers it takes.
    import: Option<String>,
    config: Config,
}

impl Found {
    fn at(path: &Path, named: bool, sources: &mut Sources) -> Result<Self, ConfigurationFault> {
        let shown = path.display().to_string();
        let text = text(path, named).map_err(|why| ConfigurationFault::Refused(format!("{shown}: {why}")))?;
        let file = sources.add(shown, showable(&text));
        let mut config = Config::read(&text, file).map_err(|findings| {
            if is_configuration(&text) {
                ConfigurationFault::Findings(findings)
            } else {
                ConfigurationFault::Refused(format!("{}: {NO_CONFIGURATION}", path.display()))
            }
        })?;
        let folder = folder::of(path).to_owned();
        let import = match &config.mcp_import {
            Some(import) => {
                let at = folder.join(&import.path).display().to_string();
                let text = import_text(&folder, &import.path).map_err(|why| {
                    let by = path.display();
                    ConfigurationFault::Refused(format!("{at} (`import` of {by}): {why}"))
                })?;
                let mut servers = servers(&text, at, sources)?;
                let own: Vec<_> = config.mcp.iter().map(|server| server.name.clone()).collect();
                // What is written in the configuration itself counts.
                servers.retain(|server| !own.contains(&server.name));
                config.mcp.append(&mut servers);
                Some(text)
            }
            None => None,
        };
        let ground = Ground::of(&folder).map_err(ConfigurationFault::Refused)?;
        let real = ground.path().join(path.file_name().unwrap_or_default());
        Ok(Self { path: path.to_owned(), folder, real, ground, text, import, config })
    }

    fn seal(&self) -> Result<Seal, String> {
        let failed = |why| format!("{}: {why}", self.path.display());
        Seal::of(&self.ground, &self.text, self.import.as_deref(), &self.config).map_err(failed)
    }
}

/// The servers in the text of a file in the shape of other programs. `shown` is its name.
fn servers(
    text: &str,
    shown: String,
    sources: &mut Sources,
) -> Result<Vec<McpServerConfig>, ConfigurationFault> {
    // Values of such files may be secrets: nothing of a text is shown beside a fault but its keys.
    let file = sources.add(shown, hidden_values(text));
    imported(text, file).map_err(ConfigurationFault::Findings)
}

/// The text of a file that a configuration imports. The words of a stranger lead to it before anybody was asked, so that it
/// lies below the configuration's folder.
fn import_text(folder: &Path, named: &str) -> Result<String, String> {
    let outside = "it lies outside of the folder of the configuration, which is all that `import` reads; name it with `--mcp-config`";
    let at = folder::beside(Path::new(FILE_NAME), Path::new(named)).ok_or(outside)?;
    let text = Folder::open(folder).map_err(FileFault::from).and_then(|folder| {
        let place = folder.place(&at)?;
        folder.text(&place, MAX_IMPORT)
    });
    text.map_err(|fault| match fault {
        FileFault::Outside => outside.to_owned(),
        fault => fault.to_string(),
    })
}

fn is_allowed(seal: &Seal, noted: Option<&Note>, consent: &Consent) -> bool {
    consent.digests.contain(&seal.digest) || noted.is_some_and(|note| note.digest == seal.digest)
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
