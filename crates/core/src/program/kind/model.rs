//! Nodes that ask a model.

use super::INTO;
use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};

keys! {
    ROLE = "role", "role-changed", "role";
    SYSTEM = "system", "system-changed", "system text";
    PROMPT = "prompt", "prompt-changed", "prompt";
    OUTPUT = "output", "answer-type-changed", "type of the answer";
    STREAM = "stream", "stream-changed", "streamed field";
    CACHE = "cache", "cache-changed", "use of the cache";
}

/// Asks a language model for one typed answer.
#[derive(Debug, Clone)]
pub struct ModelNode<S: Stage> {
    /// The role.
    pub role: S::Name,
    /// The system text.
    pub system: Option<S::Text>,
    /// The prompt.
    pub prompt: Option<S::Text>,
    /// The type of the answer; `string` is the raw text.
    pub output: S::Answer,
    /// The field of the answer whose partial text is streamed to observers.
    pub stream: Option<S::Word>,
    /// True if an equal request may be answered from the cache.
    pub cache: bool,
    /// The place that takes the answer.
    pub into: Option<S::Place>,
}

impl<S: Stage> ModelNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> ModelNode<B> {
        ModelNode {
            role: to.name(&self.role),
            system: self.system.as_ref().map(|text| to.text(text)),
            prompt: self.prompt.as_ref().map(|text| to.text(text)),
            output: to.answer(&self.output, true),
            stream: self.stream.as_ref().map(|word| to.word(word)),
            cache: self.cache,
            into: self.into.as_ref().map(|place| to.place(place)),
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        KindParts::new()
            .with(&ROLE, Field::Name(&self.role))
            .text(&SYSTEM, self.system.as_ref())
            .text(&PROMPT, self.prompt.as_ref())
            .with(&OUTPUT, Field::Answer(&self.output))
            .word(&STREAM, self.stream.as_ref())
            .flag(&CACHE, self.cache)
            .place(&INTO, self.into.as_ref())
    }
}
