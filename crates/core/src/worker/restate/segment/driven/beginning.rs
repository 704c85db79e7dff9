//! The beginning of a segment.

use std::collections::VecDeque;
use std::sync::Arc;

use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::HandlerError;
use restate_sdk::prelude::{Json, RunFuture};
use rustc_hash::FxHashSet;

use super::{BY_RESTATE, Segment, SegmentPlace};
use crate::app::{DriverOfRun, GraphHost};
use crate::drive::RunPorts;
use crate::machine::{InputKind, Output, Snapshot};
use crate::port::BoxFuture;
use crate::worker::restate::faults::Faults;
use crate::worker::restate::message::{AfterArguments, Continuation, FirstInput, RunReply, SegmentInput};
use crate::worker::restate::segment::in_progress::InProgress;
use crate::worker::restate::segment::journaled::{Settings, Trail};
use crate::worker::restate::segment::onlookers::Onlookers;
use crate::worker::restate::service::{CANCELLED, of_run, refused};
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
        (wake, faults): (&'s WakePlace, &'s Faults),
        input: SegmentInput,
    ) -> Result<(), HandlerError> {
        let DriverOfRun { driver, end } = host.driver().await.map_err(|why| faults.busy(&place.key, &why))?;
        let _end = EndOfDriver(Some(end));
        let ports = RunPorts::of(driver);
        let (first, state) = match input {
            SegmentInput::Begin(input) => {
                let FirstInput { info, start } = *input;
                let (snapshot, at) = (Snapshot::new(), info.started);
                let state = Continuation {
                    info,
                    snapshot,
                    entries: 0,
                    word: 0,
                    words: Vec::new(),
                    ending: None,
                    limited_since: Some(at),
                    memory: None,
                };
                (Some((at, InputKind::Started(Box::new(start)))), state)
            }
            SegmentInput::Continue(state) => {
                if state.snapshot.program != host.graph().program.digest {
                    return Err(refused(400, "the run goes by another program than this workflow serves"));
                }
                (None, *state)
            }
        };
        let mut segment = Self::open(ctx, host, place, (wake, faults), ports, state).await?;
        match first {
            Some((at, started)) => segment.feed(at, started),
            None => segment.take_up(),
        }
        if segment.is_cancelled {
            segment.cancel(segment.snapshot.at, BY_RESTATE.into());
        }
        segment.turn().await
    }

    /// Takes up what the run waits for.
    fn take_up(&mut self) {
        let calls = self.snapshot.calls().cloned().map(|call| Output::Call(Box::new(call)));
        let asks = self.snapshot.asks().cloned().map(|ask| Output::Ask(Box::new(ask)));
        self.queue = calls.chain(asks).collect();
    }

    async fn open(
        ctx: &'s ContextInternal,
        host: &'s Arc<dyn GraphHost>,
        place: SegmentPlace,
        (wake, faults): (&'s WakePlace, &'s Faults),
        ports: RunPorts,
        state: Continuation,
    ) -> Result<Self, HandlerError> {
        let Continuation { info, snapshot, entries, word, words, ending, limited_since, memory } = state;
        let onlookers = Onlookers::new(place.run.clone(), ports.clone(), &snapshot);
        let knows = onlookers.recall(memory.as_ref()) || entries == 0;
        let asked = Settings {
            effects: place.effects,
            timeout: ports.limits().timeout,
            remembers: ports.looks_back(),
            looks_back: !knows,
        };
        let mut is_cancelled = false;
        // These follow from the operator's configuration, which may change while a segment is replayed.
        let settings = loop {
            match ctx.run(|| async { Ok(Json(asked)) }).name("settings").await {
                Ok(Json(settings)) => break settings,
                Err(error) if error.code() == CANCELLED => is_cancelled = true,
                Err(error) => return Err(error.into()),
            }
        };
        let at = snapshot.at;
        let mut segment = Self {
            ctx,
            host,
            wake,
            faults,
            settings,
            trail: Trail::default(),
            onlookers,
            queue: VecDeque::new(),
            in_progress: InProgress::new(ports.clone(), place.run.clone()),
            marks: FxHashSet::default(),
            unsent: Vec::new(),
            unsent_bytes: 0,
            sent: entries,
            sent_at: at,
            sent_status: info.status.clone(),
            sent_word: word,
            word,
            dropped: Vec::new(),
            words: words.into(),
            looked_at: at,
            steps: 0,
            looks: 0,
            back_at: at,
            limited_since,
            ending,
            is_cancelled,
            place,
            ports,
            info,
            snapshot,
        };
        if settings.looks_back {
            segment.look_back(entries).await?;
        }
        segment.in_progress.renew_claim();
        Ok(segment)
    }

    /// Shows the events of earlier segments to those who look back and do not know them.
    async fn look_back(&mut self, entries: u64) -> Result<(), HandlerError> {
        let mut after = 0;
        while after < entries {
            let call = of_run(self.ctx, &self.place.run, "entries", AfterArguments { after }).call();
            let Json(reply) = match call.await {
                Ok(reply) => reply,
                Err(error) if error.code() == CANCELLED => {
                    self.is_cancelled = true;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
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
