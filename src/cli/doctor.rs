//! `doctor`: what of the stored runs can be read.

use std::fmt::Write;

use super::args::{Doctor, Format};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::Runs;
use loopwright_core::port::RunStatus;
use loopwright_core::store::{RunSurvey, StoreAddress, Survey};

pub(super) fn run(args: &Doctor) -> Exit {
    stored_runs::look(async {
        let survey = Runs::survey(&args.db).await.map_err(|error| stored_runs::not_open(&error))?;
        let text = match args.format {
            Format::Human => human(&args.db, &survey),
            Format::Json => screen::json(&json(&survey)),
        };
        let exit = if survey.is_whole() { Exit::Ok } else { Exit::Findings };
        Ok(screen::print(&text).worse(exit))
    })
}

fn human(store: &StoreAddress, survey: &Survey) -> String {
    let (shown, whole_store) = match store {
        StoreAddress::File(path) => (screen::path(path), "the file"),
        StoreAddress::Postgres(address) => (screen::line(&address.to_string()), "the database"),
    };
    let whole = survey.runs.iter().filter(|run| run.wrong.is_empty()).count();
    let mut text = match survey.runs.len() {
        1 => format!("{shown}: 1 run, {whole} whole\n"),
        many => format!("{shown}: {many} runs, {whole} whole\n"),
    };
    for wrong in &survey.wrong {
        let _ = writeln!(text, "{whole_store}: {}", screen::line(wrong));
    }
    for run in &survey.runs {
        let _ = write!(text, "{} ({}): ", screen::line(&run.run), status(&run.status, run.driver.is_some()));
        let _ = if run.whole == run.entries {
            writeln!(text, "{} entries, {} events", run.entries, run.events)
        } else {
            writeln!(text, "{} of {} entries can be read, {} events", run.whole, run.entries, run.events)
        };
        for wrong in &run.wrong {
            let _ = writeln!(text, "  {}", screen::line(wrong));
        }
    }
    text
}

/// The state of a run in words for people; `driven` is true where somebody drives it now.
pub(super) fn status(status: &RunStatus, driven: bool) -> String {
    let word = status.word(driven);
    match status {
        RunStatus::Waiting => format!("{word} for a person"),
        RunStatus::Done { outcome, .. } if outcome != word => format!("{word}: {}", screen::line(outcome)),
        _ => word.to_owned(),
    }
}

fn json(survey: &Survey) -> serde_json::Value {
    let run = |run: &RunSurvey| {
        serde_json::json!({
            "run": run.run.as_str(),
            "status": run.status.word(run.driver.is_some()),
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
