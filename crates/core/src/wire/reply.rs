//! The reply so far.

use serde_json::Value;

use super::called::PartialCalls;
use super::signed::ReplyParts;

/// The reply so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartialReply {
    pub(crate) text: String,
    /// True where bytes of the text were no UTF-8 and were replaced.
    pub(crate) garbled: bool,
    /// Its tokens so far, as the provider says.
    pub(crate) tokens: TokenCounts,
    /// The reason for which the model stopped; [`None`] before it stopped.
    pub(crate) finish: Option<Finish>,
    /// The provider's word for that.
    pub(crate) why: Option<String>,
    /// The words of a refusing model.
    pub(crate) refusal: Option<String>,
    /// The model that answered, as the provider names it.
    pub(crate) model: Option<String>,
    /// The calls of tools that it asks for.
    pub(crate) calls: PartialCalls,
    /// True if it wants to call something that cannot be offered from here.
    pub(crate) calls_others: bool,
    /// The text of its reasoning, where the provider shows it.
    pub(crate) reasoning: String,
    /// The parts of it in their order, for a provider that wants them back.
    pub(crate) parts: ReplyParts,
    /// True if the provider said that nothing more comes.
    pub(crate) ended: bool,
}

/// The tokens of a reply, as far as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TokenCounts {
    /// Tokens read, all kinds together.
    pub(crate) input: Option<u64>,
    /// Those of them that came out of a cache.
    pub(crate) cached: Option<u64>,
    /// Those of them that were put into a cache.
    pub(crate) cache_write: Option<u64>,
    /// Tokens written, all kinds together.
    pub(crate) output: Option<u64>,
    /// Those of them that are reasoning.
    pub(crate) reasoning: Option<u64>,
}

/// The reason for which a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The answer was complete.
    Stop,
    /// The answer reached the limit of its length.
    Length,
    /// It, or its provider, refused.
    Refused,
    /// For a reason that only the provider knows.
    Other,
}

impl PartialReply {
    /// Takes more text. Whatever was reported about the end was not the last word.
    pub(crate) fn write(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.text(text.len());
            self.text.push_str(text);
            self.finish = None;
        }
    }

    /// Takes a piece of text that the provider has signed.
    pub(crate) fn write_signed(&mut self, text: &str, signature: &str) {
        self.parts.signed_text(text.len(), signature);
        self.text.push_str(text);
        if !text.is_empty() {
            self.finish = None;
        }
    }

    /// Takes a call that came as a whole.
    pub(crate) fn whole_call(&mut self, id: &str, tool: &str, args: &Value) {
        self.parts.call();
        self.calls.push(id, tool, args);
    }

    /// Takes more of a call. Whatever was reported about the end was not the last word.
    pub(crate) fn call(&mut self, index: Option<u64>, id: &str, tool: &str, args: &str) {
        let before = self.calls.count();
        self.calls.at(index, id);
        if self.calls.count() > before {
            self.parts.call();
        }
        let call = self.calls.at(index, id);
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.tool.is_empty() {
            tool.clone_into(&mut call.tool);
        }
        call.args.push_str(args);
        self.finish = None;
    }

    /// Takes the reason why the model stopped, with the provider's word for it.
    pub(crate) fn stop(&mut self, finish: Finish, why: &str) {
        self.finish = Some(finish);
        self.why = Some(why.to_owned());
        if finish == Finish::Refused {
            self.refusal.get_or_insert_with(|| why.to_owned());
        }
    }

    /// Returns true if the model is known to be done: its last word is there, not merely the end of the connection.
    pub(crate) const fn is_whole(&self) -> bool {
        self.finish.is_some()
    }
}
