//! Chat completions: `OpenAI`, llama.cpp, vLLM and others. See <https://platform.openai.com/docs/api-reference/chat>.

use serde_json::{Value, json};

use super::complaint::Complaint;
use super::{Fault, Prepared, bearer, messages, subset, text, tokens};
use crate::config::ModelConfig;
use crate::llm::live::question::{Form, Question};
use crate::llm::live::reply::{Finish, Reply};
use crate::llm::live::secret::Secret;

pub(super) fn prepare(config: &ModelConfig, key: Option<&Secret>, question: &Question) -> Prepared {
    let mut body = json!({
        "model": config.model,
        "messages": messages(question),
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
    match &question.form {
        Form::Schema(schema) => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": subset::is_strict(schema), "schema": schema},
            });
        }
        Form::Json => body["response_format"] = json!({"type": "json_object"}),
        Form::Free => {}
    }
    Prepared { url: format!("{}/chat/completions", config.base_url), headers: bearer(key), body }
}

pub(super) fn read(chunk: &Value, reply: &mut Reply) -> Result<(), Fault> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(Fault::Failed(Complaint::of(error)));
    }
    if let Some(model) = text(chunk, "/model") {
        reply.model = Some(model.to_owned());
    }
    // `reasoning_content` and `reasoning` are no part of the answer.
    reply.write(text(chunk, "/choices/0/delta/content").unwrap_or_default());
    let parts = chunk.pointer("/choices/0/delta/content").and_then(Value::as_array);
    for part in parts.into_iter().flatten().filter(|part| text(part, "/type") == Some("text")) {
        reply.write(text(part, "/text").unwrap_or_default());
    }
    if let Some(refusal) = text(chunk, "/choices/0/delta/refusal") {
        reply.refusal.get_or_insert_default().push_str(refusal);
    }
    let calls = chunk.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array);
    reply.calls |= calls.is_some_and(|calls| !calls.is_empty());
    if let Some(why) = text(chunk, "/choices/0/finish_reason") {
        stop(why, reply)?;
    }
    reply.input_tokens = tokens(chunk, "/usage/prompt_tokens").or(reply.input_tokens);
    reply.output_tokens = tokens(chunk, "/usage/completion_tokens").or(reply.output_tokens);
    Ok(())
}

/// Not all servers keep to the words of `OpenAI`.
fn stop(why: &str, reply: &mut Reply) -> Result<(), Fault> {
    let finish = match why {
        "stop" | "stop_sequence" | "end_turn" | "eos" | "eos_token" => Finish::Stop,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "content_filter" | "refusal" => Finish::Refused,
        "abort" | "error" => {
            let said = format!("it broke off (`{why}`)");
            return Err(Fault::Failed(Complaint { said, ..Complaint::default() }));
        }
        _ => Finish::Other,
    };
    reply.calls |= matches!(why, "tool_calls" | "function_call");
    reply.stop(finish, why);
    Ok(())
}
