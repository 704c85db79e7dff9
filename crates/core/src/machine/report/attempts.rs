//! Attempts of models, in the forms in which events are printed.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::time::timestamp;
use crate::machine::call::{ModelAttempt, SentFile, Usage};
use crate::value::{duration, usd};

/// The cost of a call or of an attempt, with the kinds of tokens that it had.
pub(super) fn usage_json(usage: Usage) -> Json {
    let mut object: Map<String, Json> =
        usage.kinds().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    let cost = usd::text(i64::try_from(usage.cost).unwrap_or(i64::MAX));
    object.insert("cost".to_owned(), cost.into());
    object.into()
}

/// An attempt as one object: `entry`, `model`, `at`, `ok`, and what there is of `waited`, `error`, `refused`, `usage` and `files`.
pub(super) fn attempt_json(attempt: &ModelAttempt) -> Json {
    let mut object = Map::new();
    let mut put = |key: &str, value: Json| object.insert(key.to_owned(), value);
    put("entry", attempt.entry.as_str().into());
    put("model", attempt.model.as_str().into());
    put("at", timestamp(attempt.at).into());
    if attempt.waited > 0 {
        put("waited", duration::text(attempt.waited).into());
    }
    put("ok", attempt.error.is_none().into());
    if let Some(fault) = &attempt.error {
        put("error", json!({"kind": fault.kind.as_str(), "message": fault.message.as_str()}));
        if fault.refused {
            put("refused", true.into());
        }
    }
    if !attempt.usage.is_free() {
        put("usage", usage_json(attempt.usage));
    }
    if !attempt.files.is_empty() {
        let files = attempt.files.iter();
        let files = files.map(|SentFile { path, digest, bytes }| {
            json!({"path": path.as_str(), "digest": digest.as_str(), "bytes": bytes})
        });
        object.insert("files".to_owned(), files.collect());
    }
    Json::Object(object)
}

/// The attempts of a call in a few words after the outcome: ` (fast: unavailable, unavailable; strong)`. Nothing where the
/// only attempt was made at once.
pub(super) fn attempts_text(attempts: &[ModelAttempt]) -> String {
    if attempts.len() < 2 && attempts.iter().all(|attempt| attempt.waited == 0) {
        return String::new();
    }
    let mut text = String::new();
    let mut last = None;
    for attempt in attempts {
        let waited = match attempt.waited {
            0 => String::new(),
            waited => format!(" waited {}", duration::text(waited)),
        };
        let same = last.replace(&attempt.entry) == Some(&attempt.entry);
        let before = match (text.is_empty(), same) {
            (true, _) => String::new(),
            (false, true) => ",".to_owned(),
            (false, false) => "; ".to_owned(),
        };
        let entry = if same { "" } else { attempt.entry.as_str() };
        let colon = if same { "" } else { ":" };
        let _ = match &attempt.error {
            Some(fault) => write!(text, "{before}{entry}{waited}{colon} {}", fault.kind),
            None if same => write!(text, "{before}{waited} answered"),
            None => write!(text, "{before}{entry}{waited}"),
        };
    }
    format!(" ({text})")
}

#[cfg(test)]
mod tests {
    use super::attempts_text;
    use crate::machine::call::{AttemptFault, ModelAttempt, Usage};

    fn attempt(entry: &str, kind: Option<&str>, waited: i64) -> ModelAttempt {
        let error = kind.map(|kind| AttemptFault { kind: kind.into(), message: "no".into(), refused: false });
        let (entry, usage) = (entry.into(), Usage::default());
        ModelAttempt { entry, model: "m".into(), at: 0, waited, error, usage, files: Vec::new() }
    }

    #[test]
    fn attempts_are_listed_by_entry() {
        let (busy, down) = (Some("rate_limited"), Some("unavailable"));
        let texts = [
            attempts_text(&[]),
            attempts_text(&[attempt("fast", None, 0)]),
            attempts_text(&[attempt("fast", None, 1_500_000_000)]),
            attempts_text(&[attempt("fast", busy, 0), attempt("fast", down, 0), attempt("fast", None, 0)]),
            attempts_text(&[attempt("fast", busy, 0), attempt("fast", down, 0), attempt("strong", None, 0)]),
        ];
        assert_eq!(
            texts,
            [
                "",
                "",
                " (fast waited 1s500ms)",
                " (fast: rate_limited, unavailable, answered)",
                " (fast: rate_limited, unavailable; strong)",
            ]
        );
    }
}
