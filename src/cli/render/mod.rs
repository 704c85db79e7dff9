//! `render`: graphs as drawings.

mod document;
mod into;
mod picture;
mod run_path;
mod trouble;

use std::path::PathBuf;

use serde_json::json;

use self::trouble::Trouble;
use super::args::{Format, Picture, Render};
use super::files::Disk;
use super::{Exit, screen, watch};
use loopwright_core::app::DrawnGraph;

pub(super) fn run(args: &Render) -> Exit {
    if !args.watch {
        return once(args).0;
    }
    let document = args.into.as_ref().map(|path| path.to_string_lossy().into_owned());
    let paths: Vec<String> = args.file.iter().cloned().chain(document).collect();
    watch::run(&paths, || once(args))
}

/// One round: what it ends with, and the files that were read.
fn once(args: &Render) -> (Exit, Vec<PathBuf>) {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return (exit, Vec::new()),
    };
    if let Some(document) = &args.into {
        return (into::run(document, args.file.as_deref(), args.check, &mut disk), disk.read);
    }
    // The parser of the command line wants a file where there is neither a document nor a run.
    let drawn = match (args.file.as_deref(), args.picture.run.as_deref()) {
        (None, Some(run)) => picture::steps(run, &args.picture),
        (file, _) => picture::draw(None, file.unwrap_or_default(), &args.picture, &mut disk),
    };
    let exit = match drawn {
        Ok(drawn) => {
            let exit = print(&drawn, args);
            offer_parts(&drawn, args);
            exit
        }
        Err(trouble) => say(&trouble, ""),
    };
    (exit, disk.read)
}

fn print(drawn: &DrawnGraph, args: &Render) -> Exit {
    let painted = match picture::painted(drawn, args.picture.language) {
        Ok(painted) => painted,
        Err(why) => return screen::refuse(&why),
    };
    let text = match painted.map(String::from_utf8) {
        None => drawn.text.clone(),
        Some(Ok(svg)) => svg,
        Some(Err(png)) if args.format == Format::Human => return screen::bytes(png.as_bytes()),
        Some(Err(_)) => return screen::refuse("a PNG is no text: it has no place in `--format json`"),
    };
    match args.format {
        // A drawing is read by programs.
        Format::Human => screen::data(&text),
        Format::Json => {
            let document = json!({"v": 1, "text": text, "drawing": drawn.drawing});
            screen::print(&screen::json(&document))
        }
    }
}

/// Says how a drawing that is too large to be read can be drawn in parts.
fn offer_parts(drawn: &DrawnGraph, args: &Render) {
    let Picture { view, depth, node, flat, run, .. } = &args.picture;
    let asked = view.is_some() || depth.is_some() || node.is_some() || *flat || run.is_some();
    if args.format != Format::Human || asked {
        return;
    }
    if let Some(parts) = drawn.drawing.parts() {
        let file = args.file.as_deref().unwrap_or_default();
        let count = drawn.drawing.items.len();
        let overview = format!("`loopwright render {file} --depth 1`");
        let nodes = parts.iter().map(|name| format!("`--node {name}`")).collect::<Vec<_>>().join(", ");
        screen::say(&format!(
            "note: a drawing of {count} nodes is hard to read; {overview} draws an overview, and each part alone: {nodes}\n"
        ));
    }
}

/// Says why something was not drawn; `place` is before it.
fn say(trouble: &Trouble, place: &str) -> Exit {
    match trouble {
        Trouble::Reported(exit) => *exit,
        Trouble::Usage(message) => screen::refuse(&format!("{place}{message}")),
        Trouble::Findings(findings, sources) => {
            if !place.is_empty() {
                screen::say(&format!("{place}the graph has errors\n"));
            }
            screen::findings(findings, sources);
            Exit::of(findings).worse(Exit::Findings)
        }
    }
}
