//! The writer. Jobs that wait share one transaction, and so one sync, whatever runs they are of: a thread does them. Where
//! one run alone writes, its own thread does it, which saves waking two.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use futures::future::{Either, ready};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::job::Job;
use super::lease_clock::LeaseClock;
use super::site::Site;
use super::store_file::{JobReply, StoreFile};
use crate::port::StoreError;

/// The most jobs that share a transaction.
const BATCH: usize = 4_096;

/// A job and who waits for it.
struct QueuedJob {
    job: Job,
    reply: oneshot::Sender<JobReply>,
}

/// The way to what writes. When it is dropped what waits is done and the file closed.
#[derive(Debug)]
pub(super) struct WriteQueue {
    queue: Arc<SharedQueue>,
    orders: Option<Sender<QueuedJob>>,
    thread: Option<JoinHandle<()>>,
}

/// The state that writers share.
#[derive(Debug)]
struct SharedQueue {
    work: Mutex<StoreFile>,
    /// Orders that the thread has not answered.
    waiting: AtomicUsize,
}

impl WriteQueue {
    /// Starts the thread.
    pub(super) fn start(site: Arc<Site>, conn: Connection, watch: LeaseClock) -> Result<Self, StoreError> {
        let (orders, inbox) = channel();
        let queue = Arc::new(SharedQueue {
            work: Mutex::new(StoreFile::new(site, conn, watch)),
            waiting: AtomicUsize::new(0),
        });
        let own = Arc::clone(&queue);
        let thread = Builder::new()
            .name("loopwright-store".to_owned())
            .spawn(move || own.turn(&inbox))
            .map_err(|error| StoreError::Failed(format!("no thread can be started: {error}")))?;
        Ok(Self { queue, orders: Some(orders), thread: Some(thread) })
    }

    /// Hands a job over. The future ends when what it did is durable.
    pub(super) fn order(&self, job: Job) -> impl Future<Output = JobReply> + Send + use<> {
        let job = match self.queue.at_once(job) {
            Ok(answer) => return Either::Left(ready(answer)),
            Err(job) => job,
        };
        let (reply, answer) = oneshot::channel();
        if let Some(orders) = &self.orders {
            self.queue.waiting.fetch_add(1, Ordering::AcqRel);
            // Nobody is there any more: the answer says so.
            let _ = orders.send(QueuedJob { job, reply });
        }
        Either::Right(async move { answer.await.unwrap_or_else(|_| Err(gone())) })
    }
}

impl Drop for WriteQueue {
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

impl SharedQueue {
    /// The thread: does what waits, until nobody can order any more.
    fn turn(&self, inbox: &Receiver<QueuedJob>) {
        while let Ok(first) = inbox.recv() {
            let mut orders = vec![first];
            while orders.len() < BATCH
                && let Ok(next) = inbox.try_recv()
            {
                orders.push(next);
            }
            if self.serve(orders).is_none() {
                return;
            }
        }
    }

    /// Nothing if whoever wrote before has panicked: nobody knows what it left.
    fn serve(&self, orders: Vec<QueuedJob>) -> Option<()> {
        let mut work = self.work.lock().ok()?;
        let answers = work.serve(&orders.iter().map(|order| &order.job).collect::<Vec<_>>());
        self.waiting.fetch_sub(orders.len(), Ordering::AcqRel);
        for (order, answer) in orders.into_iter().zip(answers) {
            // Whoever waited may have given up.
            let _ = order.reply.send(answer);
        }
        work.tidy();
        Some(())
    }

    /// Does a job here and now if nobody else writes, in no other process either, and it is quick; otherwise gives it back.
    fn at_once(&self, job: Job) -> Result<JobReply, Job> {
        if self.waiting.load(Ordering::Acquire) > 0 {
            return Err(job);
        }
        let Ok(mut work) = self.work.try_lock() else { return Err(job) };
        if !work.suits(&job) || !work.begin_now() {
            return Err(job);
        }
        let answer = work.serve(&[&job]).pop().unwrap_or_else(|| Err(gone()));
        work.tidy();
        Ok(answer)
    }
}
