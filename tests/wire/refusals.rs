//! What providers say where they refuse a request, and the kind of error that makes of it.

use loopwright::machine::Outcome;
use loopwright::value::Value;

use super::world::{Reply, World};

/// Provider, status, body, kind, and the wait that is asked for in milliseconds.
type Refusal = (&'static str, u16, &'static str, &'static str, Option<i64>);

const REFUSALS: &[Refusal] = &[
    // Too long a prompt.
    (
        "openai",
        400,
        r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        "context_limit",
        None,
    ),
    (
        "openai",
        400,
        r#"{"error":{"code":400,"message":"request (2358 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":2358,"n_ctx":2048}}"#,
        "context_limit",
        None,
    ),
    (
        "openai",
        400,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}"#,
        "context_limit",
        None,
    ),
    (
        "openai",
        400,
        r#"{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length of 8192.","type":"BadRequestError","code":400}}"#,
        "context_limit",
        None,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}"#,
        "context_limit",
        None,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
        "context_limit",
        None,
    ),
    (
        "anthropic",
        413,
        r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        "context_limit",
        None,
    ),
    (
        "gemini",
        400,
        r#"{"error":{"code":400,"message":"The input token count (1300000) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}"#,
        "context_limit",
        None,
    ),
    ("ollama", 400, r#"{"error":"the input length exceeds the context length"}"#, "context_limit", None),
    // A wrong key.
    (
        "openai",
        401,
        r#"{"error":{"message":"Incorrect API key provided: sk-***.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        "denied",
        None,
    ),
    (
        "anthropic",
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        "denied",
        None,
    ),
    (
        "anthropic",
        403,
        r#"{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission."}}"#,
        "denied",
        None,
    ),
    (
        "gemini",
        400,
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
        "denied",
        None,
    ),
    (
        "gemini",
        403,
        r#"{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}"#,
        "denied",
        None,
    ),
    ("ollama", 401, r#"{"error":"unauthorized"}"#, "denied", None),
    // A used-up account.
    (
        "openai",
        429,
        r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        "denied",
        None,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
        "denied",
        None,
    ),
    (
        "anthropic",
        402,
        r#"{"type":"error","error":{"type":"billing_error","message":"There is an issue with your billing."}}"#,
        "denied",
        None,
    ),
    // Too many requests.
    (
        "openai",
        429,
        r#"{"error":{"message":"Rate limit reached for requests per min.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
        "rate_limited",
        None,
    ),
    (
        "anthropic",
        429,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."}}"#,
        "rate_limited",
        None,
    ),
    (
        "gemini",
        429,
        r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"41s"}]}}"#,
        "rate_limited",
        Some(41_000),
    ),
    ("ollama", 429, r#"{"error":"too many requests"}"#, "rate_limited", None),
    // Overload and faults.
    (
        "openai",
        503,
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        "unavailable",
        None,
    ),
    (
        "openai",
        500,
        r#"{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}"#,
        "unavailable",
        None,
    ),
    ("openai", 502, "<html><body>Bad Gateway</body></html>", "unavailable", None),
    (
        "anthropic",
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "unavailable",
        None,
    ),
    (
        "anthropic",
        500,
        r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
        "unavailable",
        None,
    ),
    (
        "gemini",
        503,
        r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
        "unavailable",
        None,
    ),
    (
        "gemini",
        504,
        r#"{"error":{"code":504,"message":"Deadline expired.","status":"DEADLINE_EXCEEDED"}}"#,
        "unavailable",
        None,
    ),
    (
        "ollama",
        503,
        r#"{"error":"server busy, please try again. maximum pending requests exceeded"}"#,
        "unavailable",
        None,
    ),
    ("ollama", 500, r#"{"error":"model runner has unexpectedly stopped"}"#, "unavailable", None),
    // What the provider does not let through.
    (
        "openai",
        400,
        r#"{"error":{"message":"The response was filtered.","type":null,"param":"prompt","code":"content_filter","status":400}}"#,
        "invalid_output",
        None,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#,
        "invalid_output",
        None,
    ),
    // Everything else.
    (
        "openai",
        404,
        r#"{"error":{"message":"The model `x` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        "denied",
        None,
    ),
    ("ollama", 404, r#"{"error":"model 'x' not found"}"#, "denied", None),
    (
        "anthropic",
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
        "denied",
        None,
    ),
    (
        "gemini",
        404,
        r#"{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}"#,
        "denied",
        None,
    ),
    ("openai", 422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, "denied", None),
    ("openai", 418, "", "denied", None),
];

#[test]
fn refusals_have_kinds() {
    for (provider, status, body, kind, wait) in REFUSALS {
        let world = World::patient(provider);
        let reply = Reply { status: *status, ..Reply::of(body.as_bytes()) };
        let (outcome, sent) = world.tries(Value::Null, reply);
        let Outcome::Failed { kind: found, message, retry_after, .. } = outcome else {
            panic!("{provider} {status} {body}: {outcome:?}")
        };
        assert_eq!(found, *kind, "{provider} {status} {body}: {message}");
        assert_eq!(retry_after, wait.map(|wait| wait * 1_000_000), "{provider} {status} {body}");
        // What the provider may mend is asked again, if it does not take long.
        let again = matches!(*kind, "rate_limited" | "unavailable") && wait.is_none_or(|wait| wait <= 30_000);
        assert_eq!(sent.len(), if again { 3 } else { 1 }, "{provider} {status} {body}");
        assert!(message.starts_with(&format!("the provider answered {status}: ")), "{message}");
        let why = message.rsplit_once(": ").expect("a reason").1;
        assert!(!why.is_empty() && !message.contains("\"error\""), "{message}");
    }
}
