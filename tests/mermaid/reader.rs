//! Mermaid itself, run by Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value as Json;

/// How many diagrams one process reads.
const AT_ONCE: usize = 200;

/// A folder in which Mermaid is installed.
pub(super) struct Reader {
    folder: PathBuf,
}

impl Reader {
    /// Installs Mermaid once, under the target folder. [`None`], with a line that says so, where it cannot be had and need not.
    pub(super) fn get() -> Option<&'static Self> {
        static READER: OnceLock<Result<Reader, String>> = OnceLock::new();
        match READER.get_or_init(Self::install) {
            Ok(reader) => Some(reader),
            Err(why) => {
                let required = std::env::var_os("LOOPWRIGHT_REQUIRE").is_some();
                assert!(!required, "drawings cannot be read back with Mermaid: {why}");
                eprintln!("skipped: drawings are not read back with Mermaid: {why}");
                None
            }
        }
    }

    fn install() -> Result<Self, String> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mermaid");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mermaid");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let lock = fs::read(own.join("package-lock.json")).map_err(|error| error.to_string())?;
        let done = folder.join("installed");
        if fs::read(&done).ok().as_ref() != Some(&lock) {
            for file in ["package.json", "package-lock.json"] {
                fs::copy(own.join(file), folder.join(file)).map_err(|error| error.to_string())?;
            }
            let npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
            run(Command::new("npm").args(npm).current_dir(&folder))?;
            fs::write(&done, lock).map_err(|error| error.to_string())?;
        }
        fs::copy(own.join("read.mjs"), folder.join("read.mjs")).map_err(|error| error.to_string())?;
        run(Command::new("node").arg("--version"))?;
        Ok(Self { folder })
    }

    /// What Mermaid sees in each text: `{nodes, edges}` or `{error}`.
    pub(super) fn read(&self, texts: &[&str]) -> Vec<Json> {
        // Mermaid slows down from diagram to diagram, so that it is begun anew now and then.
        texts.chunks(AT_ONCE).flat_map(|texts| self.read_some(texts)).collect()
    }

    fn read_some(&self, texts: &[&str]) -> Vec<Json> {
        let texts = serde_json::to_vec(texts).expect("texts can be written as JSON");
        let file = tempfile::NamedTempFile::new().expect("a file can be made");
        fs::write(file.path(), texts).expect("the file can be written");
        let mut node = Command::new("node");
        let printed = run(node.arg("read.mjs").arg(file.path()).current_dir(&self.folder));
        let printed = printed.unwrap_or_else(|why| panic!("Mermaid cannot be run: {why}"));
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
