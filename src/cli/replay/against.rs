//! `replay --against`: would an edited graph have gone the same way?

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::differ::{self, DifferingField, fields};
use super::{ReplayArgs, many};
use crate::cli::args::{Format, Reach};
use crate::cli::files::Disk;
use crate::cli::{Exit, screen};
use loopwright_core::app::{Graph, GraphError, Judged, OpenRun};
use loopwright_core::drive::{LaneDivergence, Verdict, differing};
use loopwright_core::machine::{Interrupt, QuestionReason, Snapshot};
use loopwright_core::port::StoredRun;
use loopwright_core::program::{Program, Semantics};
use loopwright_core::scenario::PathMark;
use loopwright_core::source::Sources;
use loopwright_core::value::Value;

/// The name of what the edited graph does.
const EDITED: &str = "edited";

pub(super) fn run(args: &ReplayArgs, run: &OpenRun, journal: &StoredRun, file: &str) -> Result<Exit, Exit> {
    let edited = edited(file, &args.reach, Interrupt::of(&run.program).as_ref())?;
    let verdict = run
        .against(journal, &edited)
        .map_err(|error| screen::refuse(&format!("the run `{}`: {error}", args.run)))?;
    let comparison = Comparison {
        run: &args.run,
        program: &run.program,
        file,
        edited: edited.program.semantics,
        verdict: &verdict,
    };
    let text = match args.format {
        Format::Human => comparison.human(),
        Format::Json => screen::json(&comparison.json()),
    };
    let exit = if verdict.divergence.is_none() { Exit::Ok } else { Exit::Findings };
    Ok(screen::print(&text).worse(exit))
}

/// The edited graph, with the stops the operator wanted for the run.
fn edited(file: &str, reach: &Reach, interrupt: Option<&Interrupt>) -> Result<Graph, Exit> {
    let judged = Judged::load(file, Sources::new(), &mut Disk::new(reach)?);
    let paused = judged.without_tools().and_then(|graph| match interrupt {
        None => Ok(graph),
        Some(interrupt) => graph.pausing(interrupt),
    });
    paused.map_err(|error| {
        let GraphError { findings, sources, is_empty, .. } = &*error;
        if *is_empty {
            return screen::refuse(&format!("{file}: {error}"));
        }
        screen::findings(findings, sources);
        Exit::Usage
    })
}

/// The report of a verdict.
struct Comparison<'a> {
    run: &'a str,
    program: &'a Program,
    file: &'a str,
    /// The version of the meaning the edited graph goes by: that of new runs.
    edited: Semantics,
    verdict: &'a Verdict,
}

impl Comparison<'_> {
    fn human(&self) -> String {
        let Self { run, file, verdict, .. } = self;
        let mut text = self.meaning();
        if let Some(divergence) = &verdict.divergence {
            let lane =
                if divergence.lane.is_empty() { String::new() } else { format!(" of {}", divergence.lane) };
            let _ = writeln!(
                text,
                "{} differs from the run {}: at step {}, node {}{}",
                screen::line(file),
                screen::line(run),
                divergence.step,
                divergence.node,
                screen::line(&lane)
            );
            let _ = writeln!(text, "{}:", what(divergence));
            let stands = |snapshot: &Snapshot| stands(snapshot, &divergence.lane);
            let (stored, edited) = (divergence.stored.as_ref(), divergence.edited.as_ref());
            let stored = stored.map_or_else(|| stands(&verdict.stored), words);
            let edited = edited.map_or_else(|| stands(&verdict.edited), words);
            let _ =
                writeln!(text, "  stored: {}\n  edited: {}", screen::line(&stored), screen::line(&edited));
            text += &differ::human(&parts(divergence), 1, EDITED);
            return text;
        }
        let _ = writeln!(
            text,
            "{} matches the run {}: {} and {}",
            screen::line(file),
            screen::line(run),
            many(verdict.steps, "step", "steps"),
            many(verdict.calls, "call", "calls")
        );
        let _ = writeln!(text, "{}, as stored", super::stands(self.program, &verdict.stored));
        let output = self.output();
        if output.is_empty() {
            text += if verdict.stored.done.is_some() { "output: as stored\n" } else { "" };
        } else {
            text += "output: another\n";
            text += &differ::human(&output, 1, EDITED);
        }
        text
    }

    /// A line for a meaning that is another one; empty where it is the same.
    fn meaning(&self) -> String {
        let (stored, edited) = (self.program.semantics, self.edited);
        if stored == edited {
            return String::new();
        }
        format!(
            "the run {} uses version {stored} of the semantics; {} is run like a new run, with version {edited}\n",
            self.run, self.file
        )
    }

    /// The fields in which the outputs differ.
    fn output(&self) -> Vec<DifferingField> {
        let output =
            |snapshot: &Snapshot| snapshot.done.as_ref().map_or(Json::Null, |done| done.output.to_json());
        fields(&output(&self.verdict.stored), &output(&self.verdict.edited))
    }

    fn json(&self) -> Json {
        let Self { run, file, verdict, .. } = self;
        let mut document = json!({
            "run": run,
            "against": file,
            "same": verdict.divergence.is_none(),
            "steps": verdict.steps,
            "calls": verdict.calls,
        });
        if self.program.semantics != self.edited {
            document["semantics"] =
                json!({"kept": self.program.semantics.number(), "edited": self.edited.number()});
        }
        if let Some(divergence) = &verdict.divergence {
            document["difference"] = json!({
                "step": divergence.step,
                "node": divergence.node.as_str(),
                "lane": divergence.lane.as_str(),
                "what": what(divergence),
                "kept": divergence.stored.as_ref().map(words),
                "edited": divergence.edited.as_ref().map(words),
                "fields": differ::json(&parts(divergence), EDITED),
            });
        } else {
            document["outcome"] = verdict.stored.done.as_ref().map(|done| done.outcome.as_str()).into();
            document["output"] = json!({"fields": differ::json(&self.output(), EDITED)});
        }
        document
    }
}

/// The kind of a divergence, in words.
fn what(divergence: &LaneDivergence) -> String {
    match (&divergence.stored, &divergence.edited) {
        (Some(PathMark::Called(stored)), Some(PathMark::Called(edited)))
            if stored.node == edited.node && stored.attempt == edited.attempt =>
        {
            let fields = parts(divergence);
            let names = differ::names(&fields);
            if names.is_empty() {
                return "another call".to_owned();
            }
            format!("the same call asks for something else, in its {}", names.join(", "))
        }
        (_, Some(PathMark::Called(_))) => "a call that the run never made".to_owned(),
        (Some(PathMark::Called(_)), _) => "a call of the run that is not made any more".to_owned(),
        (Some(PathMark::Took { .. }), Some(PathMark::Took { .. })) => "another edge".to_owned(),
        (Some(PathMark::Asked(stored)), Some(PathMark::Asked(edited))) if stored.node == edited.node => {
            let approval =
                stored.reason == QuestionReason::Approval && edited.reason == QuestionReason::Approval;
            let what = if approval {
                "another call is to be approved"
            } else {
                "the same question wants another answer"
            };
            what.to_owned()
        }
        (_, Some(PathMark::Asked(_))) => "a question that the run never asked".to_owned(),
        (Some(PathMark::Asked(_)), _) => "a question of the run that is not asked any more".to_owned(),
        (Some(PathMark::Ended { .. }), _) | (_, Some(PathMark::Ended { .. })) => "another end".to_owned(),
        (Some(PathMark::At { .. }), Some(PathMark::At { .. })) => "another node".to_owned(),
        (Some(PathMark::Failed { .. }), _) | (_, Some(PathMark::Failed { .. })) => "another error".to_owned(),
        _ => "another way".to_owned(),
    }
}

/// The parts of a request, or of a question's form, that differ.
fn parts(divergence: &LaneDivergence) -> Vec<DifferingField> {
    match (&divergence.stored, &divergence.edited) {
        (Some(PathMark::Called(stored)), Some(PathMark::Called(edited))) if stored.node == edited.node => {
            let parts = differing(&stored.request, &edited.request).into_iter();
            parts.flat_map(|(name, stored, edited)| under(name, &stored, &edited)).collect()
        }
        // What is to be approved is in the question; the form of the answer only has the hash of it.
        (Some(PathMark::Asked(stored)), Some(PathMark::Asked(_)))
            if stored.reason == QuestionReason::Approval =>
        {
            Vec::new()
        }
        (Some(PathMark::Asked(stored)), Some(PathMark::Asked(edited))) if stored.node == edited.node => {
            under("schema", &stored.schema, &edited.schema)
        }
        _ => Vec::new(),
    }
}

fn under(name: &str, stored: &Value, edited: &Value) -> Vec<DifferingField> {
    fields(&json!({name: stored.to_json()}), &json!({name: edited.to_json()}))
}

/// Something on the way of a run, in words.
fn words(mark: &PathMark) -> String {
    match mark {
        PathMark::Began { graph } => format!("the graph {graph} begins"),
        PathMark::At { node } => format!("enters {node}"),
        PathMark::Took { from, to } => format!("{from} -> {to}"),
        PathMark::Called(call) => {
            let again = if call.attempt > 1 { format!(", attempt {}", call.attempt) } else { String::new() };
            let (kind, name) = call.request.called();
            match call.request.args() {
                None => format!("{} asks the {kind} {name}{again}", call.node),
                Some(args) => {
                    let args = differ::shown(Some(&Value::Map(args.clone()).to_json()), None).0;
                    format!("{} calls {name} with {args}{again}", call.node)
                }
            }
        }
        PathMark::Again { attempt } => format!("tries once more, attempt {attempt}"),
        PathMark::Failed { node, kind, message } => format!("{node} fails: {kind}: {message}"),
        PathMark::Asked(ask) => format!("{} asks a person: {}", ask.node, ask.text),
        PathMark::Ended { outcome, ok: true, .. } => format!("ends: {outcome}"),
        PathMark::Ended { outcome, message, .. } if message.is_empty() => {
            format!("ends, not well: {outcome}")
        }
        PathMark::Ended { outcome, message, .. } => format!("ends, not well: {outcome}: {message}"),
    }
}

/// Describes the state of a run, or of a lane that does no more.
fn stands(snapshot: &Snapshot, lane: &str) -> String {
    if let Some(done) = &snapshot.done {
        return if done.ok {
            format!("ended: {}", done.outcome)
        } else {
            format!("failed: {}", done.outcome)
        };
    }
    if let Some(ask) = snapshot.asks().find(|ask| ask.lane == lane) {
        return format!("waits for a person at {}", ask.node);
    }
    match snapshot.calls().find(|call| call.lane == lane) {
        Some(call) => format!("waits for the call {}", call.id.0),
        None => "nothing more".to_owned(),
    }
}
