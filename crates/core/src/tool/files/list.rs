//! `list_files`: the files and folders below a folder.

use std::ops::ControlFlow;

use super::FileCall;
use super::fault::FileToolFault;
use super::root::{InnerPath, MAX_PARTS};
use super::walk::{PathFilter, walk};
use crate::value::{List, Map, Value};

/// `{path: "notes", glob: "*.md", depth: 2}` gives `{files, folders, skipped, cut_off}`.
pub(super) fn list(call: &FileCall) -> Result<Value, FileToolFault> {
    let path = InnerPath::new(call.text("path"))?;
    let filter = PathFilter::of(call.text("glob"))?;
    let depth = call
        .args
        .get("depth")
        .and_then(Value::as_int)
        .map_or(MAX_PARTS, |depth| usize::try_from(depth).unwrap_or(MAX_PARTS));
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    let end = walk(call, &path, depth, |found| {
        if !filter.fits(found) {
            return Ok(ControlFlow::Continue(()));
        }
        if files.len() + folders.len() == call.max_results {
            return Ok(ControlFlow::Break(()));
        }
        if found.folder { &mut folders } else { &mut files }.push(Value::from(found.path));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut listing = Map::new();
    listing.set("files", List::from(files));
    listing.set("folders", List::from(folders));
    listing.set("skipped", end.skipped);
    listing.set("cut_off", end.cut_off);
    Ok(Value::Map(listing))
}
