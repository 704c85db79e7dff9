//! The facts that the span of a call tells of its request and its reply, under OpenTelemetry's names. The span is the
//! caller's; fields it has not stay untold.

use tracing::Span;

use crate::config::ModelConfig;
use crate::wire::{AnswerForm, ModelQuestion, PartialReply, Reasoning};

/// Records the model of a list that answered, or failed last.
pub(super) fn chosen(config: &ModelConfig) {
    let span = Span::current();
    span.record("gen_ai.provider.name", config.target.provider.telemetry());
    span.record("gen_ai.request.model", config.target.model.as_str());
}

/// Records the entry that is asked and the settings of the request. No text of the request.
pub(super) fn asked(config: &ModelConfig, question: &ModelQuestion) {
    let span = Span::current();
    if span.is_disabled() {
        return;
    }
    let target = &config.target;
    span.record("loopwright.entry", config.role.as_str());
    if let Some(temperature) = target.temperature {
        span.record("gen_ai.request.temperature", temperature);
    }
    if let Some(seed) = target.seed {
        span.record("gen_ai.request.seed", seed);
    }
    if let Some(tokens) = target.max_tokens {
        span.record("gen_ai.request.max_tokens", i64::from(tokens));
    }
    if let Some(effort) = target.reasoning.and_then(Reasoning::effort) {
        span.record("gen_ai.request.reasoning.level", effort);
    }
    let kind = match question.form {
        AnswerForm::Free => "text",
        AnswerForm::Json | AnswerForm::Schema(_) => "json",
    };
    span.record("gen_ai.output.type", kind);
    let (host, port) = server(&target.base_url);
    span.record("server.address", host);
    if let Some(port) = port {
        span.record("server.port", i64::from(port));
    }
}

/// Records the model that answered and its reason to stop. No text of the reply.
pub(super) fn answered(reply: &PartialReply) {
    let span = Span::current();
    if let Some(model) = &reply.model {
        span.record("gen_ai.response.model", model.as_str());
    }
    if let Some(why) = &reply.why {
        span.record("gen_ai.response.finish_reasons", why.as_str());
    }
}

/// The host of an address, and its port.
fn server(url: &str) -> (&str, Option<u16>) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split('/').next().unwrap_or_default();
    let usual = match scheme {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    };
    // The colons of an address of the sixth version are in brackets.
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
        _ => (authority, usual),
    }
}

#[cfg(test)]
mod tests {
    use super::server;

    #[test]
    fn addresses_have_a_host_and_a_port() {
        assert_eq!(server("https://api.openai.com/v1"), ("api.openai.com", Some(443)));
        assert_eq!(server("http://127.0.0.1:8080/v1"), ("127.0.0.1", Some(8080)));
        assert_eq!(server("http://models"), ("models", Some(80)));
        assert_eq!(server("http://[::1]:8080/v1"), ("[::1]", Some(8080)));
        assert_eq!(server("http://[::1]"), ("[::1]", Some(80)));
        assert_eq!(server("http://models:none"), ("models", None));
    }
}
