//! Changes, while they are collected and as they are given out.

use super::kind::{ChangeEffect, ChangeKind, named};
use super::piece::DraftSide;
use super::written::Written;
use crate::source::Span;
use crate::value::Str;

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    /// The path: `nodes.decide.edges[2].when`. Parts of a called graph begin with `graphs.NAME.`.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The called graph it is in; [`None`] for the graph itself.
    pub graph: Option<String>,
    /// The owner, in words: ``node `decide` ``. Empty for the graph.
    pub owner: String,
    /// The side before; [`None`] if it was not there.
    pub before: Option<ChangeSide>,
    /// The side after; [`None`] if it is gone.
    pub after: Option<ChangeSide>,
    /// The change in one sentence.
    pub message: String,
}

impl Change {
    /// The effect.
    #[must_use]
    pub const fn effect(&self) -> ChangeEffect {
        self.kind.effect
    }
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSide {
    /// It in source form.
    pub text: String,
    /// Its place, in the sources of that version.
    pub span: Span,
}

/// A change before its texts are looked up.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) graph: Option<Str>,
    pub(super) path: String,
    pub(super) kind: ChangeKind,
    /// The changed part, in words.
    pub(super) noun: String,
    pub(super) owner: String,
    pub(super) before: Option<DraftSide>,
    pub(super) after: Option<DraftSide>,
}

impl Draft {
    pub(super) fn new(
        slug: &'static str,
        path: impl Into<String>,
        owner: impl Into<String>,
        before: Option<DraftSide>,
        after: Option<DraftSide>,
    ) -> Self {
        let kind = named(slug);
        let (path, owner, noun) = (path.into(), owner.into(), kind.noun.to_owned());
        Self { graph: None, path, kind, noun, owner, before, after }
    }

    /// The change with its texts, and what is written there if that is as it was; `written` has what is written in each
    /// version.
    pub(super) fn finish(self, written: &[Written<'_>; 2]) -> (Change, Option<String>) {
        let text = |part: Option<DraftSide>, written: &Written<'_>| {
            part.map(|part| (ChangeSide { text: written.of(&part), span: part.span }, part.meaning))
        };
        let (mut before, mut after) = (text(self.before, &written[0]), text(self.after, &written[1]));
        let mut as_before = None;
        if let (Some((one, meant)), Some((other, now_meant))) = (&mut before, &mut after)
            && one.text == other.text
        {
            as_before = Some(std::mem::replace(&mut one.text, meant.clone()));
            other.text.clone_from(now_meant);
        }
        let (before, after) = (before.map(|(part, _)| part), after.map(|(part, _)| part));
        let prefix = self.graph.as_ref().map(|graph| format!("graphs.{graph}.")).unwrap_or_default();
        let mut message = sentence(
            self.kind,
            &self.noun,
            self.graph.as_deref(),
            &self.owner,
            before.as_ref(),
            after.as_ref(),
        );
        if as_before.is_some() {
            message.push_str("; it is written as before, but what it uses has changed");
        }
        let change = Change {
            path: prefix + &self.path,
            kind: self.kind,
            graph: self.graph.map(|graph| graph.to_string()),
            owner: self.owner,
            before,
            after,
            message,
        };
        (change, as_before)
    }
}

fn sentence(
    kind: ChangeKind,
    noun: &str,
    graph: Option<&str>,
    owner: &str,
    before: Option<&ChangeSide>,
    after: Option<&ChangeSide>,
) -> String {
    let within = graph.map(|graph| format!("in the called graph `{graph}`, ")).unwrap_or_default();
    let whole = kind.slug.ends_with("-added") || kind.slug.ends_with("-removed");
    let what = match (whole, owner) {
        (true, owner) => format!("the {owner}"),
        (false, "") => format!("the {noun} of the graph"),
        (false, owner) => format!("the {noun} of the {owner}"),
    };
    match (before, after) {
        (Some(before), Some(after)) => {
            format!("{within}{what} changed from {} to {}", brief(&before.text), brief(&after.text))
        }
        (None, Some(_)) if whole => format!("{within}{what} was added"),
        (Some(_), None) if whole => format!("{within}{what} was removed"),
        (None, Some(after)) => format!("{within}{what} was added: {}", brief(&after.text)),
        (Some(before), None) => format!("{within}{what} was removed: {}", brief(&before.text)),
        (None, None) => format!("{within}{what} changed"),
    }
}

/// Longer texts are cut in sentences, in characters.
const MAX_TEXT_CHARS: usize = 80;

/// A text on one line between backquotes.
fn brief(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(MAX_TEXT_CHARS) {
        line.truncate(at);
        line.push('…');
    }
    if line.is_empty() { "an empty text".to_owned() } else { format!("`{line}`") }
}
