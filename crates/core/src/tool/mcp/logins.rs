//! Logins at servers, as the user keeps them.

use std::sync::Arc;

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, CredentialStore, StoredCredentials, WWWAuthenticateParams,
};
use serde_json::Value as Json;

use crate::tool::command::CommandContext;

/// The user's logins, by the addresses of servers. What is kept is a secret.
pub trait McpLogins: Send + Sync {
    /// The login at an address, if there is one.
    fn find(&self, url: &str) -> Option<Json>;

    /// Keeps a login.
    ///
    /// # Errors
    /// It cannot be kept, and why.
    fn keep(&self, url: &str, login: &Json) -> Result<(), String>;

    /// Forgets a login. Returns true if there was one.
    ///
    /// # Errors
    /// It cannot be removed, and why.
    fn forget(&self, url: &str) -> Result<bool, String>;
}

/// The login at one address.
#[derive(Clone)]
pub(super) struct LoginStore {
    pub(super) url: String,
    pub(super) logins: Option<Arc<dyn McpLogins>>,
}

impl LoginStore {
    /// The stored login, if it can be read.
    pub(super) fn found(&self) -> Option<StoredCredentials> {
        let login = self.logins.as_ref()?.find(&self.url)?;
        serde_json::from_value(login).ok()
    }
}

#[async_trait]
impl CredentialStore for LoginStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.found())
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let Some(logins) = &self.logins else { return Ok(()) };
        let login = serde_json::to_value(credentials)
            .map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        logins.keep(&self.url, &login).map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        let Some(logins) = &self.logins else { return Ok(()) };
        logins.forget(&self.url).map(|_| ()).map_err(AuthError::CredentialStoreError)
    }
}

/// The value of a variable that holds a secret.
pub(super) fn secret(variable: &str, context: &CommandContext) -> Result<String, String> {
    let value = (context.env)(variable).and_then(|value| value.into_string().ok());
    value.filter(|value| !value.is_empty()).ok_or_else(|| format!("the variable {variable} is not set"))
}

/// The keeper of one login.
pub(super) async fn manager(url: &str, store: LoginStore) -> Result<AuthorizationManager, AuthError> {
    let mut manager = AuthorizationManager::new(url).await?;
    manager.set_credential_store(store);
    Ok(manager)
}

/// The scopes that a refusal asks for, if it names some.
pub(super) fn scopes(challenge: &str, url: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).ok()?;
    let scope = WWWAuthenticateParams::parse(challenge, &url).scope?;
    // They stand in a command that is shown.
    let plain = |c: char| c.is_ascii_graphic() && !"'\"\\`$".contains(c) || c == ' ';
    scope.chars().all(plain).then_some(scope)
}
