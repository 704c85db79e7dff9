//! `render`: graphs as drawings.

mod document;
mod into;
mod picture;
mod way;

use serde_json::json;

use self::picture::{Drawn, Trouble};
use super::args::{Format, Render};
use super::files::Disk;
use super::{Exit, check, screen};
use crate::diag;

pub(super) fn run(args: &Render) -> Exit {
    if let Some(document) = &args.into {
        return into::run(document, args.file.as_deref(), args.check);
    }
    // The parser of the command line wants a file where there is no document.
    let file = args.file.as_deref().unwrap_or_default();
    match picture::draw(file, &args.picture, &mut Disk::default()) {
        Ok(drawn) => print(&drawn, args.format),
        Err(trouble) => say(&trouble, ""),
    }
}

fn print(drawn: &Drawn, format: Format) -> Exit {
    match format {
        Format::Human => screen::print(&drawn.text),
        Format::Json => {
            let document = json!({"v": 1, "text": drawn.text, "drawing": drawn.drawing});
            screen::print(&format!("{document:#}\n"))
        }
    }
}

/// Says why something was not drawn; `place` stands before it.
fn say(trouble: &Trouble, place: &str) -> Exit {
    match trouble {
        Trouble::Usage(message) => screen::refuse(&format!("{place}{message}")),
        Trouble::Findings(findings, sources) => {
            if !place.is_empty() {
                screen::say(&format!("{place}the graph has errors\n"));
            }
            screen::say(&diag::text::render(findings, sources, screen::stderr_is_terminal()));
            check::verdict(findings).worse(Exit::Findings)
        }
    }
}
