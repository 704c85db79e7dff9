//! Models over HTTP, with their keys out of the environment.

use std::sync::{Arc, LazyLock};

use crate::app::environment::secret;
use crate::config::Config;
use crate::llm::{Http, Live, Paces, Secret};
use crate::port::{Clock, Mask};
use crate::value::Str;

/// The paces of all runs of this process.
static PACES: LazyLock<Paces> = LazyLock::new(Paces::default);

/// The fault for which models cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// There is no client for HTTP.
    #[error("models cannot be reached: {0}")]
    Http(String),
    /// The variable with the key is not set.
    #[error("[models.{role}]: the variable {variable} is not set, and the key is to be in it")]
    Missing {
        /// The name of the role.
        role: Str,
        /// The name of the environment variable.
        variable: Str,
    },
    /// The variable holds something else than a key.
    #[error("[models.{role}]: the value of the variable {variable} is not a key")]
    NoKey {
        /// The name of the role.
        role: Str,
        /// The name of the environment variable.
        variable: Str,
    },
    /// The key is too short to be hidden.
    #[error(
        "[models.{role}]: the value of the variable {variable} is shorter than {} characters, and such a key cannot be hidden",
        Mask::MIN_BYTES
    )]
    Short {
        /// The name of the role.
        role: Str,
        /// The name of the environment variable.
        variable: Str,
    },
}

impl ModelsError {
    /// The cure, if there is one.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Missing { variable, .. } => Some(format!("export {variable}=…")),
            Self::Short { .. } => {
                Some("where the server wants no key, leave `key` out; else give it a longer one".to_owned())
            }
            Self::Http(_) | Self::NoKey { .. } => None,
        }
    }
}

/// The models that a configuration binds; none where it binds none.
///
/// # Errors
/// A key is not there, or there is no client for HTTP.
pub(in crate::app) fn live(config: &Config, clock: Arc<dyn Clock>) -> Result<Option<Live>, ModelsError> {
    if config.models.is_empty() {
        return Ok(None);
    }
    let http = Http::new().map_err(|error| ModelsError::Http(error.to_string()))?;
    let mut live = Live::new(Arc::new(http), clock).paces(PACES.clone());
    for model in &config.models {
        let key = match &model.key {
            None => None,
            Some(variable) => Some(key(&model.role, variable)?),
        };
        live = live.bind(model.clone(), key);
    }
    Ok(Some(config.fallbacks.iter().cloned().fold(live, Live::fallback)))
}

fn key(role: &str, variable: &str) -> Result<Secret, ModelsError> {
    let (role, name) = (Str::from(role), Str::from(variable));
    match secret(variable) {
        None => Err(ModelsError::Missing { role, variable: name }),
        Some(found) if found.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) => {
            Err(ModelsError::NoKey { role, variable: name })
        }
        Some(found) if found.len() < Mask::MIN_BYTES => Err(ModelsError::Short { role, variable: name }),
        Some(found) => Ok(Secret::new(found)),
    }
}
