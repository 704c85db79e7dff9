//! The tokens of a server: those of a file, or one that is made.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::ServeArgs;
use crate::cli::{Exit, files, screen};
use loopwright_core::app::beside;
use loopwright_core::serve::web::{Tokens, new_token};

/// The largest file of tokens, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The name of the person where nobody has one.
const OPERATOR: &str = "operator";

/// The rights of a file that others may read or write.
const OF_OTHERS: u32 = 0o077;

/// The tokens of a server, and what is said of them.
pub(super) struct ServedTokens {
    pub(super) tokens: Tokens,
    /// The token that is printed, and its file.
    own: Option<(String, PathBuf)>,
}

impl ServedTokens {
    /// The lines that say how to come in.
    pub(super) fn words(&self, url: &str) -> String {
        let Some((token, path)) = &self.own else { return String::new() };
        let file = screen::path(path);
        if screen::stderr_is_terminal() {
            return format!(
                "open this link, and give it to nobody: {url}/#token={token}\nprograms take the token from {file}\n"
            );
        }
        // Who reads what this prints later is not the one who may come in.
        format!("the token is in {file}\n")
    }
}

/// The tokens of the file that the command line names, or the one beside the store.
pub(super) fn tokens(args: &ServeArgs) -> Result<ServedTokens, Exit> {
    if let Some(path) = &args.token_file {
        let text = private(path).map_err(|why| refuse(path, &why))?;
        let tokens = Tokens::read(&text).map_err(|why| refuse(path, &why))?;
        return Ok(ServedTokens { tokens, own: None });
    }
    let path = beside_store(&beside(&args.db));
    let token = match private(&path) {
        Ok(text) if text.trim().len() >= 32 => text.trim().to_owned(),
        Ok(_) => return Err(refuse(&path, "it has no token; remove it, and another one is made")),
        Err(_) if !path.exists() => made(&path).map_err(|why| refuse(&path, &why))?,
        Err(why) => return Err(refuse(&path, &why)),
    };
    Ok(ServedTokens { tokens: Tokens::one(OPERATOR, &token), own: Some((token, path)) })
}

fn refuse(path: &Path, why: &str) -> Exit {
    screen::refuse(&format!("{}: {}", screen::path(path), screen::line(why)))
}

/// The file of the token of whoever serves a store.
fn beside_store(store: &Path) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push("-token");
    store.with_file_name(name)
}

/// The text of a file that nobody else can read or write.
fn private(path: &Path) -> Result<String, String> {
    let flags = nix::fcntl::OFlag::O_NOFOLLOW.bits();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| files::reason(&error))?;
    let facts = file.metadata().map_err(|error| files::reason(&error))?;
    if !facts.is_file() || facts.uid() != nix::unistd::geteuid().as_raw() || facts.mode() & OF_OTHERS != 0 {
        return Err("others may read or change it; it must be a file of yours with the mode 600".to_owned());
    }
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(|error| files::reason(&error))?;
    Ok(text)
}

/// Makes a token and stores it, for its owner alone.
fn made(path: &Path) -> Result<String, String> {
    let token = new_token()?;
    let write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(format!("{token}\n").as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| files::reason(&error))?;
    Ok(token)
}
