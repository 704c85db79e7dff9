//! `search_files`: the lines that hold a text or fit a regular expression.

use std::fs::File;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::FileCall;
use super::fault::{FileToolFault, shown};
use super::read::bytes_of;
use super::root::{InnerPath, MAX_PARTS, regular_file};
use super::walk::{PathFilter, walk};
use crate::program::function::Pattern;
use crate::value::{List, Map, Value};

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 1000;

/// The longest piece of a line that is shown, in characters.
const MAX_LINE_CHARS: usize = 500;

/// The files of one call that were left out and are named.
const MAX_SKIPPED: usize = 100;

/// The bytes that one call searches.
const MAX_SEARCHED_BYTES: usize = 256 << 20;

/// The longest time that a search takes. A regular expression is read in linear time, but slowly if it is large.
const MAX_TIME: Duration = Duration::from_secs(30);

/// What is looked for.
enum Wanted<'c> {
    Text(&'c str),
    Pattern(Pattern),
}

/// A search in progress.
struct Search<'c> {
    call: &'c FileCall,
    wanted: Wanted<'c>,
    begun: Instant,
    searched: usize,
    matches: Vec<Value>,
    skipped: Vec<Value>,
    cut_off: bool,
}

/// `{pattern: "open:"}` gives `{matches: [{path, line, text}], skipped: [{path, reason}], cut_off}`.
pub(super) fn search(call: &FileCall) -> Result<Value, FileToolFault> {
    let wanted = Wanted::of(call)?;
    let filter = PathFilter::of(call.text("glob"))?;
    let paths = call.args.get("paths").and_then(Value::as_list);
    let mut paths: Vec<InnerPath<'_>> = match paths {
        None => vec![InnerPath::new("")?],
        Some(paths) => {
            paths.iter().filter_map(Value::as_str).map(InnerPath::new).collect::<Result<_, _>>()?
        }
    };
    // Each file is searched once, whatever leads to it.
    paths.sort_by(|a, b| a.parts.cmp(&b.parts));
    paths.dedup_by(|later, earlier| later.parts.starts_with(&earlier.parts));
    let begun = Instant::now();
    let mut search =
        Search { call, wanted, begun, searched: 0, matches: Vec::new(), skipped: Vec::new(), cut_off: false };
    for path in &paths {
        if search.all_of(path, &filter)?.is_break() {
            search.cut_off = true;
            break;
        }
    }
    let mut result = Map::new();
    result.set("matches", List::from(search.matches));
    result.set("skipped", List::from(search.skipped));
    result.set("cut_off", search.cut_off);
    Ok(Value::Map(result))
}

impl<'c> Wanted<'c> {
    fn of(call: &'c FileCall) -> Result<Self, FileToolFault> {
        let pattern = call.text("pattern");
        if pattern.is_empty() {
            return Err(FileToolFault::Argument("`pattern` is empty: every line fits it".to_owned()));
        }
        if pattern.len() > MAX_PATTERN {
            return Err(FileToolFault::Argument(format!("`pattern` is longer than {MAX_PATTERN} bytes")));
        }
        if !call.flag("regex") {
            return Ok(Self::Text(pattern));
        }
        Pattern::new(pattern).map(Self::Pattern).map_err(|fault| FileToolFault::Argument(fault.to_string()))
    }

    fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.contains(text),
            Self::Pattern(pattern) => pattern.is_in(line),
        }
    }
}

impl Search<'_> {
    /// Searches all that a path leads to. A file that is named is searched whatever the glob says.
    fn all_of(
        &mut self,
        path: &InnerPath<'_>,
        filter: &PathFilter,
    ) -> Result<ControlFlow<()>, FileToolFault> {
        let call = self.call;
        if !path.is_folder(call.folder()?)? {
            let file = path.open_file(call.folder()?)?;
            return self.one(&path.plain(), file);
        }
        let end = walk(call, path, MAX_PARTS, |found| {
            if found.folder || !filter.fits(found) {
                return Ok(ControlFlow::Continue(()));
            }
            match regular_file(found.at, found.name) {
                Ok(file) => self.one(found.path, file),
                Err(error) => Ok(self.skip(found.path, super::root::fault(found.path, error).to_string())),
            }
        })?;
        Ok(if end.cut_off { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn one(&mut self, path: &str, file: File) -> Result<ControlFlow<()>, FileToolFault> {
        let max = self.call.max_bytes;
        let bytes = match bytes_of(file, path, max) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(self.skip(path, format!("longer than {max} bytes"))),
            Err(fault) => return Ok(self.skip(path, fault.to_string())),
        };
        if self.searched + bytes.len() > MAX_SEARCHED_BYTES {
            return Ok(ControlFlow::Break(()));
        }
        self.searched += bytes.len();
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        let Some(text) = text else { return Ok(self.skip(path, "not a UTF-8 text".to_owned())) };
        for (number, line) in text.lines().enumerate() {
            if number % 64 == 0 {
                self.go_on()?;
            }
            if !self.wanted.is_in(line) {
                continue;
            }
            if self.matches.len() == self.call.max_results {
                return Ok(ControlFlow::Break(()));
            }
            let mut found = Map::new();
            found.set("path", path);
            found.set("line", i64::try_from(number + 1).unwrap_or(i64::MAX));
            found.set("text", shortened(line));
            self.matches.push(Value::Map(found));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn go_on(&self) -> Result<(), FileToolFault> {
        self.call.go_on()?;
        if self.begun.elapsed() > MAX_TIME { Err(FileToolFault::TooSlow(MAX_TIME.as_secs())) } else { Ok(()) }
    }

    /// Notes that a file was left out.
    fn skip(&mut self, path: &str, reason: String) -> ControlFlow<()> {
        if self.skipped.len() == MAX_SKIPPED {
            self.cut_off = true;
        } else {
            let mut skipped = Map::new();
            skipped.set("path", shown(path));
            skipped.set("reason", reason);
            self.skipped.push(Value::Map(skipped));
        }
        ControlFlow::Continue(())
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
