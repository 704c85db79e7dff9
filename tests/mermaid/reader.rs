//! Mermaid itself, run by Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value as Json;

use crate::parts::skip;

/// What Node runs. It looks for Mermaid in the working folder.
const SCRIPT: &str = include_str!("read.mjs");

/// The versions that were tried.
const LOCK: &[u8] = include_bytes!("package-lock.json");

/// A folder in which Mermaid is installed.
pub(super) struct Reader {
    folder: PathBuf,
}

impl Reader {
    /// The Mermaid that `.ci/mermaid` installs. [`None`], with a line that says so, where it is not there and need not be.
    pub(super) fn get() -> Option<&'static Self> {
        static READER: OnceLock<Option<Reader>> = OnceLock::new();
        let find = || {
            Self::find().inspect_err(|why| skip("drawings are not read back with the real Mermaid", why)).ok()
        };
        READER.get_or_init(find).as_ref()
    }

    fn find() -> Result<Self, String> {
        run(Command::new("node").arg("--version"))?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mermaid");
        match fs::read(folder.join("installed")) {
            Ok(lock) if lock == LOCK => Ok(Self { folder }),
            Ok(_) => Err("another version is installed; `.ci/mermaid` installs the right one".to_owned()),
            Err(_) => Err("it is not installed; `.ci/mermaid` installs it".to_owned()),
        }
    }

    /// What Mermaid sees in each text: `{nodes, edges}` or `{error}`.
    pub(super) fn read(&self, texts: &[&str]) -> Vec<Json> {
        let texts = serde_json::to_vec(texts).expect("texts can be written as JSON");
        let file = tempfile::NamedTempFile::new().expect("a file can be made");
        fs::write(file.path(), texts).expect("the file can be written");
        let mut node = Command::new("node");
        node.args(["--input-type=module", "--eval", SCRIPT]).arg(file.path()).current_dir(&self.folder);
        let printed = run(&mut node).unwrap_or_else(|why| panic!("Mermaid cannot be run: {why}"));
        serde_json::from_slice(&printed).expect("the script prints JSON")
    }
}

fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program}: {}", said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed")))
}
