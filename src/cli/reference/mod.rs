//! `reference`: the tables of the reference in a folder of pages, and the skill.

mod commands;
mod exits;
mod formats;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::args::Reach;
use super::files::{self, Disk, STDIN};
use super::{Exit, screen};
use loopwright_core::reference::{self, ReferencePart, SKILL, faults, renewed, stripped};

/// `reference`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct ReferenceArgs {
    /// Print the tables into the pages of this folder. Text around them stays.
    #[arg(long, value_name = "DIR", group = "what")]
    into: Option<PathBuf>,
    /// Write nothing; list what the pages of this folder lack of the language and of this program, and exit with code 1 if
    /// there is anything.
    #[arg(long, value_name = "DIR", group = "what")]
    check: Option<PathBuf>,
    /// Print one page with the whole language, from which a coding agent writes graphs; into FILE, if it is given.
    #[arg(long, value_name = "FILE", group = "what", num_args = 0..=1, default_missing_value = STDIN)]
    skill: Option<PathBuf>,
}

impl ReferenceArgs {
    /// True if it may write a file.
    pub(super) const fn writes(&self) -> bool {
        self.into.is_some() || self.skill.is_some()
    }
}

pub(super) fn run(args: &ReferenceArgs) -> Exit {
    let mut disk = match Disk::new(&Reach::default()) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    match (&args.into, &args.check, &args.skill) {
        (Some(folder), ..) => into(folder, &mut disk),
        (_, Some(folder), _) => check(folder, &mut disk),
        (.., Some(file)) if file != Path::new(STDIN) => write_skill(file, &mut disk),
        _ => screen::data(&skill()),
    }
}

fn write_skill(file: &Path, disk: &mut Disk) -> Exit {
    let written = text(file, disk).and_then(|old| put(file, old.is_some(), &skill(), disk));
    match written {
        Ok(()) => screen::print(&format!("wrote {}\n", screen::line(&file.to_string_lossy()))),
        Err(exit) => exit,
    }
}

/// All parts, by page.
fn pages() -> BTreeMap<&'static str, Vec<ReferencePart>> {
    let mut pages: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for part in
        reference::parts().into_iter().chain(commands::parts()).chain([exits::part(), formats::part()])
    {
        pages.entry(part.page).or_default().push(part);
    }
    pages
}

fn into(folder: &Path, disk: &mut Disk) -> Exit {
    let mut written = String::new();
    for (page, parts) in pages() {
        let path = folder.join(page);
        let old = match text(&path, disk) {
            Ok(old) => old,
            Err(exit) => return exit,
        };
        let new = renewed(&old.clone().unwrap_or_else(|| title(page)), &parts.iter().collect::<Vec<_>>());
        if old.as_ref() == Some(&new) {
            continue;
        }
        if let Err(exit) = put(&path, old.is_some(), &new, disk) {
            return exit;
        }
        let _ = writeln!(written, "wrote {}", screen::line(&path.to_string_lossy()));
    }
    if written.is_empty() {
        written.push_str("nothing to write: all pages are as this program prints them\n");
    }
    screen::print(&written)
}

fn check(folder: &Path, disk: &mut Disk) -> Exit {
    let mut lines = String::new();
    for (page, parts) in pages() {
        let path = folder.join(page);
        let page_text = match text(&path, disk) {
            Ok(page) => page.unwrap_or_default(),
            Err(exit) => return exit,
        };
        let shown = screen::line(&path.to_string_lossy());
        for fault in faults(&page_text, &parts.iter().collect::<Vec<_>>()) {
            let _ = writeln!(lines, "{shown}: {fault}");
        }
    }
    if lines.is_empty() {
        return screen::print("the reference has all that this program has\n");
    }
    screen::print(&lines).worse(Exit::Findings)
}

/// The text of a page; none where it does not exist.
fn text(path: &Path, disk: &mut Disk) -> Result<Option<String>, Exit> {
    if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = disk.place(None, &path.to_string_lossy()).and_then(|place| place.text());
    text.map(Some).map_err(|why| refuse(path, &why.to_string()))
}

/// Writes a page whole or not at all: in the place of one that is there, or as a new file.
fn put(path: &Path, is_there: bool, text: &str, disk: &mut Disk) -> Result<(), Exit> {
    if is_there {
        let replaced = disk.place(None, &path.to_string_lossy()).and_then(|place| place.replace(text));
        return replaced.map_err(|why| refuse(path, &why.to_string()));
    }
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder.and_then(|()| files::write_new(path, text)).map_err(|error| refuse(path, &error.to_string()))
}

fn refuse(path: &Path, why: &str) -> Exit {
    screen::refuse(&format!("{}: {why}", path.display()))
}

/// The heading of a page that does not exist yet: its name.
fn title(page: &str) -> String {
    let name = Path::new(page).file_stem().unwrap_or_default().to_string_lossy().replace('-', " ");
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("# {first}{}\n", letters.as_str())
}

/// The skill with its tables as this program prints them.
fn skill() -> String {
    let pages = pages();
    let parts = pages.get("skill.md").map(|parts| parts.iter().collect::<Vec<_>>()).unwrap_or_default();
    stripped(&renewed(SKILL, &parts))
}
