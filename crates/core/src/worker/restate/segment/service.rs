//! The workflow of the segments of one graph's runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, RunFuture, ServiceDefinition};

use super::driven::{Segment, SegmentPlace, word_promise};
use super::origin::Origin;
use crate::app::GraphHost;
use crate::drive::Driver;
use crate::machine::Start;
use crate::port::{RunInfo, RunStatus};
use crate::value::Str;
use crate::worker::restate::faults::Faults;
use crate::worker::restate::message::{
    Beginning, Creation, CreationReply, FirstInput, PostedWord, SegmentInput,
};
use crate::worker::restate::service::{
    CANCELLED, HandlerKind, Handlers, definition, input, message, of_run, of_segment, refused, reply,
    segments_name, split_key,
};
use crate::worker::restate::wakes::Wakes;

/// Drives the runs of a graph.
struct Segments {
    host: Arc<dyn GraphHost>,
    wakes: Wakes,
    faults: Faults,
    /// The number of steps of the journal after which a segment ends.
    effects: u32,
}

/// The service of a graph's runs.
pub(in crate::worker::restate) fn service(
    host: Arc<dyn GraphHost>,
    wakes: Wakes,
    faults: Faults,
    effects: u32,
) -> Option<ServiceDefinition> {
    let program = &host.graph().program;
    let name = segments_name(&program.graphs[0].id, &program.digest);
    let handlers = [
        // Only the object of a run begins its segments: whoever reaches the ingress cannot hand them a state.
        HandlerKind::workflow("run").private(),
        HandlerKind::shared("begin"),
        HandlerKind::shared("deliver").private(),
    ];
    definition(&name, "WORKFLOW", &handlers, Arc::new(Segments { host, wakes, faults, effects }))
}

impl Handlers for Segments {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "run" => reply(ctx, self.run(ctx).await),
                "begin" => reply(ctx, self.begin(ctx).await),
                "deliver" => reply(ctx, self.deliver(ctx).await),
                _ => false,
            }
        }
        .boxed()
    }
}

impl Segments {
    async fn run(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (input, key) = message::<SegmentInput>(ctx, &self.faults).await?;
        let Some((run, number)) = split_key(&key) else {
            return Err(refused(400, &format!("`{key}` is no segment: its key is RUN/NUMBER")));
        };
        let place = SegmentPlace { run: run.into(), number, key: key.clone(), effects: self.effects };
        let awake = self.wakes.enter(key.clone());
        Segment::drive(ctx, &self.host, place, (&awake, &self.faults), input).await
    }

    /// Begins a run, whose id is the key.
    async fn begin(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (Beginning { input: given, seed }, key) = input(ctx).await?;
        let run = Driver::run_id(&key, 0).map_err(|error| refused(400, &error.to_string()))?;
        let (host, faults, named) = (Arc::clone(&self.host), self.faults.clone(), run.clone());
        let origin = move || async move {
            let origin = Origin::of(&*host, &given).await.map_err(|why| faults.busy(&named, &why))?;
            Ok(Json(origin))
        };
        let Json(origin) = ctx.run(origin).name("begin").await?;
        let Origin { at, tools, input, text, token } = origin.map_err(|why| refused(400, &why))?;
        let program = &self.host.graph().program;
        let info = RunInfo {
            run: run.clone(),
            graph: program.graphs[0].id.clone(),
            program: program.digest.clone(),
            started: at,
            status: RunStatus::Running,
        };
        let segments = segments_name(&info.graph, &info.program);
        let creation = Creation { info: info.clone(), text, segments: segments.clone(), token };
        let first = match self.create(ctx, &run, &creation).await? {
            CreationReply::Created(first) => first,
            CreationReply::Exists => return Err(refused(409, &format!("there is a run `{run}` already"))),
        };
        let start = Start { run: run.clone(), input, seed, tools, ..Start::default() };
        let input = SegmentInput::Begin(Box::new(FirstInput { info, start }));
        let _sent = of_segment(ctx, &segments, (&run, first), "run", input).send();
        Ok(())
    }

    /// Lets the object take the run.
    async fn create(
        &self,
        ctx: &ContextInternal,
        run: &Str,
        creation: &Creation,
    ) -> Result<CreationReply, HandlerError> {
        loop {
            match of_run(ctx, run, "create", creation.clone()).call().await {
                Ok(Json(reply)) => return Ok(serde_json::from_value(reply)?),
                // A cancellation in Restate. The run may be there by now, and without a segment it would stay as it is.
                Err(error) if error.code() == CANCELLED => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Hands a word to the segment.
    async fn deliver(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (posted, key) = message::<PostedWord>(ctx, &self.faults).await?;
        ctx.resolve_promise(&word_promise(posted.number), Json(posted));
        // As a step of its own, so that the promise is resolved before the segment is woken.
        let wakes = self.wakes.clone();
        ctx.run(move || async move {
            wakes.wake(&key);
            Ok(())
        })
        .name("wake")
        .await?;
        Ok(())
    }
}
