//! All that a server offers.

use std::fmt;

use super::served::{ServedPrompt, ServedResource, ServedTemplate, ServedTool};

/// All that a server offers. Names and addresses are to be distinct: of two the first is taken.
#[derive(Default)]
pub struct ServerOffer {
    /// The name of the server.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The description of the server as a whole, for a model.
    pub instructions: String,
    /// The tools.
    pub tools: Vec<Box<dyn ServedTool>>,
    /// The prompts.
    pub prompts: Vec<Box<dyn ServedPrompt>>,
    /// The resources.
    pub resources: Vec<Box<dyn ServedResource>>,
    /// The templates of further resources.
    pub templates: Vec<Box<dyn ServedTemplate>>,
}

impl fmt::Debug for ServerOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(|tool| tool.tool().name).collect();
        f.debug_struct("ServerOffer").field("name", &self.name).field("tools", &tools).finish_non_exhaustive()
    }
}
