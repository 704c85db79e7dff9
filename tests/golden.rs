//! Recorded data that the tests compare with.

use std::path::{Path, PathBuf};

/// A recorded file: from the folder `LOOPWRIGHT_GOLDEN` names, or from `tests/golden` where it is not there.
pub(crate) fn read(name: &str) -> String {
    let path = find(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{} cannot be read: {e}", path.display()))
}

/// Whether [`read`] gives the file that belongs to these tests, not one of a folder that was named.
pub(crate) fn is_own(name: &str) -> bool {
    find(name) == own().join(name)
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn find(name: &str) -> PathBuf {
    let given = std::env::var_os("LOOPWRIGHT_GOLDEN").map(PathBuf::from);
    let path = given.into_iter().chain([own()]).map(|folder| folder.join(name)).find(|path| path.exists());
    path.unwrap_or_else(|| panic!("no folder of recorded data holds {name}"))
}
