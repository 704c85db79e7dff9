//! Not yet.

use serde_json::{Value, json};

use super::{Fault, Prepared};
use crate::config::ModelConfig;
use crate::llm::live::question::Question;
use crate::llm::live::reply::Reply;
use crate::llm::live::secret::Secret;

pub(super) fn prepare(config: &ModelConfig, _key: Option<&Secret>, _question: &Question) -> Prepared {
    Prepared { url: config.base_url.clone(), headers: Vec::new(), body: json!({}) }
}

pub(super) fn read(_frame: &Value, _reply: &mut Reply) -> Result<(), Fault> {
    Err(Fault::Garbage("not yet".to_owned()))
}
