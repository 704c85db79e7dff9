//! One declaration, key, statement or edge of a split file, read by its rule.

use pest::iterators::Pair;

use super::{Reader, Tokens};
use crate::syntax::expr::{self, Rule, Scanner, TokenKind};

impl<'s> Reader<'s, '_> {
    /// Reads what begins at the next token by its rule. Nothing is taken if the rule refuses it, or if what follows on
    /// its line begins nothing new: the fault may stand in what was read.
    pub(super) fn piece(&mut self, rule: Rule) -> Option<Pair<'s, Rule>> {
        let at = self.t.here();
        let text = self.t.text.get(at..self.t.line_from(at)?)?;
        if self.deep && !Tokens::new(text, self.file).survey(self.depth) {
            return None;
        }
        match expr::parse(rule, text) {
            Ok(pair) => {
                let end = at + pair.as_span().end();
                if !self.ends_well(rule, end) {
                    self.refused = self.refused.max(end);
                    return None;
                }
                self.t.pass_to(end);
                self.base = Some(at);
                Some(pair)
            }
            Err(stop) => {
                self.refused = self.refused.max(at + stop.at);
                None
            }
        }
    }

    /// Returns true if something new can begin after what ends at this byte.
    fn ends_well(&self, rule: Rule, end: usize) -> bool {
        let bare = matches!(rule, Rule::declaration | Rule::node) && !self.t.text[..end].ends_with('}');
        if self.careful && bare {
            // The brace of its body may be the one that is missing.
            return false;
        }
        let mut scanner = Scanner::new(self.t.text);
        scanner.skip_to(end);
        let mut broke = false;
        let next = loop {
            match scanner.next() {
                Some(token) if token.kind == TokenKind::Break => broke = true,
                next => break next,
            }
        };
        let Some(next) = next else { return true };
        let text = self.t.text(next);
        if rule == Rule::statement && text == "else" {
            return false;
        }
        if broke {
            // An operator continues with what stands before it.
            let arrow = text == "=" && self.t.text[next.end..].starts_with('>');
            let operator =
                next.kind == TokenKind::Symbol && !matches!(text, "->" | "-" | "," | ">") && !arrow;
            return !operator && (rule != Rule::edge || !matches!(text, "on" | "when" | "do"));
        }
        match text {
            "->" => !bare,
            "," => !matches!(rule, Rule::edge | Rule::statement | Rule::declaration | Rule::node),
            _ => text == "}",
        }
    }
}
