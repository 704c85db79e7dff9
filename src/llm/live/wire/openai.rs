//! Chat completions: `OpenAI`, llama.cpp, vLLM and others. See <https://platform.openai.com/docs/api-reference/chat>.

use serde_json::{Value, json};

use super::{Fault, Prepared, text, tokens};
use crate::config::{ModelConfig, Structured};
use crate::llm::live::question::Question;
use crate::llm::live::reply::{Finish, Reply};
use crate::llm::live::secret::Secret;

pub(super) fn prepare(config: &ModelConfig, key: Option<&Secret>, question: &Question) -> Prepared {
    let mut messages = Vec::new();
    if let Some(system) = &question.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.push(json!({"role": "user", "content": question.prompt}));
    let mut body = json!({
        "model": config.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if let Some(temperature) = config.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(seed) = config.seed {
        body["seed"] = seed.into();
    }
    if let Some(most) = config.max_tokens {
        // OpenAI has given the field another name; servers that follow it mostly know the old one.
        let own = config.base_url == config.provider.home();
        body[if own { "max_completion_tokens" } else { "max_tokens" }] = most.into();
    }
    if let Some(schema) = &question.schema {
        match config.structured {
            Structured::Schema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": strict(schema), "schema": schema},
                });
            }
            Structured::Json => body["response_format"] = json!({"type": "json_object"}),
            Structured::Prompt => {}
        }
    }
    let headers = key
        .map(|key| ("authorization", Secret::new(format!("Bearer {}", key.reveal()))))
        .into_iter()
        .collect();
    Prepared { url: format!("{}/chat/completions", config.base_url), headers, body }
}

/// Whether a schema may be asked for as a strict one: then every field must be required and every record closed.
fn strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let fields = map.get("properties").and_then(Value::as_object);
            let required = map.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            let record =
                map.get("type").is_some_and(|kind| kind == "object" || *kind == json!(["object", "null"]));
            let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
            (!record || (closed && fields.is_some_and(|fields| fields.len() == required)))
                && map.values().all(strict)
        }
        Value::Array(items) => items.iter().all(strict),
        _ => true,
    }
}

pub(super) fn read(chunk: &Value, reply: &mut Reply) -> Result<(), Fault> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        let kind = text(error, "/code").or_else(|| text(error, "/type")).unwrap_or_default();
        let message = text(error, "/message").or_else(|| error.as_str()).unwrap_or("it does not say why");
        return Err(Fault::Failed(kind.to_owned(), message.to_owned()));
    }
    if let Some(model) = text(chunk, "/model") {
        reply.model = Some(model.to_owned());
    }
    reply.text.push_str(text(chunk, "/choices/0/delta/content").unwrap_or_default());
    if let Some(refusal) = text(chunk, "/choices/0/delta/refusal") {
        reply.refusal.get_or_insert_default().push_str(refusal);
    }
    let calls = chunk.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array);
    reply.calls |= calls.is_some_and(|calls| !calls.is_empty());
    if let Some(why) = text(chunk, "/choices/0/finish_reason") {
        reply.finish = Some(match why {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            "content_filter" => Finish::Refused,
            "tool_calls" | "function_call" => {
                reply.calls = true;
                Finish::Other
            }
            _ => Finish::Other,
        });
    }
    reply.input_tokens = tokens(chunk, "/usage/prompt_tokens").or(reply.input_tokens);
    reply.output_tokens = tokens(chunk, "/usage/completion_tokens").or(reply.output_tokens);
    Ok(())
}
