//! The webhooks of a configuration with their secrets.

use std::path::Path;

use crate::cli::{Exit, files, screen};
use loopwright_core::app::secret;
use loopwright_core::config::{SecretPlace, WebhookConfig};
use loopwright_core::serve::web::Webhook;

/// The shortest secret, in bytes.
const MIN_SECRET_BYTES: usize = 16;

/// Reads the secrets.
pub(super) fn read(configured: &[WebhookConfig]) -> Result<Vec<Webhook>, Exit> {
    configured.iter().map(one).collect()
}

fn one(config: &WebhookConfig) -> Result<Webhook, Exit> {
    let WebhookConfig { name, graph, secret: place, signature, delivery, inputs } = config;
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
    if text.len() < MIN_SECRET_BYTES {
        return Err(refuse(&format!("a secret has at least {MIN_SECRET_BYTES} characters")));
    }
    let mut webhook = Webhook::new(name.clone(), graph.clone(), &text);
    if let Some(header) = signature {
        webhook.signature.clone_from(header);
    }
    if let Some(header) = delivery {
        webhook.delivery.clone_from(header);
    }
    webhook.inputs.clone_from(inputs);
    Ok(webhook)
}
