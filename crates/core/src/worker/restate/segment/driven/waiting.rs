//! What a segment waits for.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use restate_sdk::context::DurableFuture;
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::{DurableFuturesUnordered, Json, RunFuture};

use super::words::word_promise;
use super::{LOOK_NS, Segment, busy};
use crate::machine::{InputKind, Time};
use crate::value::duration;
use crate::worker::restate::message::PostedWord;
use crate::worker::restate::segment::journaled::{Happened, Journaled};

/// The longest time for which words are not looked for, while nothing comes back.
const MAX_LOOK_NS: Time = 20_000_000_000;

/// The next thing that happens to a run.
pub(super) enum Next {
    Feed(Time, InputKind),
    Word(PostedWord),
    /// Look again.
    Look(Time),
}

/// A future of Restate's, on the way to the next word or the end of a timer.
type Durable<'f> =
    Pin<Box<dyn DurableFuture<Output = Result<Option<PostedWord>, TerminalError>> + Send + 'f>>;

impl Segment<'_> {
    pub(super) async fn following(&mut self) -> Result<Next, HandlerError> {
        if let Some(posted) = self.given() {
            return Ok(Next::Word(posted));
        }
        self.steps += 1;
        if self.wake.is_stopped() && !self.in_progress.is_begun() {
            return Err(stops());
        }
        if self.in_progress.is_empty() {
            return self.wait().await;
        }
        let journaled = self.in_progress().await?;
        let Journaled { at, what, .. } = journaled;
        self.in_progress.settle(&what, &self.snapshot);
        if !matches!(what, Happened::Look) {
            self.back_at = at;
        }
        Ok(match what {
            Happened::Outcome { call, outcome } => Next::Feed(at, InputKind::Resolved { call, outcome }),
            Happened::Answer { ask, answer } => Next::Feed(at, InputKind::Answered { ask, answer }),
            Happened::Time => self.due(at),
            Happened::Unattended { .. } | Happened::Again { .. } | Happened::Look => Next::Look(at),
        })
    }

    /// What is due at a time.
    pub(super) fn due(&self, at: Time) -> Next {
        if self.limit().is_some_and(|limit| limit <= at) {
            let limit = duration::text(self.ports.limits().timeout.unwrap_or_default());
            return Next::Feed(
                at,
                InputKind::Cancel { reason: ecow::eco_format!("the run took longer than {limit}") },
            );
        }
        Next::Feed(at, InputKind::Time)
    }

    /// Waits for the first thing that happens while something is in progress here.
    pub(super) async fn in_progress(&mut self) -> Result<Journaled, HandlerError> {
        let after = self.trail.stand(self.snapshot.seq);
        let look = (self.snapshot.at.max(self.looked_at) - self.back_at).clamp(LOOK_NS, MAX_LOOK_NS);
        let timer = [self.timer(), self.limit()].into_iter().flatten().min();
        let name = self.in_progress.name();
        let mut executed = false;
        let Self { ctx, host, wake, ports, onlookers, in_progress, .. } = self;
        let (is_executed, now, clock) = (&mut executed, after.clone(), Arc::clone(ports.clock()));
        let program = &host.graph().program;
        let step = move || async move {
            *is_executed = true;
            onlookers.show(program);
            in_progress.start(program, wake.is_stopped());
            let timer = timer.map(|timer| clock.sleep_until(timer));
            let timer = async {
                match timer {
                    Some(timer) => timer.await,
                    None => std::future::pending().await,
                }
            };
            let look = clock.sleep_until(clock.now().saturating_add(look));
            let what = tokio::select! {
                biased;
                () = timer => Happened::Time,
                what = in_progress.next() => what,
                () = wake.woken() => Happened::Look,
                () = look => Happened::Look,
            };
            Ok(Json(Journaled { at: clock.now(), after: now, what }))
        };
        let journaled = ctx.run(step).name(name).await;
        if !executed {
            self.onlookers.pass();
        }
        match journaled {
            Ok(Json(journaled)) => {
                journaled.after.check(&after).map_err(|why| busy(&format!("{}: {why}", self.place.key)))?;
                Ok(journaled)
            }
            Err(error) => {
                self.cancelled(error)?;
                Ok(Journaled { at: self.snapshot.at, after, what: Happened::Look })
            }
        }
    }

    /// Waits for a word or for the timer, while nothing is in progress. The process may be gone meanwhile.
    pub(super) async fn wait(&mut self) -> Result<Next, HandlerError> {
        self.show().await?;
        self.send();
        let timer = self.timer();
        if timer.is_none() && !self.waits_for_people() {
            return Err(busy("the run waits for nothing and has not ended; this is a bug of loopwright"));
        }
        let name = word_promise(self.word);
        let mut first = DurableFuturesUnordered::new();
        let word = self.ctx.promise::<Json<PostedWord>>(&name).map_ok(|Json(posted)| Some(posted));
        first.push(Box::pin(word) as Durable<'_>);
        if let Some(timer) = timer {
            let left = u64::try_from(timer.saturating_sub(self.ports.clock().now())).unwrap_or_default();
            first.push(Box::pin(self.ctx.sleep(Duration::from_nanos(left)).map_ok(|()| None)));
        }
        let happened = tokio::select! {
            happened = first.next() => happened,
            () = self.wake.stopped() => return Err(stops()),
        };
        let happened = match happened {
            Ok(Some((_, happened))) => happened,
            Ok(None) => return Ok(Next::Look(self.snapshot.at)),
            Err(error) => Err(error),
        };
        drop(first);
        match happened {
            Ok(Some(posted)) => {
                self.busy_since = posted.at;
                self.back_at = posted.at;
                Ok(Next::Word(posted))
            }
            Ok(None) => {
                let at = timer.unwrap_or(self.snapshot.at);
                self.busy_since = at;
                self.back_at = at;
                Ok(Next::Feed(at, InputKind::Time))
            }
            Err(error) => {
                self.cancelled(error)?;
                Ok(Next::Look(self.snapshot.at))
            }
        }
    }
}

/// The word for Restate that another worker is to continue.
fn stops() -> HandlerError {
    std::io::Error::other("this worker stops; another continues the segment").into()
}
