//! Recorded data that the tests compare with.

use std::path::{Path, PathBuf};

/// A recorded file: from the folder `LOOPWRIGHT_GOLDEN` names, or from `tests/golden` where it is not there.
pub(crate) fn read(name: &str) -> String {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let given = std::env::var_os("LOOPWRIGHT_GOLDEN").map(PathBuf::from);
    let folders = given.into_iter().chain([own]);
    let path = folders.map(|folder| folder.join(name)).find(|path| path.exists());
    let path = path.unwrap_or_else(|| panic!("no folder of recorded data holds {name}"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{} cannot be read: {e}", path.display()))
}
