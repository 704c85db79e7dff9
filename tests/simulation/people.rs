//! People: they answer late, twice, badly, or not at all; some of them cancel.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use loopwright::machine::{Question, QuestionReason};
use loopwright::port::{BoxFuture, Human, HumanReply, Message, Queue, RunView, StoreError};
use loopwright::value::{Map, Str, Value};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::case::Case;
use crate::client::Client;
use crate::ledger::Ledger;
use crate::process::Process;
use crate::server::Server;
use crate::simulation::Simulation;

/// The people of a simulation, and their way to the store.
#[derive(Clone)]
pub(crate) struct People {
    pub(crate) sim: Arc<Simulation>,
    pub(crate) client: Arc<Client>,
    pub(crate) server: Arc<Server>,
    pub(crate) ledger: Arc<Ledger>,
    /// The graph of each run.
    pub(crate) cases: Arc<Vec<(Str, Arc<Case>)>>,
    /// Questions that nobody will answer.
    pub(crate) unanswered: Arc<Mutex<BTreeSet<Str>>>,
}

impl People {
    /// Answers what is asked, for as long as the simulation goes on.
    pub(crate) async fn answer_all(self, mut asked: UnboundedReceiver<(Str, Question)>) {
        while let Some((run, question)) = asked.recv().await {
            drop(tokio::spawn(self.clone().answer(run, question)));
        }
    }

    /// True if nobody will answer that question.
    pub(crate) fn leaves(&self, question: &Question) -> bool {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).contains(&question.id.0)
    }

    async fn answer(self, run: Str, question: Question) {
        let manner = self.sim.roll(|dice| dice.below(20));
        if manner == 0 {
            self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).insert(question.id.0.clone());
            return;
        }
        self.sim.wait(0, if manner == 1 { 9_000 } else { 2_000 }).await;
        // In a shipped graph nobody knows what would fit but where it was recorded.
        let case = self.cases.iter().find(|(own, _)| *own == run).map(|(_, case)| case);
        let strange = question.reason == QuestionReason::Node
            && case.is_some_and(|case| case.is_shipped() && case.answer(&question.id.0).is_none());
        if manner == 2 || strange {
            return self.post(&run, Message::Cancel { reason: "a person had enough".into(), by: None }).await;
        }
        let ask = question.id.clone();
        if manner < 6 {
            let answer = Value::from("no answer of this kind");
            self.post(&run, Message::Answer { ask: ask.clone(), answer, by: None }).await;
        }
        for _ in 0..if manner > 16 { 2 } else { 1 } {
            let answer = answer(&self.sim, case.map(|case| &**case), &question);
            self.post(&run, Message::Answer { ask: ask.clone(), answer, by: None }).await;
        }
        // A run may stay where it is, because a call is not undone.
        if question.reason != QuestionReason::Pause {
            return;
        }
        loop {
            self.sim.wait(2_000, 6_000).await;
            if !self.is_open(&run, &question) {
                return;
            }
            let answer = Value::from("resume");
            self.post(&run, Message::Answer { ask: ask.clone(), answer, by: None }).await;
        }
    }

    fn is_open(&self, run: &Str, question: &Question) -> bool {
        self.server.look(|stored| {
            let journal = stored.journals.get(run);
            journal.is_some_and(|journal| journal.last.asks().any(|open| open.id == question.id))
        })
    }

    /// Sends a message until it is acknowledged.
    pub(crate) async fn post(&self, run: &Str, message: Message) {
        loop {
            match self.client.post(run, &message).await {
                Ok(number) => {
                    self.sim.note(format_args!("message {number} for {run}"));
                    self.ledger.known().posted.insert(number, (run.clone(), message));
                    return;
                }
                Err(StoreError::Unknown(_)) => return,
                Err(_) => self.sim.wait(100, 1_000).await,
            }
        }
    }
}

/// An answer to a question; perhaps one that does not fit.
fn answer(sim: &Simulation, case: Option<&Case>, question: &Question) -> Value {
    if let Some(answer) = case.and_then(|case| case.answer(&question.id.0)) {
        return answer.clone();
    }
    let shipped = case.is_some_and(Case::is_shipped);
    let one = |name: &str, value: Value| Value::Map(Map::from_iter([(name, value)]));
    sim.roll(|dice| match question.reason {
        QuestionReason::Pause => match dice.below(4) {
            0 => Value::from("abort"),
            1 => one("rollback", Value::Int(0)),
            _ => Value::from("resume"),
        },
        QuestionReason::Unknown => match dice.below(if shipped { 2 } else { 3 }) {
            0 => Value::from("retry"),
            1 => Value::from("fail"),
            _ => one("result", Value::from("yes")),
        },
        QuestionReason::Approval if dice.chance(7_000) => question.approving().unwrap_or_default(),
        QuestionReason::Approval => Value::from("deny"),
        _ => Value::from(*dice.of(&["yes", "no"])),
    })
}

/// Somebody who sits at the terminal of a process for a while.
pub(crate) struct Present {
    pub(crate) sim: Arc<Simulation>,
    pub(crate) process: Arc<Process>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) case: Arc<Case>,
}

impl Human for Present {
    fn ask(&self, ask: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        if self.sim.roll(|dice| dice.chance(4_000)) {
            return ready(HumanReply::Unattended).boxed();
        }
        let (sim, process, ledger) =
            (Arc::clone(&self.sim), Arc::clone(&self.process), Arc::clone(&self.ledger));
        let (case, ask) = (Arc::clone(&self.case), ask.clone());
        async move {
            sim.wait(0, 2_000).await;
            let answer = answer(&sim, Some(&case), &ask);
            process.point().await;
            ledger.known().said.push((ask.id, answer.clone()));
            HumanReply::Answer(answer)
        }
        .boxed()
    }
}
