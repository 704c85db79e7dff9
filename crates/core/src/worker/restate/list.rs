//! The list of runs.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::prelude::{HandlerError, Json, ServiceDefinition};

use super::message::ListedInfo;
use super::service::{HandlerKind, Handlers, LIST, definition, input, reply};

/// Lists runs. Each is a key of its state.
struct RunList;

/// The service of the list.
pub(super) fn service() -> Option<ServiceDefinition> {
    let handlers = [HandlerKind::exclusive("note").private(), HandlerKind::shared("list")];
    definition(LIST, "VIRTUAL_OBJECT", &handlers, Arc::new(RunList))
}

impl Handlers for RunList {
    fn handle<'a>(&'a self, handler: &'a str, ctx: &'a ContextInternal) -> BoxFuture<'a, bool> {
        async move {
            match handler {
                "note" => reply(ctx, note(ctx).await),
                "list" => reply(ctx, list(ctx).await),
                _ => false,
            }
        }
        .boxed()
    }
}

/// Lists a run, or lists it anew.
async fn note(ctx: &ContextInternal) -> Result<(), HandlerError> {
    let (listed, _) = input::<ListedInfo>(ctx).await?;
    let key = listed.info.run.to_string();
    ctx.set(&key, Json(listed));
    Ok(())
}

/// All runs, the oldest first.
async fn list(ctx: &ContextInternal) -> Result<Vec<ListedInfo>, HandlerError> {
    let ((), _) = input(ctx).await?;
    let mut runs = Vec::new();
    for key in ctx.get_keys().await? {
        if let Some(Json(listed)) = ctx.get::<Json<ListedInfo>>(&key).await? {
            runs.push(listed);
        }
    }
    runs.sort_by(|a, b| (a.info.started, &a.info.run).cmp(&(b.info.started, &b.info.run)));
    Ok(runs)
}
