//! Splitting a faulty list of statements, so that one fault hides no other.
//!
//! One pass over the tokens, without recursion: a statement ends where its line, a `;` or its braces end, or where a
//! word stands that begins another one. Each part is then read by its own rule of the grammar.

use super::fault::Fault;
use super::grammar::Rule;
use super::names::STATEMENT_WORDS;
use super::scan::{Scanner, Token, TokenKind};

/// A part of the text that a rule reads by itself.
pub(super) struct SplitPart {
    pub rule: Rule,
    pub start: usize,
    pub end: usize,
    /// The statement with a block whose head this is.
    pub of: Option<usize>,
}

/// A statement with blocks: from its first word to its last brace.
pub(super) struct Whole {
    pub start: usize,
    pub end: usize,
    /// Its fault was reported, so it is left out.
    pub faulty: bool,
}

/// The parts of a list of statements.
#[derive(Default)]
pub(super) struct Split {
    pub tokens: Vec<Token>,
    pub parts: Vec<SplitPart>,
    pub wholes: Vec<Whole>,
    /// Braces that close nothing, or are missing.
    pub faults: Vec<Fault>,
    /// Characters and quotes that no token can have; those inside of a part are found again when it is read.
    pub strays: Vec<Fault>,
    /// Braces that are open at the end, the innermost first.
    pub unclosed: Vec<Token>,
}

/// A block that is open.
struct Open {
    brace: Token,
    whole: usize,
    /// An `else` may follow it.
    arm: bool,
}

struct Splitter<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// For each token the first one from it on that is no line end.
    solid: Vec<usize>,
    at: usize,
    open: Vec<Open>,
    split: Split,
}

/// Splits a list of statements.
pub(super) fn split(text: &str) -> Split {
    let (mut tokens, mut strays) = (Vec::new(), Vec::new());
    let mut scanner = Scanner::new(text);
    loop {
        let token = scanner.next();
        strays.extend(scanner.fault.take());
        match token {
            Some(token) => tokens.push(token),
            None => break,
        }
    }
    let mut solid = vec![tokens.len(); tokens.len() + 1];
    for (index, token) in tokens.iter().enumerate().rev() {
        solid[index] = if token.kind == TokenKind::Break { solid[index + 1] } else { index };
    }
    let split = Split { strays, ..Split::default() };
    let mut splitter = Splitter { text, tokens, solid, at: 0, open: Vec::new(), split };
    splitter.list();
    Split { tokens: splitter.tokens, ..splitter.split }
}

impl Splitter<'_> {
    fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    fn text_at(&self, index: usize) -> &str {
        self.token(index).map_or("", |t| t.text(self.text))
    }

    /// The first index from `index` on at which no line ends.
    fn after_breaks(&self, index: usize) -> usize {
        self.solid.get(index).copied().unwrap_or(self.tokens.len())
    }

    fn list(&mut self) {
        loop {
            self.at = self.after_breaks(self.at);
            match self.text_at(self.at) {
                "" => break,
                "}" => self.close(),
                "if" | "for" => {
                    let start = self.token(self.at).map_or(0, |t| t.start);
                    self.split.wholes.push(Whole { start, end: start, faulty: false });
                    self.head(self.split.wholes.len() - 1);
                }
                _ => self.simple(),
            }
        }
        for open in self.open.drain(..).rev() {
            self.split.unclosed.push(open.brace);
            self.split.wholes[open.whole].end = self.text.len();
        }
    }

    fn simple(&mut self) {
        let from = self.at;
        self.at = self.statement_end(from).max(from + 1);
        let (start, end) = self.bytes(from, self.at);
        self.split.parts.push(SplitPart { rule: Rule::statement_text, start, end, of: None });
    }

    /// The word `if` or `for`, what follows it, and the brace that opens the block.
    fn head(&mut self, whole: usize) {
        let arm = self.text_at(self.at) == "if";
        let from = self.at + 1;
        self.at = self.head_end(from);
        let (start, end) = self.bytes(from, self.at);
        if self.text_at(self.at) == "{" {
            let rule = if arm { Rule::expr_text } else { Rule::for_head_text };
            self.split.parts.push(SplitPart { rule, start, end, of: Some(whole) });
            self.open(whole, arm);
        } else {
            // No block follows: the rule of the statement says so.
            let start = self.split.wholes[whole].start;
            self.split.parts.push(SplitPart { rule: Rule::statement_text, start, end, of: Some(whole) });
            self.split.wholes[whole].end = end;
        }
    }

    fn open(&mut self, whole: usize, arm: bool) {
        if let Some(brace) = self.token(self.at) {
            self.open.push(Open { brace, whole, arm });
            self.at += 1;
        }
    }

    /// A brace that closes, and the `else` that may follow it.
    fn close(&mut self) {
        let Some(brace) = self.token(self.at) else { return };
        self.at += 1;
        let Some(open) = self.open.pop() else {
            let at = (brace.start, brace.end);
            self.split.faults.push(Fault::syntax(at, "this `}` closes nothing"));
            self.split.wholes.push(Whole { start: brace.start, end: brace.end, faulty: true });
            return;
        };
        self.split.wholes[open.whole].end = brace.end;
        let other = self.after_breaks(self.at);
        if !open.arm || self.text_at(other) != "else" {
            return;
        }
        self.at = other + 1;
        match self.text_at(self.at) {
            "if" => self.head(open.whole),
            "{" => self.open(open.whole, false),
            _ => {
                let end = (self.text.len(), self.text.len());
                let at = self.token(self.at).map_or(end, |t| (t.start, t.end));
                let fault = Fault::syntax(at, "`{` is wanted here");
                self.split.faults.push(fault.help("if … { statements } else { statements }"));
                let whole = &mut self.split.wholes[open.whole];
                (whole.end, whole.faulty) = (self.tokens[other].end, true);
            }
        }
    }

    /// The bytes of the tokens from `from` to before `to`, with strays beside them on their lines.
    fn bytes(&self, from: usize, to: usize) -> (usize, usize) {
        let text = (0, self.text.len());
        let start_of = |index: usize| self.token(index).map_or(text.1, |t| t.start);
        let end_of = |index: Option<usize>| index.and_then(|i| self.token(i)).map_or(text.0, |t| t.end);
        let start = start_of(from);
        let end = end_of(to.checked_sub(1)).max(start);
        let strays = &self.split.strays;
        let before = strays.get(strays.partition_point(|stray| stray.start < end_of(from.checked_sub(1))));
        let following = strays[..strays.partition_point(|stray| stray.end <= start_of(to))].last();
        (
            before.map_or(start, |stray| stray.start.min(start)),
            following.map_or(end, |stray| stray.end.max(end)),
        )
    }

    /// The index after the last token of the statement that begins at `from`.
    fn statement_end(&self, from: usize) -> usize {
        self.end_of(from, |_| false)
    }

    /// The index of the `{` that begins the block after a head, or of the token that ends the statement.
    fn head_end(&self, from: usize) -> usize {
        self.end_of(from, |index| self.text_at(index) == "{" && self.opens_block(from, index))
    }

    /// The index of the token that ends what begins at `from`, or before it of a bracket at which `stops` holds and that
    /// stands in no other.
    fn end_of(&self, from: usize, stops: impl Fn(usize) -> bool) -> usize {
        let mut open = 0_usize;
        let mut index = from;
        while let Some(token) = self.token(index) {
            match token.kind {
                TokenKind::Open if open == 0 && stops(index) => return index,
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => return index,
                TokenKind::Close => open -= 1,
                TokenKind::Break if self.ends_at(index, open > 0) => return index,
                _ => {}
            }
            index += 1;
        }
        index
    }

    /// Returns true if the line end or `;` at `index` ends a statement; `inside` says that brackets are open.
    fn ends_at(&self, index: usize, inside: bool) -> bool {
        /// Tokens that continue with the expression of the line before.
        const GO_ON: [&str; 18] = [
            "&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "*", "/", "%", "?", ":", "??", ".", "in", "by",
        ];
        if self.text_at(index) == ";" {
            return !inside;
        }
        let next = self.after_breaks(index);
        if self.begins_statement(next) {
            return true;
        }
        let before = |count: usize| index.checked_sub(count).map_or("", |i| self.text_at(i));
        // `++` and `--` are no operators, whatever follows.
        let doubled = matches!(before(1), "+" | "-") && before(1) == before(2);
        let complete = index.checked_sub(1).and_then(|i| self.token(i)).is_none_or(Token::ends_operand);
        !inside && (doubled || complete) && !GO_ON.contains(&self.text_at(next))
    }

    /// Returns true if a statement surely begins at `index`: a keyword, or a name followed by `=` or `+=`.
    fn begins_statement(&self, index: usize) -> bool {
        let (word, next) = (self.text_at(index), self.text_at(index + 1));
        self.token(index).is_some_and(|t| t.kind == TokenKind::Word)
            && (STATEMENT_WORDS.contains(&word) && next != ":" || matches!(next, "=" | "+="))
    }

    /// A `{` after a value begins a block; after an operator a map, after an upper-case name a record.
    fn opens_block(&self, from: usize, brace: usize) -> bool {
        let Some(before) = brace.checked_sub(1).filter(|i| *i >= from).and_then(|i| self.token(i)) else {
            return true;
        };
        let word = before.text(self.text);
        let upper = before.kind == TokenKind::Word && word.starts_with(|c: char| c.is_ascii_uppercase());
        before.ends_operand() && !upper && word != "in"
    }
}
