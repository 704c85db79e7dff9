//! Calls and questions that a segment waits for in this process.

use std::sync::Arc;

use futures::FutureExt;

use super::journaled::Happened;
use crate::drive::{Arrival, PendingWork, RunPorts};
use crate::machine::{Call, CallId, Question, QuestionId, Snapshot, Time};
use crate::port::{Claim, HumanReply, RunView};
use crate::program::Program;
use crate::value::Str;

/// The time after a result was taken for which no other attempt has begun, in nanoseconds: a server gives an attempt up that does not
/// answer for 20 s.
const CLAIM_NS: Time = 10_000_000_000;

/// Calls and questions in progress. Nothing begins before [`InProgress::start`]: a replay that has the outcome already makes no call.
pub(super) struct InProgress {
    ports: RunPorts,
    run: Str,
    /// The time for which the run is surely driven here, for calls that are made at most once: an attempt that stood still learns only
    /// when it journals something that another one has taken over.
    claim: Claim,
    work: PendingWork,
    calls: Vec<WantedCall>,
    asks: Vec<WantedAnswer>,
}

struct WantedCall {
    call: Call,
    /// True if an earlier attempt may have made it.
    begun: bool,
    /// The state in which it is made; none once it is.
    from: Option<Snapshot>,
}

impl WantedCall {
    /// Returns true if this attempt has marked it as its own, and it has not begun.
    const fn is_marked(&self) -> bool {
        self.from.is_some() && !self.begun && self.call.is_once()
    }
}

struct WantedAnswer {
    ask: Question,
    from: Option<Snapshot>,
}

impl InProgress {
    pub(super) fn new(ports: RunPorts, run: Str) -> Self {
        let claim = Claim::endless(Arc::clone(ports.clock()));
        let work = PendingWork::of(&ports, &claim);
        let claim = Claim::endless(Arc::clone(ports.clock()));
        Self { ports, run, claim, work, calls: Vec::new(), asks: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.asks.is_empty()
    }

    /// The name of what is in progress, for the journal.
    pub(super) fn name(&self) -> String {
        let calls = self.calls.iter().map(|wanted| &wanted.call.id.0);
        let mut all = calls.chain(self.asks.iter().map(|wanted| &wanted.ask.id.0));
        let first = all.next().map_or("", Str::as_str);
        match all.count() {
            0 => first.to_owned(),
            more => format!("{first} and {more} more"),
        }
    }

    /// Wants a call. `begun` is true if an earlier attempt may have made it.
    pub(super) fn call(&mut self, call: Call, begun: bool, from: &Snapshot) {
        self.calls.push(WantedCall { call, begun, from: Some(from.clone()) });
    }

    /// Wants an answer of whoever is here.
    pub(super) fn ask(&mut self, ask: Question, from: &Snapshot) {
        self.asks.push(WantedAnswer { ask, from: Some(from.clone()) });
    }

    /// Wants a call no longer, which ends what it started.
    pub(super) fn cancel(&mut self, call: &CallId) {
        self.calls.retain(|wanted| wanted.call.id != *call);
        self.work.cancel(call);
    }

    /// Wants an answer no longer.
    pub(super) fn withdraw(&mut self, ask: &QuestionId) {
        self.asks.retain(|wanted| wanted.ask.id != *ask);
        self.work.withdraw(ask);
    }

    /// Returns true if it is being asked whether a call took place: its time does not run out before that is known.
    pub(super) fn is_held(&self) -> bool {
        let asked_after = |wanted: &WantedCall| wanted.begun && wanted.call.is_once();
        self.calls.iter().any(asked_after)
    }

    /// Notes that Restate has taken a result of this attempt, or has just begun it: no other one is at work.
    pub(super) fn renew_claim(&self) {
        self.claim.renew(self.ports.clock().now().saturating_add(CLAIM_NS));
    }

    /// Returns true if something has begun, or is to begin here and nowhere else.
    pub(super) fn is_begun(&self) -> bool {
        self.calls.iter().any(|wanted| wanted.from.is_none() || wanted.is_marked())
            || self.asks.iter().any(|wanted| wanted.from.is_none())
    }

    /// Begins everything that has not begun; once this process ends, only calls that another attempt would not make any more.
    pub(super) fn start(&mut self, program: &Program, is_stopped: bool) {
        let endless = Claim::endless(Arc::clone(self.ports.clock()));
        for wanted in &mut self.calls {
            if is_stopped && !wanted.is_marked() {
                continue;
            }
            let Some(snapshot) = wanted.from.take() else { continue };
            let claim = if wanted.call.is_once() { &self.claim } else { &endless };
            let view = RunView { program, snapshot: &snapshot, claim };
            let work = self.ports.settle(&self.run, &wanted.call, wanted.begun, view);
            self.work.call_in_time(wanted.call.id.clone(), work);
        }
        if is_stopped {
            return;
        }
        for wanted in &mut self.asks {
            let Some(snapshot) = wanted.from.take() else { continue };
            let view = RunView { program, snapshot: &snapshot, claim: &endless };
            self.work.ask(wanted.ask.id.clone(), self.ports.put(&wanted.ask, view).boxed());
        }
    }

    /// The first thing that comes back.
    pub(super) async fn next(&mut self) -> Happened {
        loop {
            match self.work.next().await {
                Arrival::Outcome(call, outcome) => return Happened::Outcome { call, outcome },
                Arrival::Reply(ask, HumanReply::Answer(answer)) => return Happened::Answer { ask, answer },
                Arrival::Reply(ask, HumanReply::Unattended) => return Happened::Unattended { ask },
                Arrival::Late(call) => return Happened::Again { call },
                Arrival::Probed(..) | Arrival::Cleared(..) => {}
            }
        }
    }

    /// Takes what came back off the books, here or in the attempt that journaled it.
    pub(super) fn settle(&mut self, what: &Happened) {
        match what {
            Happened::Outcome { call, .. } => {
                self.calls.retain(|wanted| wanted.call.id != *call);
                // A replay has begun nothing; where two attempts were at work, this one's is not wanted.
                self.work.cancel(call);
            }
            Happened::Answer { ask, .. } | Happened::Unattended { ask } => self.withdraw(ask),
            // It is wanted anew.
            Happened::Again { call } => self.cancel(call),
            Happened::Time | Happened::Look => {}
        }
    }
}
