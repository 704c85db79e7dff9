//! Files on disk, as the layers below want them: names and texts.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::Reach;
use super::trust::is_trusted_in;
use super::{Exit, screen};
pub(super) use loopwright_core::app::FileKind;
use loopwright_core::app::files_below;
use loopwright_core::drive::{self, Located};
pub(super) use loopwright_core::folder::reason;
use loopwright_core::folder::{self, Folder};
use loopwright_core::model::{LoadError, Loader, beside};
use loopwright_core::syntax::{MAX_BYTES, Syntax};

/// The name under which standard input is read.
pub(super) const STDIN: &str = "-";

/// The largest file that the command line names and that is no graph, in bytes.
const MAX_GIVEN: u64 = 32 << 20;

/// Reads files from the disk; `-` is standard input.
#[derive(Debug, Default)]
pub(super) struct Disk {
    disk: drive::Disk,
    /// Every file read, to be watched.
    pub(super) read: Vec<PathBuf>,
}

impl Disk {
    /// With the root that the command line names, if it does.
    pub(super) fn new(reach: &Reach) -> Result<Self, Exit> {
        let disk = match &reach.root {
            None => drive::Disk::default().trusting(is_trusted_in),
            Some(root) => folder::refuse_links_out(root)
                .map_err(|fault| fault.to_string())
                .and_then(|()| drive::Disk::below(root))
                .map_err(|why| screen::refuse(&format!("--root {}: {why}", screen::path(root))))?,
        };
        Ok(Self { disk, read: Vec::new() })
    }

    /// The disk that it reads from.
    pub(super) fn into_inner(self) -> drive::Disk {
        self.disk
    }

    /// The place of the file that `path` names: in the file `from`, or on the command line.
    pub(super) fn place(&mut self, from: Option<&str>, path: &str) -> Result<Located, LoadError> {
        let place = self.disk.place(from, path)?;
        self.read.push(beside(from, path).into());
        Ok(place)
    }

    /// The name and the text of a file that the command line names and that is no graph, such as a script. It may lie
    /// outside of the graph's root.
    pub(super) fn given(&mut self, path: &str) -> Result<(String, String), String> {
        if is_descriptor(path) {
            let file = std::fs::File::open(path).map_err(|error| reason(&error))?;
            return Ok((path.to_owned(), text(file)?));
        }
        self.read.push(beside(None, path).into());
        drive::Disk::default().load(None, path).map_err(|why| why.to_string())
    }
}

impl Loader for Disk {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        if from.is_none() && path == STDIN {
            let text = text(std::io::stdin())?;
            let extension = match Syntax::guess(&text) {
                Syntax::Yaml => "yaml",
                Syntax::Loop => "loop",
            };
            return Ok((format!("<stdin>.{extension}"), text));
        }
        let text = self.place(from, path)?.text()?;
        Ok((beside(from, path), text))
    }
}

/// A disk on which one file names the graph that is asked for.
pub(super) struct Named<'a> {
    /// The file; none where the command line names the graph.
    pub(super) from: Option<&'a str>,
    pub(super) disk: &'a mut Disk,
}

impl Loader for Named<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        self.disk.load(from.or(self.from), path)
    }
}

/// The text of a file of data that the command line names, such as inputs.
pub(super) fn data(path: &Path) -> Result<String, String> {
    folder::text(path, MAX_GIVEN).map_err(|fault| fault.to_string())
}

/// Writes a file whole or not at all, and never over another one.
pub(super) fn write_new(place: &Path, text: &str) -> std::io::Result<()> {
    put(place, text, |half| std::fs::hard_link(half, place))
}

/// Writes a file whole or not at all, in the place of another one if there is one. Of a link it takes the place, and what the link
/// leads to stays.
pub(super) fn replace(place: &Path, text: &str) -> std::io::Result<()> {
    put(place, text, |half| std::fs::rename(half, place))
}

/// Writes a file beside a place, and lets it take the place.
fn put(place: &Path, text: &str, take: impl Fn(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let half = folder::of(place).join(format!(".{name}.{}.part", std::process::id()));
    let done = std::fs::File::create_new(&half)
        .and_then(|mut file| {
            std::io::Write::write_all(&mut file, text.as_bytes()).and_then(|()| file.sync_all())
        })
        .and_then(|()| take(&half));
    // A file that was renamed is gone already.
    let _ = std::fs::remove_file(&half);
    done
}

/// True for an open file of this process, as shells name what `<(…)` writes. Only the command line may name one.
fn is_descriptor(path: &str) -> bool {
    path.strip_prefix("/dev/fd/").is_some_and(|number| {
        !number.is_empty() && number.len() < 6 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The text of a file: at most a byte more than is allowed is read, so that the reader can say it is too large.
fn text(from: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.utf8_error().error_len().is_none() && error.as_bytes().len() > MAX_BYTES => {
            // The cut fell into a character; the text is too large anyway.
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(error) => Err(format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to())),
    }
}

/// The files a user means: files as named, folders searched for files of the kind, sorted.
pub(super) fn find(paths: &[String], kind: FileKind, disk: &mut Disk) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for path in paths {
        if path != STDIN && Path::new(path).is_dir() {
            let named = |why: String| format!("{path}: {why}");
            disk.disk.refuse_links_out(Path::new(path)).map_err(|fault| named(fault.to_string()))?;
            let folder = Folder::open(Path::new(path)).map_err(|error| named(reason(&error)))?;
            let files = files_below(&folder, kind).map_err(named)?;
            let named = |file: &PathBuf| match path.as_str() {
                "." => file.to_string_lossy().into_owned(),
                _ => Path::new(path).join(file).to_string_lossy().into_owned(),
            };
            found.extend(files.iter().map(named));
            if files.is_empty() {
                let what =
                    if kind == FileKind::Scenarios { "files NAME.scenarios.yaml" } else { "graph files" };
                return Err(format!("{path}: there are no {what} in this folder"));
            }
            disk.disk.name_folder(folder.path());
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}
