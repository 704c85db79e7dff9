//! The stored runs, as `doctor` finds them.

use std::fmt::Write;

use crate::cli::screen;
use crate::cli::stored_runs::status;
use loopwright_core::store::{RunSurvey, StoreAddress, Survey};

pub(super) fn human(store: &StoreAddress, survey: &Survey) -> String {
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

pub(super) fn json(survey: &Survey) -> serde_json::Value {
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
