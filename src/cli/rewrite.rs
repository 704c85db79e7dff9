//! `fmt` and `convert`: graph files written anew.

use std::path::Path;

use similar::TextDiff;

use super::args::{Convert, Fmt, Format, To};
use super::files::{self, Disk, FileKind, STDIN};
use super::{Exit, screen, wrong_kind};
use loopwright_core::model::Loader;
use loopwright_core::source::Sources;
use loopwright_core::syntax::{Refusal, Syntax, outline, write};

/// The result of rewriting one file.
struct Outcome {
    path: String,
    /// Its text before and after; none where it was refused.
    texts: Option<(String, String)>,
}

/// Formats files in place, or checks them.
pub(super) fn format(args: &Fmt) -> Exit {
    let alone = args.paths.len() == 1 && (args.check || matches!(args.format, Format::Human));
    if args.paths.iter().any(|path| path == STDIN) && !alone {
        return screen::refuse("`-` must be the only path: what is read from standard input is printed");
    }
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let paths = match files::find(&args.paths, FileKind::Source, &mut disk) {
        Ok(paths) => paths,
        Err(message) => return screen::refuse(&message),
    };
    let writes = !args.check && !args.diff;
    let mut exit = Exit::Ok;
    let mut outcomes = Vec::new();
    for path in paths {
        match rewrite(&path, &mut disk, |own| own) {
            Ok((_, new)) if path == STDIN && writes => return screen::data(&new),
            Ok((old, new)) => {
                let changes = old != new;
                if changes
                    && writes
                    && let Err(why) = disk.place(None, &path).and_then(|place| place.replace(&new))
                {
                    exit = exit.worse(screen::refuse(&format!("{path}: {why}")));
                    continue;
                }
                if changes && !writes {
                    exit = exit.worse(Exit::Findings);
                }
                outcomes.push(Outcome { path, texts: Some((old, new)) });
            }
            Err(failed) => {
                exit = exit.worse(failed);
                outcomes.push(Outcome { path, texts: None });
            }
        }
    }
    if args.diff {
        return exit.worse(screen::data(&differences(&outcomes)));
    }
    let report = match args.format {
        Format::Human => report(&outcomes, args.check),
        Format::Json => json(&outcomes),
    };
    exit.worse(screen::print(&report))
}

/// Writes a file in the other syntax.
pub(super) fn convert(args: &Convert) -> Exit {
    let to = |own: Syntax| match args.to {
        Some(To::Yaml) => Syntax::Yaml,
        Some(To::Loop) => Syntax::Loop,
        None => own.other(),
    };
    let new = Disk::new(&args.reach).and_then(|mut disk| rewrite(&args.file, &mut disk, to));
    match new {
        Ok((_, new)) => screen::data(&new),
        Err(exit) => exit,
    }
}

/// A file's text, and what it is written anew; faults are reported.
fn rewrite(path: &str, disk: &mut Disk, to: impl Fn(Syntax) -> Syntax) -> Result<(String, String), Exit> {
    if FileKind::Scenarios.is_name(Path::new(path)) {
        let hint = "scenario files are plain YAML, and only graph files are formatted";
        return Err(screen::refuse_with(
            &format!("{path}: {hint}"),
            &wrong_kind::help(path, FileKind::Scenarios),
        ));
    }
    let (name, text) = disk.load(None, path).map_err(|why| screen::refuse(&format!("{path}: {why}")))?;
    if !outline(&text, Syntax::of(&name)).sections {
        let why = format!("{path}: it is not a graph file: no line starts with a section of one");
        return Err(match wrong_kind::kind(path) {
            Some(kind) => screen::refuse_with(&why, &wrong_kind::help(path, kind)),
            None => screen::refuse(&why),
        });
    }
    let mut sources = Sources::new();
    let file = sources.add(name.as_str(), text.as_str());
    match write(&sources, file, to(Syntax::of(&name))) {
        Ok(new) => Ok((text, new)),
        Err(Refusal::Faults(faults)) => {
            screen::findings(&faults, &sources);
            screen::say(&format!("error: {}: it was not changed\n", screen::line(path)));
            Err(Exit::of(&faults).worse(Exit::Findings))
        }
        Err(Refusal::Changed(why)) => {
            Err(screen::refuse(&format!("{path}: it cannot be written so that it means the same: {why}")))
        }
    }
}

/// The lines that change, as a unified diff with three lines around each.
fn differences(outcomes: &[Outcome]) -> String {
    let changed = outcomes.iter().filter_map(|outcome| {
        let (old, new) = outcome.texts.as_ref().filter(|(old, new)| old != new)?;
        let path = screen::line(&outcome.path);
        Some(TextDiff::from_lines(old, new).unified_diff().header(&path, &path).to_string())
    });
    changed.collect()
}

fn report(outcomes: &[Outcome], check: bool) -> String {
    let verb = if check { "would change" } else { "formatted" };
    let mut out = String::new();
    let (mut changed, mut same) = (0, 0);
    for outcome in outcomes {
        match &outcome.texts {
            Some((old, new)) if old != new => {
                changed += 1;
                out.extend([verb, " ", &screen::line(&outcome.path), "\n"]);
            }
            Some(_) => same += 1,
            None => {}
        }
    }
    let refused = outcomes.len() - changed - same;
    let mut parts = Vec::new();
    for (count, what) in [(changed, verb), (same, "unchanged"), (refused, "refused")] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    out + &parts.join(", ") + "\n"
}

fn json(outcomes: &[Outcome]) -> String {
    let files: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            let changed = outcome.texts.as_ref().map(|(old, new)| old != new);
            serde_json::json!({"path": outcome.path, "changed": changed, "refused": outcome.texts.is_none()})
        })
        .collect();
    screen::json(&serde_json::json!({"files": files}))
}
