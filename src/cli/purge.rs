//! `purge`: removes runs that ended, and answers of models.

use std::fmt::Write;

use super::args::{DB, Engine, Format, Line, RunReferences};
use super::trust::admit_store;
use super::{Exit, engine, screen, stored_runs};
use loopwright_core::drive::SystemClock;
use loopwright_core::machine::Time;
use loopwright_core::port::{Clock, StoreError};
use loopwright_core::store::{Purge, Purged, StoreAddress, Wanted};
use loopwright_core::value::duration;

/// `purge`.
#[derive(Debug, clap::Args)]
pub(super) struct PurgeArgs {
    /// The runs to remove: ids, the beginnings of some, or `last`.
    #[arg(value_name = "RUN", conflicts_with_all = ["older_than", "keep"])]
    runs: Vec<String>,
    /// Remove runs that ended longer ago, such as `30d` or `12h`; with `--answers`, answers that are older.
    #[arg(long, value_name = "TIME", value_parser = time)]
    older_than: Option<i64>,
    /// Remove ended runs, except the N that started last.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Remove the named runs even if they have not ended or are damaged.
    #[arg(long, requires = "runs")]
    unfinished: bool,
    /// Remove cached answers of models.
    #[arg(long)]
    answers: bool,
    /// List what would be removed, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    db: StoreAddress,
    /// Remove the named runs of an engine: `restate=URL`.
    #[arg(
        long,
        value_name = "ENGINE=URL",
        value_parser = Engine::read,
        requires = "runs",
        conflicts_with_all = ["db", "older_than", "keep", "unfinished", "answers", "dry_run", "trust"],
    )]
    engine: Option<Engine>,
    /// Allow a foreign store with this digest.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    trust: Vec<String>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

fn time(text: &str) -> Result<i64, String> {
    match duration::parse(text) {
        Ok(time) if time >= 0 => Ok(time),
        _ => Err("write a number and a unit, such as `30d`, `12h`, `1h30m`".to_owned()),
    }
}

impl PurgeArgs {
    /// The runs that are named.
    pub(super) fn named_runs(&mut self) -> RunReferences<'_> {
        RunReferences { words: self.runs.iter_mut().collect(), engine: self.engine.as_ref(), db: &self.db }
    }

    /// This command line, as a shell reads it.
    fn command(&self) -> String {
        let line = self.runs.iter().fold(Line::of("purge"), |line, run| line.word(run));
        line.flag("--older-than", self.older_than.map(duration::text))
            .flag("--keep", self.keep.map(|many| many.to_string()))
            .switch("--unfinished", self.unfinished)
            .switch("--answers", self.answers)
            .switch("--dry-run", self.dry_run)
            .db(&self.db)
            .text()
    }

    fn wanted(&self, before: Option<Time>) -> Option<Wanted> {
        if !self.runs.is_empty() {
            let runs = self.runs.iter().map(|run| run.as_str().into()).collect();
            return Some(Wanted::Named { runs, unfinished: self.unfinished });
        }
        match (self.keep, before, self.answers) {
            (None, None, false) => None,
            (None, None, true) => Some(Wanted::Nothing),
            (keep, before, _) => Some(Wanted::Ended { before, keep: keep.unwrap_or(0) }),
        }
    }
}

pub(super) fn run(args: &PurgeArgs) -> Exit {
    if let Some(engine) = &args.engine {
        return stored_runs::look(forget(args, engine));
    }
    let before = args.older_than.map(|age| SystemClock::new().now().saturating_sub(age));
    let Some(runs) = args.wanted(before) else {
        return screen::refuse(
            "name what to remove: runs by their ids, `--older-than TIME`, `--keep N`, or `--answers`; `--dry-run` shows it first",
        );
    };
    // For `--dry-run` the store is opened to be written as well.
    if let Err(exit) = admit_store(&args.db, &args.trust, &args.command()) {
        return exit;
    }
    let answers = args.answers.then_some(before.unwrap_or(Time::MAX));
    match args.db.purge(&Purge { runs, answers, dry: args.dry_run }) {
        Ok(purged) => screen::print(&match args.format {
            Format::Human => human(args, &purged),
            Format::Json => screen::json(&json(args, &purged)),
        }),
        Err(error) => screen::refuse(&format!("{error}{}", help(&error))),
    }
}

/// Removes the named runs of an engine.
async fn forget(args: &PurgeArgs, engine: &Engine) -> Result<Exit, Exit> {
    for run in &args.runs {
        engine::forget(engine, run).await?;
        if matches!(args.format, Format::Human) {
            let _ = screen::print(&format!("removed 1 run: {}\n", screen::line(run)));
        }
    }
    Ok(match args.format {
        Format::Human => Exit::Ok,
        Format::Json => screen::print(&screen::json(&serde_json::json!({"runs": args.runs}))),
    })
}

/// Advice for a run that cannot be removed.
const fn help(error: &StoreError) -> &'static str {
    match error {
        StoreError::Unknown(_) => "; `loopwright runs` lists those that are",
        StoreError::Unfinished(_) => "; `--unfinished` removes it nevertheless",
        StoreError::Damaged { .. } => ", and `--unfinished` removes it",
        _ => "",
    }
}

fn human(args: &PurgeArgs, purged: &Purged) -> String {
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let mut text = String::new();
    let mut say = |many: usize, one: &str, more: &str, names: &str| {
        if many > 0 {
            let _ = writeln!(text, "{verb} {many} {}{names}", if many == 1 { one } else { more });
        }
    };
    let names = purged.runs.iter().map(|run| screen::line(run)).collect::<Vec<_>>().join(", ");
    say(purged.runs.len(), "run", "runs", &format!(": {names}"));
    say(purged.programs, "program that no run uses any more", "programs that no run uses any more", "");
    say(purged.answers, "answer of a model", "answers of models", "");
    if purged.is_empty() {
        text += "nothing to remove\n";
    }
    if let Some(why) = &purged.left {
        let _ = writeln!(
            text,
            "the space was not freed: {}; later runs use it, or `purge` again",
            screen::line(why)
        );
    } else if !args.dry_run && purged.after != purged.before {
        let freed = purged.before.saturating_sub(purged.after);
        let _ = writeln!(text, "freed {freed} of {} bytes", purged.before);
    }
    text
}

fn json(args: &PurgeArgs, purged: &Purged) -> serde_json::Value {
    serde_json::json!({
        "dry_run": args.dry_run,
        "runs": purged.runs.iter().map(loopwright_core::value::Str::as_str).collect::<Vec<_>>(),
        "programs": purged.programs,
        "answers": purged.answers,
        "bytes_before": purged.before,
        "bytes_after": purged.after,
        "left": purged.left,
    })
}
