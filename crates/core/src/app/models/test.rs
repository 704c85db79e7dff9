//! Every entry of `[models]` asked once, to learn whether it answers.

use std::sync::Arc;

use futures::future::join_all;

use super::live::{ModelsError, live};
use crate::config::Config;
use crate::drive::SystemClock;
use crate::machine::AttemptFault;
use crate::port::Mask;
use crate::program::error::ErrorKind;
use crate::value::Str;

/// The answer of one entry to a test request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedEntry {
    /// The name of the entry.
    pub entry: Str,
    /// The error; none where it answered.
    pub fault: Option<AttemptFault>,
}

/// Asks every model of a configuration for one token, all at the same time. Keys are hidden in what they say.
///
/// # Errors
/// There is no client for HTTP. A key that is missing is the fault of its entry.
pub async fn test_models(config: &Config, mask: &Mask) -> Result<Vec<TestedEntry>, ModelsError> {
    let mut tests = Vec::new();
    for model in &config.models {
        let one = Config { models: vec![model.clone()], ..Config::default() };
        let entry = model.role.clone();
        let asked = match live(&one, Arc::new(SystemClock::new())) {
            Ok(live) => Ok(live.and_then(|live| live.test(&entry))),
            Err(error @ ModelsError::Http(_)) => return Err(error),
            Err(error) => Err(AttemptFault {
                kind: ErrorKind::Denied.into(),
                message: error.to_string().into(),
                refused: true,
            }),
        };
        tests.push(async move {
            let fault = match asked {
                Ok(Some(asked)) => asked.await.err(),
                Ok(None) => None,
                Err(fault) => Some(fault),
            };
            let fault =
                fault.map(|fault| AttemptFault { message: mask.text(&fault.message).into(), ..fault });
            TestedEntry { entry, fault }
        });
    }
    Ok(join_all(tests).await)
}
