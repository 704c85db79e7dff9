//! A webhook: a program elsewhere begins runs of a graph.
//!
//! # Why
//! - The signature is over the bytes of the body, with a secret of its own. Who has it can begin runs of one graph and nothing more.
//! - A delivery begins one run however often it comes: the id of the run is made of that of the delivery, and a store has a run of an id once. So
//!   that holds after the server was started again, and on every server of a database.

use axum::http::HeaderMap;
use ring::hmac;
use serde_json::{Map as JsonMap, Value as Json};

use crate::value::Str;

/// The longest id of a delivery, in bytes.
const MAX_DELIVERY_BYTES: usize = 256;

/// A webhook.
pub struct Webhook {
    /// The name in its address.
    pub name: Str,
    /// The name of the graph whose runs it begins.
    pub graph: String,
    /// The header of the signature: HMAC-SHA-256 of the body in hexadecimal digits, after `sha256=` or alone.
    pub signature: String,
    /// The header of the id of a delivery.
    pub delivery: String,
    /// The inputs: each with the place of its value in the body, as a JSON pointer. None hands over the whole body as the inputs.
    pub inputs: Option<Vec<(Str, String)>>,
    key: hmac::Key,
}

impl Webhook {
    /// A webhook with the secret that its signatures are made with.
    #[must_use]
    pub fn new(name: Str, graph: String, secret: &str) -> Self {
        Self {
            name,
            graph,
            signature: "x-hub-signature-256".to_owned(),
            delivery: "x-github-delivery".to_owned(),
            inputs: None,
            key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()),
        }
    }

    /// True if the signature of a body is right. The comparison takes a time that tells nothing.
    pub(super) fn is_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let given = headers.get(&self.signature).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let given = given.trim().strip_prefix("sha256=").unwrap_or(given.trim());
        bytes(given).is_some_and(|given| hmac::verify(&self.key, body, &given).is_ok())
    }

    /// The id of the run that a delivery begins; none where it has no id, or a strange one.
    pub(super) fn run(&self, headers: &HeaderMap) -> Option<String> {
        let id = headers.get(&self.delivery)?.to_str().ok()?.trim();
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

    use super::Webhook;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect()
    }

    #[test]
    fn a_signature_is_that_of_the_secret_and_the_body() {
        // The example of GitHub's documentation of its webhooks.
        let hook = Webhook::new("h".into(), "g".to_owned(), "It's a Secret to Everybody");
        let right = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let signed =
            |value: &str, body: &[u8]| hook.is_signed(&headers(&[("x-hub-signature-256", value)]), body);
        assert!(signed(&format!("sha256={right}"), b"Hello, World!") && signed(right, b"Hello, World!"));
        assert!(!signed(right, b"Hello, World?") && !signed("", b"") && !signed("sha256=", b"Hello, World!"));
        assert!(!signed(&right[..62], b"Hello, World!") && !signed(&format!("{right}0"), b"Hello, World!"));
        assert!(!hook.is_signed(&HeaderMap::new(), b"Hello, World!"));
    }

    #[test]
    fn a_delivery_has_one_run_and_its_inputs_are_found() {
        let mut hook = Webhook::new("h".into(), "g".to_owned(), "secret");
        let run = |hook: &Webhook, id: &str| hook.run(&headers(&[("x-github-delivery", id)]));
        assert_eq!(run(&hook, "1"), run(&hook, " 1 "));
        assert_ne!(run(&hook, "1"), run(&Webhook::new("i".into(), "g".to_owned(), "secret"), "1"));
        assert_eq!((run(&hook, ""), run(&hook, &"1".repeat(300))), (None, None));
        hook.inputs = Some(vec![("who".into(), "/sender/login".to_owned())]);
        let body = json!({"sender": {"login": "ana"}});
        assert_eq!(hook.input(body), Ok(json!({"who": "ana"})));
        assert!(hook.input(json!({})).is_err_and(|why| why.contains("/sender/login")));
    }
}
