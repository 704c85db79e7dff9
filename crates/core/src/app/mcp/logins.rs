//! Logins at MCP servers, in the user's own folder.

use std::ffi::OsStr;

use serde_json::{Value as Json, json};

use crate::app::trust::{NoteKind, StateFolder};
use crate::tool::mcp::McpLogins;

/// The logins of whoever runs this process.
#[derive(Debug)]
pub struct UserLogins(StateFolder);

impl UserLogins {
    /// Those in a folder of notes.
    #[must_use]
    pub const fn of(folder: StateFolder) -> Self {
        Self(folder)
    }
}

impl McpLogins for UserLogins {
    fn find(&self, url: &str) -> Option<Json> {
        let note: Json = self.0.find(NoteKind::Login, &[OsStr::new(url)])?;
        note.get("login").cloned()
    }

    fn keep(&self, url: &str, login: &Json) -> Result<(), String> {
        let note = json!({"version": 1, "url": url, "login": login});
        self.0.note(NoteKind::Login, &[OsStr::new(url)], &note)
    }

    fn forget(&self, url: &str) -> Result<bool, String> {
        self.0.forget(NoteKind::Login, &[OsStr::new(url)])
    }
}
