//! Messages, as Anthropic has them. See <https://docs.claude.com/en/api/messages>.

use serde_json::{Value, json};

use super::subset::{Subset, is_common};
use super::{
    AnswerForm, Complaint, Finish, FrameFault, ModelQuestion, ModelTarget, PartialReply, PreparedRequest,
    Secret, Wire, text, tokens,
};

/// The version of the shape.
const VERSION: &str = "2023-06-01";

/// A request must say how long the answer may be; every model may write so much.
const MAX_TOKENS: u32 = 4096;

/// The Messages API of Anthropic.
#[derive(Debug)]
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn home(&self) -> &'static str {
        "https://api.anthropic.com/v1"
    }

    /// See <https://docs.claude.com/en/docs/build-with-claude/structured-outputs>.
    fn subset(&self, _: &ModelTarget) -> Subset {
        let takes = |key: &str, _: &Value| is_common(key) || key == "pattern";
        Subset { closed: true, recursive: false, ..Subset::taking(takes) }
    }

    fn prepare(
        &self,
        target: &ModelTarget,
        key: Option<&Secret>,
        question: &ModelQuestion,
    ) -> PreparedRequest {
        let mut body = json!({
            "model": target.model,
            "max_tokens": target.max_tokens.unwrap_or(MAX_TOKENS),
            "messages": [{"role": "user", "content": question.prompt}],
            "stream": true,
        });
        if let Some(system) = &question.system {
            body["system"] = system.as_str().into();
        }
        if let Some(temperature) = target.temperature {
            body["temperature"] = temperature.into();
        }
        if let AnswerForm::Schema(schema) = &question.form {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        let mut headers = vec![("anthropic-version", Secret::new(VERSION))];
        headers.extend(key.map(|key| ("x-api-key", key.clone())));
        PreparedRequest { url: format!("{}/messages", target.base_url), headers, body }
    }

    fn read(&self, event: &Value, reply: &mut PartialReply) -> Result<(), FrameFault> {
        match text(event, "/type") {
            Some("message_start") => {
                reply.model = text(event, "/message/model").map(str::to_owned);
                count(event, "/message/usage", reply);
            }
            Some("content_block_start") => {
                let kind = text(event, "/content_block/type").unwrap_or_default();
                reply.calls |= matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use");
                if kind == "text" {
                    reply.write(text(event, "/content_block/text").unwrap_or_default());
                }
            }
            Some("content_block_delta") if text(event, "/delta/type") == Some("text_delta") => {
                reply.write(text(event, "/delta/text").unwrap_or_default());
            }
            Some("message_delta") => {
                count(event, "/usage", reply);
                if let Some(why) = text(event, "/delta/stop_reason") {
                    stop(why, reply);
                }
                if let Some(wording) = text(event, "/delta/stop_details/explanation") {
                    reply.refusal = Some(wording.to_owned());
                }
            }
            Some("message_stop") => reply.ended = true,
            // A whole message, which comes where a server does not stream.
            Some("message") => count(event, "/usage", reply),
            Some("error") => {
                let complaint = event.get("error").map(Complaint::of);
                return Err(FrameFault::Failed(complaint.unwrap_or_default()));
            }
            // Thinking and its signatures, signs of life, and what a later version may add.
            Some(_) => {}
            None => return Err(FrameFault::Garbage("it has no type".to_owned())),
        }
        Ok(())
    }
}

fn stop(why: &str, reply: &mut PartialReply) {
    let finish = match why {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Refused,
        _ => Finish::Other,
    };
    reply.calls |= why == "tool_use";
    reply.stop(finish, why);
}

/// Tokens read from a cache, or written into one, was read as well. Counts are of the whole reply so far.
fn count(event: &Value, usage: &str, reply: &mut PartialReply) {
    let of = |key: &str| tokens(event, &format!("{usage}/{key}"));
    if let Some(fresh) = of("input_tokens") {
        let cached = of("cache_creation_input_tokens").unwrap_or_default();
        let all =
            fresh.saturating_add(cached).saturating_add(of("cache_read_input_tokens").unwrap_or_default());
        reply.input_tokens = reply.input_tokens.max(Some(all));
    }
    reply.output_tokens = reply.output_tokens.max(of("output_tokens"));
}
