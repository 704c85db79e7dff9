//! A webhook: a program elsewhere begins runs of a graph.
//!
//! # Why
//! - A signature is made with a secret of its own. Who has it can begin runs of one graph and nothing more.
//! - A delivery begins one run however often it comes: the id of the run is made of that of the delivery, and a store has a run of an id once. So
//!   that holds after the server was started again, and on every server of a database.
//! - GitHub signs the body and not the id of the delivery, so whoever has seen one could send it under another id. Standard Webhooks
//!   sign id, time and body ([decision 0107](../../../../../docs/decisions/0107-what-strangers-can-do.md)).

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use serde_json::{Map as JsonMap, Value as Json};

use crate::config::WebhookScheme;
use crate::machine::Time;
use crate::value::Str;

/// The longest id of a delivery, in bytes.
const MAX_DELIVERY_BYTES: usize = 256;

/// The shortest secret, in bytes.
const MIN_SECRET_BYTES: usize = 16;

/// The beginning of a secret that is in base64.
const ENCODED_SECRET: &str = "whsec_";

/// The time by which the clocks of a sender and of this machine may differ, in seconds, with the time on the way.
const TOLERANCE_SECONDS: i64 = 300;

const SECOND_NS: Time = 1_000_000_000;

/// A webhook.
pub struct Webhook {
    /// The name in its address.
    pub name: Str,
    /// The name of the graph whose runs it begins.
    pub graph: String,
    /// The inputs: each with the place of its value in the body, as a JSON pointer. None hands over the whole body as the inputs.
    pub inputs: Option<Vec<(Str, String)>>,
    scheme: WebhookScheme,
    key: hmac::Key,
}

/// A fault of the signature of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureFault {
    /// It is missing, or another one.
    Wrong,
    /// It is right, and of another time: the delivery may be one that somebody has seen.
    Stale,
}

impl Webhook {
    /// A webhook with the secret that its signatures are made with: the bytes of the text, or with `whsec_` before it those that it stands for in
    /// base64.
    ///
    /// # Errors
    /// The secret is too short, or is not what it says.
    pub fn new(name: Str, graph: String, secret: &str, scheme: WebhookScheme) -> Result<Self, String> {
        let key = match secret.strip_prefix(ENCODED_SECRET) {
            Some(encoded) if scheme == WebhookScheme::Standard => BASE64_STANDARD
                .decode(encoded)
                .map_err(|_| format!("what stands after `{ENCODED_SECRET}` in the secret is no base64"))?,
            _ => secret.as_bytes().to_vec(),
        };
        if key.len() < MIN_SECRET_BYTES {
            return Err(format!("a secret has at least {MIN_SECRET_BYTES} bytes"));
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
        Ok(Self { name, graph, inputs: None, scheme, key })
    }

    /// The header of the id of a delivery.
    pub(super) fn delivery(&self) -> &str {
        match &self.scheme {
            WebhookScheme::GitHub { delivery, .. } => delivery.as_deref().unwrap_or("x-github-delivery"),
            WebhookScheme::Standard => "webhook-id",
        }
    }

    /// Looks at the signature of a delivery that comes at a time. The comparison takes a time that tells nothing.
    pub(super) fn verify(&self, headers: &HeaderMap, body: &[u8], now: Time) -> Result<(), SignatureFault> {
        match &self.scheme {
            WebhookScheme::GitHub { signature, .. } => {
                let given = header(headers, signature.as_deref().unwrap_or("x-hub-signature-256"));
                let given = bytes(given.strip_prefix("sha256=").unwrap_or(given));
                self.compare(body, given)
            }
            WebhookScheme::Standard => {
                let [id, sent] = ["webhook-id", "webhook-timestamp"].map(|name| header(headers, name));
                let signed = [id.as_bytes(), b".", sent.as_bytes(), b".", body].concat();
                // A secret that is being replaced signs as well for a while.
                let given = header(headers, "webhook-signature").split(' ');
                let mut given =
                    given.filter_map(|part| BASE64_STANDARD.decode(part.strip_prefix("v1,")?).ok());
                if !given.any(|given| self.compare(&signed, Some(given)).is_ok()) {
                    return Err(SignatureFault::Wrong);
                }
                let sent: i64 = sent.parse().map_err(|_| SignatureFault::Stale)?;
                let is_fresh = sent.abs_diff(now / SECOND_NS) <= TOLERANCE_SECONDS.unsigned_abs();
                if is_fresh { Ok(()) } else { Err(SignatureFault::Stale) }
            }
        }
    }

    fn compare(&self, signed: &[u8], given: Option<Vec<u8>>) -> Result<(), SignatureFault> {
        let given = given.ok_or(SignatureFault::Wrong)?;
        hmac::verify(&self.key, signed, &given).map_err(|_| SignatureFault::Wrong)
    }

    /// The id of the run that a delivery begins; none where it has no id, or a strange one.
    pub(super) fn run(&self, headers: &HeaderMap) -> Option<String> {
        let id = header(headers, self.delivery());
        if id.is_empty() || id.len() > MAX_DELIVERY_BYTES {
            return None;
        }
        let mut sum = blake3::Hasher::new();
        for part in [self.name.as_str(), id] {
            sum.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            sum.update(part.as_bytes());
        }
        Some(format!("hook-{}", &sum.finalize().to_hex()[..32]))
    }

    /// The inputs of the run.
    ///
    /// # Errors
    /// The place of one is not in the body.
    pub(super) fn input(&self, body: Json) -> Result<Json, String> {
        let Some(inputs) = &self.inputs else { return Ok(body) };
        let mut given = JsonMap::new();
        for (name, place) in inputs {
            let value = body.pointer(place).ok_or_else(|| format!("the body has nothing at `{place}`"))?;
            given.insert(name.to_string(), value.clone());
        }
        Ok(given.into())
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("name", &self.name)
            .field("graph", &self.graph)
            .finish_non_exhaustive()
    }
}

/// The text of a header; empty where there is none, or none that is a text.
fn header<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim()
}

/// The bytes that hexadecimal digits stand for.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use serde_json::json;

    use super::{SECOND_NS, SignatureFault, Webhook};
    use crate::config::WebhookScheme;

    const GITHUB: WebhookScheme = WebhookScheme::GitHub { signature: None, delivery: None };

    fn hook(name: &str, secret: &str, scheme: WebhookScheme) -> Webhook {
        Webhook::new(name.into(), "g".to_owned(), secret, scheme).expect("the secret is long enough")
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect()
    }

    #[test]
    fn a_signature_is_that_of_the_secret_and_the_body() {
        // The example of GitHub's documentation of its webhooks.
        let hook = hook("h", "It's a Secret to Everybody", GITHUB);
        let right = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let signed = |value: &str, body: &[u8]| {
            hook.verify(&headers(&[("x-hub-signature-256", value)]), body, 0).is_ok()
        };
        assert!(signed(&format!("sha256={right}"), b"Hello, World!") && signed(right, b"Hello, World!"));
        assert!(!signed(right, b"Hello, World?") && !signed("", b"") && !signed("sha256=", b"Hello, World!"));
        assert!(!signed(&right[..62], b"Hello, World!") && !signed(&format!("{right}0"), b"Hello, World!"));
        assert_eq!(hook.verify(&HeaderMap::new(), b"Hello, World!", 0), Err(SignatureFault::Wrong));
    }

    #[test]
    fn a_standard_signature_is_that_of_id_time_and_body() {
        // The example of the libraries of Standard Webhooks.
        let hook = hook("h", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", WebhookScheme::Standard);
        let (id, sent) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330_i64);
        let right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let body = br#"{"test": 2432232314}"#;
        let verify = |id: &str, time: &str, signature: &str, body: &[u8], now: i64| {
            let pairs = [("webhook-id", id), ("webhook-timestamp", time), ("webhook-signature", signature)];
            hook.verify(&headers(&pairs), body, now * SECOND_NS)
        };
        let time = sent.to_string();
        for now in [sent, sent - 300, sent + 300] {
            assert_eq!(verify(id, &time, right, body, now), Ok(()));
        }
        for now in [sent - 301, sent + 301, 0] {
            assert_eq!(verify(id, &time, right, body, now), Err(SignatureFault::Stale));
        }
        let several = format!("v1,AAAA v1a,{} {right}", &right[3..]);
        assert_eq!(verify(id, &time, &several, body, sent), Ok(()));
        for (id, time, signature, body) in [
            ("msg_other", &*time, right, &body[..]),
            (id, "1614265331", right, body),
            (id, "", right, body),
            (id, &time, right, b"{}"),
            (id, &time, &right[3..], body),
            (id, &time, "", body),
            (id, &time, "v1,", body),
            (id, &time, "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", body),
        ] {
            assert_eq!(verify(id, time, signature, body, sent), Err(SignatureFault::Wrong));
        }
        assert_eq!(hook.verify(&HeaderMap::new(), body, sent * SECOND_NS), Err(SignatureFault::Wrong));
        for secret in ["whsec_MfKQ9r8GKYqr", "whsec_M!KQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "short"] {
            Webhook::new("h".into(), "g".to_owned(), secret, WebhookScheme::Standard).expect_err(secret);
        }
    }

    #[test]
    fn a_delivery_has_one_run_and_its_inputs_are_found() {
        let secret = "a secret of the tests";
        let mut own = hook("h", secret, GITHUB);
        let run = |hook: &Webhook, id: &str| hook.run(&headers(&[("x-github-delivery", id)]));
        assert_eq!(run(&own, "1"), run(&own, " 1 "));
        assert_ne!(run(&own, "1"), run(&hook("i", secret, GITHUB), "1"));
        assert_eq!((run(&own, ""), run(&own, &"1".repeat(300))), (None, None));
        own.inputs = Some(vec![("who".into(), "/sender/login".to_owned())]);
        let body = json!({"sender": {"login": "ana"}});
        assert_eq!(own.input(body), Ok(json!({"who": "ana"})));
        assert!(own.input(json!({})).is_err_and(|why| why.contains("/sender/login")));
    }
}
