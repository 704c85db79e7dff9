//! A home with things that nobody may see: files, variables, keys. Each holds the mark.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Stands in everything that is secret, and nowhere else.
pub(super) const MARK: &str = "k4n4ry9Zq77x";

/// The folder of the program below the home.
const STATE: &str = ".local/state/loopwright";

/// A home folder.
pub(super) struct Home {
    pub(super) folder: PathBuf,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Home {
    /// Makes one at that place.
    pub(super) fn new(folder: PathBuf) -> Self {
        let secret = |what: &str| format!("{what} {MARK}\nsecond line {MARK}\n");
        let files = [
            (".ssh/id_ed25519", secret("key")),
            (".aws/credentials", secret("[default]\naws_secret_access_key =")),
            (
                "agent.yaml",
                format!("graph: secret\ntitle: {MARK}\nstart: end\nnodes: {{end: {{kind: final}}}}\n"),
            ),
            ("page.md", format!("<!-- loopwright: agent.yaml -->\n{MARK}\n<!-- /loopwright -->\n")),
            (
                "victim",
                secret("a file that is not to be written over, longer than any note of ours: ")
                    + &"x".repeat(200),
            ),
        ];
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        }
        let before = tree(&folder);
        Self { folder, before }
    }

    /// The variables of its owner. One is the key of the owner's own model.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.folder.display().to_string()),
            ("OWN_KEY", format!("own-{MARK}")),
            ("OPENAI_API_KEY", format!("sk-{MARK}")),
            ("AWS_SECRET_ACCESS_KEY", format!("aws-{MARK}")),
        ]
    }

    /// What is no longer as it was, but for the program's own folder; in that the mark may not stand.
    pub(super) fn changes(&self) -> Vec<String> {
        let state = self.folder.join(STATE);
        let now = tree(&self.folder);
        let (own, rest): (Vec<_>, Vec<_>) = now.iter().partition(|(path, _)| path.starts_with(&state));
        let mut found: Vec<String> = own
            .iter()
            .filter(|(_, bytes)| is_marked(bytes))
            .map(|(path, _)| format!("marked: {}", path.display()))
            .collect();
        for (path, bytes) in &rest {
            match self.before.get(*path) {
                Some(old) if old == *bytes => {}
                Some(_) => found.push(format!("written over: {}", path.display())),
                None => found.push(format!("new: {}", path.display())),
            }
        }
        let gone = self.before.keys().filter(|path| !now.contains_key(*path));
        found.extend(gone.map(|path| format!("gone: {}", path.display())));
        found
    }
}

/// Whether bytes hold the mark: as it is, in base64, in hexadecimal, or backwards.
pub(super) fn is_marked(bytes: &[u8]) -> bool {
    let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    let hex = hex();
    let mut needles = vec![MARK.to_owned(), hex, MARK.chars().rev().collect()];
    for before in ["", "B", "Be"] {
        // Without the characters that come from what stands before and after.
        let whole = STANDARD_NO_PAD.encode(format!("{before}{MARK}"));
        needles.push(whole[4..whole.len() - 4].to_owned());
    }
    needles.iter().any(|needle| holds(needle.as_bytes()))
}

/// The mark in hexadecimal.
fn hex() -> String {
    MARK.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Files below a folder with the mark. Links are not followed: what they lead to is elsewhere.
pub(super) fn marked_below(folder: &Path) -> Vec<PathBuf> {
    tree(folder).into_iter().filter(|(_, bytes)| is_marked(bytes)).map(|(path, _)| path).collect()
}

/// All regular files below a folder, with what they hold.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be listed").flatten() {
            let kind = entry.file_type().expect("an entry has a type");
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.insert(entry.path(), fs::read(entry.path()).expect("the file can be read"));
            }
        }
    }
    found
}

#[test]
fn the_mark_is_found_however_it_is_written() {
    let base64 = |before: &str| STANDARD_NO_PAD.encode(format!("{before}{MARK} and more"));
    let hex = hex();
    for text in
        [MARK.to_owned(), format!("key={MARK}\n"), base64(""), base64("x"), base64("xy"), base64("xyz"), hex]
    {
        assert!(is_marked(text.as_bytes()), "{text}");
    }
    assert!(!is_marked(b"k4n4ry9Zq77"));
}
