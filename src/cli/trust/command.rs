//! `trust`: what a folder asks for is shown, and allowed by its content.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::configuration::{Configuration, Named};
use super::note::Note;
use super::{Digests, digest, notes};
use crate::cli::args::Format;
use crate::cli::run::is_manned;
use crate::cli::state::{Kind, State};
use crate::cli::{Exit, screen};
use crate::source::Sources;

/// `trust`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TrustArgs {
    /// The folder with the `loopwright.toml`, or the configuration itself.
    #[arg(value_name = "FOLDER|FILE", default_value = ".", conflicts_with = "list")]
    path: PathBuf,
    /// Allow the content with this digest without asking.
    #[arg(long, value_name = "DIGEST", value_parser = digest, conflicts_with_all = ["remove", "list"])]
    digest: Option<String>,
    /// Withdraw the consent and the grants of its commands.
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// List the configurations that were allowed.
    #[arg(long)]
    list: bool,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

pub(in crate::cli) fn run(args: &TrustArgs) -> Exit {
    let done = match args {
        TrustArgs { list: true, .. } => list(args.format),
        TrustArgs { remove: true, .. } => remove(&args.file()),
        _ => allow(args),
    };
    done.unwrap_or_else(|exit| exit)
}

impl TrustArgs {
    /// The configuration that is meant.
    fn file(&self) -> PathBuf {
        if !self.path.is_dir() {
            return self.path.clone();
        }
        let file = self.path.join(super::configuration::NAME);
        file.strip_prefix(".").map(Path::to_owned).unwrap_or(file)
    }
}

fn allow(args: &TrustArgs) -> Result<Exit, Exit> {
    let path = args.file();
    let found = Configuration::read(&path, args.path == path, &Digests::default(), &mut Sources::new())?;
    let Some(file) = &found.file else { return Err(Exit::Usage) };
    if let Some(digest) = &args.digest {
        return allow_by_digest(file, digest);
    }
    if args.format == Format::Json {
        return Ok(
            screen::print(&format!("{:#}\n", document(file, found.trusted))).worse(exit(found.trusted))
        );
    }
    if found.trusted {
        return Ok(screen::print(&format!("{}all of it is allowed\n", file.summary())));
    }
    if is_manned() {
        if file.is_agreed_to() {
            return Ok(Exit::Ok);
        }
        screen::say("nothing was allowed\n");
        return Ok(Exit::Waiting);
    }
    let summary = format!(
        "{}to allow all of it, until one of these files changes, run:\n  loopwright trust {} --digest {}\n",
        file.summary(),
        screen::line(&file.words()),
        file.seal.digest
    );
    Ok(screen::print(&summary).worse(Exit::Waiting))
}

const fn exit(trusted: bool) -> Exit {
    if trusted { Exit::Ok } else { Exit::Waiting }
}

fn allow_by_digest(file: &Named, digest: &str) -> Result<Exit, Exit> {
    let path = screen::line(&file.path.to_string_lossy());
    if file.seal.digest != *digest {
        let text = format!(
            "{}this is not the content of that digest; it has {}\n",
            file.summary(),
            file.seal.digest
        );
        screen::say(&text);
        return Ok(Exit::Waiting);
    }
    file.allow().map_err(|why| screen::refuse(&screen::line(&why)))?;
    Ok(screen::print(&format!("{path} is allowed, until it changes\n")))
}

fn document(file: &Named, trusted: bool) -> serde_json::Value {
    let Note { version: _, configuration, digest, asks, files } = file.note();
    let commands: BTreeMap<&str, &str> =
        file.seal.commands.iter().map(|(name, own)| (name.as_str(), own.digest.as_str())).collect();
    json!({
        "configuration": configuration, "digest": digest, "allowed": trusted, "asks": asks, "files": files,
        "commands": commands,
    })
}

fn state() -> Result<&'static State, Exit> {
    notes()
        .ok_or_else(|| screen::refuse("nothing is noted: there is no folder for it (HOME or XDG_STATE_HOME)"))
}

fn remove(path: &Path) -> Result<Exit, Exit> {
    let state = state()?;
    let shown = screen::line(&path.to_string_lossy());
    // The file may be gone, and its folder as well.
    let path = std::path::absolute(path).map_err(|error| screen::refuse(&error.to_string()))?;
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
    let real =
        folder.map_or_else(|| path.clone(), |folder| folder.join(path.file_name().unwrap_or_default()));
    let removed = state.forget(Kind::Configuration, &[real.as_os_str()]);
    let removed = removed.map_err(|why| screen::refuse(&screen::line(&why)))?;
    let grants = super::grants::take_back(state, &real.to_string_lossy());
    let grants = grants.map_err(|why| screen::refuse(&screen::line(&why)))?;
    if !removed && grants == 0 {
        return Err(screen::refuse(&format!("{shown}: nothing was allowed to it")));
    }
    Ok(screen::print(&format!("{shown}: nothing is allowed to it any more\n")))
}

fn list(format: Format) -> Result<Exit, Exit> {
    let notes: Vec<Note> = state()?.all(Kind::Configuration);
    let stands = |note: &Note| {
        let path = Path::new(&note.configuration);
        match Configuration::glance(path, &Digests::default()) {
            Some(found) if found.trusted => "as it was allowed",
            Some(_) => "changed since",
            None => "gone, or cannot be read",
        }
    };
    if format == Format::Json {
        let all = notes.iter().map(|note| {
            json!({"configuration": note.configuration, "digest": note.digest, "stands": stands(note)})
        });
        return Ok(screen::print(&format!("{:#}\n", serde_json::Value::Array(all.collect()))));
    }
    let mut text = String::new();
    for note in &notes {
        let _ = writeln!(text, "{}: {}", screen::line(&note.configuration), stands(note));
    }
    if notes.is_empty() {
        text.push_str("no configuration was allowed\n");
    }
    Ok(screen::print(&text))
}
