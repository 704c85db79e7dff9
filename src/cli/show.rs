//! `show`: where a stored run is, or was at a step.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::args::{Format, Show, runs_place};
use super::{Exit, doctor, screen, stored_runs};
use loopwright_core::machine::{Lane, Phase, Question, Snapshot, timestamp};
use loopwright_core::port::RunInfo;
use loopwright_core::program::Program;
use loopwright_core::program::frame::{Counters, Frame};
use loopwright_core::program::graph::{BudgetCode, GraphCode};
use loopwright_core::scenario::{amount, state};
use loopwright_core::value::{Str, Value};

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
        let seen = Seen { info: &stored.info, driver, program, snapshot: &snapshot, at: args.at };
        Ok(screen::print(&match args.format {
            Format::Human => seen.human(),
            Format::Json => screen::json(&seen.json()),
        }))
    })
}

/// A run at one step.
struct Seen<'a> {
    info: &'a RunInfo,
    /// The driver that has it now, if any.
    driver: Option<Str>,
    program: &'a Program,
    snapshot: &'a Snapshot,
    at: Option<u64>,
}

impl Seen<'_> {
    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.snapshot.lanes.iter().flatten().map(|lane| &**lane)
    }

    fn graph(&self, lane: &Lane) -> &GraphCode {
        &self.program.graphs[lane.frame.graph as usize]
    }

    fn human(&self) -> String {
        let mut text =
            format!("run {} of graph {}\n", screen::line(&self.info.run), screen::line(&self.info.graph));
        let _ = writeln!(text, "step: {}", self.snapshot.step());
        match &self.snapshot.done {
            Some(done) => {
                let _ = writeln!(text, "outcome: {}", stored_runs::outcome(done));
            }
            None if self.at.is_none() => {
                let by = self.driver.as_ref().map(|driver| format!(" (driven by {})", screen::line(driver)));
                let status = doctor::status(&self.info.status, by.is_some());
                let _ = writeln!(text, "status: {status}{}", by.unwrap_or_default());
            }
            None => {}
        }
        for lane in self.lanes() {
            self.lane(lane, &mut text);
        }
        text
    }

    /// A lane for people; what belongs to a called graph is set in.
    fn lane(&self, lane: &Lane, text: &mut String) {
        let graph = self.graph(lane);
        let inner = if lane.parent.is_some() { "  " } else { "" };
        if lane.parent.is_some() {
            let _ = writeln!(text, "graph {} ({}):", graph.id, screen::line(&lane.path));
        }
        let _ = writeln!(
            text,
            "{inner}{}: {}",
            if entered(lane) { "at" } else { "about to enter" },
            place(graph, node(lane))
        );
        let state = state(graph, &lane.frame);
        if !state.is_empty() {
            let _ = writeln!(text, "{inner}state:");
        }
        for (name, value) in &state {
            let _ = writeln!(
                text,
                "{inner}  {}: {}",
                screen::line(name),
                screen::line(&value.to_json().to_string())
            );
        }
        let budgets = budgets(graph, &lane.frame);
        if !budgets.is_empty() {
            let _ = writeln!(text, "{inner}budgets:");
        }
        for (name, code, counters) in budgets {
            let [used, limit] = [counters.used, counters.limit].map(|n| amount(code, n).to_json());
            let grace =
                if counters.grace > 0 { format!(" and {} of grace", counters.grace) } else { String::new() };
            let _ = writeln!(
                text,
                "{inner}  {}: {} of {}{grace}",
                screen::line(&name),
                bare(&used),
                bare(&limit)
            );
        }
        if let (Some(waits), None) = (waits(&lane.phase), &self.snapshot.done) {
            let _ = writeln!(text, "{inner}waits for: {waits}");
        }
    }

    fn json(&self) -> Json {
        let snapshot = self.snapshot;
        let mut shown = json!({
            "run": self.info.run.as_str(),
            "graph": self.info.graph.as_str(),
            "program": self.program.digest.as_str(),
            "step": snapshot.step(),
            "at": timestamp(snapshot.at),
            "lanes": self.lanes().map(|lane| self.lane_json(lane)).collect::<Vec<_>>(),
            "asks": snapshot.asks().map(ask_json).collect::<Vec<_>>(),
        });
        if self.at.is_none() {
            shown["status"] = self.info.status.word(self.driver.is_some()).into();
            if let Some(driver) = &self.driver {
                shown["driver"] = driver.as_str().into();
            }
        }
        if let Some(done) = &snapshot.done {
            shown["outcome"] = done.outcome.as_str().into();
            shown["ok"] = done.ok.into();
            shown["output"] = done.output.to_json();
            shown["error"] = done.error.to_json();
        }
        shown
    }

    fn lane_json(&self, lane: &Lane) -> Json {
        let (graph, frame) = (self.graph(lane), &lane.frame);
        let inputs = graph.slots.iter().zip(&frame.slots).take(graph.inputs as usize);
        let inputs: Map<String, Json> =
            inputs.map(|(slot, value)| (slot.name.to_string(), value.to_json())).collect();
        let budgets = budgets(graph, frame).into_iter().map(|(name, code, counters)| {
            let [used, limit, grace, left] = [counters.used, counters.limit, counters.grace, counters.left()]
                .map(|n| amount(code, n).to_json());
            (name.to_string(), json!({"used": used, "limit": limit, "grace": grace, "left": left}))
        });
        json!({
            "lane": lane.path.as_str(),
            "graph": graph.id.as_str(),
            "node": graph.nodes[node(lane) as usize].name.as_str(),
            "entered": entered(lane),
            "input": inputs,
            "state": Value::Map(state(graph, frame)).to_json(),
            "budgets": budgets.collect::<Map<String, Json>>(),
            "waits": if self.snapshot.done.is_some() { None } else { waits(&lane.phase) },
        })
    }
}

/// The node a lane is at, or is about to enter.
fn node(lane: &Lane) -> u32 {
    match lane.phase {
        Phase::Enter { target, .. } => target,
        _ => lane.frame.node,
    }
}

const fn entered(lane: &Lane) -> bool {
    !matches!(lane.phase, Phase::Enter { .. })
}

/// The node with the composites around it, outermost first.
fn place(graph: &GraphCode, node: u32) -> String {
    let node = &graph.nodes[node as usize];
    let around = node.chain.iter().map(|c| graph.nodes[*c as usize].name.as_str());
    around.chain([node.name.as_str()]).collect::<Vec<_>>().join(" / ")
}

/// All counters, those of families by key.
fn budgets<'g>(graph: &'g GraphCode, frame: &Frame) -> Vec<(Str, &'g BudgetCode, Counters)> {
    let plain = graph.budgets.iter().zip(&frame.counters).filter(|(code, _)| code.family.is_none());
    let mut all: Vec<_> = plain.map(|(code, counters)| (code.name.clone(), code, *counters)).collect();
    for (family, counters) in graph.families.iter().zip(&frame.families) {
        for (key, row) in counters.keys.iter().zip(&counters.rows) {
            for (meter, counters) in family.meters.iter().zip(row) {
                let code = &graph.budgets[*meter as usize];
                let meter = code.name.rsplit('.').next().unwrap_or_default();
                all.push((Str::from(format!("{}['{key}'].{meter}", family.name)), code, *counters));
            }
        }
    }
    all
}

/// A number or a text without quotes.
fn bare(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Describes what a lane waits for.
fn waits(phase: &Phase) -> Option<String> {
    let until = |time: &i64| timestamp(*time);
    match phase {
        Phase::Calling(call) => {
            let (kind, name) = call.request.called();
            Some(format!("the {kind} {} (call {})", screen::line(name), call.id.0))
        }
        Phase::Backoff { until: time, .. } => Some(format!("another attempt at {}", until(time))),
        Phase::Asking(ask)
        | Phase::Paused { ask, .. }
        | Phase::Lost { ask, .. }
        | Phase::Approving { ask, .. } => {
            let end = ask.deadline.as_ref().map(|time| format!(" (until {})", until(time)));
            Some(format!("a person{}: {}", end.unwrap_or_default(), screen::line(&ask.text)))
        }
        Phase::Sleeping { until: time } => Some(format!("the time {}", until(time))),
        Phase::Joining(join) => Some(match join.running.len() {
            1 => "a called graph".to_owned(),
            many => format!("{many} called graphs"),
        }),
        Phase::Enter { .. } | Phase::Leave { .. } => None,
    }
}

fn ask_json(question: &Question) -> Json {
    // Each field is named, so that the compiler asks where a further one is printed.
    let Question { id, node, lane, reason, text, schema, misfit: _, deadline } = question;
    json!({
        "ask": id.0.as_str(),
        "node": node.as_str(),
        "lane": lane.as_str(),
        "reason": reason.name(),
        "text": text.as_str(),
        "schema": schema.to_json(),
        "deadline": deadline.map(timestamp),
    })
}
