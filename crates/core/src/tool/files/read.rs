//! `read_file`: the text of a file.

use std::fs::File;
use std::io::Read;

use super::FileCall;
use super::fault::{FileToolFault, shown};
use super::root::InnerPath;
use crate::value::Value;

/// `{path: "notes/a.txt"}` gives the file's text.
pub(super) fn read(call: &FileCall) -> Result<Value, FileToolFault> {
    let path = InnerPath::new(call.text("path"))?;
    path.split()?;
    let file = path.open_file(call.folder()?)?;
    let text = || shown(path.text);
    let Some(bytes) = bytes_of(file, path.text, call.max_bytes)? else {
        return Err(FileToolFault::TooLong { path: text(), max: call.max_bytes });
    };
    String::from_utf8(bytes).map(Value::from).map_err(|_| FileToolFault::NoText(text()))
}

/// The bytes of a file; none if there are more than `max`.
pub(super) fn bytes_of(file: File, path: &str, max: usize) -> Result<Option<Vec<u8>>, FileToolFault> {
    // One byte more than allowed: the length may have changed since, and some files have none.
    let most = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|error| FileToolFault::Failed {
        path: shown(path),
        done: "read",
        reason: error.to_string(),
    })?;
    Ok(Some(bytes).filter(|bytes| bytes.len() <= max))
}
