//! Looking for the key, however it is written.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::KEY;

/// The ways in which the key stands in a text.
pub(super) fn find(bytes: &[u8]) -> Vec<&'static str> {
    let json = serde_json::to_string(KEY).expect("a text is JSON");
    let json = json.trim_matches('"').to_owned();
    let twice = json.replace('\\', "\\\\").replace('"', "\\\"");
    let mut needles = vec![
        // So much of it would be too much already.
        ("plain", KEY[..12].to_owned()),
        ("the end", KEY[KEY.len() - 12..].to_owned()),
        ("JSON", json),
        ("JSON in JSON", twice),
        ("codes", codes(KEY)),
        ("codes in JSON", codes(KEY).replace('\\', "\\\\")),
        ("address", percent(KEY)),
        ("hexadecimal", hex(KEY)),
    ];
    for before in ["", "B", "Be"] {
        // Without the characters that come from what stands before and behind.
        let whole = base64(&format!("{before}{KEY}"));
        needles.push(("base64", whole[4..whole.len() - 4].to_owned()));
    }
    let holds = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
    needles.into_iter().filter(|(_, needle)| holds(needle)).map(|(way, _)| way).collect()
}

/// Every file of a folder in which the key stands, but for those that were there before.
pub(super) fn find_in(folder: &Path, found: &mut Vec<(String, &'static str)>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        if entry.path().is_dir() {
            find_in(&entry.path(), found);
        } else {
            let bytes = fs::read(entry.path()).expect("the file can be read");
            let name = entry.file_name().to_string_lossy().into_owned();
            found.extend(find(&bytes).into_iter().map(|way| (name.clone(), way)));
        }
    }
}

pub(super) fn codes(text: &str) -> String {
    text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<Vec<_>>().concat()
}

pub(super) fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat()
}

pub(super) fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

pub(super) fn base64(text: &str) -> String {
    STANDARD_NO_PAD.encode(text)
}
