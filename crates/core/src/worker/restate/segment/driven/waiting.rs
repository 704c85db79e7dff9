//! What a segment waits for.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use restate_sdk::context::DurableFuture;
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::{DurableFuturesUnordered, Json, RunFuture};

use super::words::word_promise;
use super::{LOOK_NS, Segment, stops};
use crate::machine::{InputKind, Output, Time};
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
        if self.wake.is_stopped() && !self.in_progress.is_begun() {
            return Err(stops());
        }
        if self.in_progress.is_empty() {
            self.steps += 1;
            return self.wait().await;
        }
        let Journaled { at, what, .. } = self.in_progress().await?;
        self.in_progress.settle(&what);
        if matches!(what, Happened::Look) {
            self.looks += 1;
        } else {
            self.back_at = at;
            self.steps += 1;
        }
        if let Happened::Again { call } = &what {
            let call = self.snapshot.calls().find(|open| open.id == *call).cloned();
            self.queue.extend(call.map(|call| Output::Call(Box::new(call))));
        }
        Ok(match what {
            Happened::Outcome { call, outcome } => Next::Feed(at, InputKind::Resolved { call, outcome }),
            Happened::Answer { ask, answer } => Next::Feed(at, InputKind::Answered { ask, answer }),
            Happened::Time => self.due(at),
            Happened::Unattended { .. } | Happened::Again { .. } | Happened::Look => Next::Look(at),
        })
    }

    /// What is due at a time.
    pub(super) fn due(&mut self, at: Time) -> Next {
        if self.limit().is_some_and(|limit| limit <= at) {
            self.limited_since = None;
            let limit = duration::text(self.settings.timeout.unwrap_or_default());
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
        let Self { ctx, host, wake, ports, onlookers, in_progress, .. } = self;
        let (now, clock) = (after.clone(), Arc::clone(ports.clock()));
        let program = &host.graph().program;
        let step = move || async move {
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
        match ctx.run(step).name(name).await {
            Ok(Json(journaled)) => {
                self.onlookers.pass();
                self.in_progress.renew_claim();
                journaled.after.check(&after).map_err(|why| self.faults.busy(&self.place.key, &why))?;
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
        let (timer, is_idle) = ([self.timer(), self.limit()].into_iter().flatten().min(), self.is_idle());
        if timer.is_none() && !is_idle {
            let why = "the run waits for nothing and has not ended; this is a bug of loopwright";
            return Err(self.faults.busy(&self.place.key, why));
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
        self.in_progress.renew_claim();
        match happened {
            Ok(Some(posted)) => {
                self.back_at = posted.at;
                Ok(Next::Word(posted))
            }
            Ok(None) => {
                let at = timer.unwrap_or(self.snapshot.at);
                self.back_at = at;
                if is_idle {
                    self.limited_since = Some(at);
                }
                Ok(self.due(at))
            }
            Err(error) => {
                self.cancelled(error)?;
                Ok(Next::Look(self.snapshot.at))
            }
        }
    }
}
