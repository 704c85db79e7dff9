//! `runs`: the stored runs.

use std::fmt::Write;

use super::args::{Format, Runs, runs_place};
use super::stored_runs::status;
use super::{Exit, screen, stored_runs};
use loopwright_core::machine::timestamp;
use loopwright_core::port::{ListedRun, RunStatus};

/// The precision of times for people, in nanoseconds.
const SECOND_NS: i64 = 1_000_000_000;

pub(super) fn run(args: &Runs) -> Exit {
    stored_runs::look(async {
        let mut rows = stored_runs::open_at(args.engine.as_ref(), &args.db)?
            .list()
            .await
            .map_err(|error| stored_runs::refuse(runs_place(args.engine.as_ref(), &args.db), &error))?;
        rows.retain(|row| {
            let word = row.info.status.word(row.driver.is_some());
            args.status.as_ref().is_none_or(|status| status == word)
                && args.graph.as_ref().is_none_or(|graph| *graph == row.info.graph)
        });
        rows.drain(..rows.len().saturating_sub(args.last.unwrap_or(usize::MAX)));
        let text = match args.format {
            Format::Human => human(&rows),
            Format::Json => screen::json(&rows.iter().map(json).collect()),
        };
        let damaged = rows.iter().any(|row| row.steps.is_none());
        Ok(screen::print(&text).worse(if damaged { Exit::Findings } else { Exit::Ok }))
    })
}

fn human(rows: &[ListedRun]) -> String {
    if rows.is_empty() {
        return "no run is stored here\n".to_owned();
    }
    let head = ["RUN", "GRAPH", "STATUS", "STEPS", "STARTED"].map(str::to_owned);
    let cells = rows.iter().map(|ListedRun { info, steps, driver, .. }| {
        let status = if steps.is_some() {
            status(&info.status, driver.is_some())
        } else {
            "damaged (see `doctor`)".to_owned()
        };
        let steps = steps.map_or("?".to_owned(), |steps| steps.to_string());
        let cells = [
            info.run.to_string(),
            info.graph.to_string(),
            status,
            steps,
            timestamp(info.started - info.started.rem_euclid(SECOND_NS)),
        ];
        cells.map(|cell| screen::line(&cell))
    });
    let table: Vec<_> = std::iter::once(head).chain(cells).collect();
    let widest = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [widest(0), widest(1), widest(2), widest(3)];
    table.iter().fold(String::new(), |mut text, [run, graph, status, steps, started]| {
        let [a, b, c, d] = widths;
        let _ = writeln!(text, "{run:a$}  {graph:b$}  {status:c$}  {steps:>d$}  {started}");
        text
    })
}

fn json(ListedRun { info, steps, driver, .. }: &ListedRun) -> serde_json::Value {
    let mut row = serde_json::json!({
        "run": info.run.as_str(),
        "graph": info.graph.as_str(),
        "program": info.program.as_str(),
        "status": if steps.is_some() { info.status.word(driver.is_some()) } else { "damaged" },
        "started": timestamp(info.started),
        "steps": steps,
    });
    if let Some(driver) = driver {
        row["driver"] = driver.as_str().into();
    }
    if let RunStatus::Done { outcome, ok } = &info.status {
        row["outcome"] = outcome.as_str().into();
        row["ok"] = (*ok).into();
    }
    row
}
