//! The commands over texts as tools.

use futures::FutureExt;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value as Json;

use super::commands::{CommandInfo, CommandReply, TextCommand};
use super::confined::Confined;
use super::protocol::{ClientCall, ServedTool};
use crate::port::BoxFuture;

/// A command over texts as a tool.
struct Harmless {
    command: TextCommand,
    confined: Confined,
}

/// Every command over texts as a tool. None of them reads a file, reaches a network or runs anything.
#[must_use]
pub fn harmless_tools(confined: &Confined) -> Vec<Box<dyn ServedTool>> {
    let tool = |command| Box::new(Harmless { command, confined: confined.clone() }) as Box<dyn ServedTool>;
    TextCommand::ALL.into_iter().map(tool).collect()
}

impl ServedTool for Harmless {
    fn tool(&self) -> Tool {
        let CommandInfo { title, description, input, output } = self.command.info();
        let harmless = ToolAnnotations::from_raw(None, Some(true), Some(false), Some(true), Some(false));
        Tool::new(self.command.name(), description, object(input))
            .with_title(title)
            .with_raw_output_schema(object(output).into())
            .with_annotations(harmless)
    }

    fn call<'a>(
        &'a self,
        arguments: JsonObject,
        client: &'a ClientCall,
    ) -> BoxFuture<'a, Result<CallToolResult, ErrorData>> {
        async move {
            let reply = tokio::select! {
                reply = self.confined.run(self.command, arguments) => reply,
                // Its process ends with the future.
                () = client.cancelled() => CommandReply::refused("the call was cancelled"),
            };
            Ok(result(reply))
        }
        .boxed()
    }
}

/// The object that a schema is.
pub(in crate::serve) fn object(schema: Json) -> JsonObject {
    match schema {
        Json::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn result(reply: CommandReply) -> CallToolResult {
    let content = vec![ContentBlock::text(reply.text)];
    let mut result =
        if reply.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = reply.structured;
    result
}
