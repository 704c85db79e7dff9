//! Ports that hide what comes in through them.

use std::sync::Arc;

use futures::FutureExt;

use super::Mask;
use crate::machine::{Ask, Call, Outcome};
use crate::port::{BoxFuture, Human, ModelClient, Probed, Remains, Reply, ToolHost, ToolInfo, View};
use crate::value::{Str, Value};

/// A port behind a [`Mask`]: what is hidden never reaches the run, and so no journal, trace or picture of it.
///
/// Where answers are kept for later, the mask belongs inside of what keeps them.
pub struct Masked<P: ?Sized> {
    inner: Arc<P>,
    mask: Mask,
}

impl<P: ?Sized> Masked<P> {
    /// Puts a mask in front of a port.
    #[must_use]
    pub const fn new(inner: Arc<P>, mask: Mask) -> Self {
        Self { inner, mask }
    }

    fn outcome(&self, work: BoxFuture<'static, Outcome>) -> BoxFuture<'static, Outcome> {
        if self.mask.is_empty() {
            return work;
        }
        let mask = self.mask.clone();
        work.map(move |outcome| mask.outcome(outcome)).boxed()
    }

    fn info(&self, mut info: ToolInfo) -> ToolInfo {
        info.description = self.mask.word(info.description);
        info.schema = self.mask.value(info.schema);
        info
    }
}

impl<P: ModelClient + ?Sized> ModelClient for Masked<P> {
    fn ask(&self, call: &Call, view: View<'_>) -> BoxFuture<'static, Outcome> {
        self.outcome(self.inner.ask(call, view))
    }

    fn model(&self, role: &str) -> Str {
        self.mask.word(self.inner.model(role))
    }

    fn provider(&self, role: &str) -> Option<Str> {
        self.inner.provider(role)
    }
}

impl<P: ToolHost + ?Sized> ToolHost for Masked<P> {
    fn catalogue(&self) -> Vec<ToolInfo> {
        self.inner.catalogue().into_iter().map(|info| self.info(info)).collect()
    }

    fn ungranted(&self) -> Vec<Str> {
        self.inner.ungranted()
    }

    fn call(&self, call: &Call, view: View<'_>) -> BoxFuture<'static, Outcome> {
        self.outcome(self.inner.call(call, view))
    }

    fn companions(&self, tool: &str) -> Vec<Str> {
        self.inner.companions(tool)
    }

    fn probe(&self, call: &Call, view: View<'_>) -> Option<BoxFuture<'static, Probed>> {
        let (work, mask) = (self.inner.probe(call, view)?, self.mask.clone());
        let hidden = move |probed| match probed {
            Probed::Happened(result) => Probed::Happened(mask.value(result)),
            Probed::Not => Probed::Not,
            Probed::Unknown(why) => Probed::Unknown(mask.word(why)),
        };
        Some(work.map(hidden).boxed())
    }

    fn remains(&self, call: &Call) -> Option<BoxFuture<'static, Remains>> {
        self.inner.remains(call)
    }

    fn compensation(&self, tool: &str) -> Option<ToolInfo> {
        self.inner.compensation(tool).map(|info| self.info(info))
    }

    fn compensate(&self, call: &Call, result: &Value) -> Option<BoxFuture<'static, Outcome>> {
        self.inner.compensate(call, result).map(|work| self.outcome(work))
    }
}

impl<P: Human + ?Sized> Human for Masked<P> {
    fn ask(&self, ask: &Ask, view: View<'_>) -> BoxFuture<'static, Reply> {
        let (reply, mask) = (self.inner.ask(ask, view), self.mask.clone());
        let hidden = move |reply| match reply {
            Reply::Answer(answer) => Reply::Answer(mask.value(answer)),
            Reply::Nobody => Reply::Nobody,
        };
        reply.map(hidden).boxed()
    }
}
