//! `new`: a graph to begin with.

mod template;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use self::template::Template;
use super::args::New;
use super::{Exit, files, screen};
use loopwright_core::folder;

pub(super) fn run(args: &New) -> Exit {
    let name = &args.name;
    let fine = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && name.len() <= 64;
    if !fine {
        return screen::refuse(&format!(
            "`{name}` is not a valid name for a graph: use letters, digits and _, at most 64, not beginning with a digit"
        ));
    }
    let template = Template::of(args.from);
    let places: Vec<_> =
        template.files.iter().map(|(file, _)| tidy(&args.dir, &file.replace("NAME", name))).collect();
    if let Some((_, place)) = places.iter().enumerate().find(|(at, place)| places[..*at].contains(place)) {
        let place = screen::path(place);
        return screen::refuse(&format!(
            "`{name}` is the name of another file of it, {place}: choose another name"
        ));
    }
    for folder in places.iter().map(|place| folder::of(place)) {
        if let Err(fault) = folder::refuse_links_out(folder) {
            return screen::refuse(&format!("{}: {fault}", folder.to_string_lossy()));
        }
    }
    if let Some(there) = places.iter().find(|p| p.exists()) {
        return screen::refuse(&format!("{} is there already; nothing was written", there.to_string_lossy()));
    }
    let mut written = String::new();
    for ((_, text), place) in template.files.iter().zip(&places) {
        let made = fs::create_dir_all(folder::of(place));
        if let Err(error) = made.and_then(|()| files::write_new(place, &template.named(text, name))) {
            return screen::refuse(&format!("{}: {}", place.to_string_lossy(), files::reason(&error)));
        }
        let _ = writeln!(written, "wrote {}", screen::path(place));
    }
    screen::print(&(written + &next(&places, template)))
}

/// The commands to try next.
fn next(places: &[PathBuf], template: &Template) -> String {
    let [graph, scenarios, script, config] = [0, 1, 2, 3].map(|file| screen::path(&places[file]));
    let arguments = template.arguments;
    format!(
        "\nTry it:\n  loopwright check {graph}\n  loopwright test {scenarios}\n  loopwright run {graph} --script {script}{arguments}\n\
         To ask a real model instead of the script, bind one in {config}.\n"
    )
}

/// The place of a file, without a `./` in front.
fn tidy(folder: &Path, file: &str) -> std::path::PathBuf {
    if folder == Path::new(".") { file.into() } else { folder.join(file) }
}
