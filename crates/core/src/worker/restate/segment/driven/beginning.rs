//! The beginning of a segment.

use std::collections::VecDeque;
use std::sync::Arc;

use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::HandlerError;
use restate_sdk::prelude::{Json, RunFuture};
use rustc_hash::FxHashSet;

use super::{Segment, SegmentPlace, busy};
use crate::app::{DriverOfRun, GraphHost, missing_inputs};
use crate::config::inputs_of_map;
use crate::drive::{Driver, RunPorts};
use crate::machine::{InputKind, Output, Snapshot, Start};
use crate::port::{BoxFuture, Claim, RunInfo, RunStatus};
use crate::value::Map;
use crate::worker::restate::message::{
    AfterArguments, Beginning, Continuation, Creation, RunReply, SegmentInput,
};
use crate::worker::restate::segment::in_progress::InProgress;
use crate::worker::restate::segment::journaled::{Origin, Trail};
use crate::worker::restate::segment::onlookers::Onlookers;
use crate::worker::restate::service::{of_run, refused, segments_name};
use crate::worker::restate::wakes::WakePlace;

/// Ends what was started for a run, also where the attempt to drive it is dropped.
struct EndOfDriver(Option<BoxFuture<'static, ()>>);

impl Drop for EndOfDriver {
    fn drop(&mut self) {
        if let (Some(end), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(end);
        }
    }
}

impl<'s> Segment<'s> {
    /// Drives a segment to its end: that of the run, or the beginning of the next segment.
    pub(in crate::worker::restate::segment) async fn drive(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s WakePlace,
        input: SegmentInput,
    ) -> Result<(), HandlerError> {
        let DriverOfRun { driver, end } = host.driver().await.map_err(|why| busy(&why))?;
        let _end = EndOfDriver(Some(end));
        let ports = RunPorts::of(driver);
        let mut segment = match input {
            SegmentInput::Begin(beginning) => Self::begin(ctx, host, place, wake, ports, beginning).await?,
            SegmentInput::Continue(state) => Self::go_on(ctx, host, place, wake, ports, *state).await?,
        };
        segment.turn().await
    }

    /// Begins the run.
    pub(super) async fn begin(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s WakePlace,
        ports: RunPorts,
        beginning: Beginning,
    ) -> Result<Self, HandlerError> {
        if place.number != 0 {
            return Err(refused(400, "a run begins with its segment 0"));
        }
        let run = Driver::run_id(&place.run, 0).map_err(|error| refused(400, &error.to_string()))?;
        let input = input_of(&**host, &beginning.input).map_err(|why| refused(400, &why))?;
        let missing = ports.missing_grants();
        if !missing.is_empty() {
            return Err(busy(&format!("the worker lacks a grant of {}", missing.join(", "))));
        }
        let (clock, tools) = (Arc::clone(ports.clock()), ports.catalogue());
        let origin = move || async move { Ok(Json(Origin { at: clock.now(), tools })) };
        let Json(Origin { at, tools }) = ctx.run(origin).name("begin").await?;
        let program = &host.graph().program;
        let info = RunInfo {
            run: run.clone(),
            graph: program.graphs[0].id.clone(),
            program: program.digest.clone(),
            started: at,
            status: RunStatus::Running,
        };
        let segments = segments_name(&info.graph, &info.program);
        let creation = Creation { info: info.clone(), text: host.graph().text.clone(), segments };
        of_run(ctx, &run, "create", creation).call().await?;
        let state = Continuation {
            info,
            snapshot: Snapshot::new(),
            entries: 0,
            word: 0,
            words: Vec::new(),
            ending: None,
        };
        let mut segment = Self::of(ctx, host, place, wake, ports, state);
        let start = Start { run, input, seed: beginning.seed, tools, ..Start::default() };
        segment.busy_since = at;
        segment.feed(at, InputKind::Started(Box::new(start)));
        Ok(segment)
    }

    /// Continues the run where the segment before left it.
    pub(super) async fn go_on(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s WakePlace,
        ports: RunPorts,
        state: Continuation,
    ) -> Result<Self, HandlerError> {
        if state.snapshot.program != host.graph().program.digest {
            return Err(refused(400, "the run goes by another program than this workflow serves"));
        }
        let (entries, looks_back) = (state.entries, ports.looks_back());
        let mut segment = Self::of(ctx, host, place, wake, ports, state);
        // What looks back follows from the operator's configuration, which may change while a segment is replayed: it is journaled.
        let Json(looks_back) =
            ctx.run(move || async move { Ok(Json(looks_back)) }).name("looks back").await?;
        if looks_back {
            segment.look_back(entries).await?;
        }
        let calls = segment.snapshot.calls().cloned().map(|call| Output::Call(Box::new(call)));
        let calls: Vec<Output> = calls.collect();
        let asks = segment.snapshot.asks().cloned().map(|ask| Output::Ask(Box::new(ask)));
        segment.queue = calls.into_iter().chain(asks).collect();
        Ok(segment)
    }

    pub(super) fn of(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        wake: &'s WakePlace,
        ports: RunPorts,
        state: Continuation,
    ) -> Self {
        let Continuation { info, snapshot, entries, word, words, ending } = state;
        // Restate gives an invocation to one attempt at a time; an older one learns of that when it journals.
        let claim = Claim::endless(Arc::clone(ports.clock()));
        let at = snapshot.at;
        Self {
            ctx,
            host,
            wake,
            trail: Trail::default(),
            onlookers: Onlookers::new(place.run.clone(), ports.clone(), claim.clone(), &snapshot),
            queue: VecDeque::new(),
            in_progress: InProgress::new(ports.clone(), place.run.clone(), claim),
            marks: FxHashSet::default(),
            unsent: Vec::new(),
            sent: entries,
            sent_at: at,
            sent_status: info.status.clone(),
            word,
            words: words.into(),
            looked_at: at,
            steps: 0,
            back_at: at,
            busy_since: at,
            ending,
            place,
            ports,
            info,
            snapshot,
        }
    }

    /// Shows the events of earlier segments to those who look back.
    pub(super) async fn look_back(&mut self, entries: u64) -> Result<(), HandlerError> {
        let mut after = 0;
        while after < entries {
            let call = of_run(self.ctx, &self.place.run, "entries", AfterArguments { after }).call();
            let Json(reply) = call.await?;
            let reply: RunReply = serde_json::from_value(reply)?;
            if reply.next == after {
                break;
            }
            after = reply.next;
            self.onlookers.look_back(reply.entries.into_iter().flat_map(|entry| entry.events));
        }
        Ok(())
    }
}

/// The inputs of a run, with those that the operator has set.
pub(in crate::worker::restate::segment) fn input_of(
    host: &dyn GraphHost,
    given: &Map,
) -> Result<Map, String> {
    let (program, set) = (&host.graph().program, &host.graph().inputs);
    let mut input = inputs_of_map(program, given).map_err(|faults| {
        let all: Vec<String> = faults.iter().map(|fault| format!("{fault}; {}", fault.help)).collect();
        all.join("; ")
    })?;
    for (name, value) in set {
        if !input.contains_key(name.as_str()) {
            input.insert(name.clone(), value.clone());
        }
    }
    let missing = missing_inputs(program, &input);
    if missing.is_empty() {
        return Ok(host.graph().mask.map(input));
    }
    let names: Vec<String> =
        missing.iter().map(|input| format!("`{}` ({})", input.name, input.wanted)).collect();
    Err(format!("the graph lacks inputs: {}", names.join(", ")))
}
