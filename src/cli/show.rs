//! `show`: where a stored run is, or was at a step.

use std::fmt::Write;

use serde_json::Value as Json;

use super::args::{Format, Show, runs_place};
use super::{Exit, screen, stored_runs};
use loopwright_core::app::{LaneReport, RunReport};

pub(super) fn run(args: &Show) -> Exit {
    stored_runs::look(async {
        let place = runs_place(args.engine.as_ref(), &args.db);
        let runs = stored_runs::open_at(args.engine.as_ref(), &args.db)?;
        let stored = match args.at {
            None => stored_runs::find(runs, place, &args.run).await?,
            Some(_) => stored_runs::find_whole(runs, place, &args.run).await?,
        };
        let snapshot = stored.state(args.at).await.map_err(|error| stored_runs::unread(place, &error))?;
        // At an earlier step it may have gone by another program.
        let program = stored.by(&snapshot.program).unwrap_or(&stored.program);
        let driver =
            stored.store.driver(&args.run).await.map_err(|error| stored_runs::refuse(place, &error))?;
        let report = RunReport { info: &stored.info, driver, program, snapshot: &snapshot, at: args.at };
        Ok(screen::print(&match args.format {
            Format::Human => human(&report),
            Format::Json => screen::json(&report.json()),
        }))
    })
}

/// A run at one step, for people.
fn human(report: &RunReport<'_>) -> String {
    let RunReport { info, snapshot, at, .. } = report;
    let mut text = format!("run {} of graph {}\n", screen::line(&info.run), screen::line(&info.graph));
    let _ = writeln!(text, "step: {}", snapshot.step());
    match &snapshot.done {
        Some(done) => {
            if at.is_none() {
                let _ = writeln!(text, "status: {}", info.status.word(false));
            }
            let _ = writeln!(text, "outcome: {}", stored_runs::outcome(done));
        }
        None if at.is_none() => {
            let by = report.driver.as_ref().map(|driver| format!(" (driven by {})", screen::line(driver)));
            let status = stored_runs::status(&info.status, by.is_some());
            let _ = writeln!(text, "status: {status}{}", by.unwrap_or_default());
        }
        None => {}
    }
    for lane in report.lanes() {
        write_lane(lane, &mut text);
    }
    text
}

/// A lane for people; what belongs to a called graph is set in.
fn write_lane(report: LaneReport<'_>, text: &mut String) {
    let (graph, lane) = (report.graph(), report.lane);
    let inner = if lane.parent.is_some() { "  " } else { "" };
    if lane.parent.is_some() {
        let _ = writeln!(text, "graph {} ({}):", graph.id, screen::line(&lane.path));
    }
    let stands = match (report.has_entered(), report.has_ended()) {
        (_, true) => "ended at",
        (true, false) => "at",
        (false, false) => "about to enter",
    };
    let _ = writeln!(text, "{inner}{stands}: {}", report.place());
    let state = report.state();
    if !state.is_empty() {
        let _ = writeln!(text, "{inner}state:");
    }
    for (name, value) in &state {
        let value = value.to_json().to_string();
        let _ = writeln!(text, "{inner}  {}: {}", screen::line(name), screen::line(&value));
    }
    let budgets = report.budgets();
    if !budgets.is_empty() {
        let _ = writeln!(text, "{inner}budgets:");
    }
    for budget in budgets {
        let counters = budget.counters;
        let [used, limit] = [counters.used, counters.limit].map(|n| budget.amount(n));
        let grace =
            if counters.grace > 0 { format!(" and {} of grace", counters.grace) } else { String::new() };
        let name = screen::line(&budget.name);
        let _ = writeln!(text, "{inner}  {name}: {} of {}{grace}", bare(&used), bare(&limit));
    }
    if let Some(waits) = report.waits() {
        let _ = writeln!(text, "{inner}waits for: {waits}");
    }
}

/// A number or a text without quotes.
fn bare(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
