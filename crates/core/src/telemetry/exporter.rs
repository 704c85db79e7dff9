//! Spans as they may leave the machine.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

use super::tally::Tally;

/// An attribute whose value OpenTelemetry wants as a list; a field of `tracing` holds one text.
const LIST: &str = "gen_ai.response.finish_reasons";

/// A text without what nobody may see.
pub type Hide = fn(&str) -> Cow<'_, str>;

/// Hides what nobody may see in what another exporter sends.
pub(super) struct MaskingExporter<E> {
    pub(super) inner: E,
    pub(super) hide: Hide,
    pub(super) tally: Arc<Tally>,
}

impl<E: SpanExporter> SpanExporter for MaskingExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let batch = batch.into_iter().map(|span| self.shown(span)).collect();
        let result = self.inner.export(batch).await;
        match &result {
            Ok(()) => self.tally.send(spans),
            Err(error) => self.tally.note_smaller_error(error.to_string()),
        }
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl<E> MaskingExporter<E> {
    fn shown(&self, mut span: SpanData) -> SpanData {
        span.name = self.text(&span.name).into();
        last_of_each(&mut span.attributes);
        self.attributes(&mut span.attributes);
        for event in &mut span.events.events {
            event.name = self.text(&event.name).into();
            // Where in the program it was reported.
            event.attributes.retain(|pair| pair.key.as_str() != "target");
            self.attributes(&mut event.attributes);
        }
        if let opentelemetry::trace::Status::Error { description } = &mut span.status {
            *description = self.text(description).into();
        }
        span
    }

    fn attributes(&self, attributes: &mut [KeyValue]) {
        for KeyValue { key, value, .. } in attributes {
            if let Value::String(text) = value {
                let text = StringValue::from(self.text(text.as_str()));
                *value = if key.as_str() == LIST {
                    Value::Array(Array::String(vec![text]))
                } else {
                    Value::String(text)
                };
            }
        }
    }

    fn text(&self, text: &str) -> String {
        (self.hide)(text).into_owned()
    }
}

/// Leaves of attributes that were reported more than once what was reported last; OTLP wants each key once.
fn last_of_each(attributes: &mut Vec<KeyValue>) {
    let mut at = 0;
    while let Some(pair) = attributes.get(at) {
        if attributes[at + 1..].iter().any(|later| later.key == pair.key) {
            attributes.remove(at);
        } else {
            at += 1;
        }
    }
}

impl<E: fmt::Debug> fmt::Debug for MaskingExporter<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hiding").field(&self.inner).finish()
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::KeyValue;

    use super::last_of_each;

    #[test]
    fn what_was_told_last_counts() {
        let mut pairs =
            ["a=1", "b=1", "a=2", "c=1", "a=3"].map(|pair| KeyValue::new(&pair[..1], &pair[2..])).to_vec();
        last_of_each(&mut pairs);
        let pairs: Vec<String> = pairs.iter().map(|pair| format!("{}={}", pair.key, pair.value)).collect();
        assert_eq!(pairs, ["b=1", "c=1", "a=3"]);
    }
}
