//! The real model of the tests.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::parts::skip;

/// The versions that were tried.
const PINNED: &[u8] = include_bytes!("requirements.txt");

/// A folder in which `.ci/model` has installed the model.
pub(super) struct Part {
    folder: PathBuf,
}

impl Part {
    /// The model. [`None`], with a line that says so, where it is not there and need not be.
    pub(super) fn get() -> Option<&'static Self> {
        static PART: OnceLock<Option<Part>> = OnceLock::new();
        let find = || Self::find().inspect_err(|why| skip("no graph is run with a real model", why)).ok();
        PART.get_or_init(find).as_ref()
    }

    fn find() -> Result<Self, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model");
        match fs::read(folder.join("installed")) {
            Ok(pinned) if pinned == PINNED => Ok(Self { folder }),
            Ok(_) => Err("another version is installed; `.ci/model` installs the right one".to_owned()),
            Err(_) => Err("it is not installed; `.ci/model` installs it".to_owned()),
        }
    }

    /// The packages as they came from the registry.
    pub(super) fn wheels(&self) -> PathBuf {
        self.folder.join("wheels")
    }

    /// Serves the model. There is one server at a time, so that two tests do not take the processor from each other, and
    /// each begins afresh, so that nothing of a test before it is left in its memory.
    pub(super) fn serve(&self) -> Server {
        let mut python = Command::new(self.folder.join("venv/bin/python"));
        python
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/llamacpp.py"))
            .arg(self.folder.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
        Server::alone(&mut python)
    }
}

/// A server that ends with its owner, and even if that is killed: its standard input is at its end then.
pub(super) struct Server {
    process: Child,
    /// Its address, as `base_url` wants it.
    pub(super) url: String,
    alone: Option<MutexGuard<'static, ()>>,
}

impl Server {
    /// Starts a program that serves the model: one at a time.
    pub(super) fn alone(command: &mut Command) -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Self::start(command);
        server.alone = Some(alone);
        server
    }

    /// Starts a program that prints its address in its first line.
    pub(super) fn start(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let mut url = String::new();
        let printed = process.stdout.take().expect("its output is piped");
        BufReader::new(printed).read_line(&mut url).expect("its output can be read");
        assert!(url.starts_with("http://127.0.0.1:"), "{command:?} printed {url:?} and no address");
        Self { process, url: url.trim().to_owned(), alone: None }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        // One that has ended cannot be killed, and need not be.
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.alone = None;
    }
}
