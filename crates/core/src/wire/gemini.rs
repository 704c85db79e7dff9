//! `streamGenerateContent`, as Gemini has it. See <https://ai.google.dev/api/generate-content>.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::subset::{Subset, is_common, is_range};
use super::{
    AnswerForm, ChatMessage, Complaint, ContentPart, Finish, FrameFault, ModelQuestion, ModelTarget,
    OfferedTool, PartialReply, PreparedRequest, Reasoning, Secret, Sender, SignedPart, Wire, opening, text,
    tokens, turns,
};

/// The method `streamGenerateContent` of Google's Gemini API.
#[derive(Debug)]
pub(super) struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn telemetry(&self) -> &'static str {
        "gcp.gemini"
    }

    fn home(&self) -> &'static str {
        "https://generativelanguage.googleapis.com/v1beta"
    }

    /// See <https://ai.google.dev/api/generate-content>. A record that contains itself is unrolled there, and only below
    /// fields that may be missing.
    fn subset(&self, _: &ModelTarget) -> Subset {
        let takes = |key: &str, _: &Value| is_common(key) || is_range(key);
        Subset { recursive: false, null_member: false, ..Subset::taking(takes) }
    }

    fn any_json(&self) -> bool {
        true
    }

    fn reasoning_fault(&self, _: &ModelTarget, _: Reasoning) -> Option<(String, &'static str)> {
        None
    }

    fn takes(&self, _: &str) -> bool {
        true
    }

    fn prepare(
        &self,
        target: &ModelTarget,
        key: Option<&Secret>,
        question: &ModelQuestion,
    ) -> PreparedRequest {
        let (system, messages) = opening(question);
        let mut body = json!({"contents": contents(messages, target)});
        if !system.is_empty() {
            let parts: Value = system.iter().map(|(text, _)| json!({"text": text})).collect();
            body["systemInstruction"] = json!({"parts": parts});
        }
        if let Some(tools) = question.tools.as_ref().filter(|tools| !tools.is_empty()) {
            let functions: Value = tools.iter().map(function).collect();
            body["tools"] = json!([{"functionDeclarations": functions}]);
        }
        let mut how = json!({});
        if let Some(temperature) = target.temperature {
            how["temperature"] = temperature.into();
        }
        if let Some(seed) = target.seed {
            how["seed"] = seed.into();
        }
        if let Some(most) = target.max_tokens {
            how["maxOutputTokens"] = most.into();
        }
        if question.form != AnswerForm::Free {
            how["responseMimeType"] = "application/json".into();
        }
        if let AnswerForm::Schema(schema) = &question.form {
            how["responseJsonSchema"] = schema.clone();
        }
        // The text of reasoning comes only where it is asked for.
        match target.reasoning {
            Some(Reasoning::Effort(effort)) => {
                how["thinkingConfig"] = json!({"thinkingLevel": effort.name(), "includeThoughts": true});
            }
            Some(Reasoning::Tokens(tokens)) => {
                how["thinkingConfig"] = json!({"thinkingBudget": tokens, "includeThoughts": true});
            }
            None => {}
        }
        body["generationConfig"] = how;
        let headers = key.map(|key| ("x-goog-api-key", key.clone())).into_iter().collect();
        PreparedRequest { url: url(target), headers, body }
    }

    fn read(&self, chunk: &Value, reply: &mut PartialReply) -> Result<(), FrameFault> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(FrameFault::Failed(Complaint::of(error)));
        }
        if let Some(model) = text(chunk, "/modelVersion") {
            reply.model = Some(model.to_owned());
        }
        // The prompt itself was refused; then there is no candidate.
        if let Some(why) = text(chunk, "/promptFeedback/blockReason") {
            reply.stop(Finish::Refused, why);
            if let Some(wording) = text(chunk, "/promptFeedback/blockReasonMessage") {
                reply.refusal = Some(wording.to_owned());
            }
        }
        let parts = chunk.pointer("/candidates/0/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let signature = text(part, "/thoughtSignature");
            if let Some(call) = part.get("functionCall") {
                let args = call.get("args").unwrap_or(&Value::Null);
                let word = |path| text(call, path).unwrap_or_default();
                reply.whole_call(word("/id"), word("/name"), args);
                reply.parts.sign(signature.unwrap_or_default());
            }
            // A part with a flag is marked as something else than the answer, such as reasoning.
            let marked =
                part.as_object().is_some_and(|part| part.values().any(|value| *value == Value::Bool(true)));
            let words = text(part, "/text").unwrap_or_default();
            if marked {
                reply.reasoning.push_str(words);
            } else if let Some(signature) = signature.filter(|_| part.get("text").is_some()) {
                reply.write_signed(words, signature);
            } else {
                reply.write(words);
            }
        }
        if let Some(why) = text(chunk, "/candidates/0/finishReason") {
            stop(why, reply);
            let wording = text(chunk, "/candidates/0/finishMessage");
            if let Some(wording) = wording.filter(|_| reply.finish == Some(Finish::Refused)) {
                reply.refusal = Some(wording.to_owned());
            }
        }
        count(chunk, reply);
        Ok(())
    }
}

/// The turns of a conversation.
fn contents(messages: &[ChatMessage], target: &ModelTarget) -> Value {
    let turn = |(is_own, turn): (bool, &[ChatMessage])| {
        let mut parts = Vec::new();
        for message in turn {
            if message.from == Sender::Tool {
                let response = json!({"result": message.text});
                parts.push(json!({"functionResponse": {"name": message.tool, "response": response}}));
                continue;
            }
            if message.carries_files() {
                parts.extend(message.content.iter().map(content));
                continue;
            }
            if let Some(signed) = message.signed_parts(target) {
                parts.extend(signed.into_iter().filter_map(part));
                continue;
            }
            // A message that is nothing but calls has no text.
            if !message.text.is_empty() || message.calls.is_empty() {
                parts.extend(part(SignedPart::Text(&message.text, None)));
            }
            parts.extend(message.calls.iter().filter_map(|call| part(SignedPart::Call(call, None))));
        }
        json!({"role": if is_own { "model" } else { "user" }, "parts": parts})
    };
    turns(messages).map(turn).collect()
}

/// A piece of a message that carries files.
fn content(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"text": text}),
        ContentPart::Media(part) => part.read().map_or(
            Value::Null,
            |read| json!({"inlineData": {"mimeType": read.media_type, "data": read.base64}}),
        ),
    }
}

/// A part of a message, with its signature beside it.
fn part(part: SignedPart<'_>) -> Option<Value> {
    let (mut own, signature) = match part {
        SignedPart::Text(text, signature) => (json!({"text": text}), signature),
        SignedPart::Call(call, signature) => {
            (json!({"functionCall": {"name": call.tool, "args": call.args}}), signature)
        }
        SignedPart::Reasoning(..) | SignedPart::Hidden(_) => return None,
    };
    if let Some(signature) = signature {
        own["thoughtSignature"] = signature.into();
    }
    Some(own)
}

fn function(tool: &OfferedTool) -> Value {
    json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema})
}

/// The name of a model is part of the path. One with a slash says itself what it is: `tunedModels/mine`.
fn url(target: &ModelTarget) -> String {
    let mut name = String::new();
    for byte in target.model.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    let folder = if name.contains('/') { "" } else { "models/" };
    format!("{}/{folder}{name}:streamGenerateContent?alt=sse", target.base_url)
}

fn stop(why: &str, reply: &mut PartialReply) {
    let finish = match why {
        // The second is said by servers that speak as Gemini does.
        "STOP" | "FUNCTION_CALL" => Finish::Stop,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => Finish::Refused,
        _ => Finish::Other,
    };
    let calls = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"];
    reply.calls_others |= calls.contains(&why);
    reply.stop(finish, why);
}

/// Counts of what the model has read, and of all together.
const NOT_WRITTEN: [&str; 4] =
    ["promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount", "totalTokenCount"];

/// Counts are of the whole reply so far. Reasoning is paid for like the answer, but is not counted with it.
fn count(chunk: &Value, reply: &mut PartialReply) {
    let Some(usage) = chunk.get("usageMetadata") else { return };
    let counts = &mut reply.tokens;
    counts.input = tokens(usage, "/promptTokenCount").or(counts.input);
    counts.cached = tokens(usage, "/cachedContentTokenCount").or(counts.cached);
    counts.reasoning = tokens(usage, "/thoughtsTokenCount").or(counts.reasoning);
    // Whatever else is counted, the model has written: the answer, and what it wrote on its way there.
    let written = usage
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.ends_with("TokenCount") && !NOT_WRITTEN.contains(&name.as_str()));
    let all = written.filter_map(|(_, count)| count.as_u64()).reduce(u64::saturating_add);
    counts.output = counts.output.max(all);
}
