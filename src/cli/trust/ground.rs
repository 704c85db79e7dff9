//! The folder of a configuration: what lies in it, and what its files hold.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use nix::libc;

use crate::cli::files::reason;

/// The largest file of the folder that a digest covers, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The endings of scripts that are handed to the program that runs them.
const SCRIPTS: [&str; 16] = [
    "awk", "bash", "cjs", "fish", "jar", "js", "lua", "mjs", "php", "pl", "py", "rb", "sh", "ts", "wasm",
    "zsh",
];

/// A folder, with all links in its path followed.
#[derive(Debug, Clone)]
pub(super) struct Ground(PathBuf);

impl Ground {
    pub(super) fn of(folder: &Path) -> Result<Self, String> {
        let real = fs::canonicalize(folder);
        real.map(Self).map_err(|error| format!("{}: {}", folder.display(), reason(&error)))
    }

    /// Returns true if a path that the configuration names lies in the folder, wherever its links lead. One that is not there is
    /// judged by what there is of it.
    pub(super) fn inside(&self, named: &str) -> bool {
        let path = self.0.join(named);
        if let Ok(real) = fs::canonicalize(&path) {
            return real.starts_with(&self.0);
        }
        let climbs = Path::new(named).components().any(|part| part == Component::ParentDir);
        let there = path.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
        let real = there.and_then(|there| fs::canonicalize(there).ok());
        !climbs && real.is_some_and(|real| real.starts_with(&self.0))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The part of a path in a digest: the hash of the program or script there, or where a link leads out of the folder; nothing of
    /// what is none or lies elsewhere. Data that a command line names has no part in it, since data is there to change.
    pub(super) fn content(&self, named: &Path, program: bool) -> Result<Option<String>, String> {
        let path = self.0.join(named);
        let Ok(real) = fs::canonicalize(&path) else { return Ok(None) };
        if !real.starts_with(&self.0) {
            let own = !named.is_absolute() && named.components().all(|part| part != Component::ParentDir);
            return Ok(own.then(|| format!("-> {}", real.display())));
        }
        if !real.is_file() || !program && !is_script(&real) {
            return Ok(None);
        }
        let failed = |why: &str| format!("{}: {why}", path.display());
        let file = open(&real).map_err(|error| failed(&reason(&error)))?;
        let meta = file.metadata().map_err(|error| failed(&reason(&error)))?;
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(failed(
                "its content cannot be vouched for: it is no regular file, or larger than 1 GiB",
            ));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file.take(MAX_BYTES)).map_err(|error| failed(&reason(&error)))?;
        Ok(Some(hasher.finalize().to_hex().to_string()))
    }
}

/// Returns true if an argument is something that the program will execute: by its mode, its name or its first line.
fn is_script(path: &Path) -> bool {
    let runs = fs::metadata(path).is_ok_and(|meta| meta.mode() & 0o111 != 0);
    let named = path.extension().is_some_and(|end| SCRIPTS.iter().any(|script| end == *script));
    let first = || {
        let mut first = [0; 2];
        open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok_and(|()| first == *b"#!")
    };
    runs || named || first()
}

/// Opens a file to read that is no link, and waits for nobody.
pub(super) fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
}
