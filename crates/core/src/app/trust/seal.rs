//! The digest of a configuration: its text, the places its folders lead to, and the content of the
//! files that its command lines name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::ground::{self, Ground};
use crate::config::{CommandConfig, Config, FileToolKind, McpServerConfig, by_default, expanded};
use crate::folder::reason;
use crate::value::Str;

/// The versions of what the digests are made of.
const CONFIGURATION: &str = "loopwright configuration 2";
const COMMAND: &str = "loopwright command 2";
const FILE_TOOL: &str = "loopwright file tool 1";
const SERVER: &str = "loopwright mcp server 1";

/// The files of one configuration are read for its digest up to so many bytes. Of any further one it is known when it
/// changed.
const MAX_BYTES: u64 = 64 << 20;

/// The words of one configuration that are looked up on the disk.
const MAX_WORDS: usize = 100_000;

/// The endings of scripts that are handed to the program that runs them.
const SCRIPTS: [&str; 16] = [
    "awk", "bash", "cjs", "fish", "jar", "js", "lua", "mjs", "php", "pl", "py", "rb", "sh", "ts", "wasm",
    "zsh",
];

/// The longest path of the system, in bytes.
const MAX_PATH: usize = 4096;

/// Folders and files as far as they are known, by the names that the configuration gives them.
pub(super) type Files = BTreeMap<String, String>;

/// Fills the variables of a text in.
type Fill<'f> = dyn Fn(&str) -> Result<String, Infallible> + 'f;

/// The digest of a configuration as it is now, and what it is made of.
#[derive(Debug)]
pub(super) struct Seal {
    pub(super) digest: String,
    pub(super) files: Files,
    pub(super) commands: BTreeMap<Str, Sealed>,
    /// The MCP servers, by their names.
    pub(super) servers: BTreeMap<Str, Sealed>,
    /// The digests of the tools over files that need grants.
    pub(super) file_tools: BTreeMap<FileToolKind, String>,
    /// The real places of the folders of tools over files.
    pub(super) roots: BTreeMap<FileToolKind, PathBuf>,
    /// The real places of the folders whose files messages may carry, by the entries of their models.
    pub(super) message_roots: BTreeMap<Str, PathBuf>,
}

/// The digest of one command.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) digest: String,
    /// True if no word of its command line is the name of a file, or of anything outside of the folder.
    pub(super) bare: bool,
}

impl Seal {
    /// `import` is the text of the file whose servers the configuration takes.
    pub(super) fn of(
        ground: &Ground,
        text: &str,
        import: Option<&str>,
        config: &Config,
    ) -> Result<Self, String> {
        let mut look = Look::of(ground);
        let mut all = Files::new();
        if let Some((import, text)) = config.mcp_import.as_ref().zip(import) {
            all.insert(import.path.clone(), blake3::hash(text.as_bytes()).to_hex().to_string());
        }
        let (mut roots, mut file_tools) = (BTreeMap::new(), BTreeMap::new());
        for config in &config.builtin.file_tools {
            let mut files = Files::new();
            roots.extend(look.folder(&config.root, &mut files).map(|real| (config.tool, real)));
            if config.tool.changes_files() {
                file_tools.insert(config.tool, hash(FILE_TOOL, &config.declaration(), &files));
            }
            all.append(&mut files);
        }
        let mut message_roots = BTreeMap::new();
        for model in &config.models {
            let root = model.files.as_ref().and_then(|allowed| look.folder(&allowed.root, &mut all));
            message_roots.extend(root.map(|real| (model.role.clone(), real)));
        }
        let mut commands = BTreeMap::new();
        for command in &config.tools {
            let mut files = Files::new();
            let bare = look.command(command, &mut files)?;
            let digest = hash(COMMAND, &command.declaration(), &files);
            commands.insert(command.name.clone(), Sealed { digest, bare });
            all.append(&mut files);
        }
        for hook in &config.hooks {
            look.command(&hook.command, &mut all)?;
        }
        let mut servers = BTreeMap::new();
        for server in &config.mcp {
            let mut files = Files::new();
            servers.insert(server.name.clone(), look.server(server, &mut files)?);
            all.append(&mut files);
        }
        Ok(Self {
            digest: hash(CONFIGURATION, text, &all),
            files: all,
            commands,
            servers,
            file_tools,
            roots,
            message_roots,
        })
    }

    /// Adds a server that a flag names. It is no part of the digest of the configuration.
    pub(super) fn add(&mut self, ground: &Ground, server: &McpServerConfig) -> Result<(), String> {
        let sealed = Look::of(ground).server(server, &mut Files::new())?;
        self.servers.insert(server.name.clone(), sealed);
        Ok(())
    }
}

/// A look at the disk. Each file is read once.
struct Look<'g> {
    ground: &'g Ground,
    /// The files that were read, as far as they are known, by their real places.
    read: BTreeMap<PathBuf, String>,
    /// The bytes that may still be read.
    left: u64,
    /// The words that were looked up.
    words: usize,
}

impl<'g> Look<'g> {
    const fn of(ground: &'g Ground) -> Self {
        Self { ground, read: BTreeMap::new(), left: MAX_BYTES, words: 0 }
    }

    /// Seals a server, with the files that its command line names.
    fn server(&mut self, server: &McpServerConfig, files: &mut Files) -> Result<Sealed, String> {
        let mut bare = server.command().is_some();
        for command in forms(server) {
            bare &= self.command(&command, files)?;
        }
        Ok(Sealed { digest: hash(SERVER, &server.declaration(), files), bare })
    }

    /// Adds where a folder leads, if that is not where its name says, and gives its real place.
    fn folder(&self, named: &str, files: &mut Files) -> Option<PathBuf> {
        let path = Path::new(named);
        let real = self.ground.real(path);
        if let Some(place) = self.ground.differs(path, real.as_deref()) {
            files.insert(named.to_owned(), format!("-> {place}"));
        }
        real
    }

    /// Adds the folder of a command and the files that its command line names; true if it is [bare](Sealed::bare).
    fn command(&mut self, command: &CommandConfig, files: &mut Files) -> Result<bool, String> {
        let folder = command.folder.as_deref().unwrap_or(".");
        self.folder(folder, files);
        let mut bare = true;
        if let Some(program) = command.program().filter(|program| program.contains('/')) {
            bare = self.word(Path::new(""), program, true, files)?;
        }
        let from = Path::new(if folder == "." { "" } else { folder });
        let texts = command.texts();
        let texts: BTreeSet<&str> = texts.iter().map(AsRef::as_ref).collect();
        for (word, named) in texts.into_iter().flat_map(words) {
            bare &= self.word(from, word, named, files)?;
        }
        Ok(bare)
    }

    /// Adds what is known of the file at a word, if that came along with the configuration; true if there is no file
    /// and nothing outside. What is only mentioned in a text counts where it is a program: the others are mostly what a
    /// program writes.
    fn word(&mut self, folder: &Path, word: &str, named: bool, files: &mut Files) -> Result<bool, String> {
        if word.is_empty() || word.len() > MAX_PATH || word.contains('\0') {
            return Ok(true);
        }
        self.words += 1;
        if self.words > MAX_WORDS {
            return Err("its command lines hold too many words to tell which of them name files".to_owned());
        }
        let at = folder.join(word);
        let path = self.ground.path().join(&at);
        let Ok(meta) = fs::metadata(&path) else { return Ok(true) };
        let Ok(real) = fs::canonicalize(&path) else { return Ok(false) };
        if !meta.is_file() {
            return Ok(!named || self.ground.holds(&real));
        }
        let along = self.ground.is_beside(&real);
        let counts = named || along && is_program(&real, meta.mode());
        if !counts {
            return Ok(true);
        }
        if !along && Path::new(word).is_absolute() {
            return Ok(false);
        }
        let mut known = self.ground.led(&at).map(|place| format!("-> {place} ")).unwrap_or_default();
        // What is no program and lies elsewhere is somebody's data: it is not even opened.
        if along || meta.mode() & 0o111 != 0 {
            known.push_str(&self.content(&real)?);
        }
        files.insert(at.to_string_lossy().into_owned(), known);
        Ok(false)
    }

    fn content(&mut self, real: &Path) -> Result<String, String> {
        if let Some(known) = self.read.get(real) {
            return Ok(known.clone());
        }
        let failed = |error: std::io::Error| format!("{}: {}", real.display(), reason(&error));
        let file = ground::open(real).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        let known = if meta.is_file() && meta.len() <= self.left {
            self.left -= meta.len();
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(file.take(meta.len())).map_err(failed)?;
            hasher.finalize().to_hex().to_string()
        } else {
            // Whoever writes a file cannot choose the time of its change.
            let mut known = format!("{} bytes", meta.len());
            let _ = write!(known, ", file {} as of {}.{:09}", meta.ino(), meta.ctime(), meta.ctime_nsec());
            known
        };
        self.read.insert(real.to_owned(), known.clone());
        Ok(known)
    }
}

/// The forms of a server's command in which files are looked for: as it is written, as it is started now, and as it is started
/// where no variable that has a default is set.
fn forms(server: &McpServerConfig) -> Vec<Cow<'_, CommandConfig>> {
    let env = |name: &str| std::env::var_os(name);
    // A variable that is not set has no value to look at, and the server does not start.
    let now = |text: &str| Ok(expanded(text, &env).map_or_else(|_| text.to_owned(), Cow::into_owned));
    let unset = |text: &str| Ok(by_default(text, &env));
    let as_written = server.command().map(Cow::Borrowed);
    let filled = if server.expands { [Some(&now as &Fill<'_>), Some(&unset)] } else { [None, None] };
    let filled = filled.into_iter().flatten().filter_map(|fill| {
        let Ok(command) = server.filled_command(fill);
        command
    });
    as_written.into_iter().chain(filled).collect()
}

/// The parts of a text that a program may take for the name of a file, each with true if it is named there: the whole
/// text, and what is after the letters or signs of an option. Words within a text are mentioned.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let option = text.starts_with('-');
    let single = option || !text.contains(char::is_whitespace);
    let rest_of_line =
        text.char_indices().skip(1).filter(move |(_, c)| option && !is_sign(*c)).map(|(at, _)| at);
    let signs = text.char_indices().filter(move |(_, c)| single && "=@:,".contains(*c)).map(|(at, _)| at + 1);
    let named = std::iter::once(0).chain(rest_of_line).chain(signs).map(|at| (&text[at..], true));
    let mentioned = text.split(is_sign).filter(|part| part.len() < text.len()).map(|part| (part, false));
    named.chain(mentioned)
}

/// Returns true if a file is something to execute: by its mode, its name or its first line.
fn is_program(path: &Path, mode: u32) -> bool {
    let named = path.extension().is_some_and(|end| SCRIPTS.iter().any(|script| end == *script));
    let first = || {
        let mut first = [0; 2];
        ground::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok_and(|()| first == *b"#!")
    };
    mode & 0o111 != 0 || named || first()
}

/// Returns true for what is between words, in shells and in options.
fn is_sign(c: char) -> bool {
    c.is_whitespace() || "\"'`$(){}[];|&<>=,:@".contains(c)
}

fn hash(version: &str, text: &str, files: &Files) -> String {
    let mut hasher = blake3::Hasher::new();
    let parts = [version, text].into_iter();
    for part in parts.chain(files.iter().flat_map(|(name, content)| [name.as_str(), content])) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_text_is_taken_apart_wherever_a_name_may_stand() {
        let all =
            |text, named| words(text).filter(|word| word.1 == named).map(|word| word.0).collect::<Vec<_>>();
        for (text, name) in [
            ("x.awk", "x.awk"),
            ("my list", "my list"),
            ("-fx.awk", "x.awk"),
            ("-nfx.awk", "x.awk"),
            ("--file=x y", "x y"),
            ("if=x", "x"),
            ("@x", "x"),
        ] {
            assert!(all(text, true).contains(&name), "{text}");
        }
        assert_eq!(all("exec ./x; true >> 'y'", false), ["exec", "./x", "", "true", "", "", "", "", "y", ""]);
        assert_eq!(all("exec ./x", true), ["exec ./x"]);
    }
}
