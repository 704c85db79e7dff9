//! Messages for where reading stopped: tables of mistakes, looked up by what the grammar expects there and by the
//! tokens around the place.

mod expression;
mod row;
mod statement;
mod types;

use super::fault::Fault;
use super::grammar::{Rule, Stop};
use super::names::STATEMENT_WORDS;
use super::scan::{Scanner, Token, TokenKind};
use expression::{EXPRESSION, MISTAKES};
use row::{At, Row};
use statement::{STATEMENT, STATEMENT_VALUES};
use types::{CONDITION, FIELD, TYPE};

/// The first characters of a text, for messages.
pub(super) fn clip(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 32;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// The fault of a text that could not be read by `rule`.
pub(super) fn explain(rule: Rule, text: &str, stop: &Stop) -> Fault {
    let scene = Scene::new(rule, text, stop);
    if scene.tokens.is_empty() {
        let message = format!("{} is wanted here, but there is nothing", wanted(rule));
        return Fault::syntax((0, text.len()), message);
    }
    let tables: &[&[Row]] = match rule {
        Rule::statement_text | Rule::block_text => &[STATEMENT, MISTAKES, STATEMENT_VALUES, EXPRESSION],
        Rule::field_text if scene.in_value() => &[&[CONDITION], MISTAKES, FIELD, EXPRESSION],
        Rule::type_text | Rule::field_text => &[TYPE],
        Rule::place_text => &[&[PLACE]],
        Rule::trigger_text => &[&[TRIGGER]],
        Rule::let_head_text => &[&[LET_HEAD]],
        Rule::for_head_text => &[&[FOR_HEAD]],
        Rule::property_text => &[PROPERTY, MISTAKES, EXPRESSION],
        _ => &[MISTAKES, EXPRESSION],
    };
    let row = tables.iter().copied().flatten().find(|row| row.fits(&scene));
    row.unwrap_or(&Row::new("$found is not allowed here")).fault(&scene)
}

fn wanted(rule: Rule) -> &'static str {
    match rule {
        Rule::statement_text | Rule::block_text => "a statement",
        Rule::type_text | Rule::field_text => "a type",
        Rule::place_text => "a place to write to",
        Rule::trigger_text => "a trigger",
        Rule::property_text => "a property",
        Rule::let_head_text => "a name",
        Rule::for_head_text => "`name in list`",
        _ => "an expression",
    }
}

const PLACE: Row = Row::new("an assignment target is wanted; $found is not allowed in it")
    .help("a place is a name with fields and indices: `plan.steps[0].done`");

const TRIGGER: Row = Row::new("a trigger is wanted; $found is not allowed here")
    .help("triggers are done, error, error(kind), timeout, exhausted(budget) and unknown");

const LET_HEAD: Row = Row::new("a name is wanted, perhaps with parameters; $found is not allowed here")
    .help("write `name` or `name(a, b)`");

const FOR_HEAD: Row = Row::new("`for` is followed by a name, `in` and a list; $found is not allowed here")
    .help("for item in items { … }; with the index, which begins at 0: for i, item in items { … }");

const PROPERTY: &[Row] = &[
    Row::new("a property says when its expression must hold")
        .expects(Rule::infix)
        .found(&[""])
        .help("write `never E`, `always E`, `eventually E` or `A precedes B`"),
    Row::new("`$before` is not a form of property")
        .at(At::Before)
        .only(|scene| scene.index == 1 && scene.found_is(TokenKind::Word))
        .help("write `never E`, `always E`, `eventually E` or `A precedes B`"),
];

/// The place of the fault and the tokens around it.
struct Scene<'t> {
    text: &'t str,
    stop: &'t Stop,
    /// All tokens but line ends.
    tokens: Vec<Token>,
    /// Index of the first token at or after the stop.
    index: usize,
    /// A line end is between the token before and the one found.
    broken: bool,
    /// The first word of a statement; in a type the word whose `(` is met or open.
    head: &'t str,
}

impl<'t> Scene<'t> {
    fn new(rule: Rule, text: &'t str, stop: &'t Stop) -> Self {
        let all: Vec<Token> = Scanner::new(text).collect();
        let is_break = |t: &Token| t.kind == TokenKind::Break;
        let found = all.iter().position(|t| t.end > stop.at && !is_break(t)).unwrap_or(all.len());
        let broken = all[..found].last().is_some_and(is_break);
        let tokens: Vec<Token> = all.into_iter().filter(|t| !is_break(t)).collect();
        let index = tokens.partition_point(|t| t.end <= stop.at);
        let mut scene = Self { text, stop, tokens, index, broken, head: "" };
        scene.head = match rule {
            Rule::statement_text | Rule::block_text => scene.tokens.first().map_or("", |t| t.text(text)),
            _ if scene.found_text() == "(" && scene.before_text() != "(" => scene.before_text(),
            _ => scene.open_word(),
        };
        let names = match rule {
            Rule::for_head_text => Some(0),
            Rule::statement_text | Rule::block_text if scene.head == "for" => Some(1),
            _ => None,
        };
        // The grammar tells that a `for` has no head, not where it ends to be one.
        if let Some(fault) = names.and_then(|first| scene.fault_of_loop(first)) {
            scene.index = fault;
        }
        scene
    }

    /// Of the names and the `in` of a `for`, which begin at a token, the first token that is not what it should be.
    fn fault_of_loop(&self, first: usize) -> Option<usize> {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text(self.text));
        let is_name =
            |at: usize| self.tokens.get(at).is_some_and(|t| t.kind == TokenKind::Word) && text(at) != "in";
        if !is_name(first) {
            return Some(first);
        }
        let pair = text(first + 1) == ",";
        if pair && !is_name(first + 2) {
            return Some(first + 2);
        }
        let last = if pair { first + 3 } else { first + 1 };
        (text(last) != "in").then_some(last)
    }

    /// Returns true if the grammar would have taken this rule at the stop.
    fn expects(&self, rule: Rule) -> bool {
        let expected = |rule| self.stop.expected.contains(&rule);
        if rule != Rule::assign_op {
            return expected(rule);
        }
        // After a line end a place may continue, but nothing assigns to it. The words of other statements are read as
        // places, too.
        let place = expected(Rule::member) && !expected(Rule::infix) && !expected(Rule::EOI);
        (expected(rule) || place) && !self.has_word()
    }

    /// Returns true if the text begins with a word of statements.
    fn has_word(&self) -> bool {
        self.head == "else" || STATEMENT_WORDS.contains(&self.head)
    }

    fn found(&self) -> Option<Token> {
        self.tokens.get(self.index).copied()
    }

    fn found_is(&self, kind: TokenKind) -> bool {
        self.found().is_some_and(|t| t.kind == kind)
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

    fn ahead_text(&self) -> &'t str {
        self.tokens.get(self.index + 1).map_or("", |t| t.text(self.text))
    }

    /// The word before the `(` that is open at the stop.
    fn open_word(&self) -> &'t str {
        let mut closed = 0_usize;
        let mut before = self.tokens[..self.index].iter().rev();
        while let Some(token) = before.next() {
            match token.kind {
                TokenKind::Close => closed += 1,
                TokenKind::Open if closed == 0 => return before.next().map_or("", |t| t.text(self.text)),
                TokenKind::Open => closed -= 1,
                _ => {}
            }
        }
        ""
    }

    fn place(&self) -> (usize, usize) {
        let end = self.text.trim_end().len();
        self.found().map_or((end, end), |t| (t.start, t.end))
    }

    /// Returns true if a `(` or `[` or `{` is open at the stop.
    fn in_brackets(&self) -> bool {
        let before = &self.tokens[..self.index];
        let count = |kind| before.iter().filter(|t| t.kind == kind).count();
        count(TokenKind::Open) > count(TokenKind::Close)
    }

    /// Returns true if the stop is after the type of a field.
    fn in_value(&self) -> bool {
        self.tokens[..self.index].iter().any(|t| matches!(t.text(self.text), "=" | "where" | ">="))
    }

    /// The last `?` before the stop that has no `:`.
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

    /// Returns true if the name at this index and the quote after it touch.
    fn touches_quote(&self, name: Option<usize>) -> bool {
        let token = |index: usize| self.tokens.get(index).copied();
        let (Some(name), Some(quote)) = (name.and_then(token), name.and_then(|i| token(i + 1))) else {
            return false;
        };
        name.kind == TokenKind::Word && quote.kind == TokenKind::Quoted && name.end == quote.start
    }

    /// A text of a [`Row`] with the parts of the scene in it.
    fn fill(&self, template: &str) -> String {
        let found = || match self.found() {
            None => "the end".to_owned(),
            Some(token) => format!("`{}`", clip(token.text(self.text))),
        };
        let parts: [(&str, &dyn Fn() -> String); 8] = [
            ("found", &found),
            ("sign", &|| clip(self.found_text())),
            ("before", &|| clip(self.before_text())),
            ("head", &|| clip(self.head)),
            ("left", &|| clip(self.text[..self.before().map_or(0, |b| b.end)].trim())),
            ("instead", &|| match self.found() {
                None => "but nothing follows".to_owned(),
                Some(_) => format!("not {}", found()),
            }),
            ("refused", &|| match self.found() {
                None => "nothing follows".to_owned(),
                Some(_) => format!("{} is not allowed here", found()),
            }),
            ("joint", &|| if self.in_brackets() { "a `,` or an operator" } else { "an operator" }.to_owned()),
        ];
        let mut pieces = template.split('$');
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            if let Some((name, part)) = parts.iter().find(|(name, _)| piece.starts_with(name)) {
                out.push_str(&part());
                out.push_str(&piece[name.len()..]);
            }
        }
        out
    }
}
