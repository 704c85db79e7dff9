//! The root of a graph: the folder below which its files lie.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::folder::{is_repository, is_shared};

/// The configuration that marks a folder, once it is trusted.
const CONFIG: &str = "loopwright.toml";

/// A test that returns true if the user trusts the configuration of a folder.
pub type Trusts = fn(&Path) -> bool;

/// The root of files in a folder, a path without links: the innermost of those above it, or itself, that has a `.git`
/// or a trusted configuration or was named by the user; or the folder alone, where that one may not be a root.
pub(super) fn root<'f>(folder: &'f Path, named: &[PathBuf], trusts: Trusts) -> &'f Path {
    let is_named = |above: &Path| named.iter().any(|folder| folder == above);
    let mark = folder.ancestors().find(|above| is_named(above) || is_marked(above, trusts));
    let fits = |mark: &&Path| !is_shared(mark) && (is_named(mark) || is_own(mark) && is_own_mark(mark));
    mark.filter(fits).unwrap_or(folder)
}

/// The repository of this user's that a folder, a path without links, is part of; the folder alone where it is part of none.
#[must_use]
pub fn repository(folder: &Path) -> &Path {
    root(folder, &[], |_| false)
}

fn is_marked(folder: &Path, trusts: Trusts) -> bool {
    is_repository(folder) || folder.join(CONFIG).is_file() && trusts(folder)
}

fn is_own(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.uid() == nix::unistd::geteuid().as_raw())
}

/// Returns true if nobody else laid the mark there.
fn is_own_mark(folder: &Path) -> bool {
    let repository = folder.join(".git");
    fs::symlink_metadata(&repository).is_err() || is_own(&repository)
}

/// Returns true if a file lies below the root of what lies in the working folder, or its folder is not there.
#[must_use]
pub fn is_at_hand(file: &Path) -> bool {
    let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let (Ok(here), Ok(folder)) = (fs::canonicalize("."), fs::canonicalize(folder)) else { return true };
    folder.starts_with(root(&here, &[], |_| false))
}
