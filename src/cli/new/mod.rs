//! `new`: a graph to begin with.

mod additions;
mod template;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use self::template::Template;
use super::args::New;
use super::{Exit, files, screen};
use loopwright_core::config::Config;
use loopwright_core::folder;
use loopwright_core::source::Sources;
use loopwright_core::syntax::{Syntax, write};

/// The longest name of a graph, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A file to write: its place, and its text.
type NewFile = (PathBuf, String);

pub(super) fn run(args: &New) -> Exit {
    begin(args).unwrap_or_else(|exit| exit)
}

fn begin(args: &New) -> Result<Exit, Exit> {
    let name = &name(&args.name)?;
    let template = Template::of(args.from);
    let new = files(args, template, name)?;
    let mut report = String::new();
    if *name != args.name {
        let _ =
            writeln!(report, "the graph is named `{name}`: names of graphs have letters, digits and _ alone");
    }
    let (config, ignore) = (args.dir.join("loopwright.toml"), args.dir.join(".gitignore"));
    let (config, ignore) = (tidy(&config), tidy(&ignore));
    // All is read and tried before the first file is written.
    let config = addition(config, |there| configuration(there, template))?;
    let ignore = addition(ignore, |there| Ok(additions::ignored(there)))?;
    for (place, text) in &new {
        let made = fs::create_dir_all(folder::of(place));
        if let Err(error) = made.and_then(|()| files::write_new(place, text)) {
            return Err(fault(place, &error));
        }
        let _ = writeln!(report, "wrote {}", screen::path(place));
    }
    for (place, text) in [config, ignore] {
        let Some(text) = text else { continue };
        let verb = if place.exists() { "added to" } else { "wrote" };
        let done =
            if place.exists() { files::replace(&place, &text) } else { files::write_new(&place, &text) };
        done.map_err(|error| fault(&place, &error))?;
        let _ = writeln!(report, "{verb} {}", screen::path(&place));
    }
    Ok(screen::print(&(report + &next(&new, template, &args.dir))))
}

/// The name of the graph: as it is given, or with `_` for what no name has.
fn name(given: &str) -> Result<String, Exit> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let name: String = given.chars().map(|c| if matches!(c, '-' | ' ' | '.') { '_' } else { c }).collect();
    let fine = name.bytes().all(fits)
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && name.len() <= MAX_NAME_BYTES;
    if fine {
        return Ok(name);
    }
    Err(screen::refuse(&format!(
        "`{given}` is not a valid name for a graph: use letters, digits and _, at most 64, not beginning with a digit"
    )))
}

/// The files of the template that are written new, the graph first; refused where one is there.
fn files(args: &New, template: &Template, name: &str) -> Result<Vec<NewFile>, Exit> {
    let in_loop = args.in_loop && Syntax::of(template.graph.0) == Syntax::Yaml;
    let mut new: Vec<NewFile> = Vec::new();
    for (file, text) in template.files() {
        let file = file.replace("NAME", name);
        let (mut file, mut text) = (file, template.named(text, name));
        if in_loop {
            let (old, dsl) = (format!("{name}.yaml"), format!("{name}.loop"));
            text = text.replace(&old, &dsl);
            if file == old {
                (file, text) = (dsl, converted(&old, &text)?);
            }
        }
        let place = tidy(&args.dir.join(file));
        if new.iter().any(|(known, _)| *known == place) {
            let place = screen::path(&place);
            let why = format!("`{name}` is the name of another file of it, {place}: choose another name");
            return Err(screen::refuse(&why));
        }
        new.push((place, text));
    }
    for folder in new.iter().map(|(place, _)| folder::of(place)) {
        if let Err(fault) = folder::refuse_links_out(folder) {
            return Err(screen::refuse(&format!("{}: {fault}", folder.to_string_lossy())));
        }
    }
    if let Some((there, _)) = new.iter().find(|(place, _)| place.exists()) {
        let why = format!("{} is there already; nothing was written", there.to_string_lossy());
        return Err(screen::refuse(&why));
    }
    Ok(new)
}

/// A graph of a template in the other syntax.
fn converted(name: &str, text: &str) -> Result<String, Exit> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    write(&sources, file, Syntax::Loop)
        .map_err(|_| screen::refuse("the template cannot be written in `.loop`"))
}

/// A file that is added to, with its new text; none where it has all that is wanted.
fn addition(
    place: PathBuf,
    add: impl FnOnce(&str) -> Result<Option<String>, Exit>,
) -> Result<(PathBuf, Option<String>), Exit> {
    if place.is_symlink() {
        return Err(screen::refuse(&format!("{} is a link; nothing was written", screen::path(&place))));
    }
    let there = if place.exists() {
        files::data(&place).map_err(|why| screen::refuse(&format!("{}: {why}", screen::path(&place))))?
    } else {
        String::new()
    };
    let text = add(&there)?;
    Ok((place, text))
}

/// The configuration with what the template needs of it.
fn configuration(there: &str, template: &Template) -> Result<Option<String>, Exit> {
    if there.is_empty() {
        return Ok(Some(template.config.to_owned()));
    }
    // A file that is no TOML stays as it is, and its reader says what is wrong with it.
    let text = match additions::configuration(there, template.config) {
        Ok(None) => return Ok(None),
        Ok(Some(text)) => text,
        Err(_) => there.to_owned(),
    };
    let mut sources = Sources::new();
    let file = sources.add("loopwright.toml", text.as_str());
    match Config::read(&text, file) {
        Ok(_) => Ok(Some(text)),
        Err(findings) => {
            screen::findings(&findings, &sources);
            Err(screen::refuse("loopwright.toml cannot be added to; nothing was written"))
        }
    }
}

fn fault(place: &Path, error: &std::io::Error) -> Exit {
    screen::refuse(&format!("{}: {}", place.to_string_lossy(), files::reason(error)))
}

/// The commands to try next.
fn next(new: &[NewFile], template: &Template, folder: &Path) -> String {
    let [graph, scenarios] = [0, 1].map(|file| screen::path(&new[file].0));
    let mut text = format!(
        "\nTry it:\n  loopwright check {graph}\n  loopwright test {scenarios}\n  loopwright run {graph}"
    );
    if template.script.is_some() {
        let config = screen::path(&tidy(&folder.join("loopwright.toml")));
        let _ = write!(text, " --script {}{}", screen::path(&new[2].0), template.arguments);
        let _ = write!(text, "\nTo ask a real model instead of the script, bind one in {config}.");
    }
    text + "\n"
}

/// A place without a `./` in front.
fn tidy(place: &Path) -> PathBuf {
    place.strip_prefix(".").unwrap_or(place).to_owned()
}
