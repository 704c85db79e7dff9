//! A server at an address: the client that speaks to it.

use std::collections::HashMap;
use std::sync::Once;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

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
pub(super) fn transport(
    config: &McpServerConfig,
    target: &HttpTarget,
    context: &CommandContext,
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let transport = transport_config(config, target, context)?;
    Ok(StreamableHttpClientTransport::with_client(client()?, transport))
}

/// The settings of the way to a server.
fn transport_config(
    config: &McpServerConfig,
    target: &HttpTarget,
    context: &CommandContext,
) -> Result<StreamableHttpClientTransportConfig, String> {
    let fill = |text: &str| {
        if !config.expands {
            return Ok(text.to_owned());
        }
        expanded(text, &*context.env).map(std::borrow::Cow::into_owned).map_err(|unset| unset.to_string())
    };
    let url = fill(&target.url)?;
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("its address does not begin with http:// or https://".to_owned());
    }
    let mut headers = HashMap::new();
    for header in &target.headers {
        let text = match &header.value {
            config::HeaderValue::Text(text) => fill(text)?,
            config::HeaderValue::Env { variable, prefix } => {
                let value = (context.env)(variable).and_then(|value| value.into_string().ok());
                let value = value.filter(|value| !value.is_empty());
                let value = value.ok_or_else(|| format!("the variable {variable} is not set"))?;
                format!("{prefix}{value}")
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
    static RING: Once = Once::new();
    // Another part of the program may have chosen already, which is as good.
    RING.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let agent = concat!("loopwright/", env!("CARGO_PKG_VERSION"));
    let client = Client::builder().redirect(Policy::none()).connect_timeout(CONNECT).user_agent(agent);
    client.build().map_err(|error| error.to_string())
}
