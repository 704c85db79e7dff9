//! Ports that hide what comes in through them.

use std::sync::Arc;

use futures::FutureExt;

use super::Mask;
use crate::machine::{Call, Outcome, Question};
use crate::port::{
    BoxFuture, Human, HumanReply, Leftovers, ModelClient, ProbeResult, RunView, ToolHost, ToolInfo,
};
use crate::value::{Str, Value};

/// A port with a [`Mask`] around it: what is hidden never reaches the run, and so no journal, trace or picture of it.
///
/// A client that stores answers for later has the mask inside of it.
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
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
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

    fn misfit(&self, call: &Call) -> Option<Str> {
        self.inner.misfit(call).map(|why| self.mask.word(why))
    }

    fn call(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        self.outcome(self.inner.call(call, view))
    }

    fn companions(&self, tool: &str) -> Vec<Str> {
        self.inner.companions(tool)
    }

    fn probe(&self, call: &Call, view: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        let (work, mask) = (self.inner.probe(call, view)?, self.mask.clone());
        let hidden = move |probed| match probed {
            ProbeResult::Happened(result) => ProbeResult::Happened(mask.value(result)),
            ProbeResult::Not => ProbeResult::Not,
            ProbeResult::Unknown(why) => ProbeResult::Unknown(mask.word(why)),
        };
        Some(work.map(hidden).boxed())
    }

    fn remains(&self, call: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        self.inner.remains(call)
    }

    fn compensation(&self, tool: &str) -> Option<ToolInfo> {
        self.inner.compensation(tool).map(|info| self.info(info))
    }

    fn compensate(&self, call: &Call, result: &Value) -> Option<BoxFuture<'static, Outcome>> {
        self.inner.compensate(call, result).map(|work| self.outcome(work))
    }
}

impl<P: Human + ?Sized> Masked<P> {
    fn reply(&self, reply: BoxFuture<'static, HumanReply>) -> BoxFuture<'static, HumanReply> {
        let mask = self.mask.clone();
        let hidden = move |reply| match reply {
            HumanReply::Answer(answer) => HumanReply::Answer(mask.value(answer)),
            HumanReply::Unattended => HumanReply::Unattended,
        };
        reply.map(hidden).boxed()
    }
}

impl<P: Human + ?Sized> Human for Masked<P> {
    fn ask(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        self.reply(self.inner.ask(ask, view))
    }

    fn ask_for_tool(&self, ask: &Question) -> BoxFuture<'static, HumanReply> {
        self.reply(self.inner.ask_for_tool(ask))
    }
}
