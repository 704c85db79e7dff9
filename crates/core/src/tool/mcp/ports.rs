//! The ports of a server.

use std::sync::Arc;

use super::contents::ContentFolder;
use super::logins::McpLogins;
use crate::port::{Human, ToolListener};

/// The listener, the person and the folder of contents for the calls of a server.
#[derive(Clone, Default)]
pub struct McpPorts {
    /// The person that is asked for a server.
    pub human: Option<Arc<dyn Human>>,
    /// The listener to the progress of calls.
    pub listener: Option<Arc<dyn ToolListener>>,
    /// The place of images and other bytes. Without one, results with bytes are refused.
    pub contents: Option<ContentFolder>,
    /// The user's logins.
    pub logins: Option<Arc<dyn McpLogins>>,
}
