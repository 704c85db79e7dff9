//! Complaints of providers.

use serde_json::Value;

/// The complaint of a provider, in a refusal's body or in the middle of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// The status code it names itself.
    pub(crate) status: Option<u16>,
    /// Its words for the kind, if it has any.
    pub(crate) word: String,
    /// The provider's words.
    pub(crate) wording: String,
    /// The wait it asks for, in nanoseconds.
    pub(crate) wait: Option<i64>,
}

impl Complaint {
    /// The body of a refusal.
    pub(crate) fn of_body(body: &str) -> Self {
        let complaint = Self::in_body(body).unwrap_or_default();
        let wording = if complaint.wording.is_empty() { body.trim().to_owned() } else { complaint.wording };
        Self { wording, ..complaint }
    }

    /// The complaint in a body with a status of success; nothing if it does not.
    pub(crate) fn in_body(body: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(body).ok()?;
        // Gemini puts it into a list where the reply was to be a stream.
        let value = value.get(0).unwrap_or(&value);
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Some(Self::of(error));
        }
        let complaint = Self::of(value);
        (!complaint.wording.is_empty()).then_some(complaint)
    }

    /// The `error` of a provider.
    pub(super) fn of(error: &Value) -> Self {
        let text = |key: &str| error.get(key).and_then(Value::as_str);
        let words: Vec<&str> = ["code", "type", "status"].into_iter().filter_map(text).collect();
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        Self {
            status: status.filter(|code| (400..600).contains(code)),
            word: words.join(" "),
            wording: text("message").or_else(|| error.as_str()).unwrap_or_default().to_owned(),
            wait: retry_delay(error),
        }
    }
}

/// Gemini's way to say `Retry-After`.
fn retry_delay(error: &Value) -> Option<i64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    wait_of(delay.strip_suffix('s')?, 1_000_000_000)
}

/// A wait in nanoseconds that is written as a number of units of so many nanoseconds. It is rounded up: too early is worse
/// than too late.
pub(crate) fn wait_of(text: &str, unit: i64) -> Option<i64> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = Some(whole).filter(|text| !text.is_empty() && digits(text) && digits(part))?;
    let more = i64::from(!part.is_empty());
    whole.parse::<i64>().ok()?.checked_add(more)?.checked_mul(unit)
}
