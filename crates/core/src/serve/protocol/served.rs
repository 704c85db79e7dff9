//! The pieces of what a server offers: tools, prompts and resources.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, GetPromptResult, JsonObject, Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool,
};

use super::call::ClientCall;
use crate::port::BoxFuture;

/// A tool.
pub trait ServedTool: Send + Sync {
    /// The name, the schemas, and what is said of it.
    fn tool(&self) -> Tool;

    /// Calls it. When the client gives the call up, [`ClientCall::cancelled`] ends; the future goes on until it is done.
    ///
    /// # Errors
    /// The call itself is at fault: the arguments are none of this tool. What fails in its work is a result.
    fn call<'a>(
        &'a self,
        arguments: JsonObject,
        client: &'a ClientCall,
    ) -> BoxFuture<'a, Result<CallToolResult, ErrorData>>;
}

/// A prompt that a person picks in the client.
pub trait ServedPrompt: Send + Sync {
    /// The name and the arguments.
    fn prompt(&self) -> Prompt;

    /// The messages.
    ///
    /// # Errors
    /// An argument is missing or not a text.
    fn get(&self, arguments: JsonObject) -> Result<GetPromptResult, ErrorData>;

    /// Values for an argument that begin with what was typed; the client shows them.
    fn complete(&self, _argument: &str, _typed: &str) -> Vec<String> {
        Vec::new()
    }
}

/// A resource. Its content does not change while the server runs.
pub trait ServedResource: Send + Sync {
    /// The address and what is said of it.
    fn resource(&self) -> Resource;

    /// The content.
    fn read(&self) -> ReadResourceResult;
}

/// Resources whose addresses follow a template.
pub trait ServedTemplate: Send + Sync {
    /// The template of the addresses.
    fn template(&self) -> ResourceTemplate;

    /// The content at an address; none where the address does not follow the template, or nothing is there.
    fn read(&self, address: &str) -> Option<ReadResourceResult>;

    /// Values for a variable of the template that begin with what was typed.
    fn complete(&self, _variable: &str, _typed: &str) -> Vec<String> {
        Vec::new()
    }
}
