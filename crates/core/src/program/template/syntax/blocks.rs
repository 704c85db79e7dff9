//! Reads the tags of a template as blocks that hold each other.

use super::expression::TagReader;
use super::tree::{TemplateExpr, TemplateExprKind, TemplatePiece, Word};
use crate::program::template::scan::{Tag, TagForm};

/// Blocks nest no deeper than this; what lies deeper is not read.
const MAX_NESTING: usize = 200;

/// The pieces of a template, from its tags.
pub(crate) fn pieces<'t>(tags: &[Tag<'t>]) -> Vec<TemplatePiece<'t>> {
    let mut reader = BlockReader { tags, at: 0, depth: 0 };
    let mut pieces = Vec::new();
    while reader.at < tags.len() {
        pieces.extend(reader.body());
        // The end of a block that was never begun.
        reader.at += 1;
    }
    pieces
}

struct BlockReader<'t, 'a> {
    tags: &'a [Tag<'t>],
    at: usize,
    depth: usize,
}

impl<'t, 'a> BlockReader<'t, 'a> {
    /// The pieces up to the end of the block that is read, or to its next branch.
    fn body(&mut self) -> Vec<TemplatePiece<'t>> {
        let mut pieces = Vec::new();
        while let Some(tag) = self.tags.get(self.at) {
            let ends =
                tag.keyword().is_some_and(|word| word.starts_with("end") || matches!(word, "else" | "elif"));
            if ends {
                break;
            }
            self.at += 1;
            let mut reader = TagReader::new(&tag.tokens);
            if tag.form == TagForm::Value {
                pieces.push(TemplatePiece::Print(reader.expression()));
            } else if let Some(word) = reader.word() {
                pieces.extend(self.block(word.text, reader));
            }
        }
        pieces
    }

    /// A body with the tag after it, which ends it.
    fn closed(&mut self) -> Vec<TemplatePiece<'t>> {
        if self.depth >= MAX_NESTING {
            self.at = self.tags.len();
            return Vec::new();
        }
        self.depth += 1;
        let body = self.body();
        self.depth -= 1;
        self.at += 1;
        body
    }

    /// The tag that ended the last body.
    fn ended_by(&self) -> Option<&'a Tag<'t>> {
        self.tags.get(self.at.checked_sub(1)?)
    }

    fn block(&mut self, word: &str, mut reader: TagReader<'t, 'a>) -> Option<TemplatePiece<'t>> {
        Some(match word {
            "if" => self.branches(reader.plain()),
            "for" => {
                let names = reader.names();
                reader.takes("in");
                let list = reader.plain();
                let filter = reader.takes("if").then(|| reader.expression());
                let body = self.closed();
                let has_else = self.ended_by().and_then(Tag::keyword) == Some("else");
                let otherwise = if has_else { self.closed() } else { Vec::new() };
                TemplatePiece::For { names, list, filter, body, otherwise }
            }
            "set" => self.set(reader),
            "with" => {
                let mut bound = Vec::new();
                while !reader.is_at_end() {
                    let names = reader.names();
                    if !reader.takes("=") {
                        break;
                    }
                    bound.push((names, reader.expression()));
                    reader.takes(",");
                }
                TemplatePiece::With(bound, self.closed())
            }
            "macro" => {
                let name = reader.word()?;
                let (names, defaults) = parameters(&mut reader);
                TemplatePiece::Macro { name, names, defaults, body: self.closed() }
            }
            "call" => {
                let names = if reader.sees("(") { parameters(&mut reader).0 } else { Vec::new() };
                let call = reader.expression();
                TemplatePiece::CallBlock(names, call, self.closed())
            }
            "filter" => TemplatePiece::FilterBlock(reader.filter_chain(), self.closed()),
            "include" => TemplatePiece::Include(reader.expression()),
            "import" => {
                let text = reader.expression();
                reader.takes("as");
                TemplatePiece::Import(text, reader.word().into_iter().collect())
            }
            "from" => {
                let text = reader.expression();
                reader.takes("import");
                TemplatePiece::Import(text, imported(&mut reader))
            }
            "extends" => TemplatePiece::Extends(reader.expression()),
            "block" => TemplatePiece::Block(reader.word()?, self.closed()),
            "autoescape" => TemplatePiece::Other(vec![reader.expression()], self.closed()),
            "do" => TemplatePiece::Other(vec![reader.expression()], Vec::new()),
            _ => return None,
        })
    }

    fn branches(&mut self, first: TemplateExpr<'t>) -> TemplatePiece<'t> {
        let mut arms = vec![(first, self.closed())];
        let mut otherwise = Vec::new();
        while let Some(tag) = self.ended_by() {
            let mut reader = TagReader::new(&tag.tokens);
            if reader.takes("elif") {
                let condition = reader.plain();
                arms.push((condition, self.closed()));
            } else {
                if reader.takes("else") {
                    otherwise = self.closed();
                }
                break;
            }
        }
        TemplatePiece::If(arms, otherwise)
    }

    fn set(&mut self, mut reader: TagReader<'t, 'a>) -> TemplatePiece<'t> {
        let names = reader.names();
        if !reader.takes("=") {
            let filters = reader.filters(0);
            return TemplatePiece::SetBlock(names, filters, self.closed());
        }
        let mut value = reader.expression();
        if reader.takes(",") {
            let mut items = vec![value];
            while !reader.is_at_end() {
                items.push(reader.expression());
                reader.takes(",");
            }
            let range = items.first().map_or(0, |first| first.range.start)
                ..items.last().map_or(0, |last| last.range.end);
            value = TemplateExpr { kind: TemplateExprKind::List(items), range };
        }
        TemplatePiece::Set(names, value)
    }
}

/// `(a, b = 1)`.
fn parameters<'t>(reader: &mut TagReader<'t, '_>) -> (Vec<Word<'t>>, Vec<TemplateExpr<'t>>) {
    let (mut names, mut defaults) = (Vec::new(), Vec::new());
    reader.takes("(");
    while !reader.takes(")") {
        let Some(name) = reader.word() else { break };
        names.push(name);
        if reader.takes("=") {
            defaults.push(reader.expression());
        }
        reader.takes(",");
    }
    (names, defaults)
}

/// `a, b as c`: the names that there are afterwards.
fn imported<'t>(reader: &mut TagReader<'t, '_>) -> Vec<Word<'t>> {
    let mut names = Vec::new();
    while let Some(name) = reader.word() {
        if matches!(name.text, "with" | "without") && reader.takes("context") {
            break;
        }
        let name = if reader.takes("as") { reader.word().unwrap_or(name) } else { name };
        names.push(name);
        reader.takes(",");
    }
    names
}
