//! The workflow of the segments of one graph's runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, RunFuture, ServiceDefinition};

use super::driven::{Segment, SegmentPlace, input_of, word_promise};
use crate::app::GraphHost;
use crate::drive::Driver;
use crate::worker::restate::message::{Beginning, PostedWord, SegmentInput};
use crate::worker::restate::service::{
    HandlerKind, Handlers, definition, input, refused, reply, segments_name, split_key,
};
use crate::worker::restate::wakes::Wakes;

/// Drives the runs of a graph.
struct Segments {
    host: Arc<dyn GraphHost>,
    wakes: Wakes,
    /// The number of steps of the journal after which a segment ends.
    effects: u32,
}

/// The service of a graph's runs.
pub(in crate::worker::restate) fn service(
    host: Arc<dyn GraphHost>,
    wakes: Wakes,
    effects: u32,
) -> Option<ServiceDefinition> {
    let program = &host.graph().program;
    let name = segments_name(&program.graphs[0].id, &program.digest);
    let handlers = [
        HandlerKind::workflow("run"),
        HandlerKind::shared("check"),
        HandlerKind::shared("deliver").private(),
    ];
    definition(&name, "WORKFLOW", &handlers, Arc::new(Segments { host, wakes, effects }))
}

impl Handlers for Segments {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "run" => reply(ctx, self.run(ctx).await),
                "check" => reply(ctx, self.check(ctx).await),
                "deliver" => reply(ctx, self.deliver(ctx).await),
                _ => false,
            }
        }
        .boxed()
    }
}

impl Segments {
    async fn run(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (input, key) = input::<SegmentInput>(ctx).await?;
        let Some((run, number)) = split_key(&key) else {
            return Err(refused(400, &format!("`{key}` is no segment: its key is RUN/NUMBER")));
        };
        let place = SegmentPlace { run: run.into(), number, key: key.clone(), effects: self.effects };
        let awake = self.wakes.enter(key.clone());
        Segment::drive(ctx, &self.host, place, &awake, input).await
    }

    /// Checks whether a run could begin so.
    async fn check(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (Beginning { input: given, .. }, key) = input(ctx).await?;
        let Some((run, 0)) = split_key(&key) else {
            return Err(refused(400, &format!("`{key}` is no first segment: its key is RUN/0")));
        };
        Driver::run_id(run, 0).map_err(|error| refused(400, &error.to_string()))?;
        input_of(&*self.host, &given).map_err(|why| refused(400, &why))?;
        Ok(())
    }

    /// Hands a word to the segment.
    async fn deliver(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (posted, key) = input::<PostedWord>(ctx).await?;
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
