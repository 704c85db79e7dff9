//! The list of runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, ServiceDefinition};

use super::faults::Faults;
use super::message::{ListArguments, ListReply, ListedInfo};
use super::service::{HandlerKind, Handlers, LIST, definition, input, message, reply};
use crate::value::Str;

/// The most runs of a page.
const MAX_PAGE_RUNS: usize = 500;

/// Lists runs. Each is a key of its state.
struct RunList {
    faults: Faults,
}

/// The service of the list.
pub(super) fn service(faults: Faults) -> Option<ServiceDefinition> {
    let handlers = [
        HandlerKind::exclusive("note").private(),
        HandlerKind::exclusive("drop").private(),
        HandlerKind::shared("list"),
    ];
    definition(LIST, "VIRTUAL_OBJECT", &handlers, Arc::new(RunList { faults }))
}

impl Handlers for RunList {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "note" => reply(ctx, self.note(ctx).await),
                "drop" => reply(ctx, self.drop(ctx).await),
                "list" => reply(ctx, list(ctx).await),
                _ => false,
            }
        }
        .boxed()
    }
}

impl RunList {
    /// Lists a run, or lists it anew.
    async fn note(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (listed, _) = message::<ListedInfo>(ctx, &self.faults).await?;
        let key = listed.info.run.to_string();
        ctx.set(&key, Json(listed));
        Ok(())
    }

    /// Lists a run no more.
    async fn drop(&self, ctx: &ContextInternal) -> Result<(), HandlerError> {
        let (run, _) = message::<Str>(ctx, &self.faults).await?;
        ctx.clear(&run);
        Ok(())
    }
}

/// A page of runs, by their ids.
async fn list(ctx: &ContextInternal) -> Result<ListReply, HandlerError> {
    let (arguments, _) = input::<Option<ListArguments>>(ctx).await?;
    let after = arguments.unwrap_or_default().after;
    let mut keys = ctx.get_keys().await?;
    keys.sort_unstable();
    keys.retain(|key| after.as_ref().is_none_or(|after| key > after));
    let next = keys.get(MAX_PAGE_RUNS - 1).filter(|_| keys.len() > MAX_PAGE_RUNS).cloned();
    let mut runs = Vec::new();
    for key in keys.iter().take(MAX_PAGE_RUNS) {
        if let Some(Json(listed)) = ctx.get::<Json<ListedInfo>>(key).await? {
            runs.push(listed);
        }
    }
    Ok(ListReply { runs, next })
}
