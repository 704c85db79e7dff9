//! `man`: manual pages of the program and of every command.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man as Page;

use super::args::{CommandLine, Man};
use super::{Exit, files, screen};
use loopwright_core::folder;

pub(super) fn run(args: &Man) -> Exit {
    let pages = match pages() {
        Ok(pages) => pages,
        Err(error) => return screen::refuse(&files::reason(&error)),
    };
    match &args.into {
        Some(folder) => write(folder, &pages),
        None => pages.first().map_or(Exit::Ok, |(_, text)| screen::data(text)),
    }
}

/// The pages with the names of their files; that of the program comes first.
fn pages() -> io::Result<Vec<(String, String)>> {
    let mut program = CommandLine::command();
    // Gives every command its full name.
    program.build();
    let mut pages = Vec::new();
    add(program, &mut pages)?;
    Ok(pages)
}

/// Adds the page of a command, and those of the commands below it.
fn add(command: clap::Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    let below: Vec<_> = command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
    let page = Page::new(command).source(concat!("loopwright ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text)?;
    pages.push((page.get_filename(), String::from_utf8_lossy(&text).into_owned()));
    below.into_iter().try_for_each(|below| add(below, pages))
}

/// Writes the pages into a folder, over those of another version.
fn write(folder: &Path, pages: &[(String, String)]) -> Exit {
    if let Err(fault) = folder::refuse_links_out(folder) {
        return screen::refuse(&format!("{}: {fault}", screen::path(folder)));
    }
    let mut written = String::new();
    for (name, text) in pages {
        let place = folder.join(name);
        let put = fs::create_dir_all(folder).and_then(|()| files::replace(&place, text));
        if let Err(error) = put {
            return screen::refuse(&format!("{}: {}", screen::path(&place), files::reason(&error)));
        }
        let _ = writeln!(written, "wrote {}", screen::path(&place));
    }
    screen::print(&written)
}
