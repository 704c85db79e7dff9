//! One known mistake: where it is met, and what is reported of it.

use super::Scene;
use crate::syntax::expr::fault::Fault;
use crate::syntax::expr::grammar::Rule;
use crate::syntax::expr::scan::Token;

/// A row of a table of mistakes. It fits where all that it names is met; the first row that fits speaks.
///
/// Its texts have names in them that stand for parts of the scene, see [`Scene::fill`].
#[derive(Clone, Copy)]
pub(super) struct Row {
    message: &'static str,
    help: Option<&'static str>,
    /// Said of the `?` whose `:` is missing.
    also: Option<&'static str>,
    at: At,
    expects: Option<Rule>,
    head: &'static [&'static str],
    before: &'static [&'static str],
    found: &'static [&'static str],
    ahead: &'static [&'static str],
    only: Option<fn(&Scene) -> bool>,
}

/// The part of the text that a message is about.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// The token at which reading stopped.
    Found,
    /// The token before it.
    Before,
    /// The first token.
    First,
    /// All up to the token before it.
    Left,
}

impl Row {
    pub(super) const fn new(message: &'static str) -> Self {
        Self {
            message,
            help: None,
            also: None,
            at: At::Found,
            expects: None,
            head: &[],
            before: &[],
            found: &[],
            ahead: &[],
            only: None,
        }
    }

    /// Fits where the grammar expects this rule.
    pub(super) const fn expects(mut self, rule: Rule) -> Self {
        self.expects = Some(rule);
        self
    }

    /// Fits where the text begins with one of these words, see [`Scene::head`].
    pub(super) const fn head(mut self, words: &'static [&'static str]) -> Self {
        self.head = words;
        self
    }

    /// Fits after one of these tokens.
    pub(super) const fn before(mut self, tokens: &'static [&'static str]) -> Self {
        self.before = tokens;
        self
    }

    /// Fits where reading stopped at one of these tokens; the empty one is the end of the text.
    pub(super) const fn found(mut self, tokens: &'static [&'static str]) -> Self {
        self.found = tokens;
        self
    }

    /// Fits where one of these tokens follows the one at which reading stopped.
    pub(super) const fn ahead(mut self, tokens: &'static [&'static str]) -> Self {
        self.ahead = tokens;
        self
    }

    pub(super) const fn only(mut self, condition: fn(&Scene) -> bool) -> Self {
        self.only = Some(condition);
        self
    }

    pub(super) const fn help(mut self, text: &'static str) -> Self {
        self.help = Some(text);
        self
    }

    pub(super) const fn also(mut self, text: &'static str) -> Self {
        self.also = Some(text);
        self
    }

    pub(super) const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    pub(super) fn fits(&self, scene: &Scene) -> bool {
        let any = |tokens: &[&str], token: &str| tokens.is_empty() || tokens.contains(&token);
        self.expects.is_none_or(|rule| scene.expects(rule))
            && any(self.head, scene.head)
            && any(self.before, scene.before_text())
            && any(self.found, scene.found_text())
            && any(self.ahead, scene.ahead_text())
            && self.only.is_none_or(|holds| holds(scene))
    }

    pub(super) fn fault(&self, scene: &Scene) -> Fault {
        let range = |token: Option<Token>| token.map_or((0, 0), |t| (t.start, t.end));
        let at = match self.at {
            At::Found => scene.place(),
            At::Before => range(scene.before()),
            At::First => range(scene.tokens.first().copied()),
            At::Left => (range(scene.tokens.first().copied()).0, range(scene.before()).1),
        };
        let mut fault = Fault::syntax(at, scene.fill(self.message));
        if let (Some(text), Some(open)) = (self.also, scene.open_conditional()) {
            fault = fault.also(open.start, text);
        }
        match self.help {
            Some(help) => fault.help(scene.fill(help)),
            None => fault,
        }
    }
}
