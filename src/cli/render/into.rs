//! `--into`: the drawings of a document, made anew or checked.

use std::fs;
use std::path::Path;

use clap::Parser;

use super::document::{self, DrawingBlock};
use super::picture;
use super::say;
use super::trouble::Trouble;
use crate::cli::args::{Language, Picture};
use crate::cli::files::{Disk, STDIN};
use crate::cli::{Exit, screen};
use loopwright_core::drive::Located;
use loopwright_core::model::LoadError;
use loopwright_core::render::DrawingFormat;
use loopwright_core::store::StoreAddress;

/// The answer to a marker that asks for a picture.
const PICTURE: &str = "a document holds drawings as text; link to a picture that was written to a file: \
`loopwright render FILE --as svg > PICTURE.svg`";

/// The words of a marker.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Words {
    /// The graph file, beside the document.
    file: String,
    /// The drawing and its form.
    #[command(flatten)]
    picture: Picture,
}

/// Brings a document up to date, or says what is stale in it. With `only`, the blocks of that graph file alone.
pub(super) fn run(document: &Path, only: Option<&str>, check: bool, disk: &mut Disk) -> Exit {
    let shown = screen::path(document);
    let named = document.to_string_lossy();
    let read = disk.place(None, &named).and_then(|place| Ok((place.text()?, place)));
    let (text, place) = match read {
        Ok(read) => read,
        Err(why) => return screen::refuse(&format!("{shown}: {why}")),
    };
    let blocks = match document::blocks(&text) {
        Ok(blocks) => blocks,
        Err((line, why)) => return screen::refuse(&format!("{shown}:{line}: {why}")),
    };
    let mut exit = Exit::Ok;
    let mut wanted = Vec::new();
    for block in blocks {
        match drawn((document, &place), only, &block, disk) {
            Ok(Some(body)) => wanted.push((block, body)),
            Ok(None) => {}
            Err(trouble) => exit = exit.worse(say(&trouble, &format!("{shown}:{}: ", block.line))),
        }
    }
    if exit != Exit::Ok {
        return exit;
    }
    if wanted.is_empty() {
        let whose = only.map(|file| format!(" of {file}")).unwrap_or_default();
        return screen::refuse(&format!("{shown}: there is no `<!-- loopwright: FILE -->`{whose} in it"));
    }
    let new = document::replaced(&text, &wanted);
    if new == text {
        return Exit::Ok;
    }
    if check {
        return stale(document, &text, &wanted);
    }
    match place.replace(&new) {
        Ok(()) => Exit::Ok,
        Err(why) => screen::refuse(&format!("{shown}: {why}")),
    }
}

/// Draws the content of a block; [`None`] if the block is of another graph.
fn drawn(
    (document, place): (&Path, &Located),
    only: Option<&str>,
    block: &DrawingBlock,
    disk: &mut Disk,
) -> Result<Option<String>, Trouble> {
    let mut words = Words::try_parse_from(&block.words).map_err(|error| first_line(&error.to_string()))?;
    if words.file == STDIN {
        return Err("a drawing in a document cannot come from standard input".to_owned().into());
    }
    if matches!(words.picture.language, Some(Language::Svg | Language::Png)) {
        return Err(PICTURE.to_owned().into());
    }
    let folder = document.parent().unwrap_or(Path::new(""));
    let beside = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let file = beside(&words.file);
    if only.is_some_and(|only| !same(only, &file)) {
        return Ok(None);
    }
    // A file that a document names lies below its root, whoever wrote the document.
    let refused = |why: LoadError| Trouble::Usage(why.to_string());
    if let Some(run) = words.picture.run.as_deref()
        && place.beside(run).and_then(|run| run.is_there()).map_err(refused)?
    {
        words.picture.run = Some(beside(run));
    }
    let Some(db) = words.picture.db.file() else {
        // Whoever wrote the document would choose the server to which this user's password goes.
        let why =
            "a drawing in a document cannot come from a database; `render --run RUN --db ADDRESS` prints it";
        return Err(why.to_owned().into());
    };
    place.beside(&db.to_string_lossy()).and_then(|db| db.is_there()).map_err(refused)?;
    words.picture.db = StoreAddress::File(folder.join(db));
    let from = document.to_string_lossy();
    let drawn = picture::draw(Some(&from), &words.file, &words.picture, disk)?;
    let language = if drawn.form == DrawingFormat::Dot { "dot" } else { "mermaid" };
    Ok(Some(block.wanted(language, &drawn.text)))
}

/// True if two paths lead to one file.
fn same(one: &str, other: &str) -> bool {
    let real = |path: &str| fs::canonicalize(path).ok();
    one == other || (real(one).is_some() && real(one) == real(other))
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn stale(document: &Path, text: &str, wanted: &[(DrawingBlock, String)]) -> Exit {
    let shown = screen::path(document);
    let mut out = String::new();
    for (block, body) in wanted {
        if !block.holds(text, body) {
            out.extend([format!(
                "{shown}:{}: the drawing is stale: {}\n",
                block.line,
                screen::line(&block.marker)
            )]);
        }
    }
    out.extend([format!("`loopwright render --into {shown}` updates it\n")]);
    screen::print(&out).worse(Exit::Findings)
}
