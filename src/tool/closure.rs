//! A Rust closure as a tool.

use std::future::Future;

use futures::FutureExt;

use super::Tool;
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, ToolInfo};
use crate::value::{Map, Value};

/// A tool that is a closure.
pub(super) struct Closure<F> {
    pub(super) info: ToolInfo,
    pub(super) work: F,
}

impl<F, R> Tool for Closure<F>
where
    F: Fn(Map) -> R + Send + Sync,
    R: Future<Output = Result<Value, String>> + Send + 'static,
{
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let work = (self.work)(args);
        async move {
            match work.await {
                Ok(value) => Outcome::answer(value),
                Err(message) => Outcome::failed("tool_failed", message),
            }
        }
        .boxed()
    }
}
