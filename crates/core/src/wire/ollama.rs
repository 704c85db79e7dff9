//! Ollama's own chat: an object a line. See <https://docs.ollama.com/api/chat>.

use serde_json::{Value, json};

use super::subset::Subset;
use super::{
    AnswerForm, AskedCall, ChatMessage, Complaint, ContentPart, Finish, FrameFault, Framing, ModelQuestion,
    ModelTarget, PartialReply, PreparedRequest, Reasoning, Secret, Wire, bearer, functions, is_image,
    messages, text, tokens, words_alone,
};

/// The chat of Ollama, in its own form.
#[derive(Debug)]
pub(super) struct Ollama;

impl Wire for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn home(&self) -> &'static str {
        "http://127.0.0.1:11434"
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn subset(&self, _: &ModelTarget) -> Subset {
        Subset::local()
    }

    fn reasoning_fault(&self, _: &ModelTarget, reasoning: Reasoning) -> Option<(String, &'static str)> {
        words_alone(self.name(), reasoning)
    }

    fn takes(&self, media_type: &str) -> bool {
        is_image(media_type)
    }

    fn prepare(
        &self,
        target: &ModelTarget,
        key: Option<&Secret>,
        question: &ModelQuestion,
    ) -> PreparedRequest {
        let mut options = json!({});
        if let Some(temperature) = target.temperature {
            options["temperature"] = temperature.into();
        }
        if let Some(seed) = target.seed {
            options["seed"] = seed.into();
        }
        if let Some(most) = target.max_tokens {
            options["num_predict"] = most.into();
        }
        let mut body = json!({
            "model": target.model,
            "messages": messages(question, user, call, answer),
            "stream": true,
            // Otherwise what the model has no room for is left out without a word.
            "truncate": false,
            "shift": false,
            "options": options,
        });
        if let Some(effort) = target.reasoning.and_then(Reasoning::effort) {
            body["think"] = effort.into();
        }
        if let Some(tools) = functions(question) {
            body["tools"] = tools;
        }
        match &question.form {
            AnswerForm::Schema(schema) => body["format"] = schema.clone(),
            AnswerForm::Json => body["format"] = "json".into(),
            AnswerForm::Free => {}
        }
        PreparedRequest { url: format!("{}/api/chat", target.base_url), headers: bearer(key), body }
    }

    fn read(&self, line: &Value, reply: &mut PartialReply) -> Result<(), FrameFault> {
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            return Err(FrameFault::Failed(Complaint::of(error)));
        }
        if let Some(model) = text(line, "/model") {
            reply.model = Some(model.to_owned());
        }
        reply.reasoning.push_str(text(line, "/message/thinking").unwrap_or_default());
        reply.write(text(line, "/message/content").unwrap_or_default());
        let calls = line.pointer("/message/tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let part = |path| text(call, path).unwrap_or_default();
            let args = call.pointer("/function/arguments").unwrap_or(&Value::Null);
            reply.whole_call(part("/id"), part("/function/name"), args);
        }
        if line.get("done") == Some(&Value::Bool(true)) {
            // Older servers do not say why.
            let why = text(line, "/done_reason").unwrap_or("stop");
            let finish = match why {
                "stop" => Finish::Stop,
                "length" => Finish::Length,
                _ => Finish::Other,
            };
            reply.stop(finish, why);
            reply.ended = true;
        }
        // It counts no kinds of its own: reasoning is part of what is written.
        reply.tokens.input = tokens(line, "/prompt_eval_count").or(reply.tokens.input);
        reply.tokens.output = tokens(line, "/eval_count").or(reply.tokens.output);
        Ok(())
    }
}

/// A message of a user that carries images.
fn user(message: &ChatMessage) -> Value {
    let image = |part: &ContentPart| match part {
        ContentPart::Text(_) => None,
        ContentPart::Media(part) => Some(part.read()?.base64.clone()),
    };
    let images: Value = message.content.iter().filter_map(image).collect();
    json!({"role": "user", "content": message.text, "images": images})
}

/// A call that a model asked for.
fn call(call: &AskedCall) -> Value {
    json!({"function": {"name": call.tool, "arguments": call.args}})
}

/// The answer of a tool.
fn answer(message: &ChatMessage) -> Value {
    json!({"role": "tool", "tool_name": message.tool, "content": message.text})
}
