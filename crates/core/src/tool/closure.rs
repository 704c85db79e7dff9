//! A Rust closure as a tool.

use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;

use super::Tool;
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, ToolInfo};
use crate::value::Map;

/// A tool that is a closure.
pub(super) struct Closure<F> {
    pub(super) info: ToolInfo,
    pub(super) work: Arc<F>,
}

impl<F, R> Tool for Closure<F>
where
    F: Fn(Map) -> R + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send + 'static,
{
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let work = Arc::clone(&self.work);
        async move { work(args).await }.boxed()
    }
}
