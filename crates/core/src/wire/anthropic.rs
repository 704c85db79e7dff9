//! Messages, as Anthropic has them. See <https://docs.claude.com/en/api/messages>.

use serde_json::{Value, json};

use super::subset::{Subset, is_common};
use super::{
    AnswerForm, ChatMessage, Complaint, ContentPart, Finish, FrameFault, ModelQuestion, ModelTarget,
    OfferedTool, PartialReply, PreparedRequest, Reasoning, Secret, Sender, SignedPart, Wire, is_image,
    opening, text, tokens, turns,
};

/// The version of the shape.
const VERSION: &str = "2023-06-01";

/// A request must say how long the answer may be; every model may write so much.
const MAX_TOKENS: u32 = 4096;

/// The fewest tokens that reasoning may be given.
const MIN_REASONING: u32 = 1024;

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

    fn schema_beside_tools(&self, _: &ModelTarget) -> bool {
        true
    }

    fn reasoning_fault(&self, target: &ModelTarget, reasoning: Reasoning) -> Option<(String, &'static str)> {
        if target.temperature.is_some() {
            let fault = "the provider `anthropic` takes no `temperature` beside `reasoning`";
            return Some((fault.to_owned(), "remove one of them"));
        }
        let Reasoning::Tokens(tokens) = reasoning else { return None };
        let most = target.max_tokens.unwrap_or(MAX_TOKENS);
        if tokens < MIN_REASONING {
            let fault = format!(
                "`reasoning` is {tokens}, and the provider `anthropic` wants at least {MIN_REASONING} tokens"
            );
            return Some((fault, "write a larger number, \"low\", \"medium\" or \"high\""));
        }
        let fault = format!(
            "`reasoning` is {tokens}, and the answer with it may have {most} tokens: see `max_tokens`"
        );
        (tokens >= most).then_some((fault, "`max_tokens` bounds both together: write a larger one"))
    }

    fn takes(&self, media_type: &str) -> bool {
        is_image(media_type) || matches!(media_type, "application/pdf" | TEXT)
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
            "messages": null,
            "stream": true,
        });
        let mut marks = Marks::of(question);
        match opening(question).0.as_slice() {
            [] => {}
            [(system, false)] => body["system"] = (*system).into(),
            texts => {
                let block = |(text, cached): &(&str, bool)| {
                    let mut block = json!({"type": "text", "text": text});
                    marks.put(*cached, Some(&mut block));
                    block
                };
                body["system"] = texts.iter().map(block).collect();
            }
        }
        body["messages"] = messages(question, target, &mut marks);
        if let Some(tools) = question.tools.as_ref().filter(|tools| !tools.is_empty()) {
            body["tools"] = tools.iter().map(tool).collect();
        }
        if let Some(temperature) = target.temperature {
            body["temperature"] = temperature.into();
        }
        if let AnswerForm::Schema(schema) = &question.form {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        match target.reasoning {
            Some(Reasoning::Effort(effort)) => {
                body["thinking"] = json!({"type": "adaptive"});
                body["output_config"]["effort"] = effort.name().into();
            }
            Some(Reasoning::Tokens(tokens)) => {
                body["thinking"] = json!({"type": "enabled", "budget_tokens": tokens});
            }
            None => {}
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
                reply.calls_others |= matches!(kind, "server_tool_use" | "mcp_tool_use");
                let part = |path| text(event, path).unwrap_or_default();
                match kind {
                    "text" => reply.write(part("/content_block/text")),
                    "thinking" => {
                        reply.parts.reasoning(part("/content_block/thinking"));
                        reply.parts.sign(part("/content_block/signature"));
                    }
                    "redacted_thinking" => reply.parts.hidden(part("/content_block/data")),
                    "tool_use" => {
                        // What streams begins with an empty object; its text follows.
                        let input = event.pointer("/content_block/input").filter(|input| !is_empty(input));
                        let args = input.map(Value::to_string).unwrap_or_default();
                        let (id, name) = (part("/content_block/id"), part("/content_block/name"));
                        reply.call(tokens(event, "/index"), id, name, &args);
                    }
                    _ => {}
                }
            }
            Some("content_block_delta") if text(event, "/delta/type") == Some("input_json_delta") => {
                let args = text(event, "/delta/partial_json").unwrap_or_default();
                reply.call(tokens(event, "/index"), "", "", args);
            }
            Some("content_block_delta") if text(event, "/delta/type") == Some("thinking_delta") => {
                let piece = text(event, "/delta/thinking").unwrap_or_default();
                reply.reasoning.push_str(piece);
                reply.parts.more_reasoning(piece);
            }
            Some("content_block_delta") if text(event, "/delta/type") == Some("signature_delta") => {
                reply.parts.sign(text(event, "/delta/signature").unwrap_or_default());
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
            // Signs of life, and what a later version may add.
            Some(_) => {}
            None => return Err(FrameFault::Garbage("it has no type".to_owned())),
        }
        Ok(())
    }
}

/// The most marks of a cache in one request.
const MAX_MARKS: usize = 4;

/// The marks of the cache that are left. The last ones count: what they end begins with what the earlier ones do.
struct Marks {
    /// So many are left out first.
    passed: usize,
}

impl Marks {
    fn of(question: &ModelQuestion) -> Self {
        let all = question.messages.iter().filter(|message| message.cached).count();
        Self { passed: all.saturating_sub(MAX_MARKS) }
    }

    /// Marks the last block of a message, if it is marked.
    fn put(&mut self, cached: bool, block: Option<&mut Value>) {
        if !cached {
            return;
        }
        if self.passed > 0 {
            self.passed -= 1;
        } else if let Some(block) = block {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
    }
}

/// The messages after the opening: turns of blocks. A prompt is one text.
fn messages(question: &ModelQuestion, target: &ModelTarget, marks: &mut Marks) -> Value {
    let (_, messages) = opening(question);
    if let [prompt] = messages
        && !question.grows
    {
        return json!([{"role": "user", "content": prompt.text}]);
    }
    let mut all = Vec::new();
    for (is_own, turn) in turns(messages) {
        let mut content: Vec<Value> = Vec::new();
        for message in turn {
            blocks(message, target, &mut content);
            // Reasoning takes no mark.
            let is_marked =
                |block: &&mut Value| !block["type"].as_str().unwrap_or_default().ends_with("thinking");
            marks.put(message.cached, content.iter_mut().rev().find(is_marked));
        }
        if !content.is_empty() {
            all.push(json!({"role": if is_own { "assistant" } else { "user" }, "content": content}));
        }
    }
    all.into()
}

fn blocks(message: &ChatMessage, target: &ModelTarget, content: &mut Vec<Value>) {
    if message.from == Sender::Tool {
        content.push(json!({"type": "tool_result", "tool_use_id": message.answers, "content": message.text}));
        return;
    }
    if message.carries_files() {
        content.extend(message.content.iter().filter_map(piece));
        return;
    }
    if let Some(parts) = message.signed_parts(target) {
        content.extend(parts.into_iter().filter_map(block));
        return;
    }
    let text = block(SignedPart::Text(&message.text, None));
    content.extend(
        text.into_iter().chain(message.calls.iter().filter_map(|call| block(SignedPart::Call(call, None)))),
    );
}

/// The media type of documents that are sent as text.
const TEXT: &str = "text/plain";

/// The block of a piece of a message that carries files.
fn piece(piece: &ContentPart) -> Option<Value> {
    let part = match piece {
        ContentPart::Text(text) => return block(SignedPart::Text(text, None)),
        ContentPart::Media(part) => part,
    };
    let read = part.read()?;
    let kind = if is_image(&read.media_type) { "image" } else { "document" };
    let source = match &read.text {
        Some(text) if read.media_type == TEXT => json!({"type": "text", "media_type": TEXT, "data": text}),
        _ => json!({"type": "base64", "media_type": read.media_type, "data": read.base64}),
    };
    Some(json!({"type": kind, "source": source}))
}

/// The block of a part; none for an empty text, which is refused.
fn block(part: SignedPart<'_>) -> Option<Value> {
    Some(match part {
        SignedPart::Text("", _) => return None,
        SignedPart::Text(text, _) => json!({"type": "text", "text": text}),
        SignedPart::Call(call, _) => {
            json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": call.args})
        }
        SignedPart::Reasoning(text, signature) => {
            json!({"type": "thinking", "thinking": text, "signature": signature.unwrap_or_default()})
        }
        SignedPart::Hidden(data) => json!({"type": "redacted_thinking", "data": data}),
    })
}

fn tool(tool: &OfferedTool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema})
}

fn is_empty(object: &Value) -> bool {
    object.as_object().is_none_or(serde_json::Map::is_empty)
}

fn stop(why: &str, reply: &mut PartialReply) {
    let finish = match why {
        "end_turn" | "stop_sequence" | "tool_use" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Refused,
        _ => Finish::Other,
    };
    reply.stop(finish, why);
}

/// Tokens read from a cache, or written into one, was read as well. Counts are of the whole reply so far.
fn count(event: &Value, usage: &str, reply: &mut PartialReply) {
    let of = |key: &str| tokens(event, &format!("{usage}/{key}"));
    let counts = &mut reply.tokens;
    if let Some(fresh) = of("input_tokens") {
        let (cached, write) = (of("cache_read_input_tokens"), of("cache_creation_input_tokens"));
        let all = [cached, write].into_iter().flatten().fold(fresh, u64::saturating_add);
        counts.input = counts.input.max(Some(all));
        counts.cached = counts.cached.max(cached);
        counts.cache_write = counts.cache_write.max(write);
    }
    counts.output = counts.output.max(of("output_tokens"));
    counts.reasoning = counts.reasoning.max(of("output_tokens_details/thinking_tokens"));
}
