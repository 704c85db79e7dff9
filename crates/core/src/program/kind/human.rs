//! Nodes that wait for a person.

use super::INTO;
use super::part::{Field, KindParts, keys};
use super::stage::{Link, Stage};

keys! {
    ASK = "ask", "ask-changed", "question";
    ANSWER = "answer", "answer-type-changed", "type of the answer";
}

/// Waits for a person.
#[derive(Debug, Clone)]
pub struct HumanNode<S: Stage> {
    /// The question.
    pub ask: Option<S::Text>,
    /// The type of the answer; `options` make an enum.
    pub answer: S::Answer,
    /// The place that takes the answer.
    pub into: Option<S::Place>,
}

impl<S: Stage> HumanNode<S> {
    pub(super) fn link<B: Stage>(&self, to: &mut impl Link<S, B>) -> HumanNode<B> {
        HumanNode {
            ask: self.ask.as_ref().map(|text| to.text(text)),
            answer: to.answer(&self.answer, false),
            into: self.into.as_ref().map(|place| to.place(place)),
        }
    }

    pub(super) fn parts(&self) -> KindParts<'_, S> {
        KindParts::new()
            .text(&ASK, self.ask.as_ref())
            .with(&ANSWER, Field::Answer(&self.answer))
            .place(&INTO, self.into.as_ref())
    }
}
