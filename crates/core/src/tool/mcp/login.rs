//! A login at a server: OAuth with a code that comes back to this machine, and a proof that it is ours.

use std::sync::Arc;

use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};

use super::connection::Connection;
use super::http;
use super::logins::{LoginStore, McpLogins, manager, scopes as scopes_of, secret};
use super::ports::McpPorts;
use super::text::cut;
use super::text::with_causes;
use crate::config::{HttpTarget, McpServerConfig, McpTransport};
use crate::tool::command::CommandContext;

/// The name under which this program registers itself.
const CLIENT: &str = "Loopwright";

/// The longest words of a server that are handed on, in bytes.
const MAX_WORDS: usize = 500;

/// A login that waits for the person in their browser.
pub struct McpLogin(AuthorizationSession);

impl McpLogin {
    /// Asks a server where to log in. `redirect` is the address to which the browser is sent back; `scopes` are asked for in
    /// addition to what was granted before; where there are none, what the server names, or else the configuration. [`None`] where the server asks for no
    /// login.
    ///
    /// # Errors
    /// The server is a program, cannot be reached, or says nothing usable about logins.
    pub async fn begin(
        config: &McpServerConfig,
        context: &CommandContext,
        logins: Arc<dyn McpLogins>,
        redirect: &str,
        scopes: &[String],
    ) -> Result<Option<Self>, String> {
        let McpTransport::Http(target) = &config.transport else {
            return Err(format!(
                "the MCP server {} is a program on this machine: there is no login",
                config.name
            ));
        };
        let url = http::address(config, target, context)?;
        let ports = McpPorts { logins: Some(Arc::clone(&logins)), ..McpPorts::default() };
        let challenge = match Connection::open(config, context, &ports).await {
            Ok(_) if scopes.is_empty() => return Ok(None),
            Ok(_) => None,
            Err(fault) if fault.challenge.is_some() => fault.challenge,
            Err(fault) => return Err(fault.to_string()),
        };
        let store = LoginStore { url: url.clone(), logins: Some(logins) };
        let granted = store.found().map(|found| found.granted_scopes).unwrap_or_default();
        http::choose_cryptography();
        let mut manager = manager(&url, store).await.map_err(|error| words(&error))?;
        let resolved = manager.resolve_metadata_from_challenge(challenge.as_deref()).await;
        manager.set_metadata(resolved.map_err(|error| words(&error))?.metadata);
        let request = request(target, context, redirect)?;
        let scopes = wanted(scopes, challenge.as_deref(), &url, &target.oauth.scopes);
        let request = if scopes.is_empty() { request } else { request.with_scopes(union(granted, scopes)) };
        match AuthorizationSession::new(manager, request).await {
            Ok(session) => {
                may_be_opened(session.get_authorization_url())?;
                Ok(Some(Self(session)))
            }
            Err((_, error)) => Err(words(&error)),
        }
    }

    /// Forgets the login at a server. Returns true if there was one.
    ///
    /// # Errors
    /// The address has a variable that is not set, or the login cannot be removed.
    pub fn forget(
        config: &McpServerConfig,
        target: &HttpTarget,
        context: &CommandContext,
        logins: &dyn McpLogins,
    ) -> Result<bool, String> {
        logins.forget(&http::address(config, target, context)?)
    }

    /// The address that the person opens.
    #[must_use]
    pub fn url(&self) -> &str {
        self.0.get_authorization_url()
    }

    /// Returns true if the path to which a browser was sent back belongs to this login, not to anybody else's.
    #[must_use]
    pub fn is_answer(&self, path: &str) -> bool {
        let state = |text: &str| {
            let url = reqwest::Url::parse("http://localhost").and_then(|base| base.join(text)).ok()?;
            let mut pairs = url.query_pairs();
            pairs.find(|(name, _)| name == "state").map(|(_, value)| value.into_owned())
        };
        state(self.url()).is_some_and(|own| state(path) == Some(own))
    }

    /// Ends the login with the address to which the browser was sent back, and keeps it.
    ///
    /// # Errors
    /// The person declined, or it is not the answer to this login.
    pub async fn finish(self, callback: &str) -> Result<(), String> {
        self.0.handle_callback_url(callback).await.map(|_| ()).map_err(|error| words(&error))
    }
}

/// Refuses an address to log in at that a program other than a browser might take, or that anybody on the way could read.
fn may_be_opened(url: &str) -> Result<(), String> {
    let url = reqwest::Url::parse(url).ok();
    let is_safe = url.is_some_and(|url| match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => true,
        ("http", Some(host)) => {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        _ => false,
    });
    if is_safe { Ok(()) } else { Err("the address at which it has people log in is not of https".to_owned()) }
}

/// The description of this program for a login.
fn request(
    target: &HttpTarget,
    context: &CommandContext,
    redirect: &str,
) -> Result<AuthorizationRequest, String> {
    let own = &target.oauth;
    let mut request =
        AuthorizationRequest::new(redirect).with_client_name(CLIENT).with_initial_scope_selection();
    if let Some(id) = &own.client_id {
        request = request.with_preregistered_client(id);
    }
    if let Some(variable) = &own.client_secret {
        request = request.with_client_secret(secret(variable, context)?);
    }
    if let Some(url) = &own.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    Ok(request)
}

/// The scopes to ask for: those of the person; else those of the configuration, where the server's challenge names none.
fn wanted<'s>(
    own: &'s [String],
    challenge: Option<&str>,
    url: &str,
    configured: &'s [String],
) -> &'s [String] {
    let is_named = challenge.and_then(|challenge| scopes_of(challenge, url)).is_some();
    if own.is_empty() && !is_named { configured } else { own }
}

fn union(mut granted: Vec<String>, more: &[String]) -> Vec<String> {
    for scope in more.iter().flat_map(|scopes| scopes.split_whitespace()) {
        if !granted.iter().any(|own| own == scope) {
            granted.push(scope.to_owned());
        }
    }
    granted
}

fn words(error: &(dyn std::error::Error + 'static)) -> String {
    format!("the login failed: {}", cut(&with_causes(error), MAX_WORDS))
}

#[cfg(test)]
mod tests {
    use super::{may_be_opened, wanted};

    #[test]
    fn configured_scopes_are_asked_for_where_nobody_names_some() {
        let texts = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (own, none, configured, url) = (texts("own"), texts(""), texts("a b"), "https://a.com/mcp");
        let (plain, naming) = (Some("Bearer realm=\"x\""), Some("Bearer scope=\"files\""));
        assert_eq!(wanted(&none, plain, url, &configured), configured);
        assert_eq!(wanted(&none, naming, url, &configured), none);
        assert_eq!(wanted(&own, plain, url, &configured), own);
    }

    #[test]
    fn an_address_of_a_browser_alone_is_opened() {
        for url in
            ["https://a.com/authorize?x=1", "http://127.0.0.1:1/a", "http://localhost/", "http://[::1]:1/"]
        {
            assert_eq!(may_be_opened(url), Ok(()), "{url}");
        }
        for url in [
            "http://a.com",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "smb://a/b",
            "-x",
            "http://127.0.0.1.a.com",
            "vnc://127.0.0.1",
        ] {
            assert!(may_be_opened(url).is_err(), "{url}");
        }
    }
}
