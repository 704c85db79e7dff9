//! The webhooks of a configuration with their secrets.

use std::path::Path;

use crate::cli::{Exit, files, screen};
use loopwright_core::app::secret;
use loopwright_core::config::{SecretPlace, WebhookConfig};
use loopwright_core::serve::web::Webhook;

/// Reads the secrets.
pub(super) fn read(configured: &[WebhookConfig]) -> Result<Vec<Webhook>, Exit> {
    configured.iter().map(one).collect()
}

fn one(config: &WebhookConfig) -> Result<Webhook, Exit> {
    let WebhookConfig { name, graph, secret: place, scheme, inputs } = config;
    let refuse = |why: &str| screen::refuse(&format!("[webhooks.{name}]: {}", screen::line(why)));
    let text = match place {
        SecretPlace::Variable(variable) => secret(variable).ok_or_else(|| {
            refuse(&format!("the variable {variable} of the environment is not set, or is empty"))
        })?,
        SecretPlace::File(file) => {
            let text = files::data(Path::new(file)).map_err(|why| refuse(&format!("{file}: {why}")))?;
            text.trim().to_owned()
        }
    };
    let webhook = Webhook::new(name.clone(), graph.clone(), &text, scheme.clone());
    let mut webhook = webhook.map_err(|why| refuse(&why))?;
    webhook.inputs.clone_from(inputs);
    Ok(webhook)
}
