//! The locks of calls: a file for each, in a folder of one owner.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, fstatat};
use nix::unistd::{Pid, UnlinkatFlags, geteuid, getsid, unlinkat};

use super::holder::{Holder, Inode, Lock};
use crate::machine::CallId;

/// The longest time that what holds a lock may take to end once it was killed.
const BOUND: Duration = Duration::from_secs(10);

/// The number of times a lock is tried whose file or folder was taken away in between.
const MAX_LOCK_ATTEMPTS: u32 = 100;

/// The time that a guard waits for a lock to take its file away. What holds it longer made itself a session of its own.
const TIDY: Duration = Duration::from_secs(5);

/// The longest time in which a guard ends what left the group of its command.
const REST: Duration = Duration::from_secs(1);

/// The pause between two looks at a lock.
const PAUSE: Duration = Duration::from_millis(5);

/// The reasons for which there is no lock.
#[derive(Debug, thiserror::Error)]
pub(in crate::tool) enum LockRefusal {
    /// Something of the call is at work.
    #[error("{0}")]
    Held(String),
    /// Nothing of it is, and it cannot begin: the file of the lock, the guard or the program cannot be used.
    #[error("{0}")]
    Failed(String),
}

impl From<io::Error> for LockRefusal {
    fn from(error: io::Error) -> Self {
        Self::Failed(format!("the lock of the call cannot be taken: {error}"))
    }
}

/// A folder of locks.
pub(in crate::tool) struct Locks {
    folder: PathBuf,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Self {
        // A guard works in another folder.
        Self { folder: std::path::absolute(&folder).unwrap_or(folder) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The lock of a call of a tool: a probe has the id of the call it asks after, and a lock of its own.
    pub(in crate::tool) fn name(tool: &str, call: &CallId) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(tool.as_bytes()).update(b"\0").update(call.0.as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Takes a lock. It is given back when the last process is gone that has this file.
    ///
    /// # Errors
    /// Something holds it, or its file cannot be used.
    pub(in crate::tool) fn take(&self, name: &str) -> Result<File, LockRefusal> {
        let mut gone = io::Error::other("others take it away again and again");
        for _ in 0..MAX_LOCK_ATTEMPTS {
            let opened = self.open_folder(true).and_then(|folder| {
                // Whoever inherits it has nothing to write in it.
                let file = open(&folder, name, OFlag::O_CREAT | OFlag::O_RDONLY)?;
                Ok((folder, file))
            });
            let (folder, file) = match opened {
                Ok(opened) => opened,
                // Whoever used it last took the folder away in between.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    gone = error;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            match file.try_lock() {
                Ok(()) if is_at(&folder, name, &file)? => {
                    // The text in it is of another call.
                    open(&folder, name, OFlag::O_WRONLY)?.set_len(0)?;
                    return Ok(file);
                }
                // Its file was taken away in between.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockRefusal::Held(at_work(&file))),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        Err(gone.into())
    }

    /// Returns true if something may hold a lock. A file that nothing holds is taken away.
    pub(in crate::tool) fn is_held(&self, name: &str) -> bool {
        match self.held(name) {
            Ok(held) => held.is_some(),
            // The log has more.
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Ends what holds a lock, and waits for that: says what was ended, or nothing if nothing held it.
    ///
    /// # Errors
    /// It cannot be ended from here, or does not end.
    pub(in crate::tool) fn clear(&self, name: &str) -> Result<Option<String>, LockRefusal> {
        let end = Instant::now() + BOUND;
        let mut ended = None;
        loop {
            let file = match self.held(name) {
                Ok(None) => return Ok(ended),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ended),
                Err(error) => return Err(error.into()),
                Ok(Some(file)) => file,
            };
            let lock = Lock { name, inode: inode(&file)? };
            let description = match Holder::read(&text(&file)) {
                Some(holder) => {
                    if let Some(place) = holder.elsewhere() {
                        return Err(LockRefusal::Held(format!("it is still at work {place}")));
                    }
                    (holder.end(&lock) || ended.is_none()).then(|| holder.description())
                }
                // Its group has ended.
                None => (lock.end() > 0).then(|| "what it started".to_owned()),
            };
            ended = description.or(ended);
            if Instant::now() >= end {
                return Err(LockRefusal::Held(at_work(&file)));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Takes the file of a lock away, once nothing holds it.
    pub(super) fn remove(&self, name: &str) {
        let end = Instant::now() + TIDY;
        let mut pause = Duration::from_millis(1);
        while matches!(self.held(name), Ok(Some(_))) && Instant::now() < end {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// Takes away what earlier processes left: files that nothing holds.
    pub(super) fn sweep(&self) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str() {
                let _held = self.held(name);
            }
        }
    }

    /// Ends what is left of a call in this session once its group has ended: what left the group and kept the lock. What has
    /// made itself a session is left alone. Waits a moment for that.
    pub(super) fn end_rest(&self, name: &str) {
        // The group has ended: the file says nothing of it from here on.
        let emptied =
            self.open_folder(false).and_then(|folder| open(&folder, name, OFlag::O_WRONLY)?.set_len(0));
        let session = getsid(None).map(Pid::as_raw);
        let end = Instant::now() + REST;
        while emptied.is_ok()
            && let Ok(Some(file)) = self.held(name)
            && let Ok(inode) = inode(&file)
        {
            let lock = Lock { name, inode };
            let ended = lock.holders().filter(|one| Ok(one.stat.session) == session && one.kill()).count();
            if ended == 0 || Instant::now() >= end {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The file of a lock if something holds it, or something of the group that held it continues without it; otherwise
    /// it is taken away.
    fn held(&self, name: &str) -> io::Result<Option<File>> {
        let folder = self.open_folder(false)?;
        let file = open(&folder, name, OFlag::O_RDONLY)?;
        match file.try_lock() {
            Ok(()) => {
                let lock = Lock { name, inode: inode(&file)? };
                // A guard that ended by itself left nothing there.
                if Holder::read(&text(&file)).is_some_and(|holder| holder.rest(&lock).next().is_some()) {
                    return Ok(Some(file));
                }
                if is_at(&folder, name, &file)? {
                    unlinkat(&folder, name, UnlinkatFlags::NoRemoveDir)?;
                }
                Ok(None)
            }
            Err(TryLockError::WouldBlock) => Ok(Some(file)),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The folder, if it is one, and nobody else can write in it.
    fn open_folder(&self, make: bool) -> io::Result<File> {
        if make
            && let Err(error) = std::fs::DirBuilder::new().mode(0o700).create(&self.folder)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
        let folder = File::options().read(true).custom_flags(flags.bits()).open(&self.folder)?;
        let metadata = folder.metadata()?;
        if metadata.uid() != geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
            let why = format!("{} is not yours alone: others can write in it", self.folder.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(folder)
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        // A folder that others hold, or have put files in since, stays.
        let _others_use_it = std::fs::remove_dir(&self.folder);
    }
}

fn inode(file: &File) -> io::Result<Inode> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

fn open(folder: &File, name: &str, flags: OFlag) -> io::Result<File> {
    let flags = flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(openat(folder.as_fd(), name, flags, Mode::S_IRUSR | Mode::S_IWUSR)?.into())
}

/// Returns true if a file still has its name.
fn is_at(folder: &File, name: &str, file: &File) -> io::Result<bool> {
    let own = file.metadata()?;
    match fstatat(folder.as_fd(), name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(there) => Ok((there.st_ino, there.st_dev) == (own.ino(), own.dev())),
        Err(Errno::ENOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The text of a file; a part that is missing may be on its way.
fn text(file: &File) -> String {
    // A lock says little; more is not read.
    let mut text = [0; 1024];
    let many = file.read_at(&mut text, 0).unwrap_or_default();
    String::from_utf8_lossy(&text[..many]).into_owned()
}

fn at_work(file: &File) -> String {
    let by = Holder::read(&text(file)).map(|holder| holder.description_now(file)).unwrap_or_default();
    format!("it is still at work{by}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locks() -> (tempfile::TempDir, Locks) {
        let folder = tempfile::tempdir().expect("a folder");
        let locks = Locks::new(folder.path().join("calls"));
        (folder, locks)
    }

    #[test]
    fn a_lock_is_for_its_owner_alone_and_leaves_nothing_behind() {
        let (folder, locks) = locks();
        let file = locks.take("one").expect("it is free");
        let modes = [locks.folder().to_owned(), locks.folder().join("one")];
        let modes = modes.map(|path| path.metadata().expect("it is there").mode() & 0o777);
        assert_eq!(modes, [0o700, 0o600]);
        assert!(locks.is_held("one"));
        drop(file);
        assert!(!locks.is_held("one"));
        assert_eq!(std::fs::read_dir(locks.folder()).expect("a folder").count(), 0);
        drop(locks);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn no_link_is_followed_and_no_folder_of_others_used() {
        let (folder, locks) = locks();
        std::fs::create_dir(folder.path().join("other")).expect("a folder");
        std::os::unix::fs::symlink("other", folder.path().join("calls")).expect("a link");
        assert!(matches!(locks.take("one"), Err(LockRefusal::Failed(_))));
        assert_eq!(std::fs::read_dir(folder.path().join("other")).expect("a folder").count(), 0);
        std::fs::remove_file(folder.path().join("calls")).expect("it was a link");
        std::fs::DirBuilder::new().create(folder.path().join("calls")).expect("a folder");
        let open: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path().join("calls"), open).expect("it is mine");
        assert!(matches!(locks.take("one"), Err(LockRefusal::Failed(_))));
    }

    #[test]
    fn a_probe_has_a_lock_of_its_own() {
        let call = CallId("r:pay#1.1".into());
        assert_ne!(Locks::name("pay", &call), Locks::name("paid", &call));
    }
}
