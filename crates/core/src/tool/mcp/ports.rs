//! The ports of a server.

use std::sync::Arc;

use super::contents::ContentFolder;
use super::logins::McpLogins;
use crate::port::{Human, ToolListener};

/// Whoever hears of the calls of a server, answers its questions, and takes its contents.
#[derive(Clone, Default)]
pub struct McpPorts {
    /// The person that is asked for a server.
    pub human: Option<Arc<dyn Human>>,
    /// Who hears how far calls have come.
    pub listener: Option<Arc<dyn ToolListener>>,
    /// The place of images and other bytes. Without one, results with bytes are refused.
    pub contents: Option<ContentFolder>,
    /// The user's logins.
    pub logins: Option<Arc<dyn McpLogins>>,
}
