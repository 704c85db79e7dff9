//! The tools, prompts and resources that the conformance suite wants, over our server.

use std::sync::Arc;
use std::time::Duration;

use loopwright::port::BoxFuture;
use loopwright::serve::protocol::model::{
    CallToolResult, ContentBlock, ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, Tool,
};
use loopwright::serve::protocol::{
    ClientCall, ServedPrompt, ServedResource, ServedTemplate, ServedTool, ServerOffer,
};
use serde_json::{Value, json};

/// A red point.
const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound of no length.
const SOUND: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

type Answer<'a> = BoxFuture<'a, Result<CallToolResult, ErrorData>>;

/// A tool of the suite.
struct FixtureTool {
    name: &'static str,
    input: Value,
    work: for<'a> fn(JsonObject, &'a ClientCall) -> Answer<'a>,
}

impl ServedTool for FixtureTool {
    fn tool(&self) -> Tool {
        let Value::Object(input) = self.input.clone() else { unreachable!("it is a schema") };
        Tool::new(self.name, format!("The tool {} of the conformance suite.", self.name), input)
    }

    fn call<'a>(&'a self, arguments: JsonObject, client: &'a ClientCall) -> Answer<'a> {
        (self.work)(arguments, client)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the results of tools are faults as well")]
fn done(content: Vec<ContentBlock>) -> Result<CallToolResult, ErrorData> {
    Ok(CallToolResult::success(content))
}

fn said(text: impl Into<String>) -> Result<CallToolResult, ErrorData> {
    done(vec![ContentBlock::text(text)])
}

fn given(arguments: &JsonObject, name: &str) -> Result<String, ErrorData> {
    let text = arguments.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| ErrorData::invalid_params(format!("give `{name}`"), None))
}

fn embedded(address: &str, kind: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, address).with_mime_type(kind))
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

fn log(_: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        for (at, text) in
            ["Tool execution started", "Tool processing data", "Tool execution completed"].iter().enumerate()
        {
            if at > 0 {
                pause().await;
            }
            let level = serde_json::from_value(json!("info")).expect("it is a level");
            client.log(level, "fixture", json!(text)).await;
        }
        said("logged")
    })
}

fn progress(_: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        for part in [0_u8, 50, 100] {
            client.progress(f64::from(part), Some(100.0), "on the way").await;
            pause().await;
        }
        said("all done")
    })
}

fn sample(arguments: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        let prompt = given(&arguments, "prompt")?;
        let request = json!({"messages": [{"role": "user", "content": {"type": "text", "text": prompt}}], "maxTokens": 100});
        let request = serde_json::from_value(request).expect("it is a request");
        #[expect(deprecated, reason = "the suite asks for it")]
        let reply = client.peer().create_message(request).await;
        let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let reply = serde_json::to_value(reply).expect("it is JSON");
        said(format!("LLM response: {}", reply["content"]["text"].as_str().unwrap_or_default()))
    })
}

/// Puts a form, and says what came back.
async fn ask(
    client: &ClientCall,
    message: String,
    schema: Value,
    intro: &str,
) -> Result<CallToolResult, ErrorData> {
    let request = json!({"mode": "form", "message": message, "requestedSchema": schema});
    let request = serde_json::from_value(request).expect("it is a request");
    let reply = client.peer().create_elicitation(request).await;
    let reply = reply.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let reply = serde_json::to_value(reply).expect("it is JSON");
    said(format!(
        "{intro}: action={}, content={}",
        reply["action"].as_str().unwrap_or_default(),
        reply["content"]
    ))
}

fn elicit(arguments: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        let schema = json!({
            "type": "object",
            "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            },
            "required": ["username", "email"],
        });
        ask(client, given(&arguments, "message")?, schema, "User response").await
    })
}

fn elicit_defaults(_: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            },
        });
        ask(client, "Who is it?".to_owned(), schema, "Elicitation completed").await
    })
}

fn elicit_enums(_: JsonObject, client: &ClientCall) -> Answer<'_> {
    Box::pin(async move {
        let titled = |words: [&str; 3]| {
            let titles = ["First", "Second", "Third"];
            words
                .iter()
                .zip(titles)
                .map(|(word, title)| json!({"const": word, "title": title}))
                .collect::<Vec<_>>()
        };
        let values = ["value1", "value2", "value3"];
        let options = ["option1", "option2", "option3"];
        let schema = json!({
            "type": "object",
            "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": titled(values)},
                "legacyEnum": {
                    "type": "string", "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled(values)}},
            },
        });
        ask(client, "Which ones?".to_owned(), schema, "Elicitation completed").await
    })
}

fn reconnect(_: JsonObject, _: &ClientCall) -> Answer<'_> {
    Box::pin(async {
        pause().await;
        said("still here")
    })
}

fn plain(content: fn() -> Vec<ContentBlock>) -> Vec<ContentBlock> {
    content()
}

fn tools() -> Vec<Box<dyn ServedTool>> {
    let none = || json!({"type": "object", "properties": {}});
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": false,
    });
    let all: Vec<FixtureTool> = vec![
        FixtureTool {
            name: "test_simple_text",
            input: none(),
            work: |_, _| Box::pin(async { said("This is a simple text response for testing.") }),
        },
        FixtureTool {
            name: "test_image_content",
            input: none(),
            work: |_, _| Box::pin(async { done(plain(|| vec![ContentBlock::image(IMAGE, "image/png")])) }),
        },
        FixtureTool {
            name: "test_audio_content",
            input: none(),
            work: |_, _| Box::pin(async { done(plain(|| vec![ContentBlock::audio(SOUND, "audio/wav")])) }),
        },
        FixtureTool {
            name: "test_embedded_resource",
            input: none(),
            work: |_, _| {
                Box::pin(async {
                    done(vec![embedded(
                        "test://embedded-resource",
                        "text/plain",
                        "This is an embedded resource content.",
                    )])
                })
            },
        },
        FixtureTool {
            name: "test_multiple_content_types",
            input: none(),
            work: |_, _| {
                Box::pin(async {
                    done(vec![
                        ContentBlock::text("Multiple content types test:"),
                        ContentBlock::image(IMAGE, "image/png"),
                        embedded(
                            "test://mixed-content-resource",
                            "application/json",
                            "{\"test\":\"data\",\"value\":123}",
                        ),
                    ])
                })
            },
        },
        FixtureTool {
            name: "test_error_handling",
            input: none(),
            work: |_, _| {
                let text = "This tool intentionally returns an error for testing";
                Box::pin(async move { Ok(CallToolResult::error(vec![ContentBlock::text(text)])) })
            },
        },
        FixtureTool { name: "test_tool_with_logging", input: none(), work: log },
        FixtureTool { name: "test_tool_with_progress", input: none(), work: progress },
        FixtureTool { name: "test_sampling", input: one("prompt"), work: sample },
        FixtureTool { name: "test_elicitation", input: one("message"), work: elicit },
        FixtureTool { name: "test_elicitation_sep1034_defaults", input: none(), work: elicit_defaults },
        FixtureTool { name: "test_elicitation_sep1330_enums", input: none(), work: elicit_enums },
        FixtureTool { name: "test_reconnection", input: none(), work: reconnect },
        FixtureTool {
            name: "json_schema_2020_12_tool",
            input: schema,
            work: |_, _| Box::pin(async { said("fine") }),
        },
    ];
    all.into_iter().map(|tool| Box::new(tool) as Box<dyn ServedTool>).collect()
}

/// A prompt of the suite.
struct FixturePrompt {
    name: &'static str,
    arguments: &'static [&'static str],
    messages: fn(&JsonObject) -> Result<Vec<ContentBlock>, ErrorData>,
}

impl ServedPrompt for FixturePrompt {
    fn prompt(&self) -> Prompt {
        let argument =
            |name: &&str| PromptArgument::new(*name).with_description("An argument.").with_required(true);
        let arguments: Vec<_> = self.arguments.iter().map(argument).collect();
        Prompt::new(self.name, Some("A prompt of the conformance suite."), Some(arguments))
    }

    fn get(&self, arguments: JsonObject) -> Result<GetPromptResult, ErrorData> {
        let messages = (self.messages)(&arguments)?;
        let messages = messages.into_iter().map(|content| PromptMessage::new(Role::User, content)).collect();
        Ok(GetPromptResult::new(messages))
    }

    fn complete(&self, _: &str, typed: &str) -> Vec<String> {
        vec![format!("{typed}ing")]
    }
}

fn prompts() -> Vec<Box<dyn ServedPrompt>> {
    let all: Vec<FixturePrompt> = vec![
        FixturePrompt {
            name: "test_simple_prompt",
            arguments: &[],
            messages: |_| Ok(vec![ContentBlock::text("This is a simple prompt for testing.")]),
        },
        FixturePrompt {
            name: "test_prompt_with_arguments",
            arguments: &["arg1", "arg2"],
            messages: |given_all| {
                let (one, two) = (given(given_all, "arg1")?, given(given_all, "arg2")?);
                Ok(vec![ContentBlock::text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))])
            },
        },
        FixturePrompt {
            name: "test_prompt_with_embedded_resource",
            arguments: &["resourceUri"],
            messages: |given_all| {
                let address = given(given_all, "resourceUri")?;
                Ok(vec![
                    embedded(&address, "text/plain", "Embedded resource content for testing."),
                    ContentBlock::text("Please process the embedded resource above."),
                ])
            },
        },
        FixturePrompt {
            name: "test_prompt_with_image",
            arguments: &[],
            messages: |_| {
                Ok(vec![
                    ContentBlock::image(IMAGE, "image/png"),
                    ContentBlock::text("Please analyze the image above."),
                ])
            },
        },
    ];
    all.into_iter().map(|prompt| Box::new(prompt) as Box<dyn ServedPrompt>).collect()
}

/// A resource of the suite.
struct FixtureResource {
    address: &'static str,
    content: fn(&str) -> ResourceContents,
}

impl ServedResource for FixtureResource {
    fn resource(&self) -> Resource {
        Resource::new(self.address, self.address).with_description("A resource of the conformance suite.")
    }

    fn read(&self) -> ReadResourceResult {
        ReadResourceResult::new(vec![(self.content)(self.address)])
    }
}

/// The resources that follow a template.
struct FixtureTemplate;

impl ServedTemplate for FixtureTemplate {
    fn template(&self) -> ResourceTemplate {
        ResourceTemplate::new("test://template/{id}/data", "data").with_description("Data by an id.")
    }

    fn read(&self, address: &str) -> Option<ReadResourceResult> {
        let id = address.strip_prefix("test://template/")?.strip_suffix("/data")?;
        let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string();
        let content = ResourceContents::text(text, address).with_mime_type("application/json");
        Some(ReadResourceResult::new(vec![content]))
    }
}

/// All that the suite asks for.
pub(super) fn offer() -> Arc<ServerOffer> {
    let text =
        |address: &str| ResourceContents::text("This is the content of the static text resource.", address);
    let image = |address: &str| ResourceContents::blob(IMAGE, address).with_mime_type("image/png");
    let resource =
        |address, content| Box::new(FixtureResource { address, content }) as Box<dyn ServedResource>;
    Arc::new(ServerOffer {
        name: "fixture".to_owned(),
        title: "Fixture".to_owned(),
        version: "1".to_owned(),
        instructions: "For tests.".to_owned(),
        tools: tools(),
        prompts: prompts(),
        resources: vec![
            resource("test://static-text", text),
            resource("test://static-binary", image),
            resource("test://watched-resource", text),
        ],
        templates: vec![Box::new(FixtureTemplate)],
    })
}
