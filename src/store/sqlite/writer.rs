//! The thread that writes. Jobs that wait share one transaction, and so one sync, whatever runs they are of.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use tokio::sync::oneshot;

use super::fault;
use super::head::Head;
use super::job::{self, Done, Job, Not};
use super::standing::Runs;
use crate::port::StoreError;

/// The most jobs that share a transaction.
const BATCH: usize = 4_096;

type Answer = Result<Done, StoreError>;

/// A job and who waits for it.
struct Order {
    job: Job,
    reply: oneshot::Sender<Answer>,
}

/// The way to the thread that writes. When it is dropped the thread does what waits, closes the file and ends.
#[derive(Debug)]
pub(super) struct Writer {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(path: &Path, conn: Connection) -> Result<Self, StoreError> {
        let (orders, inbox) = channel();
        let work = Work { conn, runs: Runs::default(), head: Head::open(path), dead: None };
        let thread = Builder::new()
            .name("loopwright-store".to_owned())
            .spawn(move || work.turn(&inbox))
            .map_err(|error| StoreError::Failed(format!("no thread can be started: {error}")))?;
        Ok(Self { orders: Some(orders), thread: Some(thread) })
    }

    /// Hands a job over. The future ends when what it did is durable.
    pub(super) fn order(&self, job: Job) -> impl Future<Output = Answer> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        if let Some(orders) = &self.orders {
            // Nobody is there any more: the answer says so.
            let _ = orders.send(Order { job, reply });
        }
        async move { answer.await.unwrap_or_else(|_| Err(gone())) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so to everybody who waited.
            let _ = thread.join();
        }
    }
}

fn gone() -> StoreError {
    StoreError::Failed(
        "the thread that writes the store has ended; what was not acknowledged may not have been kept. Open the \
         store again"
            .to_owned(),
    )
}

struct Work {
    conn: Connection,
    runs: Runs,
    head: Head,
    /// Why nothing is written any more.
    dead: Option<StoreError>,
}

impl Work {
    fn turn(mut self, inbox: &Receiver<Order>) {
        while let Ok(first) = inbox.recv() {
            let mut orders = vec![first];
            while orders.len() < BATCH
                && let Ok(next) = inbox.try_recv()
            {
                orders.push(next);
            }
            self.serve(orders);
        }
    }

    fn serve(&mut self, orders: Vec<Order>) {
        let answers = match self.together(orders.iter().map(|order| &order.job)) {
            Ok(answers) => answers,
            // One of them cannot be done: alone it fails without the others.
            Err(_) if orders.len() > 1 && self.dead.is_none() => {
                orders.iter().map(|order| self.alone(&order.job)).collect()
            }
            Err(error) => orders.iter().map(|_| Err(error.clone())).collect(),
        };
        let last = answers.iter().rev().find_map(|answer| match answer {
            Ok(Done::Row(key, chain)) => Some((*key, *chain)),
            _ => None,
        });
        if let Some((key, chain)) = last {
            self.head.note(key, &chain);
        }
        for (order, answer) in orders.into_iter().zip(answers) {
            // Whoever waited may have given up.
            let _ = order.reply.send(answer);
        }
    }

    fn alone(&mut self, job: &Job) -> Answer {
        self.together(std::iter::once(job))
            .and_then(|mut answers| answers.pop().unwrap_or_else(|| Err(gone())))
    }

    /// Does jobs in one transaction. A job that may not be done is answered so, and the others are done; if SQLite
    /// fails nothing is.
    fn together<'a>(&mut self, jobs: impl Iterator<Item = &'a Job>) -> Result<Vec<Answer>, StoreError> {
        if let Some(error) = &self.dead {
            return Err(error.clone());
        }
        self.try_together(jobs).map_err(|error| {
            self.runs.forget();
            if fault::code(&error) == Some(ErrorCode::SystemIoFailure) {
                // After a failed write or sync nobody knows what the disk has: only opening the file again tells.
                self.dead = Some(StoreError::Failed(format!(
                    "the disk failed ({error}); nothing more is written. Open the store again to see what was kept"
                )));
            }
            self.dead.clone().unwrap_or_else(|| fault::from(&error))
        })
    }

    fn try_together<'a>(&mut self, jobs: impl Iterator<Item = &'a Job>) -> rusqlite::Result<Vec<Answer>> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.runs.look(&tx)?;
        let mut answers = Vec::new();
        for job in jobs {
            answers.push(match job::run(&tx, &mut self.runs, job) {
                Ok(done) => Ok(done),
                Err(Not::Refused(error)) => Err(error),
                Err(Not::Failed(error)) => return Err(error),
            });
        }
        tx.commit()?;
        Ok(answers)
    }
}
