//! Ollama's own chat: an object a line. See <https://docs.ollama.com/api/chat>.

use serde_json::{Value, json};

use super::complaint::Complaint;
use super::{Fault, Prepared, bearer, messages, text, tokens};
use crate::config::ModelConfig;
use crate::llm::live::question::{Form, Question};
use crate::llm::live::reply::{Finish, Reply};
use crate::llm::live::secret::Secret;

pub(super) fn prepare(config: &ModelConfig, key: Option<&Secret>, question: &Question) -> Prepared {
    let mut options = json!({});
    if let Some(temperature) = config.temperature {
        options["temperature"] = temperature.into();
    }
    if let Some(seed) = config.seed {
        options["seed"] = seed.into();
    }
    if let Some(most) = config.max_tokens {
        options["num_predict"] = most.into();
    }
    let mut body = json!({
        "model": config.model,
        "messages": messages(question),
        "stream": true,
        // Otherwise what the model has no room for is left out, and nobody is told.
        "truncate": false,
        "shift": false,
        "options": options,
    });
    match &question.form {
        Form::Schema(schema) => body["format"] = schema.clone(),
        Form::Json => body["format"] = "json".into(),
        Form::Free => {}
    }
    Prepared { url: format!("{}/api/chat", config.base_url), headers: bearer(key), body }
}

pub(super) fn read(line: &Value, reply: &mut Reply) -> Result<(), Fault> {
    if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
        return Err(Fault::Failed(Complaint::of(error)));
    }
    if let Some(model) = text(line, "/model") {
        reply.model = Some(model.to_owned());
    }
    // `message.thinking` is no part of the answer.
    reply.write(text(line, "/message/content").unwrap_or_default());
    let calls = line.pointer("/message/tool_calls").and_then(Value::as_array);
    reply.calls |= calls.is_some_and(|calls| !calls.is_empty());
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
    reply.input_tokens = tokens(line, "/prompt_eval_count").or(reply.input_tokens);
    reply.output_tokens = tokens(line, "/eval_count").or(reply.output_tokens);
    Ok(())
}
