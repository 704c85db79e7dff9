//! A server at an address: the client that speaks to it.

use std::collections::HashMap;
use std::sync::{Arc, Once};
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::{AuthClient, OAuthClientConfig};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::logins::{LoginStore, McpLogins, manager, secret};
use super::text::cut;
use super::text::with_causes;
use crate::config::{self, HttpTarget, McpServerConfig, expanded};
use crate::tool::command::CommandContext;

/// The longest body or event of an answer, in bytes.
pub(super) const MAX_MESSAGE: usize = 32 << 20;

/// The longest that a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(15);

/// The way to a server, with the values of its headers.
///
/// # Errors
/// A variable is not set, or no client can be made.
pub(super) async fn transport(
    config: &McpServerConfig,
    target: &HttpTarget,
    context: &CommandContext,
    logins: Option<Arc<dyn McpLogins>>,
) -> Result<StreamableHttpClientTransport<AuthClient<Client>>, String> {
    choose_cryptography();
    let transport = transport_config(config, target, context)?;
    let url = address(config, target, context)?;
    let manager = manager(&url, LoginStore { url: url.clone(), logins }).await;
    let mut manager = manager.map_err(|error| cut(&with_causes(&error), 500))?;
    let known = manager.initialize_from_store().await;
    let known =
        known.map_err(|error| format!("the login cannot be used: {}", cut(&with_causes(&error), 500)))?;
    if known && let (Some(id), Some(variable)) = (&target.oauth.client_id, &target.oauth.client_secret) {
        let own = OAuthClientConfig::new(id, url).with_client_secret(secret(variable, context)?);
        manager.configure_client(own).map_err(|error| error.to_string())?;
    }
    Ok(StreamableHttpClientTransport::with_client(AuthClient::new(client()?, manager), transport))
}

/// The address of a server, with the variables in it filled in.
///
/// # Errors
/// A variable is not set, or it is none of HTTP.
pub(super) fn address(
    config: &McpServerConfig,
    target: &HttpTarget,
    context: &CommandContext,
) -> Result<String, String> {
    let url = filled(config, &target.url, context)?;
    if url.starts_with("http://") || url.starts_with("https://") {
        Ok(url)
    } else {
        Err("its address does not begin with http:// or https://".to_owned())
    }
}

/// A text of the declaration, with the variables in it filled in where it may hold some.
fn filled(config: &McpServerConfig, text: &str, context: &CommandContext) -> Result<String, String> {
    if !config.expands {
        return Ok(text.to_owned());
    }
    expanded(text, &*context.env).map(std::borrow::Cow::into_owned).map_err(|unset| unset.to_string())
}

/// The settings of the way to a server.
fn transport_config(
    config: &McpServerConfig,
    target: &HttpTarget,
    context: &CommandContext,
) -> Result<StreamableHttpClientTransportConfig, String> {
    let url = address(config, target, context)?;
    let mut headers = HashMap::new();
    for header in &target.headers {
        let text = match &header.value {
            config::HeaderValue::Text(text) => filled(config, text, context)?,
            config::HeaderValue::Env { variable, prefix } => {
                format!("{prefix}{}", secret(variable, context)?)
            }
        };
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let name = name.map_err(|_| format!("`{}` is not the name of a header", header.name))?;
        // The value is not shown: it may be a key.
        let value = HeaderValue::from_str(&text);
        let mut value = value.map_err(|_| format!("the value of the header `{}` is none", header.name))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MAX_MESSAGE)
        .max_json_response_size(MAX_MESSAGE)
        .reinit_on_expired_session(false))
}

/// A client as that of models: the certificates of the system, no redirects.
fn client() -> Result<Client, String> {
    choose_cryptography();
    let agent = concat!("loopwright/", env!("CARGO_PKG_VERSION"));
    let client = Client::builder().redirect(Policy::none()).connect_timeout(CONNECT).user_agent(agent);
    client.build().map_err(|error| error.to_string())
}

/// Chooses the cryptography of all connections of this process.
pub(super) fn choose_cryptography() {
    static RING: Once = Once::new();
    // Another part of the program may have chosen already, which is as good.
    RING.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
