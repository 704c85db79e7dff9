//! One tool of a server.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;

use super::call::PreparedCall;
use super::facts::ToolFacts;
use super::pinned::PinnedTool;
use super::server::McpServer;
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, Claim, ToolInfo};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::tool::Tool;
use crate::value::{Map, Str, Value};

/// A tool of a server. It needs a grant.
#[derive(Debug, Clone)]
pub struct McpTool {
    info: ToolInfo,
    pinned: PinnedTool,
}

/// A tool of a server that is not started: it can be granted, and not be called.
#[derive(Debug, Clone)]
pub struct UnstartedTool(ToolInfo);

impl McpTool {
    /// A tool that is called as long as the server says of it what `facts` are.
    #[must_use]
    pub fn new(server: Arc<McpServer>, facts: ToolFacts) -> Self {
        let pinned = PinnedTool::new(server, facts);
        Self { info: info(&pinned), pinned }
    }

    fn make(&self, args: Map, claim: Option<Claim>) -> BoxFuture<'static, Outcome> {
        PreparedCall { tool: self.pinned.clone(), args, claim }.make().boxed()
    }
}

/// The description of a tool, as far as the operator believes it.
fn info(tool: &PinnedTool) -> ToolInfo {
    let (facts, settings) = (&tool.facts, tool.settings);
    let hinted = match () {
        () if !tool.server.config().trusts_hints => Delivery::AtMostOnce,
        () if facts.hint("readOnlyHint") => Delivery::Pure,
        () if facts.hint("idempotentHint") => Delivery::Idempotent,
        () => Delivery::AtMostOnce,
    };
    let mut info = ToolInfo::new(tool.name.clone(), Value::from_json(&facts.input_schema))
        .description(facts.purpose())
        .delivery(settings.delivery.unwrap_or(hinted));
    info.approval = settings.approval.unwrap_or_default();
    info
}

impl Tool for McpTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn needs_grant(&self) -> bool {
        true
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        self.make(args, None)
    }

    fn call_within(&self, _: &CallId, args: Map, claim: &Claim) -> BoxFuture<'static, Outcome> {
        self.make(args, Some(claim.clone()))
    }
}

impl UnstartedTool {
    /// A tool that a graph names, `fs.read_file`, or all of a server, `fs.*`.
    #[must_use]
    pub fn new(name: impl Into<Str>) -> Self {
        Self(ToolInfo::new(name, Value::Map(Map::new())))
    }
}

impl Tool for UnstartedTool {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    fn needs_grant(&self) -> bool {
        true
    }

    fn call(&self, _: &CallId, _: Map) -> BoxFuture<'static, Outcome> {
        let why = ecow::eco_format!("the MCP server of `{}` was not reached", self.0.name);
        ready(Outcome::never_began(ErrorKind::Unavailable, why)).boxed()
    }
}
