//! `trust`: what a folder asks for is shown, and allowed by its content.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::admit::{is_agreed_to, summary};
use super::configuration::{refuse, trust_words};
use super::{noted_consent, notes};
use crate::cli::args::Format;
use crate::cli::run::is_manned;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::{
    Configuration, ConfigurationFile, FILE_NAME, Note, NoteKind, Notes, StateFolder, digest, withdraw_grants,
};
use loopwright_core::source::Sources;

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
        TrustArgs { remove: true, .. } => remove(&args.file(), args.format),
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
        let file = self.path.join(FILE_NAME);
        file.strip_prefix(".").map(Path::to_owned).unwrap_or(file)
    }
}

fn allow(args: &TrustArgs) -> Result<Exit, Exit> {
    let path = args.file();
    let mut sources = Sources::new();
    let found = Configuration::read(&path, args.path == path, &noted_consent(), &mut sources);
    let found = found.map_err(|fault| refuse(&fault, &sources))?;
    let Some(file) = &found.file else { return Err(Exit::Usage) };
    if let Some(digest) = &args.digest {
        return allow_by_digest(file, digest, args.format);
    }
    if args.format == Format::Json {
        return Ok(screen::print(&screen::json(&document(file, found.trusted))).worse(exit(found.trusted)));
    }
    if found.trusted {
        return Ok(screen::print(&format!("{}all of it is allowed\n", summary(file))));
    }
    if is_manned() {
        if is_agreed_to(file) {
            return Ok(Exit::Ok);
        }
        screen::say("nothing was allowed\n");
        return Ok(Exit::Waiting);
    }
    let summary = format!(
        "{}to allow all of it, until one of these files changes, run:\n  loopwright trust {} --digest {}\n",
        summary(file),
        screen::line(&trust_words(&file.path)),
        file.digest()
    );
    Ok(screen::print(&summary).worse(Exit::Waiting))
}

const fn exit(trusted: bool) -> Exit {
    if trusted { Exit::Ok } else { Exit::Waiting }
}

fn allow_by_digest(file: &ConfigurationFile, digest: &str, format: Format) -> Result<Exit, Exit> {
    let path = screen::line(&file.path.to_string_lossy());
    if file.digest() != digest {
        let text =
            format!("{}this is not the content of that digest; it has {}\n", summary(file), file.digest());
        screen::say(&text);
        return Ok(Exit::Waiting);
    }
    file.allow(&notes()).map_err(|why| screen::refuse(&screen::line(&why)))?;
    if format == Format::Json {
        return Ok(screen::print(&screen::json(&document(file, true))));
    }
    Ok(screen::print(&format!("{path} is allowed, until it changes\n")))
}

fn document(file: &ConfigurationFile, trusted: bool) -> serde_json::Value {
    let Note { version: _, configuration, digest, asks, files } = file.note();
    json!({
        "configuration": configuration, "digest": digest, "allowed": trusted, "asks": asks, "files": files,
        "commands": file.tool_digests(),
    })
}

fn state(notes: &Notes) -> Result<&StateFolder, Exit> {
    notes
        .folder()
        .ok_or_else(|| screen::refuse("nothing is noted: there is no folder for it (HOME or XDG_STATE_HOME)"))
}

fn remove(path: &Path, format: Format) -> Result<Exit, Exit> {
    let notes = notes();
    let state = state(&notes)?;
    let shown = screen::line(&path.to_string_lossy());
    // The file may be gone, and its folder as well.
    let path = std::path::absolute(path).map_err(|error| screen::refuse(&error.to_string()))?;
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
    let real =
        folder.map_or_else(|| path.clone(), |folder| folder.join(path.file_name().unwrap_or_default()));
    let removed = state.forget(NoteKind::Configuration, &[real.as_os_str()]);
    let removed = removed.map_err(|why| screen::refuse(&screen::line(&why)))?;
    let grants = withdraw_grants(state, &real.to_string_lossy());
    let grants = grants.map_err(|why| screen::refuse(&screen::line(&why)))?;
    if !removed && grants == 0 {
        return Err(screen::refuse(&format!("{shown}: nothing was allowed to it")));
    }
    if format == Format::Json {
        let document = json!({"configuration": real.to_string_lossy(), "allowed": false});
        return Ok(screen::print(&screen::json(&document)));
    }
    Ok(screen::print(&format!("{shown}: nothing is allowed to it any more\n")))
}

fn list(format: Format) -> Result<Exit, Exit> {
    let user = notes();
    let notes: Vec<Note> = state(&user)?.all(NoteKind::Configuration);
    let stands = |note: &Note| {
        let path = Path::new(&note.configuration);
        match Configuration::glance(path, &noted_consent()) {
            Some(found) if found.trusted => "as it was allowed",
            Some(_) => "changed since",
            None => "gone, or cannot be read",
        }
    };
    if format == Format::Json {
        let all = notes.iter().map(|note| {
            json!({"configuration": note.configuration, "digest": note.digest, "stands": stands(note)})
        });
        return Ok(screen::print(&screen::json(&serde_json::Value::Array(all.collect()))));
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
