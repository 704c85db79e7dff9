//! `doctor`: what of the kept runs can be read.

use std::fmt::Write;
use std::path::Path;

use super::args::{Doctor, Format};
use super::{Exit, screen};
use crate::port::Status;
use crate::store::{RunSurvey, Survey, survey};

pub(super) fn run(args: &Doctor) -> Exit {
    let survey = match survey(&args.db) {
        Ok(survey) => survey,
        Err(error) => return screen::refuse(&error.to_string()),
    };
    let text = match args.format {
        Format::Human => human(&args.db, &survey),
        Format::Json => format!("{:#}\n", json(&survey)),
    };
    let exit = if survey.is_whole() { Exit::Ok } else { Exit::Findings };
    screen::print(&text).worse(exit)
}

fn human(path: &Path, survey: &Survey) -> String {
    let whole = survey.runs.iter().filter(|run| run.wrong.is_empty()).count();
    let mut text = match survey.runs.len() {
        1 => format!("{}: 1 run, {whole} whole\n", path.display()),
        many => format!("{}: {many} runs, {whole} whole\n", path.display()),
    };
    for wrong in &survey.wrong {
        let _ = writeln!(text, "the file: {wrong}");
    }
    for run in &survey.runs {
        let _ = write!(text, "{} ({}): ", run.run, status(&run.status));
        let _ = if run.whole == run.entries {
            writeln!(text, "{} entries, {} events", run.entries, run.events)
        } else {
            writeln!(text, "{} of {} entries can be read, {} events", run.whole, run.entries, run.events)
        };
        for wrong in &run.wrong {
            let _ = writeln!(text, "  {wrong}");
        }
    }
    text
}

/// How a run stands, for people.
pub(super) fn status(status: &Status) -> String {
    match status {
        Status::Running => "running, or cut off".to_owned(),
        Status::Waiting => "waiting for a person".to_owned(),
        Status::Done { outcome, ok: true } => format!("ended: {outcome}"),
        Status::Done { outcome, ok: false } => format!("failed: {outcome}"),
    }
}

fn json(survey: &Survey) -> serde_json::Value {
    let run = |run: &RunSurvey| {
        serde_json::json!({
            "run": run.run.as_str(),
            "status": status_word(&run.status),
            "entries": run.entries,
            "whole": run.whole,
            "events": run.events,
            "wrong": run.wrong,
        })
    };
    serde_json::json!({
        "whole": survey.is_whole(),
        "wrong": survey.wrong,
        "runs": survey.runs.iter().map(run).collect::<Vec<_>>(),
    })
}

/// How a run stands, in one word.
pub(super) const fn status_word(status: &Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Waiting => "waiting",
        Status::Done { .. } => "done",
    }
}
