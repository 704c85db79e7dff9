//! One client's conversation.

use std::sync::Arc;

#[expect(deprecated, reason = "every released version of the protocol but the last has logging")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call::{CallLog, ClientCall};
use super::offer::ServerOffer;
use super::pages::page;
use crate::source::display::line;

/// The longest name or address that a fault repeats, in characters.
const MAX_SHOWN_CHARS: usize = 100;

/// One client's conversation over an [`ServerOffer`].
#[derive(Debug, Clone)]
pub struct Session {
    offer: Arc<ServerOffer>,
    log: CallLog,
}

impl Session {
    /// A conversation that begins.
    #[must_use]
    pub fn new(offer: Arc<ServerOffer>) -> Self {
        Self { offer, log: CallLog::default() }
    }

    fn read(&self, address: &str) -> Result<ReadResourceResult, ErrorData> {
        let whole = self.offer.resources.iter().find(|resource| resource.resource().uri == address);
        let found = whole.map(|resource| resource.read());
        let found = found.or_else(|| self.offer.templates.iter().find_map(|template| template.read(address)));
        found.ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource `{}`", shown(address)), None)
        })
    }
}

fn shown(name: &str) -> String {
    let short: String = name.chars().take(MAX_SHOWN_CHARS).collect();
    line(&short).into_owned()
}

#[expect(
    deprecated,
    reason = "every released version of the protocol but the last has logging and subscriptions"
)]
impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_logging()
            .enable_completions()
            .build();
        let ServerOffer { name, title, version, instructions, .. } = &*self.offer;
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(Implementation::new(name, version).with_title(title))
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.tools.iter().map(|tool| tool.tool()).collect();
        let (tools, next_cursor) = page(tools, request.as_ref())?;
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.offer.tools.iter().find(|tool| tool.tool().name == request.name) else {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`", shown(&request.name)),
                None,
            ));
        };
        let client = ClientCall::new(context, self.log.clone());
        tool.call(request.arguments.unwrap_or_default(), &client).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.offer.prompts.iter().map(|prompt| prompt.prompt()).collect();
        let (prompts, next_cursor) = page(prompts, request.as_ref())?;
        Ok(ListPromptsResult { next_cursor, ..ListPromptsResult::with_all_items(prompts) })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = self.offer.prompts.iter().find(|prompt| prompt.prompt().name == request.name)
        else {
            return Err(ErrorData::invalid_params(
                format!("there is no prompt `{}`", shown(&request.name)),
                None,
            ));
        };
        prompt.get(request.arguments.unwrap_or_default()).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.offer.resources.iter().map(|resource| resource.resource()).collect();
        let (resources, next_cursor) = page(resources, request.as_ref())?;
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.offer.templates.iter().map(|template| template.template()).collect();
        let (templates, next_cursor) = page(templates, request.as_ref())?;
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ..ListResourceTemplatesResult::with_all_items(templates)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(&request.uri).map(Into::into)
    }

    /// Resources do not change while the server runs: a subscription is taken, and nothing is ever to be told.
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.read(&request.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.read(&request.uri).map(drop)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (argument, typed) = (&request.argument.name, &request.argument.value);
        let values = match &request.r#ref {
            Reference::Prompt(of) => {
                let prompt = self.offer.prompts.iter().find(|prompt| prompt.prompt().name == of.name);
                prompt.map(|prompt| prompt.complete(argument, typed))
            }
            Reference::Resource(of) => {
                let templates = &self.offer.templates;
                let template = templates.iter().find(|template| template.template().uri_template == of.uri);
                template.map(|template| template.complete(argument, typed))
            }
            _ => None,
        };
        let Some(mut values) = values else {
            return Err(ErrorData::invalid_params("there is no such prompt or template of resources", None));
        };
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total > values.len();
        let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        info.map(CompleteResult::new).map_err(|why| ErrorData::internal_error(why, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log.set(request.level);
        Ok(())
    }
}
