use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";

/// A folder `root` with a file, beside a file that is none of it.
fn laid() -> (tempfile::TempDir, Folder) {
    let temp = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir_all(temp.path().join("root/sub")).expect("a folder can be made");
    fs::write(temp.path().join("root/sub/a"), INSIDE).expect("a file can be written");
    fs::write(temp.path().join("a"), OUTSIDE).expect("a file can be written");
    let folder = Folder::open(&temp.path().join("root")).expect("it is there");
    (temp, folder)
}

#[test]
fn a_folder_that_is_swapped_stays_the_one_that_was_opened() {
    let (temp, folder) = laid();
    fs::rename(temp.path().join("root"), temp.path().join("moved")).expect("it can be moved");
    fs::create_dir_all(temp.path().join("root/sub")).expect("a folder can be made");
    fs::write(temp.path().join("root/sub/a"), OUTSIDE).expect("a file can be written");
    assert_eq!(folder.text(Path::new("sub/a"), 100).expect("it is read"), INSIDE);
}

#[test]
fn a_link_that_comes_and_goes_is_never_followed_out() {
    let (temp, folder) = laid();
    let (sub, link) = (temp.path().join("root/sub"), temp.path().join("root/link"));
    symlink(temp.path(), &link).expect("a link can be made");
    let aside = temp.path().join("root/aside");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                // The folder and the link change places.
                let swapped = fs::rename(&sub, &aside).and_then(|()| fs::rename(&link, &sub));
                swapped.and_then(|()| fs::rename(&sub, &link)).expect("they can be renamed");
                fs::rename(&aside, &sub).expect("it can be renamed");
            }
        });
        for _ in 0..2_000 {
            if let Ok(text) = folder.text(Path::new("sub/a"), 100) {
                assert_eq!(text, INSIDE);
            }
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(folder.text(Path::new("sub/a"), 100).expect("it is there again"), INSIDE);
}

#[test]
fn at_most_so_much_is_read() {
    let (_temp, folder) = laid();
    assert_eq!(folder.text(Path::new("sub/a"), 6).expect("it fits"), INSIDE);
    assert!(matches!(folder.text(Path::new("sub/a"), 5), Err(FileFault::TooLarge { bytes: 6, most: 5 })));
    if Path::new("/proc/self/status").exists() {
        let found = text(Path::new("/proc/self/status"), 5);
        assert!(
            matches!(found, Err(FileFault::TooLarge { .. } | FileFault::Outside)),
            "its length is told as 0: {found:?}"
        );
    }
}

#[test]
fn a_place_beside_a_file_stays_below() {
    let place = |from: &str, path: &str| {
        beside(Path::new(from), Path::new(path)).map(|place| place.to_string_lossy().into_owned())
    };
    assert_eq!(place("a/b", "../c").as_deref(), Some("c"));
    assert_eq!(place("a/b", "./d/../c").as_deref(), Some("a/c"));
    assert_eq!(place("a/b", "../../c"), None);
    assert_eq!(place("b", "../x/c"), None);
    assert_eq!(place("b", "/c"), None);
    assert_eq!(place("b", "x/../../b"), None);
}

#[test]
fn what_has_a_link_s_name_is_written_in_its_place() {
    let (temp, folder) = laid();
    symlink(temp.path().join("a"), temp.path().join("root/b")).expect("a link can be made");
    folder.put(Path::new("b"), "new").expect("it is written");
    assert_eq!(fs::read_to_string(temp.path().join("a")).expect("it is there"), OUTSIDE);
    assert_eq!(folder.text(Path::new("b"), 100).expect("it is read"), "new");
    let mode = fs::metadata(temp.path().join("root/b")).expect("it is there").permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
}
