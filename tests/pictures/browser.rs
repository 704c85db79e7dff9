//! Chromium, driven by Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::parts::skip;

/// What Node runs. It looks for what drives Chromium in the working folder.
const SCRIPT: &str = include_str!("look.mjs");

/// The versions that were tried.
const LOCK: &[u8] = include_bytes!("package-lock.json");

/// What drives Chromium, and the real Mermaid.
pub(super) struct Browser {
    folder: PathBuf,
    mermaid: PathBuf,
}

impl Browser {
    /// What `.ci/chromium` and `.ci/mermaid` install. [`None`], with a line that says so, where it is not there and need not be.
    pub(super) fn get() -> Option<Self> {
        Self::find().inspect_err(|why| skip("pictures are not looked at in Chromium", why)).ok()
    }

    fn find() -> Result<Self, String> {
        run(Command::new("node").arg("--version"))?;
        run(Command::new("chromium").arg("--version"))?;
        let parts = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (folder, mermaid) =
            (parts.join("chromium"), parts.join("mermaid/node_modules/mermaid/dist/mermaid.min.js"));
        if !mermaid.exists() {
            return Err("Mermaid is not installed; `.ci/mermaid` installs it".to_owned());
        }
        match fs::read(folder.join("installed")) {
            Ok(lock) if lock == LOCK => Ok(Self { folder, mermaid }),
            Ok(_) => Err("another version is installed; `.ci/chromium` installs the right one".to_owned()),
            Err(_) => Err("it is not installed; `.ci/chromium` installs it".to_owned()),
        }
    }

    /// What is seen in each picture, and in what Mermaid makes of the text beside it, if there is one.
    pub(super) fn look(&self, pictures: &[(String, String)]) -> Vec<Json> {
        let list = pictures.iter().map(|(svg, mermaid)| json!({"svg": svg, "mermaid": mermaid}));
        let list = serde_json::to_vec(&list.collect::<Vec<_>>()).expect("texts can be written as JSON");
        let file = tempfile::NamedTempFile::new().expect("a file can be made");
        fs::write(file.path(), list).expect("the file can be written");
        let mut node = Command::new("node");
        node.args(["--input-type=module", "--eval", SCRIPT]).arg(file.path()).arg(&self.mermaid);
        let printed = run(node.current_dir(&self.folder));
        let printed = printed.unwrap_or_else(|why| panic!("Chromium cannot be driven: {why}"));
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
    let lines = said.lines().filter(|line| !line.trim().is_empty()).take(6).collect::<Vec<_>>();
    Err(format!("{program}: {}", lines.join(" | ")))
}
