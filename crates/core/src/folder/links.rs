//! The links on the way to what a person names.
//!
//! The words of a command line may be a stranger's, taken from the page that came with the folder. A link in that folder may
//! lead anywhere; one that leads out of the folder is not followed.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use super::FileFault;

/// Refuses a path to a folder on which a link leads out of the repository it lies in, or, where it lies in none, out of the
/// working folder. Links elsewhere are the user's own.
///
/// # Errors
/// [`FileFault::Astray`].
pub fn refuse_links_out(folder: &Path) -> Result<(), FileFault> {
    let Ok(here) = env::current_dir().and_then(fs::canonicalize) else { return Ok(()) };
    let mut place = here.clone();
    for part in folder.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
            }
            Component::RootDir | Component::Prefix(_) => place = PathBuf::from("/"),
            Component::Normal(name) => {
                let next = place.join(name);
                // What is not there leads nowhere; whoever opens it says so.
                let Ok(meta) = fs::symlink_metadata(&next) else { return Ok(()) };
                if !meta.is_symlink() {
                    place = next;
                    continue;
                }
                let Ok(target) = fs::canonicalize(&next) else { return Ok(()) };
                if let Some(left) = ground(&place, &here).filter(|ground| !target.starts_with(ground)) {
                    return Err(FileFault::Astray { link: next, left: left.to_owned(), target });
                }
                place = target;
            }
        }
    }
    Ok(())
}

/// The folder that a link in `folder` must not lead out of.
fn ground<'f>(folder: &'f Path, here: &'f Path) -> Option<&'f Path> {
    let repository = folder.ancestors().find(|above| is_repository(above));
    let own = || Some(here).filter(|here| folder.starts_with(here));
    let is_one = |ground: &&Path| !is_shared(ground);
    repository.filter(is_one).or_else(|| own().filter(is_one))
}

/// Returns true if a folder is a repository, a work tree of its own or a submodule.
#[must_use]
pub fn is_repository(folder: &Path) -> bool {
    // A file in a work tree of its own and in a submodule.
    fs::symlink_metadata(folder.join(".git")).is_ok_and(|meta| meta.is_dir() || meta.is_file())
}

/// Returns true if more than one piece of work lies in a folder: the home folder, one above it, or one that all may write.
#[must_use]
pub fn is_shared(folder: &Path) -> bool {
    let holds = |path: Option<PathBuf>| {
        path.and_then(|path| fs::canonicalize(path).ok()).is_some_and(|path| path.starts_with(folder))
    };
    let everybody = |mode: u32| mode & 0o002 != 0;
    folder.parent().is_none()
        || holds(env::home_dir())
        || fs::canonicalize(env::temp_dir()).is_ok_and(|temp| temp == folder)
        || fs::metadata(folder).map_or(true, |meta| everybody(meta.mode()))
}
