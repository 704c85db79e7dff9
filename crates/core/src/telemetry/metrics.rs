//! Figures on their way to a collector.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter, MeterProvider as _};
use opentelemetry_otlp::{MetricExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};

use super::client::Post;
use super::export::{resource, unfit};
use super::figure::{Figure, FigureValues, HearDuration};
use super::settings::Settings;
use super::tally::Tally;

/// The time between two exports of the reader by itself: never. Whoever has new figures sends them.
const NEVER: Duration = Duration::from_hours(24 * 365);

/// Sends figures. What is counted or there now is read when it is sent; durations are heard of as they come.
pub struct MetricSender {
    provider: SdkMeterProvider,
    figures: Arc<Mutex<Vec<Figure>>>,
    histograms: Vec<(&'static str, Histogram<f64>)>,
    tally: Arc<Tally>,
}

impl MetricSender {
    /// Sends to a collector. `figures` are those that will be sent, with any values.
    ///
    /// # Errors
    /// Where there can be no way to it, such as on a system without certificates.
    pub fn new(settings: &Settings, figures: &[Figure]) -> Result<Self, String> {
        let tally = Arc::new(Tally::of("exports of metrics"));
        let exporter = MetricExporter::builder()
            .with_http()
            .with_http_client(Post::new(settings.timeout, tally.clone())?)
            .with_endpoint(&settings.url)
            .with_protocol(settings.protocol.into())
            .with_timeout(settings.timeout)
            .build()
            .map_err(unfit)?;
        let reader = PeriodicReader::builder(exporter).with_interval(NEVER).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).with_resource(resource()).build();
        let meter = provider.meter("loopwright");
        let shared = Arc::new(Mutex::new(figures.to_vec()));
        let mut histograms = Vec::new();
        for figure in figures {
            if let FigureValues::Durations { bounds, .. } = &figure.values {
                let histogram =
                    meter.f64_histogram(figure.name).with_unit("s").with_description(figure.about);
                histograms.push((figure.name, histogram.with_boundaries(bounds.clone()).build()));
            } else {
                observe(&meter, figure, &shared);
            }
        }
        Ok(Self { provider, figures: shared, histograms, tally })
    }

    /// Hears of durations of the figures.
    #[must_use]
    pub fn hear(&self) -> HearDuration {
        let histograms = self.histograms.clone();
        Box::new(move |name, labels, seconds| {
            let labels: Vec<_> = labels.iter().map(|(name, value)| KeyValue::new(*name, *value)).collect();
            if let Some((_, histogram)) = histograms.iter().find(|(own, _)| *own == name) {
                histogram.record(seconds, &labels);
            }
        })
    }

    /// Sends figures. It blocks until they are there, or could not be sent.
    pub fn send(&self, figures: Vec<Figure>) {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner) = figures;
        self.tally.end();
        match self.provider.force_flush() {
            Ok(()) => self.tally.send(1),
            Err(error) => self.tally.note_smaller_error(error.to_string()),
        }
    }

    /// Ends the sending.
    ///
    /// # Errors
    /// Where not every export arrived: how many, and why.
    pub fn end(&self, within: Duration) -> Result<(), String> {
        // What was to be sent was sent, or is counted.
        let _ended = self.provider.shutdown_with_timeout(within);
        self.tally.complaint().map_or(Ok(()), Err)
    }
}

/// Reads a figure of numbers whenever figures are sent.
fn observe(meter: &Meter, Figure { name, about, values }: &Figure, shown: &Arc<Mutex<Vec<Figure>>>) {
    let (name, shown) = (*name, Arc::clone(shown));
    let read = move |hear: &mut dyn FnMut(u64, &[KeyValue])| {
        let figures = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let own = figures.iter().find(|figure| figure.name == name).map(|figure| &figure.values);
        if let Some(FigureValues::Gauge(values) | FigureValues::Counter(values)) = own {
            for (labels, value) in values {
                hear(*value, &attributes(labels));
            }
        }
    };
    // An instrument lives as long as what collects; the handle of one that is observed does nothing.
    if matches!(values, FigureValues::Counter(_)) {
        let counter = meter.u64_observable_counter(name).with_description(*about);
        counter.with_callback(move |to| read(&mut |value, own| to.observe(value, own))).build();
    } else {
        let gauge = meter.u64_observable_gauge(name).with_description(*about);
        gauge.with_callback(move |to| read(&mut |value, own| to.observe(value, own))).build();
    }
}

fn attributes(labels: &[(&'static str, String)]) -> Vec<KeyValue> {
    labels.iter().map(|(name, value)| KeyValue::new(*name, value.clone())).collect()
}

impl fmt::Debug for MetricSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MetricSender")
    }
}
