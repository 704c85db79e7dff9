//! Stand-ins for ports that were not given.

use futures::FutureExt;
use futures::future::ready;

use crate::machine::{Call, Outcome, Question, Request};
use crate::port::{BoxFuture, Human, HumanReply, ModelClient, RunView, ToolHost, ToolInfo};
use crate::program::error::ErrorKind;

/// Nobody is here: every question waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unattended;

impl Human for Unattended {
    fn ask(&self, _: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        ready(HumanReply::Unattended).boxed()
    }
}

/// No model serves any role: every call fails with `denied`, since trying again changes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl ModelClient for NoModel {
    fn ask(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let role = match &call.request {
            Request::Model { role, .. } => role.as_str(),
            Request::Tool { .. } => "",
        };
        ready(Outcome::never_began(ErrorKind::Denied, ecow::eco_format!("no model serves the role `{role}`")))
            .boxed()
    }
}

/// No tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTools;

impl ToolHost for NoTools {
    fn catalogue(&self) -> Vec<ToolInfo> {
        Vec::new()
    }

    fn call(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let tool = match &call.request {
            Request::Tool { tool, .. } => tool.as_str(),
            Request::Model { .. } => "",
        };
        ready(Outcome::never_began(ErrorKind::UnknownTool, ecow::eco_format!("there is no tool `{tool}`")))
            .boxed()
    }
}
