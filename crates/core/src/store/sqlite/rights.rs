//! The right to write a store: its owner has it alone.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::sys::stat::FileStat;

use super::fault::refused;
use crate::port::StoreError;

/// The bit of a mode that lets the file's group write.
const GROUP: u32 = 0o020;

/// The bit of a mode that lets everybody write.
const EVERYBODY: u32 = 0o002;

/// The bit of a folder's mode that lets each user remove only what is theirs.
const STICKY: u32 = 0o1000;

/// Refuses a folder in which others may put files, or in which somebody else may replace what we write. Who only reads
/// takes one in which nobody can replace the files of others.
pub(super) fn of_folder(path: &Path, folder: &Metadata, user: u32, writes: bool) -> Result<(), StoreError> {
    let (mode, owner) = (folder.mode(), folder.uid());
    if writes && user != 0 && owner != user && owner != 0 {
        return Err(refused(path, format!("{}; name a file in a folder of your own with `--db`", of(owner))));
    }
    let Some(who) = others(mode, owner, folder.gid()) else { return Ok(()) };
    if mode & STICKY == 0 {
        return Err(refused(
            path,
            format!(
                "others may put files into this folder (its mode is {:04o}), so a store in it may be anybody's; \
                 to mend that, run: \
                 chmod {who}-w {}",
                mode & 0o7777,
                quoted(path)
            ),
        ));
    }
    if writes {
        let why = "everybody may put files into this folder; name a file in a folder of your own with `--db`";
        return Err(refused(path, why));
    }
    Ok(())
}

/// Refuses a file that others may write.
pub(super) fn of_file(path: &Path, file: &FileStat) -> Result<(), StoreError> {
    let Some(who) = others(file.st_mode, file.st_uid, file.st_gid) else { return Ok(()) };
    Err(refused(
        path,
        format!(
            "others may write this file (its mode is {:04o}), so what it holds may be anybody's; to mend that, run: \
                 chmod {who}-w {}",
            file.st_mode & 0o7777,
            quoted(path)
        ),
    ))
}

/// Refuses to write a file of another user, and one that has another name: it would be changed there as well. Root may write
/// everything.
pub(super) fn to_write(path: &Path, file: &FileStat, user: u32) -> Result<(), StoreError> {
    if user != 0 && file.st_uid != user {
        let owner = of(file.st_uid);
        let why = format!("{owner}, so it can only be read; store runs in a file of your own with `--db`");
        return Err(refused(path, why));
    }
    if file.st_nlink > 1 {
        let own = quoted(path);
        return Err(refused(
            path,
            format!(
                "this file has another name elsewhere (a hard link) and would be changed there as well; to make it one of \
                 its own, run: cp -p {own} {own}.own && mv {own}.own {own}"
            ),
        ));
    }
    Ok(())
}

/// The users but the owner who may write, as `chmod` calls them. A group with the number of its user is that user's
/// own, as most systems make one for each.
const fn others(mode: u32, owner: u32, group: u32) -> Option<&'static str> {
    match (mode & GROUP != 0 && owner != group, mode & EVERYBODY != 0) {
        (_, true) => Some("go"),
        (true, false) => Some("g"),
        (false, false) => None,
    }
}

fn of(owner: u32) -> String {
    format!("this belongs to another user (number {owner})")
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./+,@:".contains(&b);
    if !text.starts_with('-') && text.bytes().all(plain) {
        return text;
    }
    let dash = if text.starts_with('-') { "./" } else { "" };
    format!("'{dash}{}'", text.replace('\'', "'\\''"))
}
