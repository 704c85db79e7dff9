//! The end of a server.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::tool::group::Group;

/// The time that a server has to end by itself once its input is closed.
const PATIENCE: Duration = Duration::from_millis(500);

/// The process of a server. When this is dropped it is ended: first its input is closed, then it is asked, then killed.
pub(super) struct ServerProcess {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl ServerProcess {
    /// Watches a process; `ended` is called when it is gone.
    pub(super) fn watch(mut group: Group, ended: impl FnOnce() + Send + 'static) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            tokio::select! {
                _ = group.wait() => {}
                _ = stopped => {
                    if tokio::time::timeout(PATIENCE, group.wait()).await.is_err() {
                        group.end().await;
                    }
                }
            }
            // Nothing that it started outlives it.
            drop(group);
            ended();
        });
        Self { stop: Some(stop), task }
    }

    /// Ends it and waits for that.
    pub(super) async fn end(mut self) {
        self.stop = None;
        // It is killed after a while: that ends in a bounded time.
        let _ended = (&mut self.task).await;
    }
}
