//! Nodes that ask a model.

use super::INTO;
use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};

keys! {
    ROLE = "role", "role-changed", "role";
    SYSTEM = "system", "system-changed", "system text";
    PROMPT = "prompt", "prompt-changed", "prompt";
    MESSAGES = "messages", "messages-changed", "messages";
    OFFER = "offer", "offer-changed", "list of offered tools";
    OFFER_OF = "offer_of", "offer-of-changed", "choice of offered tools";
    OUTPUT = "output", "answer-type-changed", "type of the answer";
    LIMITS = "limits", "limits-changed", "limits of the answer";
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
    /// The messages of a conversation, in place of a prompt.
    pub messages: Option<S::Expr>,
    /// The tools that the model may ask to call.
    pub offer: Offer<S>,
    /// The type of the answer; `string` is the raw text.
    pub output: S::Answer,
    /// The limits of fields of the answer: a map by field, of lists of the values that are allowed or of JSON Schemas.
    pub limits: Option<S::Expr>,
    /// The type of the reply, where it holds more than the answer.
    pub reply: Option<S::Answer>,
    /// The field of the answer whose partial text is streamed to observers.
    pub stream: Option<S::Word>,
    /// True if an equal request may be answered from the cache.
    pub cache: bool,
    /// The place that takes the answer.
    pub into: Option<S::Place>,
}

/// The tools that a model may ask to call.
#[derive(Debug, Clone)]
pub enum Offer<S: Stage> {
    /// These; none where the list is empty.
    Fixed(Vec<S::Word>),
    /// Those that an expression names.
    Computed(S::Expr),
}

impl<S: Stage> Offer<S> {
    /// The fixed names.
    pub fn names(&self) -> &[S::Word] {
        match self {
            Self::Fixed(names) => names,
            Self::Computed(_) => &[],
        }
    }

    const fn computed(&self) -> Option<&S::Expr> {
        match self {
            Self::Fixed(_) => None,
            Self::Computed(names) => Some(names),
        }
    }

    fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> Offer<B> {
        match self {
            Self::Fixed(names) => Offer::Fixed(names.iter().map(|name| to.word(name)).collect()),
            Self::Computed(names) => Offer::Computed(to.expr(names)),
        }
    }
}

impl<S: Stage> ModelNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> ModelNode<B> {
        ModelNode {
            role: to.name(&self.role),
            system: self.system.as_ref().map(|text| to.text(text)),
            prompt: self.prompt.as_ref().map(|text| to.text(text)),
            messages: self.messages.as_ref().map(|messages| to.expr(messages)),
            offer: self.offer.link(to),
            output: to.answer(&self.output, true),
            limits: self.limits.as_ref().map(|limits| to.expr(limits)),
            reply: self.reply.as_ref().map(|reply| to.answer(reply, false)),
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
            .expr(&MESSAGES, self.messages.as_ref())
            .words(&OFFER, self.offer.names())
            .expr(&OFFER_OF, self.offer.computed())
            .with(&OUTPUT, Field::Answer(self.reply.as_ref().unwrap_or(&self.output)))
            .expr(&LIMITS, self.limits.as_ref())
            .word(&STREAM, self.stream.as_ref())
            .flag(&CACHE, self.cache)
            .place(&INTO, self.into.as_ref())
    }
}
