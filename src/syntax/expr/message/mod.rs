//! What to say where parsing stopped: what was found there, what was wanted.

mod expression;
mod statement;
mod types;

use super::fault::Fault;
use super::scan::{Scanner, Token, TokenKind};
use expression::{expression, known_mistake, value_wanted};
use statement::statement;
use types::type_fault;

/// What a text was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Expression,
    Statement,
    Type,
    Place,
    Field,
    Trigger,
    Property,
    LetHead,
    ForHead,
}

/// The first characters of a text, for messages.
pub(super) fn clip(text: &str) -> String {
    const SHOWN: usize = 32;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// The places of interest around the byte where parsing stopped.
struct Scene<'t> {
    text: &'t str,
    /// All tokens but line ends.
    tokens: Vec<Token>,
    /// Index of the first token at or behind the stop.
    index: usize,
    /// A line end stands between the token before and the one found.
    broken: bool,
}

impl<'t> Scene<'t> {
    fn new(text: &'t str, stop: usize) -> Self {
        let all: Vec<Token> = Scanner::new(text).collect();
        let broken = all
            .iter()
            .rev()
            .find(|t| t.start < stop_of(&all, stop))
            .is_some_and(|t| t.kind == TokenKind::Break);
        let tokens: Vec<Token> = all.into_iter().filter(|t| t.kind != TokenKind::Break).collect();
        let index = tokens.partition_point(|t| t.end <= stop);
        Self { text, tokens, index, broken }
    }

    fn found(&self) -> Option<Token> {
        self.tokens.get(self.index).copied()
    }

    fn before(&self) -> Option<Token> {
        self.index.checked_sub(1).and_then(|i| self.tokens.get(i)).copied()
    }

    fn found_text(&self) -> &'t str {
        self.found().map_or("", |t| t.text(self.text))
    }

    fn before_text(&self) -> &'t str {
        self.before().map_or("", |t| t.text(self.text))
    }

    /// The token behind the one found.
    fn ahead(&self) -> Option<Token> {
        self.tokens.get(self.index + 1).copied()
    }

    fn ahead_text(&self) -> &'t str {
        self.ahead().map_or("", |t| t.text(self.text))
    }

    /// The token `count` places before the one before the stop.
    fn word_before(&self, count: usize) -> &'t str {
        let index = self.index.checked_sub(1 + count);
        index.and_then(|i| self.tokens.get(i)).map_or("", |t| t.text(self.text))
    }

    /// Whether a `(` or `[` or `{` is open at the stop.
    fn in_brackets(&self) -> bool {
        let before = &self.tokens[..self.index];
        let count = |kind| before.iter().filter(|t| t.kind == kind).count();
        count(TokenKind::Open) > count(TokenKind::Close)
    }

    fn place(&self) -> (usize, usize) {
        self.found().map_or((self.text.trim_end().len(), self.text.trim_end().len()), |t| (t.start, t.end))
    }

    fn after_operand(&self) -> bool {
        self.before().is_some_and(Token::ends_operand)
    }

    /// `?` without its `:` before the stop.
    fn open_conditional(&self) -> Option<Token> {
        let mut open = Vec::new();
        for token in &self.tokens[..self.index] {
            match token.text(self.text) {
                "?" => open.push(*token),
                ":" | "," => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.pop()
    }
}

/// Where the token found at `stop` begins.
fn stop_of(all: &[Token], stop: usize) -> usize {
    all.iter().find(|t| t.end > stop && t.kind != TokenKind::Break).map_or(usize::MAX, |t| t.start)
}

/// The fault of a text that could not be read as what was wanted, reading having stopped at byte `stop`.
pub(super) fn explain(wanted: Wanted, text: &str, stop: usize) -> Fault {
    let scene = Scene::new(text, stop);
    if scene.tokens.is_empty() {
        return Fault::syntax(
            (0, text.len()),
            format!("{} is wanted here, but nothing stands here", wanted.article()),
        );
    }
    match wanted {
        Wanted::Statement => statement(&scene),
        Wanted::Type => type_fault(&scene),
        Wanted::Place => place_fault(&scene),
        Wanted::Trigger => trigger(&scene),
        Wanted::LetHead => let_head(&scene),
        Wanted::ForHead => {
            let (found, at) = (describe(&scene), scene.place());
            Fault::syntax(at, format!("`for` is followed by a name, `in` and a list, not by {found}"))
                .help("for item in items { … }")
        }
        Wanted::Field => field(&scene),
        Wanted::Property => property(&scene),
        Wanted::Expression => expression(&scene),
    }
}

impl Wanted {
    fn article(self) -> &'static str {
        match self {
            Self::Expression => "an expression",
            Self::Statement => "a statement",
            Self::Type | Self::Field => "a type",
            Self::Place => "a place to write to",
            Self::Trigger => "a trigger",
            Self::Property => "a property",
            Self::LetHead => "a name",
            Self::ForHead => "`name in list`",
        }
    }
}

fn describe(scene: &Scene) -> String {
    match scene.found() {
        None => "the end".to_owned(),
        Some(token) => format!("`{}`", clip(token.text(scene.text))),
    }
}

fn place_fault(scene: &Scene) -> Fault {
    Fault::syntax(
        scene.place(),
        format!("a place to write to is wanted; {} cannot stand in it", describe(scene)),
    )
    .help("a place is a name with fields and indices: `plan.steps[0].done`")
}

fn field(scene: &Scene) -> Fault {
    let in_value =
        scene.tokens[..scene.index].iter().any(|t| matches!(t.text(scene.text), "=" | "where" | ">="));
    if !in_value {
        return type_fault(scene);
    }
    if scene.before_text() == "where" {
        return value_wanted(scene);
    }
    let complete = scene.after_operand() && !scene.in_brackets();
    if complete && known_mistake(scene).is_none() && scene.open_conditional().is_none() {
        return Fault::syntax(
            scene.place(),
            format!("the field should end here; {} cannot follow", describe(scene)),
        )
        .help("a field is written `type`, `type = default` or `type = default where condition`");
    }
    expression(scene)
}

fn trigger(scene: &Scene) -> Fault {
    Fault::syntax(scene.place(), format!("a trigger is wanted; {} cannot stand here", describe(scene)))
        .help("triggers are done, error, error(kind), timeout, exhausted(budget) and unknown")
}

fn let_head(scene: &Scene) -> Fault {
    Fault::syntax(
        scene.place(),
        format!("a name is wanted, perhaps with parameters; {} cannot stand here", describe(scene)),
    )
    .help("write `name` or `name(a, b)`")
}

fn property(scene: &Scene) -> Fault {
    if scene.found().is_none() && scene.after_operand() {
        return Fault::syntax(scene.place(), "a property says when its expression must hold")
            .help("write `never E`, `always E`, `eventually E` or `A precedes B`");
    }
    if scene.index == 1 && scene.found().is_some_and(|t| t.kind == TokenKind::Word) {
        let word = clip(scene.before_text());
        let first = scene.before().map_or((0, 0), |t| (t.start, t.end));
        return Fault::syntax(first, format!("`{word}` is no form of property"))
            .help("write `never E`, `always E`, `eventually E` or `A precedes B`");
    }
    expression(scene)
}
