//! Chat completions: `OpenAI`, llama.cpp, vLLM and others. See <https://platform.openai.com/docs/api-reference/chat>.

use serde_json::{Value, json};

use super::subset::{Subset, is_common, is_range};
use super::{
    AnswerForm, AskedCall, ChatMessage, Complaint, ContentPart, Finish, FrameFault, MediaPart, ModelQuestion,
    ModelTarget, PartialReply, PreparedRequest, Reasoning, Secret, TokenCounts, Wire, bearer, first_tokens,
    functions, is_image, messages, text, tokens, words_alone,
};

/// The Chat Completions API of `OpenAI`, which other servers have as well.
#[derive(Debug)]
pub(super) struct OpenAi;

/// The subset of `OpenAI` itself. See <https://platform.openai.com/docs/guides/structured-outputs>.
const STRICT: Subset = Subset {
    closed: true,
    whole: true,
    record: true,
    ..Subset::taking(|key, _| is_common(key) || is_range(key) || key == "pattern")
};

impl OpenAi {
    /// Returns true for `OpenAI` itself; most servers with this shape are others.
    fn is_home(&self, target: &ModelTarget) -> bool {
        target.base_url == self.home()
    }
}

impl Wire for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn home(&self) -> &'static str {
        "https://api.openai.com/v1"
    }

    fn subset(&self, target: &ModelTarget) -> Subset {
        if self.is_home(target) { STRICT } else { Subset::local() }
    }

    fn is_end(&self, frame: &str) -> bool {
        frame.trim() == "[DONE]"
    }

    fn schema_beside_tools(&self, target: &ModelTarget) -> bool {
        self.is_home(target)
    }

    fn reasoning_fault(&self, _: &ModelTarget, reasoning: Reasoning) -> Option<(String, &'static str)> {
        words_alone(self.name(), reasoning)
    }

    fn takes(&self, media_type: &str) -> bool {
        is_image(media_type) || media_type == PDF || audio_format(media_type).is_some()
    }

    fn prepare(
        &self,
        target: &ModelTarget,
        key: Option<&Secret>,
        question: &ModelQuestion,
    ) -> PreparedRequest {
        let mut body = json!({
            "model": target.model,
            "messages": messages(question, user, call, answer),
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if let Some(temperature) = target.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(seed) = target.seed {
            body["seed"] = seed.into();
        }
        if let Some(most) = target.max_tokens {
            // OpenAI has given the field another name; servers that follow it mostly know the old one.
            let limit = if self.is_home(target) { "max_completion_tokens" } else { "max_tokens" };
            body[limit] = most.into();
        }
        if let Some(effort) = target.reasoning.and_then(Reasoning::effort) {
            body["reasoning_effort"] = effort.into();
        }
        if let Some(tools) = functions(question) {
            body["tools"] = tools;
        }
        match &question.form {
            AnswerForm::Schema(schema) => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": STRICT.is_all_of(schema), "schema": schema},
                });
            }
            AnswerForm::Json => body["response_format"] = json!({"type": "json_object"}),
            AnswerForm::Free => {}
        }
        PreparedRequest { url: format!("{}/chat/completions", target.base_url), headers: bearer(key), body }
    }

    fn read(&self, chunk: &Value, reply: &mut PartialReply) -> Result<(), FrameFault> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(FrameFault::Failed(Complaint::of(error)));
        }
        if let Some(model) = text(chunk, "/model") {
            reply.model = Some(model.to_owned());
        }
        reply.write(text(chunk, "/choices/0/delta/content").unwrap_or_default());
        let parts = chunk.pointer("/choices/0/delta/content").and_then(Value::as_array);
        for part in parts.into_iter().flatten().filter(|part| text(part, "/type") == Some("text")) {
            reply.write(text(part, "/text").unwrap_or_default());
        }
        if let Some(refusal) = text(chunk, "/choices/0/delta/refusal") {
            reply.refusal.get_or_insert_default().push_str(refusal);
        }
        for name in ["reasoning_content", "reasoning"] {
            let path = format!("/choices/0/delta/{name}");
            reply.reasoning.push_str(text(chunk, &path).unwrap_or_default());
        }
        let calls = chunk.pointer("/choices/0/delta/tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let part = |path| text(call, path).unwrap_or_default();
            let index = call.get("index").and_then(Value::as_u64);
            reply.call(index, part("/id"), part("/function/name"), part("/function/arguments"));
        }
        reply.calls_others |=
            chunk.pointer("/choices/0/delta/function_call").is_some_and(|call| !call.is_null());
        if let Some(why) = text(chunk, "/choices/0/finish_reason") {
            stop(why, reply)?;
        }
        count(chunk, &mut reply.tokens);
        Ok(())
    }
}

/// The paths of tokens out of the cache: of most, of `DeepSeek`, and of llama.cpp.
const CACHED: [&str; 3] =
    ["/usage/prompt_tokens_details/cached_tokens", "/usage/prompt_cache_hit_tokens", "/timings/cache_n"];

/// Kinds of tokens are counted in those read and written.
fn count(chunk: &Value, counts: &mut TokenCounts) {
    counts.input = tokens(chunk, "/usage/prompt_tokens").or(counts.input);
    counts.cached = first_tokens(chunk, &CACHED).or(counts.cached);
    let write = tokens(chunk, "/usage/prompt_tokens_details/cache_write_tokens");
    counts.cache_write = write.or(counts.cache_write);
    counts.output = tokens(chunk, "/usage/completion_tokens").or(counts.output);
    let reasoning = tokens(chunk, "/usage/completion_tokens_details/reasoning_tokens");
    counts.reasoning = reasoning.or(counts.reasoning);
}

const PDF: &str = "application/pdf";

/// The word for a type of audio.
fn audio_format(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" | "audio/x-wav" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

/// A message of a user that carries files.
fn user(message: &ChatMessage) -> Value {
    let part = |part: &ContentPart| match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Media(part) => file(part),
    };
    json!({"role": "user", "content": message.content.iter().map(part).collect::<Value>()})
}

fn file(part: &MediaPart) -> Value {
    let Some(read) = part.read() else { return Value::Null };
    if let Some(format) = audio_format(&read.media_type) {
        return json!({"type": "input_audio", "input_audio": {"data": read.base64, "format": format}});
    }
    if read.media_type == PDF {
        return json!({"type": "file", "file": {"filename": part.name(), "file_data": part.data_url()}});
    }
    json!({"type": "image_url", "image_url": {"url": part.data_url()}})
}

/// A call that a model asked for.
fn call(call: &AskedCall) -> Value {
    let function = json!({"name": call.tool, "arguments": call.args.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

/// The answer of a tool.
fn answer(message: &ChatMessage) -> Value {
    json!({"role": "tool", "tool_call_id": message.answers, "content": message.text})
}

/// Not all servers keep to the words of `OpenAI`.
fn stop(why: &str, reply: &mut PartialReply) -> Result<(), FrameFault> {
    let finish = match why {
        "stop" | "stop_sequence" | "end_turn" | "eos" | "eos_token" | "tool_calls" => Finish::Stop,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "content_filter" | "refusal" => Finish::Refused,
        "abort" | "error" => {
            let wording = format!("it broke off (`{why}`)");
            return Err(FrameFault::Failed(Complaint { wording, ..Complaint::default() }));
        }
        _ => Finish::Other,
    };
    reply.calls_others |= why == "function_call";
    reply.stop(finish, why);
    Ok(())
}
