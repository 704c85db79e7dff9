//! The thread on which a store speaks to its server, whatever runtime its callers have.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::port::StoreError;

/// A thread with a runtime. It ends when this is dropped, with whatever is done on it.
#[derive(Debug)]
pub(super) struct Background {
    runtime: Handle,
    _end: oneshot::Sender<()>,
}

impl Background {
    /// Starts the thread.
    pub(super) fn start() -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| {
            StoreError::Failed(format!("the thread that speaks to the database cannot be started: {error}"))
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let work = move || {
            // It ends by the sender's being dropped.
            let _ = runtime.block_on(ended);
            runtime.shutdown_background();
        };
        thread::Builder::new().name("loopwright-postgres".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { runtime: handle, _end: end })
    }

    /// Does something on the thread. It is done to its end even if nobody waits for it.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// Does something on the thread, and waits here for its end, if that comes within the time.
    pub(super) fn block<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
        patience: Option<Duration>,
    ) -> Option<T> {
        let (tell, hear) = mpsc::sync_channel(1);
        let work = async move {
            // Whoever waited may have given up.
            let _ = tell.send(work.await);
        };
        let work = self.runtime.spawn(work);
        match patience {
            None => hear.recv().ok(),
            Some(patience) => {
                let done = hear.recv_timeout(patience).ok();
                work.abort();
                done
            }
        }
    }
}
