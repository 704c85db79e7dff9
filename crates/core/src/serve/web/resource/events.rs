//! The events of a run as a stream.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::unfold;
use serde::Deserialize;
use tokio::sync::Notify;
use utoipa::IntoParams;

use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::feed::{Feeds, Watcher};
use crate::serve::web::journal_reader::StreamMessage;
use crate::serve::web::person::Person;
use crate::serve::web::place::JournalPlace;
use crate::serve::web::places::TakenPlace;
use crate::serve::web::problem::Problem;

/// The time after which a stream over which nothing goes carries a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// The first words of a stream: when a browser comes again that has lost it.
const RETRY: &str = "retry: 1000\n\n";

/// The header of a browser that comes again: the last message that it has seen.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The part of the stream that is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct EventParameters {
    /// The id of the last message that was seen; what comes after it is sent. A browser that comes again says it with `Last-Event-ID`.
    after: Option<String>,
    /// False ends the stream with what is there.
    follow: Option<bool>,
}

/// An open stream.
struct OpenStream {
    watcher: Watcher,
    feeds: Arc<Feeds>,
    /// Its place among those that may be open, and whoever says that somebody else has it.
    _place: TakenPlace,
    lost: Arc<Notify>,
    stopped: futures::future::BoxFuture<'static, ()>,
    follow: bool,
    is_over: bool,
}

/// The events of a run as they are stored, as Server-Sent Events
///
/// `event: event` is an event as `loopwright log --format jsonl` prints it, `event: act` something that no event tells: a rollback, an
/// interruption. Both have an id; whoever lost the line goes on after it, without a gap and without anything twice, also after the server was started
/// again. `event: piece` is a part of an answer that a model streams, and `event: dropped` takes the pieces of a call back; `event: watchers` says who
/// has this stream open, when somebody comes or leaves. These have no id, since they are not stored.
#[utoipa::path(get, path = "/runs/{run}/events", tag = "runs",
    params(("run" = String, Path, description = "The id of the run"), EventParameters, ("Last-Event-ID" = Option<String>, Header, description = "As `after`")),
    responses((status = 200, description = "The stream", body = String, content_type = "text/event-stream")))]
pub(in crate::serve::web) async fn stream(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    headers: HeaderMap,
    Parameters(wanted): Parameters<EventParameters>,
) -> Result<Response, Problem> {
    let given = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or("?").to_owned()).or(wanted.after);
    let place = match given.as_deref() {
        None | Some("") => JournalPlace::default(),
        Some(id) => id.parse().map_err(|()| {
            Problem::malformed("`after` is the id of a message of this stream, such as `17`")
        })?,
    };
    let lost = Arc::default();
    let Some(taken) = api.streams.take(&person.name, &lost) else {
        let (most, name) = (api.streams.most(), &person.name);
        let detail = format!(
            "{most} streams are open, which is all that there may be, and nobody has more of them than {name}"
        );
        return Err(Problem::busy(detail));
    };
    let watcher = api.feeds.watch(&run.as_str().into(), place, person.name).await?;
    let open = OpenStream {
        watcher,
        feeds: Arc::clone(&api.feeds),
        _place: taken,
        lost,
        stopped: Box::pin(api.runner.stopped()),
        follow: wanted.follow.unwrap_or(true),
        is_over: false,
    };
    let first = futures::stream::once(async {
        Ok::<_, std::convert::Infallible>(Bytes::from_static(RETRY.as_bytes()))
    });
    let stream = first.chain(unfold(open, |open| async { next(open).await }));
    let kind = HeaderValue::from_static("text/event-stream");
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(([(CONTENT_TYPE, kind), unbuffered], Body::from_stream(stream)).into_response())
}

/// The next bytes of a stream; nothing once it is over. It is asked for only as fast as whoever reads it takes it.
async fn next(mut open: OpenStream) -> Option<(Result<Bytes, std::convert::Infallible>, OpenStream)> {
    if open.is_over {
        return None;
    }
    loop {
        let text = match open.watcher.more(&open.feeds).await {
            Ok(messages) if messages.is_empty() && !open.follow => return None,
            Ok(messages) if messages.is_empty() => idle(&mut open).await,
            Ok(messages) => joined(&messages),
            Err(error) => {
                tracing::warn!(%error, "a stream of events ends");
                return None;
            }
        };
        if !text.is_empty() {
            return Some((Ok(Bytes::from(text)), open));
        }
        if open.is_over {
            return None;
        }
    }
}

/// Waits until something is to be said.
async fn idle(open: &mut OpenStream) -> String {
    let OpenStream { watcher, stopped, lost, is_over, .. } = open;
    tokio::select! {
        biased;
        () = stopped => {
            *is_over = true;
            RETRY.to_owned()
        }
        // A browser whose place somebody else has comes again, and is told if there is none.
        () = lost.notified() => {
            *is_over = true;
            RETRY.to_owned()
        }
        piece = watcher.heard() => piece.map_or_else(String::new, |piece| piece.to_string()),
        () = tokio::time::sleep(SIGN_OF_LIFE) => ":\n\n".to_owned(),
    }
}

fn joined(messages: &[StreamMessage]) -> String {
    messages.iter().map(|message| &*message.text).collect()
}
