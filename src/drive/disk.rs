//! Graph files on disk.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;

use crate::check::{Checked, check_file};
use crate::diag::Diagnostic;
use crate::model::{Loader, beside};
use crate::program::{Program, compile};
use crate::source::Sources;

/// The largest file that is read, in bytes; a larger one is refused before it takes any memory.
const MAX_BYTES: u64 = 8 << 20;

/// Reads graph files and the files they name from disk. Paths that were handed in are relative to the working folder,
/// those in a file to that file's folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Loader for Disk {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), String> {
        let name = beside(from, path);
        let text = read(Path::new(&name))?;
        Ok((name, text))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let meta = fs::metadata(path).map_err(|error| reason(&error))?;
    if !meta.is_file() {
        return Err("it is no file".to_owned());
    }
    if meta.len() > MAX_BYTES {
        return Err(format!("it has {} bytes; at most {MAX_BYTES} are read", meta.len()));
    }
    let bytes = fs::read(path).map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())
}

/// Why a file could not be read, in words without a number where there are some.
#[must_use]
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        std::io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        std::io::ErrorKind::FileTooLarge => {
            "the file would grow past the limit that is set for it (`ulimit -f`)".to_owned()
        }
        _ if error.raw_os_error() == Some(Errno::EMFILE as i32) => {
            "this process may open no more files (`ulimit -n`)".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Reads, checks and compiles the graph at `path`.
///
/// # Errors
/// All findings, if one of them keeps the graph from running.
pub fn open(
    sources: &mut Sources,
    loader: &mut dyn Loader,
    path: &str,
) -> Result<Arc<Program>, Vec<Diagnostic>> {
    let checked = check_file(sources, loader, path);
    program(checked)
}

fn program(checked: Checked) -> Result<Arc<Program>, Vec<Diagnostic>> {
    if !checked.is_sound() {
        return Err(checked.findings);
    }
    let Some(model) = &checked.model else { return Err(checked.findings) };
    compile(model).map(Arc::new).map_err(|faults| faults.iter().map(Diagnostic::from).collect())
}
