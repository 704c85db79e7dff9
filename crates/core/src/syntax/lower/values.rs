//! Single values: names, texts, flags, expressions, statements, types, places.

use super::Lower;
use crate::diag::{Diagnostic, EditKind, SuggestedEdit, nearest, rule};
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::ast::{Block, Expr, ExprKind, Literal, Name, Place, TypeExpr};
use crate::syntax::expr::{self, parsed};
use crate::syntax::names::{self, NameFault, clip};
use crate::syntax::tree::{PropertyBody, TriggerDecl};
use crate::syntax::yaml::{MAX_CODE, Node, NodeKind, Scalar, Style, has_open_quote, quoted};

/// The longest text that a help line has whole, in bytes.
const MAX_PASTED_BYTES: usize = 120;

impl Lower<'_> {
    /// A name that something declared bears; whether there is such a thing, the model says.
    pub(super) fn reference(&mut self, node: &Node<'_>, what: &str) -> Option<Name> {
        let scalar = self.name_text(node, what)?;
        if scalar.text.len() > names::MAX_NAME {
            return self.name_in(scalar, what, false);
        }
        let span = scalar.whole(self.text);
        Some(Spanned::new(scalar.text.to_string(), span))
    }

    /// An identifier.
    pub(super) fn name(&mut self, node: &Node<'_>, what: &str) -> Option<Name> {
        let scalar = self.name_text(node, what)?;
        self.name_in(scalar, what, false)
    }

    fn name_text<'n, 's>(&mut self, node: &'n Node<'s>, what: &str) -> Option<&'n Scalar<'s>> {
        let scalar = node.scalar().filter(|s| !s.is_empty());
        if scalar.is_none() {
            self.wrong_form(node, &format!("the name of {what}"), "one name");
        }
        scalar
    }

    /// An identifier; where it is `declared`, it must not be a reserved word. A name of the wrong form is
    /// reported and given all the same, so that what bears it is not missed as well.
    pub(super) fn name_in(&mut self, scalar: &Scalar<'_>, what: &str, declared: bool) -> Option<Name> {
        let span = scalar.whole(self.text);
        let Err(fault) = names::check(&scalar.text, declared) else {
            return Some(Spanned::new(scalar.text.to_string(), span));
        };
        let word = clip(&scalar.text);
        let found = match fault {
            NameFault::Reserved => {
                self.unread.add_name(&scalar.text);
                let message = format!("`{word}` is a reserved word and cannot be the name of {what}");
                Diagnostic::error(rule::RESERVED_WORD, span, message)
                    .help(format!("choose another name, such as `{word}_`"))
            }
            NameFault::Form(hint) => {
                Diagnostic::error(rule::INVALID_NAME, span, format!("`{word}` cannot be the name of {what}"))
                    .help(hint)
            }
        };
        self.report(found);
        (scalar.text.len() <= names::MAX_NAME).then(|| Spanned::new(scalar.text.to_string(), span))
    }

    /// The name of a tool.
    pub(super) fn tool_name(&mut self, node: &Node<'_>) -> Option<Name> {
        let Some(scalar) = node.scalar().filter(|s| !s.is_empty()) else {
            self.wrong_form(node, "the name of a tool", "one name");
            return None;
        };
        let span = scalar.whole(self.text);
        if names::is_tool(&scalar.text) {
            return Some(Spanned::new(scalar.text.to_string(), span));
        }
        let found = Diagnostic::error(
            rule::INVALID_NAME,
            span,
            format!("`{}` cannot be the name of a tool", clip(&scalar.text)),
        )
        .help("letters, digits and `_ - . / :`, at most 128; a computed name goes under `tool_of`");
        self.report(found);
        None
    }

    /// One of a few words.
    pub(super) fn word(&mut self, node: &Node<'_>, words: &[&str]) -> Option<Name> {
        let wanted = format!("one of {}", words.join(", "));
        let Some(scalar) = node.scalar().filter(|s| !s.is_empty()) else {
            self.wrong_form(node, &wanted, &format!("`{}`", words[0]));
            return None;
        };
        let span = scalar.whole(self.text);
        if words.contains(&&*scalar.text) {
            return Some(Spanned::new(scalar.text.to_string(), span));
        }
        let message = format!("`{}` is not {wanted}", clip(&scalar.text));
        let found = Diagnostic::error(rule::UNKNOWN_WORD, span, message);
        let near = word_elsewhere(&scalar.text).filter(|word| words.contains(word));
        self.report(found.meant(near.or_else(|| nearest(&scalar.text, words.iter().copied()))));
        None
    }

    /// Text for people.
    pub(super) fn text(&mut self, node: &Node<'_>) -> Option<Spanned<String>> {
        let fragment = self.fragment(node, "text", "text, in quotes if it contains `: ` or ` #`")?;
        let span = fragment.whole();
        Some(Spanned::new(fragment.text, span))
    }

    /// Text that is drawn: odd characters in it are pointed out.
    pub(super) fn label(&mut self, node: &Node<'_>) -> Option<Spanned<String>> {
        let fragment = self.fragment(node, "text", "text, in quotes if it contains `: ` or ` #`")?;
        if let Some(found) = names::look_alike(&fragment) {
            self.report(found);
        }
        let span = fragment.whole();
        Some(Spanned::new(fragment.text, span))
    }

    /// A scalar's text with its map; an empty text in quotes is a value too.
    pub(super) fn fragment(&mut self, node: &Node<'_>, what: &str, example: &str) -> Option<Fragment> {
        let scalar = node.scalar().filter(|s| !s.is_empty());
        if scalar.is_none() {
            self.wrong_form(node, what, example);
        }
        scalar.map(|scalar| scalar.fragment(self.text))
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, node: &Node<'_>) -> Option<Spanned<bool>> {
        let word = self.word(node, &["true", "false"])?;
        Some(Spanned::new(word.value == "true", word.span))
    }

    /// An expression: a scalar is its text, a mapping a map of expressions, a list a list of them.
    pub(super) fn expr(&mut self, node: &Node<'_>) -> Option<Expr> {
        let kind = match &node.kind {
            NodeKind::Sequence(items) => ExprKind::List(self.all(items, Self::expr)?),
            NodeKind::Mapping(entries) => ExprKind::Map(self.all(entries, |lower, entry| {
                let span = entry.key.whole(lower.text);
                let key = Expr { kind: ExprKind::Literal(Literal::String(entry.name().to_string())), span };
                Some((key, lower.expr(&entry.value)?))
            })?),
            _ => return self.expr_text(node, true),
        };
        Some(Expr { kind, span: node.span })
    }

    /// Reads all of a list, so that each fault is found, and gives it if none was.
    pub(super) fn all<T, U>(
        &mut self,
        items: &[T],
        mut read: impl FnMut(&mut Self, &T) -> Option<U>,
    ) -> Option<Vec<U>> {
        let read: Vec<_> = items.iter().map(|item| read(self, item)).collect();
        read.into_iter().collect()
    }

    /// An expression that is true or false, and never a text.
    pub(super) fn condition(&mut self, node: &Node<'_>) -> Option<Expr> {
        if node.scalar().is_some() { self.expr_text(node, false) } else { self.expr(node) }
    }

    fn expr_text(&mut self, node: &Node<'_>, may_be_text: bool) -> Option<Expr> {
        let scalar =
            self.code(node, "an expression", "an expression; a text needs two kinds of quotes: \"'text'\"")?;
        if let Some(pair) = &scalar.pair {
            return parsed::expression((**pair).clone(), &self.whole, self.out);
        }
        let fragment = scalar.fragment(self.text);
        self.swallowed_quotes(scalar);
        let before = self.out.len();
        let found = expr::expression(&fragment, self.out);
        if self.out.len() > before {
            let last = self.out.len() - 1;
            advise(&mut self.out[last], scalar, may_be_text);
        }
        found
    }

    /// A scalar that holds text of the language: what YAML may have cut off is pointed out here.
    fn code<'n, 's>(&mut self, node: &'n Node<'s>, what: &str, example: &str) -> Option<&'n Scalar<'s>> {
        if self.is_full() {
            return None;
        }
        let scalar = node.scalar().filter(|s| !s.is_empty() && !s.text.trim().is_empty());
        let Some(scalar) = scalar else {
            let empty = node.scalar().is_some_and(|s| !s.is_empty());
            if empty {
                let found = Diagnostic::error(
                    rule::MISSING_VALUE,
                    node.span,
                    format!("expected {what}, found an empty text"),
                );
                self.report(found.help("for an empty text write \"''\""));
            } else {
                self.wrong_form(node, what, example);
            }
            return None;
        };
        if self.cut_by_comment(scalar) || self.too_much_code(scalar) { None } else { Some(scalar) }
    }

    /// Counts what is read as code. Its tree takes a hundred times the space of its text, so a file may hold less of it.
    fn too_much_code(&mut self, scalar: &Scalar<'_>) -> bool {
        let before = self.code <= MAX_CODE;
        self.code = self.code.saturating_add(scalar.text.len());
        let over = self.code > MAX_CODE;
        if over && before {
            let message =
                format!("the expressions and statements up to here are longer than {} MiB", MAX_CODE >> 20);
            let found = Diagnostic::error(rule::TOO_LARGE, scalar.span, message);
            self.report(
                found.help("move parts into a graph of their own and `call` it, or into files to `use`"),
            );
        }
        over
    }

    /// `x == 'a #b'`: YAML starts a comment at ` #`, though a quote is open.
    fn cut_by_comment(&mut self, scalar: &Scalar<'_>) -> bool {
        let end = scalar.span.end as usize;
        let rest = self.text.get(end..).unwrap_or_default().lines().next().unwrap_or_default();
        let comment = rest.trim_start_matches([' ', '\t']).starts_with('#');
        if scalar.style != Style::Plain || !comment || !has_open_quote(&scalar.text) {
            return false;
        }
        let whole = format!("{}{}", self.slice(scalar.span), rest.trim_end());
        let found = Diagnostic::error(
            rule::YAML_COMMENT,
            scalar.span,
            "YAML starts a comment at ` #`, inside the quotes",
        )
        .help(format!("quote the whole value: {}", quoted(&whole)));
        self.report(found);
        true
    }

    /// `outcome: 'done'`: YAML takes the quotes away and leaves a name.
    fn swallowed_quotes(&mut self, scalar: &Scalar<'_>) {
        let constant = matches!(&*scalar.text, "true" | "false" | "null");
        if scalar.is_quoted() && !constant && names::is_identifier(&scalar.text) {
            let name = &scalar.text;
            let message = format!("YAML removes these quotes: this is the name `{name}`, not a text");
            let found = Diagnostic::warning(rule::YAML_QUOTES, scalar.span, message)
                .help(format!("for the text write {}; for the name write {name}", text_literal(name)))
                .suggestion("write the text", vec![whole(scalar.span, text_literal(name))])
                .suggestion("write the name", vec![whole(scalar.span, name.to_string())]);
            self.report(found);
        }
    }

    /// Statements: a list of them, or one scalar with one a line.
    pub(super) fn statements(&mut self, node: &Node<'_>) -> Option<Block> {
        let mut block = Block::default();
        match &node.kind {
            NodeKind::Sequence(items) => {
                for item in items {
                    block.statements.extend(self.statement_text(item)?.statements);
                }
            }
            _ => block = self.statement_text(node)?,
        }
        Some(block)
    }

    fn statement_text(&mut self, node: &Node<'_>) -> Option<Block> {
        let scalar = self.code(node, "statements", "`|` and below it one statement a line")?;
        if let Some(pair) = &scalar.pair {
            return Some(parsed::block((**pair).clone(), &self.whole, self.out));
        }
        let before = self.out.len();
        let block = expr::block(&scalar.fragment(self.text), self.out);
        if self.out.len() > before && scalar.is_joined(self.text) {
            let last = self.out.len() - 1;
            self.out[last]
                .help
                .push("YAML joins these lines into one; write `|` after the key to keep them apart".into());
        }
        Some(block)
    }

    pub(super) fn type_expr(&mut self, node: &Node<'_>) -> Option<TypeExpr> {
        let scalar = self.code(node, "a type", "a type, such as `string?` or `\"enum(yes, no)\"`")?;
        match &scalar.pair {
            Some(pair) => parsed::type_expr((**pair).clone(), &self.whole, self.out),
            None => expr::type_expr(&scalar.fragment(self.text), self.out),
        }
    }

    /// A place to write to.
    pub(super) fn place(&mut self, node: &Node<'_>) -> Option<Place> {
        let scalar = self.code(node, "a place to write to", "the name of a state field")?;
        match &scalar.pair {
            Some(pair) => parsed::place((**pair).clone(), &self.whole, self.out),
            None => expr::place(&scalar.fragment(self.text), self.out),
        }
    }

    /// A field's type, default and condition.
    pub(super) fn field_line(&mut self, node: &Node<'_>) -> Option<expr::FieldLine> {
        let example = "a type, such as `int`, `string?` or `list<string> = []`";
        let scalar = self.code(node, "a type", example)?;
        match &scalar.pair {
            Some(pair) => parsed::field_line((**pair).clone(), &self.whole, self.out),
            None => expr::field_line(&scalar.fragment(self.text), self.out),
        }
    }

    /// One trigger of an edge.
    pub(super) fn trigger(&mut self, node: &Node<'_>) -> Option<TriggerDecl> {
        let example = "`done`, `error`, `error(kind)`, `timeout` or `unknown`";
        let scalar = self.code(node, "a trigger", example)?;
        match &scalar.pair {
            Some(pair) => parsed::trigger((**pair).clone(), &self.whole, self.out),
            None => expr::trigger(&scalar.fragment(self.text), self.out),
        }
    }

    /// The body of a property.
    pub(super) fn property(&mut self, node: &Node<'_>) -> Option<PropertyBody> {
        let example = "`never E`, `always E`, `eventually E` or `A precedes B`";
        let scalar = self.code(node, "a property", example)?;
        match &scalar.pair {
            Some(pair) => parsed::property((**pair).clone(), &self.whole, self.out),
            None => expr::property(&scalar.fragment(self.text), self.out),
        }
    }
}

/// Adds how a text is written where one may have been meant: an expression that cannot be read may be a sentence, or a template.
fn advise(fault: &mut Diagnostic, scalar: &Scalar<'_>, may_be_text: bool) {
    let text = scalar.text.trim();
    if text.contains("{{") || text.contains("{%") {
        let written = if text.contains('\n') || text.len() > MAX_PASTED_BYTES {
            "with `text: |` and the text below it".to_owned()
        } else {
            format!("like this: {{text: {}}}", quoted(text))
        };
        fault.help.clear();
        fault.help.push(format!(
            "a text that is filled in is no expression: in `system`, `prompt` and `ask` write it {written}; or declare it under `texts` \
             and write its name here"
        ));
        fault.help.push("a short one is put together: \"'Hello, ' + name\"".to_owned());
    } else if scalar.is_quoted() {
        fault.help.push(format!("YAML removes the outer quotes; for a text write {}", text_literal(text)));
    } else if may_be_text && is_sentence(text) {
        fault.help.clear();
        fault.help.push(format!("for a text write {}", pasted(text)));
    }
}

/// True for words of a language with nothing between them but blanks, commas and the like.
fn is_sentence(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || ",.;:!?-_'".contains(c);
    text.split_whitespace().count() > 1
        && text.len() <= MAX_PASTED_BYTES
        && !text.contains(|c: char| !is_plain(c))
        && text.starts_with(char::is_alphabetic)
}

/// The word for a unit that is called otherwise elsewhere.
fn word_elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "dollar" | "dollars" | "USD" | "cents" | "money" | "cost" => "usd",
        "s" | "sec" | "secs" | "second" | "time" | "minutes" => "seconds",
        _ => return None,
    })
}

/// A text as a YAML scalar that holds it as an expression.
fn text_literal(text: &str) -> String {
    pasted(&clip(text))
}

/// The same, however long.
fn pasted(text: &str) -> String {
    if text.contains('\'') { format!("'\"{}\"'", text.replace('\'', "''")) } else { format!("\"'{text}'\"") }
}

/// The edit that replaces a value.
fn whole(span: Span, text: String) -> SuggestedEdit {
    SuggestedEdit { span, text, kind: EditKind::Text }
}
