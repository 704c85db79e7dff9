//! What the machine wants done.

use tracing::Instrument;

use super::Run;
use crate::drive::driver::DriveError;
use crate::drive::trace;
use crate::machine::{Ask, Call, InputKind, Output, Request, roll_back};
use crate::port::View;

/// The most events handed to the store at once.
const BATCH: usize = 1_024;

impl Run {
    /// Acts on every output in the queue, in order.
    pub(super) async fn act(&mut self) -> Result<(), DriveError> {
        loop {
            self.record().await?;
            match self.queue.pop_front() {
                None => return Ok(()),
                Some(Output::Call(call)) => self.begin(&call),
                Some(Output::Cancel(call)) => self.work.cancel(&call),
                Some(Output::Ask(ask)) => self.put(&ask),
                Some(Output::Withdraw(ask)) => self.work.withdraw(&ask),
                Some(Output::Rollback { step }) => self.go_back(step).await?,
                // The snapshot says when the timer is due and how the run ended.
                Some(Output::Wait(_) | Output::Done(_) | Output::Record(_)) => {}
            }
        }
    }

    /// Keeps the events at the head of the queue, then shows them to the onlookers.
    async fn record(&mut self) -> Result<(), DriveError> {
        while let Some(Output::Record(_)) = self.queue.front() {
            if let Some(Output::Record(event)) = self.queue.pop_front() {
                self.batch.push(event);
            }
            if self.batch.len() >= BATCH {
                self.flush().await?;
            }
        }
        self.flush().await
    }

    async fn flush(&mut self) -> Result<(), DriveError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        if let Some(store) = &self.driver.store {
            store.append(&self.id, &self.batch).await?;
        }
        let view = View { program: &self.driver.program, snapshot: &self.snapshot };
        for event in self.batch.drain(..) {
            let graph = self.snapshot.lane(event.frame).map(|lane| lane.frame.graph);
            self.trace.follow(view.program, graph, &event);
            self.driver.observers.iter().for_each(|observer| observer.recorded(&event, view));
        }
        Ok(())
    }

    fn begin(&mut self, call: &Call) {
        if self.work.makes(&call.id) {
            return;
        }
        let span = self.trace.call(call, &*self.driver.model);
        let view = View { program: &self.driver.program, snapshot: &self.snapshot };
        let work = span.in_scope(|| match &call.request {
            Request::Model { .. } => self.driver.model.ask(call, view),
            Request::Tool { .. } => self.driver.tools.call(call, view),
        });
        let inner = span.clone();
        let work = async move {
            let outcome = work.await;
            trace::outcome(&inner, &outcome);
            outcome
        };
        self.work.call(call.id.clone(), work.instrument(span));
    }

    fn put(&mut self, ask: &Ask) {
        if !self.work.asks(&ask.id) {
            let view = View { program: &self.driver.program, snapshot: &self.snapshot };
            let reply = self.driver.human.ask(ask, view);
            self.work.ask(ask.id.clone(), reply);
        }
    }

    /// A person sends the run back to a step.
    async fn go_back(&mut self, step: u64) -> Result<(), DriveError> {
        let then = match &self.driver.store {
            Some(store) => store.snapshot(&self.id, Some(step)).await?,
            None => None,
        };
        let Some(then) = then else {
            tracing::warn!(step, "no snapshot of this step or an earlier one was kept; the question stands");
            let asks = self.snapshot.asks().cloned().collect();
            self.ask_again(asks);
            return Ok(());
        };
        self.work.settle().await;
        // What is recorded has happened; what was still to be done belongs to the way that is left.
        self.queue.retain(|output| matches!(output, Output::Record(_)));
        self.snapshot = roll_back(&self.driver.program, then, &self.snapshot);
        let (calls, asks): (Vec<_>, Vec<_>) =
            (self.snapshot.calls().cloned().collect(), self.snapshot.asks().cloned().collect());
        self.queue.extend(calls.into_iter().map(|call| Output::Call(Box::new(call))));
        self.ask_again(asks);
        self.feed_now(InputKind::Time);
        Ok(())
    }
}
