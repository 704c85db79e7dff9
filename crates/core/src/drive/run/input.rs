//! Inputs of a run: answers, commands, time.

use std::future::{Future, pending};

use rustc_hash::FxHashSet;

use super::Run;
use crate::drive::driver::{DriveError, Driver};
use crate::drive::handle::{GivenAnswer, RunCommand};
use crate::drive::journal_end::JournalEnd;
use crate::drive::pending::Arrival;
use crate::machine::{
    self, Call, CallId, EventKind, Input, InputKind, Outcome, Output, Question, QuestionId, QuestionReason,
    Time,
};
use crate::port::{EntryCause, HumanReply, JournalEntry, Message, PostedMessage};
use crate::value::{Str, Value, duration};

/// The next action of the loop.
pub(super) enum Next {
    Feed(InputKind),
    /// An act of a person, who may be named.
    Act(InputKind, Option<Str>),
    /// The lease is to last longer.
    Renew,
    /// Look again: nobody was there to answer.
    Look,
    Interrupt(Str),
    /// The run does not continue.
    Refuse(DriveError),
    Stop,
}

impl Run {
    /// Lets the machine take an input. What is to be stored waits apart from what it wants done.
    /// `by` names the person whose act it is.
    pub(in crate::drive) fn feed(&mut self, input: Input, by: Option<Str>) {
        let mut out = Vec::new();
        let mut origins = Vec::new();
        let (at, cause) = (input.at, EntryCause::Input(input.kind.clone()));
        machine::step_located(&self.driver.program, &mut self.snapshot, input, &mut out, &mut origins);
        let mut events = Vec::new();
        let mut cancelled = FxHashSet::default();
        for output in out {
            match output {
                Output::Record(event) => events.push(event),
                other => {
                    if let Output::Cancel(call) = &other {
                        cancelled.insert(call.clone());
                    }
                    self.queue.push_back(other);
                }
            }
        }
        if !cancelled.is_empty() {
            // A call that nobody waits for any more, before it was begun, is not begun.
            self.queue.retain(|output| !matches!(output, Output::Call(call) if cancelled.contains(&call.id)));
        }
        let end = events.iter().find(|event| matches!(event.kind, EventKind::Done(_))).map(|event| event.seq);
        if let Some(end) = end {
            self.origin = origins.iter().find(|origin| origin.seq == end).copied();
        }
        let step = self.snapshot.step();
        self.pending.push(JournalEntry { at, cause, step, events, by });
    }

    pub(super) fn feed_now(&mut self, kind: InputKind) {
        self.feed_by(kind, None);
    }

    /// The same for an act of a person.
    pub(super) fn feed_by(&mut self, kind: InputKind, by: Option<Str>) {
        let at = self.driver.clock.now().max(self.snapshot.at);
        self.feed(Input { at, kind }, by);
    }

    /// The next thing that happens.
    pub(super) async fn next(&mut self) -> Next {
        let timer = sleep(&self.driver, self.snapshot.timer.filter(|_| !self.is_held()));
        let limit = sleep(&self.driver, self.limit);
        let renewal = sleep(&self.driver, self.renewal);
        tokio::select! {
            biased;
            command = self.inbox.recv() => match command {
                Some(RunCommand::Cancel { reason, by, heard }) => {
                    self.unconfirmed.extend(heard);
                    Next::Act(InputKind::Cancel { reason }, by)
                }
                Some(RunCommand::Answer(given)) => self.take_given(given),
                Some(RunCommand::Posted(message)) => {
                    self.take_posted(message);
                    Next::Look
                }
                Some(RunCommand::Interrupt(signal)) => Next::Interrupt(signal),
                Some(RunCommand::Stop) | None => Next::Stop,
            },
            arrival = self.work.next() => match arrival {
                Arrival::Outcome(call, outcome) => self.take_outcome(call, outcome),
                Arrival::Probed(call, probed) => self.probed(call, probed),
                Arrival::Cleared(call, remains) => self.cleared(&call, remains),
                Arrival::Late(call) => self.again(&call),
                Arrival::Reply(ask, HumanReply::Answer(answer)) => {
                    self.take_answer(ask, answer, self.driver.by.clone())
                }
                Arrival::Reply(_, HumanReply::Unattended) => Next::Look,
            },
            () = timer => Next::Feed(InputKind::Time),
            () = renewal => Next::Renew,
            () = limit => {
                self.limit = None;
                let limit = duration::text(self.driver.limits.timeout.unwrap_or_default());
                Next::Feed(InputKind::Cancel { reason: ecow::eco_format!("the run took longer than {limit}") })
            }
        }
    }

    /// Takes up what was in progress when the snapshot was taken. What may have reached a tool that is to be reached at
    /// most once is not known, unless the tool's probe knows, or the last entry of the journal says that the call had not
    /// begun. A run that was to go back goes back.
    pub(in crate::drive) fn pick_up(&mut self, JournalEnd { last, rollback }: JournalEnd) {
        let unmade: &[CallId] = match &last {
            Some(EntryCause::Interrupted { unmade, .. }) => unmade,
            _ => &[],
        };
        if matches!(last, Some(EntryCause::Interrupted { .. })) || self.driver.by.is_some() {
            // Stored before anything is begun: a crash after it leaves uncertain calls again.
            self.note_by(EntryCause::Resumed, self.driver.by.clone());
        }
        let calls: Vec<Call> = self.snapshot.calls().cloned().collect();
        let asks: Vec<Question> = self.snapshot.asks().cloned().collect();
        // Of what ran out of time something may be at work, or it may have taken place before: that comes first.
        let is_open = |call: &&Call| !unmade.contains(&call.id);
        if !calls.iter().filter(is_open).any(|call| self.is_left(call) || self.can_ask_after(call)) {
            self.feed_now(InputKind::Time);
        }
        for call in calls {
            if !self.snapshot.calls().any(|open| open.id == call.id) {
                continue;
            }
            let message = "the run was interrupted while this call was under way".into();
            if unmade.contains(&call.id) {
                self.queue.push_back(Output::Call(Box::new(call)));
            } else if self.is_left(&call) || self.can_ask_after(&call) {
                self.mark_uncertain(&call.id, message);
                self.queue.push_back(Output::Call(Box::new(call)));
            } else if call.is_once() {
                self.feed_now(InputKind::Resolved { call: call.id, outcome: Outcome::Unknown { message } });
            } else {
                self.queue.push_back(Output::Call(Box::new(call)));
            }
        }
        self.ask_again(asks);
        self.queue.extend(rollback.map(|step| Output::Rollback { step }));
    }

    /// Answers a question before the run is driven on. Unlike [`Handle::answer`](crate::drive::Handle::answer) it looks
    /// at the answer first.
    ///
    /// # Errors
    /// The answer does not fit, for this reason; nothing was done, and the question stays open.
    pub fn answer(&mut self, ask: &QuestionId, answer: Value) -> Result<(), String> {
        self.answer_by(ask, answer, self.driver.by.clone())
    }

    /// The same in the name of a person.
    ///
    /// # Errors
    /// As [`Run::answer`].
    pub fn answer_by(&mut self, ask: &QuestionId, answer: Value, by: Option<Str>) -> Result<(), String> {
        machine::check_answer(&self.driver.program, &self.snapshot, ask, &answer)?;
        if let Some(why) = self.edit_misfit(ask, &answer) {
            return Err(why.into());
        }
        let is_pause = |open: &Question| open.id == *ask && open.reason == QuestionReason::Pause;
        let at_pause = self.snapshot.asks().any(is_pause);
        self.queue.retain(|output| match output {
            Output::Ask(open) => open.id != *ask,
            // The person changed their mind.
            Output::Rollback { .. } => !at_pause,
            _ => true,
        });
        self.feed_by(InputKind::Answered { ask: ask.clone(), answer }, by);
        Ok(())
    }

    /// Takes a message that was left for the run; the next commit says that it was taken. An answer that does not fit, or
    /// that comes too late, is dropped with a note. [`Message::Cancel`] stays: it is there until the run has
    /// [ended](Self::end), by whoever drives it then.
    pub fn take_posted(&mut self, PostedMessage { number, message, .. }: PostedMessage) {
        match message {
            Message::Cancel { .. } => return,
            Message::Resume { by: None } | Message::Start(_) => {}
            Message::Resume { by } => self.note_by(EntryCause::Resumed, by),
            Message::Answer { ask, answer, by } => match self.answer_by(&ask, answer, by) {
                Ok(()) => self.work.withdraw(&ask),
                Err(why) => {
                    let note = format!("an answer that was left for this run is dropped: {why}");
                    self.driver.observers.iter().for_each(|observer| observer.noted(&note));
                }
            },
        }
        self.taken.push(number);
    }

    /// Takes up an answer that was given from outside. Whoever wants to hear of it is told once it is stored.
    fn take_given(&mut self, GivenAnswer { ask, answer, by, heard }: GivenAnswer) -> Next {
        let Some(heard) = heard else {
            self.work.withdraw(&ask);
            return self.take_answer(ask, answer, by);
        };
        match self.answer_by(&ask, answer, by) {
            Ok(()) => {
                self.work.withdraw(&ask);
                self.unconfirmed.push(heard);
            }
            // Whoever gave it may be gone.
            Err(why) => drop(heard.send(Err(why))),
        }
        Next::Look
    }

    /// Tells those whose answers are stored now.
    pub(super) fn confirm(&mut self) {
        for heard in self.unconfirmed.drain(..) {
            // Whoever gave it may be gone.
            drop(heard.send(Ok(())));
        }
    }

    /// Takes up an answer. Arguments that a person changed and that do not fit their tool are asked for again.
    fn take_answer(&mut self, ask: QuestionId, answer: Value, by: Option<Str>) -> Next {
        let Some(misfit) = self.edit_misfit(&ask, &answer) else {
            return Next::Act(InputKind::Answered { ask, answer }, by);
        };
        let asks = self.snapshot.asks().filter(|open| open.id == ask);
        let asks = asks.map(|ask| Question { misfit: misfit.clone(), ..ask.clone() }).collect();
        self.ask_again(asks);
        Next::Look
    }

    /// Explains why the arguments of a call, as an answer changes them, do not fit its tool, if they do not.
    fn edit_misfit(&self, ask: &QuestionId, answer: &Value) -> Option<Str> {
        self.driver.tools.misfit(&machine::edited_call(&self.snapshot, ask, answer)?)
    }

    pub(super) fn ask_again(&mut self, asks: Vec<Question>) {
        for ask in asks {
            if self.snapshot.asks().any(|open| open.id == ask.id) {
                self.queue.push_back(Output::Ask(Box::new(ask)));
            }
        }
    }
}

/// Ends at `until`, or never.
fn sleep(driver: &Driver, until: Option<Time>) -> impl Future<Output = ()> + use<> {
    let sleep = until.map(|until| driver.clock.sleep_until(until));
    async move {
        match sleep {
            Some(sleep) => sleep.await,
            None => pending().await,
        }
    }
}
