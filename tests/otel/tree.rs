//! Spans written as a tree.

use std::fmt::Write as _;

use opentelemetry::trace::{SpanId, SpanKind, Status};
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::trace::SpanData;

/// The spans, each below its parent, in the order in which they began. What is another in every run is left out.
pub(super) fn drawn(spans: &[SpanData]) -> String {
    let mut text = String::new();
    below(spans, SpanId::INVALID, 0, &mut text);
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with('-')).count(), spans.len(), "{text}");
    text
}

fn below(spans: &[SpanData], parent: SpanId, depth: usize, text: &mut String) {
    let mut own: Vec<&SpanData> = spans.iter().filter(|span| span.parent_span_id == parent).collect();
    own.sort_by_key(|span| (span.start_time, span.end_time));
    for span in own {
        let indent = "  ".repeat(depth);
        let kind = match span.span_kind {
            SpanKind::Client => " (client)",
            _ => "",
        };
        let failed = if matches!(span.status, Status::Error { .. }) { " FAILED" } else { "" };
        let _ = writeln!(text, "{indent}- {}{kind}{failed}{}", span.name, told(span));
        for event in span.events.iter() {
            let told: Vec<String> = event.attributes.iter().map(shown).collect();
            let _ = writeln!(text, "{indent}  * {}: {}", event.name, told.join(", "));
        }
        below(spans, span.span_context.span_id(), depth + 1, text);
    }
}

/// What a span tells beside its name. It tells nothing twice.
fn told(span: &SpanData) -> String {
    let mut keys: Vec<&str> = span.attributes.iter().map(|pair| pair.key.as_str()).collect();
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all, "{:?}", span.attributes);
    let own = |pair: &&KeyValue| {
        let named = pair.key.as_str() == "loopwright.node" && pair.value.as_str() == span.name;
        !named && pair.key.as_str() != "loopwright.program"
    };
    let mut told: Vec<String> = span.attributes.iter().filter(own).map(shown).collect();
    told.sort();
    told.iter().flat_map(|pair| [", ", pair]).collect()
}

/// A number is shown as one, a text in quotes.
fn shown(pair: &KeyValue) -> String {
    match &pair.value {
        Value::String(text) => format!("{} = {:?}", pair.key, text.as_str()),
        other => format!("{} = {other}", pair.key),
    }
}
