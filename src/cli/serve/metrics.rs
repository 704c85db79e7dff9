//! Metrics for a collector, as the environment asks for them.

use std::sync::Arc;

use crate::cli::traces::{settings, warn};
use loopwright_core::serve::web::WebApi;
use loopwright_core::telemetry::Signal;

/// Sends the figures of a server in the background.
pub(super) struct Metrics {
    #[cfg(feature = "otel")]
    sent: Option<sent::Sent>,
}

#[cfg(not(feature = "otel"))]
impl Metrics {
    /// Says what would be needed for what the environment asks for.
    #[expect(clippy::unused_async, reason = "with the feature `otel` figures are read")]
    pub(super) async fn asked(_: &Arc<WebApi>) -> Self {
        if settings(Signal::Metrics).is_some() {
            warn(Signal::Metrics, crate::cli::traces::WITHOUT);
        }
        Self {}
    }

    /// Nothing is left.
    #[expect(clippy::unused_async, reason = "with the feature `otel` the rest is sent")]
    pub(super) async fn end(self) {}
}

#[cfg(feature = "otel")]
impl Metrics {
    /// Begins what the environment asks for.
    pub(super) async fn asked(api: &Arc<WebApi>) -> Self {
        let Some(settings) = settings(Signal::Metrics) else { return Self { sent: None } };
        match sent::Sent::begin(api, settings).await {
            Ok(sent) => Self { sent: Some(sent) },
            Err(why) => {
                warn(Signal::Metrics, &why);
                Self { sent: None }
            }
        }
    }

    /// Sends the figures a last time, and says so where some did not arrive.
    pub(super) async fn end(self) {
        if let Some(sent) = self.sent {
            sent.end().await;
        }
    }
}

#[cfg(feature = "otel")]
mod sent {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::task::{JoinHandle, spawn_blocking};
    use tokio::time::{Instant, interval_at};

    use crate::cli::screen;
    use loopwright_core::serve::web::WebApi;
    use loopwright_core::telemetry::{MetricSender, Settings};

    /// The time for the last export.
    const END: Duration = Duration::from_secs(5);

    pub(super) struct Sent {
        api: Arc<WebApi>,
        sender: Arc<MetricSender>,
        collector: String,
        regular: JoinHandle<()>,
    }

    impl Sent {
        pub(super) async fn begin(api: &Arc<WebApi>, settings: Settings) -> Result<Self, String> {
            let collector = settings.collector().to_owned();
            let every = settings.interval;
            let figures = api.figures().await.map_err(|error| error.to_string())?;
            // The client blocks, and is made where that is allowed.
            let sender = spawn_blocking(move || MetricSender::new(&settings, &figures)).await;
            let sender = Arc::new(sender.map_err(|error| error.to_string())??);
            api.tell_durations(sender.hear());
            let regular = tokio::spawn(send_regularly(Arc::clone(api), Arc::clone(&sender), every));
            Ok(Self { api: Arc::clone(api), sender, collector, regular })
        }

        pub(super) async fn end(self) {
            self.regular.abort();
            let _aborted = self.regular.await;
            send(&self.api, &self.sender).await;
            let ended = spawn_blocking(move || self.sender.end(END)).await;
            if let Ok(Err(why)) = ended {
                let (why, collector) = (screen::line(&why), screen::line(&self.collector));
                screen::say(&format!("warning: metrics for {collector}: {why}\n"));
            }
        }
    }

    async fn send_regularly(api: Arc<WebApi>, sender: Arc<MetricSender>, every: Duration) {
        let mut ticks = interval_at(Instant::now() + every, every);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            send(&api, &sender).await;
        }
    }

    async fn send(api: &WebApi, sender: &Arc<MetricSender>) {
        // A store that cannot be read is there again later.
        let Ok(figures) = api.figures().await else { return };
        let sender = Arc::clone(sender);
        let _sent = spawn_blocking(move || sender.send(figures)).await;
    }
}
