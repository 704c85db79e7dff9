//! Types.

use super::super::literal;
use super::super::scan::TokenKind;
use super::Reader;
use crate::source::Spanned;
use crate::syntax::ast::{Literal, Name, TypeExpr, TypeKind};

impl Reader<'_> {
    pub(super) fn type_expr(&mut self) -> Option<TypeExpr> {
        let word = self.take_kind(TokenKind::Word)?;
        let kind = match self.text(word) {
            "int" if self.stands_behind("(") => self.int_range()?,
            "string" if self.stands_behind("(") => TypeKind::StringMax(self.bracketed(")", Self::count)?),
            "list" if self.stands_behind("<") => {
                let item = Box::new(self.bracketed(">", Self::type_expr)?);
                let most = self.stands_behind("(");
                TypeKind::List(item, if most { Some(self.bracketed(")", Self::count)?) } else { None })
            }
            "map" if self.stands_behind("<") => {
                TypeKind::Map(Box::new(self.bracketed(">", Self::type_expr)?))
            }
            "enum" if self.stands_behind("(") => {
                let members = self.listed(")", Self::member)?;
                TypeKind::Enum(Some(members).filter(|m| !m.is_empty())?)
            }
            "outputs" if self.stands_behind("(") => TypeKind::Outputs(self.bracketed(")", Self::file)?),
            "list" | "map" | "enum" | "outputs" => return None,
            _ => TypeKind::Name(self.usable(word)?.value),
        };
        let nullable = self.stands_behind("?");
        if nullable {
            self.take();
        }
        Some(TypeExpr { kind, nullable, span: self.span(word.start, self.behind) })
    }

    fn int_range(&mut self) -> Option<TypeKind> {
        let (low, high) = self.bracketed(")", |reader| {
            let low = reader.bound()?;
            reader.expect("..")?;
            Some((low, reader.bound()?))
        })?;
        (low <= high).then_some(TypeKind::IntRange(low, high))
    }

    fn bound(&mut self) -> Option<i64> {
        let first = self.next?;
        let negative = self.text(first) == "-";
        if negative {
            self.take();
        }
        let number = self.take_kind(TokenKind::Number)?;
        let joined = !negative || first.end == number.start;
        match literal::number(self.text(number), negative, number.start) {
            Ok(Literal::Int(value)) if joined => Some(value),
            _ => None,
        }
    }

    fn count(&mut self) -> Option<u64> {
        let number = self.take_kind(TokenKind::Number)?;
        match literal::number(self.text(number), false, number.start) {
            Ok(Literal::Int(value)) => Some(value.unsigned_abs()),
            _ => None,
        }
    }

    fn member(&mut self) -> Option<Name> {
        let word = self.take_kind(TokenKind::Word)?;
        self.name(word)
    }

    fn file(&mut self) -> Option<Spanned<String>> {
        let text = self.take_kind(TokenKind::Quoted)?;
        let path = literal::string(self.text(text), text.start).ok()?;
        Some(Spanned::new(path, self.span(text.start, text.end)))
    }
}
