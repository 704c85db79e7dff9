//! `doctor`: what of the kept runs can be read.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use super::args::{Doctor, Format};
use super::kept::{self, KeptRun};
use super::{Exit, screen};
use crate::port::{RunStatus, Store};
use crate::store::{RunSurvey, Sqlite, Survey, survey};

/// The advice that the store adds to what it finds. Those who ask here have taken it already.
const ADVICE: &str = "; `loopwright doctor`";

pub(super) fn run(args: &Doctor) -> Exit {
    if let Err(exit) = kept::way(&args.db) {
        return exit;
    }
    let mut survey = match survey(&args.db) {
        Ok(survey) => survey,
        Err(error) => return screen::refuse(&error.to_string()),
    };
    if let Err(exit) = kept::reads(async {
        go_on(&args.db, &mut survey).await;
        Ok(())
    }) {
        return exit;
    }
    let text = match args.format {
        Format::Human => human(&args.db, &survey),
        Format::Json => screen::json(&json(&survey)),
    };
    let exit = if survey.is_whole() { Exit::Ok } else { Exit::Findings };
    screen::print(&text).worse(exit)
}

/// Goes as far with each run as `resume` does before it does anything: its rows may be whole, and the run not.
async fn go_on(path: &Path, survey: &mut Survey) {
    // Where the file as a whole is not, no run of it goes on, and the survey has said so.
    let store: Arc<dyn Store> = match Sqlite::open_to_read(path) {
        Ok(store) => Arc::new(store),
        Err(error) if survey.wrong.is_empty() => return survey.wrong.push(error.to_string()),
        Err(_) => return,
    };
    for run in survey.runs.iter_mut().filter(|run| run.wrong.is_empty()) {
        if let Some(why) = keeps_back(&store, &run.run).await {
            run.wrong.push(why.split(ADVICE).next().unwrap_or(&why).to_owned());
        }
    }
}

/// The fault that keeps a run from going on, if there is one.
async fn keeps_back(store: &Arc<dyn Store>, run: &str) -> Option<String> {
    match store.load(run, None).await {
        // It was cut off before it began: nothing of it was kept but its name.
        Ok(kept) if kept.from == 0 && kept.entries.is_empty() && kept.snapshot.lanes.is_empty() => {
            return None;
        }
        Ok(_) => {}
        Err(error) => return Some(error.to_string()),
    }
    let kept = match KeptRun::read(store.clone(), run).await {
        Ok(kept) => kept,
        Err(broken) => return Some(broken.to_string()),
    };
    kept.stands().await.err().map(|broken| broken.to_string())
}

fn human(path: &Path, survey: &Survey) -> String {
    let whole = survey.runs.iter().filter(|run| run.wrong.is_empty()).count();
    let mut text = match survey.runs.len() {
        1 => format!("{}: 1 run, {whole} whole\n", screen::path(path)),
        many => format!("{}: {many} runs, {whole} whole\n", screen::path(path)),
    };
    for wrong in &survey.wrong {
        let _ = writeln!(text, "the file: {}", screen::line(wrong));
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
