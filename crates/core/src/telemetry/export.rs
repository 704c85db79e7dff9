//! Spans on their way to a collector.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter as Otlp, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, Span, SpanData, SpanExporter, SpanProcessor,
};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::client::Post;
use super::exporter::{Hide, MaskingExporter};
use super::settings::{Protocol, Settings};
use super::tally::Tally;

/// The word for what is counted.
const SPANS: &str = "spans";

/// The number of spans that may wait to be sent. A run that makes no calls ends thousands in the time between two exports.
const MAX_QUEUED_SPANS: usize = 1 << 15;

/// Sends spans in the background. Every text in them is hidden first.
#[derive(Debug)]
pub struct Telemetry {
    provider: SdkTracerProvider,
    tally: Arc<Tally>,
}

impl Telemetry {
    /// Sends to a collector.
    ///
    /// # Errors
    /// Where there can be no way to it, such as on a system without certificates.
    pub fn new(settings: &Settings, hide: Hide) -> Result<Self, String> {
        let tally = Arc::new(Tally::of(SPANS));
        let exporter = Otlp::builder()
            .with_http()
            .with_http_client(Post::new(settings.timeout, tally.clone())?)
            .with_endpoint(&settings.url)
            .with_protocol(settings.protocol.into())
            .with_timeout(settings.timeout)
            .build()
            .map_err(unfit)?;
        Ok(Self::counting(exporter, hide, tally))
    }

    /// Gives spans to an exporter.
    #[must_use]
    pub fn through(exporter: impl SpanExporter + 'static, hide: Hide) -> Self {
        Self::counting(exporter, hide, Arc::new(Tally::of(SPANS)))
    }

    fn counting(exporter: impl SpanExporter + 'static, hide: Hide, tally: Arc<Tally>) -> Self {
        let exporter = MaskingExporter { inner: exporter, hide, tally: tally.clone() };
        let batch = BatchConfigBuilder::default();
        // What is reported here goes before what the environment says.
        let is_set = std::env::var_os("OTEL_BSP_MAX_QUEUE_SIZE").is_some();
        let batch = if is_set { batch } else { batch.with_max_queue_size(MAX_QUEUED_SPANS) }.build();
        let inner = BatchSpanProcessor::builder(exporter).with_batch_config(batch).build();
        let processor = CountingProcessor { inner, tally: tally.clone() };
        let provider =
            SdkTracerProvider::builder().with_span_processor(processor).with_resource(resource()).build();
        Self { provider, tally }
    }

    /// The layer that sends a subscriber's spans.
    #[must_use]
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("loopwright"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target("loopwright", Level::INFO))
    }

    /// Sends what has ended so far, in some seconds at most.
    pub fn flush(&self) {
        // Whatever goes wrong here is reported at the end.
        let _ = self.provider.force_flush();
    }

    /// Sends what waits, for as long as is given.
    ///
    /// # Errors
    /// Where not every span arrived: how many, and why.
    pub fn end(self, within: Duration) -> Result<(), String> {
        // The spans that did not arrive show that did not arrive.
        let _ = self.provider.shutdown_with_timeout(within);
        self.tally.complaint().map_or(Ok(()), Err)
    }
}

impl From<Protocol> for opentelemetry_otlp::Protocol {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Protobuf => Self::HttpBinary,
            Protocol::Json => Self::HttpJson,
        }
    }
}

/// The error of an address. The exporter's own shows the whole address, in which a key may be.
pub(super) fn unfit(_: ExporterBuildError) -> String {
    "the address of the collector is none".to_owned()
}

/// The name of the sender: the name out of the environment, else our own.
pub(super) fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let found = Resource::builder().with_attribute(version.clone()).build();
    let key = opentelemetry::Key::from_static_str("service.name");
    let named = found.get(&key).is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    if named {
        found
    } else {
        Resource::builder().with_attribute(version).with_service_name("loopwright").build()
    }
}

/// Counts what ends before it waits to be sent.
#[derive(Debug)]
struct CountingProcessor {
    inner: BatchSpanProcessor,
    tally: Arc<Tally>,
}

impl SpanProcessor for CountingProcessor {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.inner.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        self.tally.end();
        self.inner.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}
