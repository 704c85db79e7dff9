//! The program as a user starts it, in a folder of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder with files, and the program.
pub(crate) struct Desk {
    pub(crate) folder: TempDir,
}

/// What the program printed, and its exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Printed {
    /// The output of a command that did well.
    #[cfg(feature = "restate")]
    pub(crate) fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl Desk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        Self { folder }
    }

    /// The program, for this desk's user in its folder.
    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_loopwright"));
        for variable in ["PGPASSWORD", "PGUSER", "PGHOST", "PGPASSFILE"] {
            program.env_remove(variable);
        }
        program.env("XDG_STATE_HOME", self.folder.path().join(".state")).env("HOME", self.folder.path());
        program.current_dir(self.folder.path()).stdin(Stdio::null());
        program
    }

    /// Runs the program with words split at spaces.
    pub(crate) fn run(&self, words: &str) -> Printed {
        self.run_with(words, &[])
    }

    /// The same with variables of the environment.
    pub(crate) fn run_with(&self, words: &str, variables: &[(&str, &str)]) -> Printed {
        self.printed(&words.split_whitespace().collect::<Vec<_>>(), variables)
    }

    /// Runs the program with words and variables of the environment.
    pub(crate) fn printed(&self, words: &[&str], variables: &[(&str, &str)]) -> Printed {
        let output = self.program().args(words).envs(variables.iter().copied()).output();
        let output = output.expect("the program runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
        Printed { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Allows what the configuration of the folder asks for, by the command that is printed.
    pub(crate) fn trust(&self) {
        let shown = self.run("trust .");
        let line = shown.stdout.lines().find_map(|line| line.strip_prefix("  loopwright "));
        let allowed = self.run(line.unwrap_or_else(|| panic!("no command allows it: {shown:?}")));
        assert_eq!(allowed.code, Some(0), "{allowed:?}");
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}
