//! Tells Zed how to start `loopwright lsp`.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{Command, Extension, LanguageServerId, Result, Worktree, register_extension};

/// The extension, which holds nothing.
struct Loopwright;

impl Extension for Loopwright {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, server: &LanguageServerId, folder: &Worktree) -> Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), folder)?;
        let set = settings.binary.and_then(|binary| binary.path);
        let command = set.or_else(|| folder.which("loopwright")).ok_or(
            "`loopwright` is not in PATH; `lsp.loopwright.binary.path` in the settings says where it is",
        )?;
        Ok(Command { command, args: vec!["lsp".to_owned()], env: folder.shell_env() })
    }
}

register_extension!(Loopwright);
