//! A Rust closure as a tool.

use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;

use super::Tool;
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, ToolInfo};
use crate::program::error::ErrorKind;
use crate::value::{Map, Value};

/// A tool that is a closure.
pub(super) struct Closure<F> {
    pub(super) info: ToolInfo,
    pub(super) work: Arc<F>,
}

impl<F, R> Tool for Closure<F>
where
    F: Fn(Map) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, String>> + Send + 'static,
{
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let work = Arc::clone(&self.work);
        async move {
            match work(args).await {
                Ok(value) => Outcome::answer(value),
                Err(message) => Outcome::failed(ErrorKind::ToolFailed, message),
            }
        }
        .boxed()
    }
}
