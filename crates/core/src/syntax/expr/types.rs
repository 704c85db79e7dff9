//! From pairs of the grammar to types.

use pest::iterators::Pair;

use super::build::{Builder, missing, range};
use super::fault::Fault;
use super::grammar::Rule;
use super::literal;
use crate::diag::rule;
use crate::source::Spanned;
use crate::syntax::ast::{Literal, TypeExpr, TypeKind};

impl Builder<'_> {
    /// The type a pair of [`Rule::type_expr`] holds.
    pub(super) fn type_expr(self, pair: Pair<Rule>) -> Result<TypeExpr, Fault> {
        let span = self.span(range(&pair));
        let mut parts = pair.into_inner();
        let core = parts.next().ok_or_else(|| missing("a type"))?;
        let nullable = parts.next().is_some();
        Ok(TypeExpr { kind: self.type_kind(core)?, nullable, span })
    }

    fn type_kind(self, pair: Pair<Rule>) -> Result<TypeKind, Fault> {
        let at = range(&pair);
        let rule = pair.as_rule();
        let mut parts = pair.into_inner();
        let mut part = || parts.next().ok_or_else(|| missing("a part of the type"));
        match rule {
            Rule::type_name => {
                let name = part()?;
                let name = self.name(&name)?;
                complete(&name, at)?;
                Ok(TypeKind::Name(name.value))
            }
            Rule::int_range => {
                let (low, high) = (bound(&part()?)?, bound(&part()?)?);
                if low > high {
                    let help = format!("write `int({high}..{low})`");
                    return Err(Fault::new(rule::NUMBER_RANGE, at, "the lowest value is above the highest")
                        .help(help));
                }
                Ok(TypeKind::IntRange(low, high))
            }
            Rule::string_max => count(&part()?).map(TypeKind::StringMax),
            Rule::list_type => {
                let item = self.type_expr(part()?)?;
                let most = parts.next().map(|p| count(&p)).transpose()?;
                Ok(TypeKind::List(Box::new(item), most))
            }
            Rule::map_type => Ok(TypeKind::Map(Box::new(self.type_expr(part()?)?))),
            Rule::enum_type => parts.map(|p| self.word(&p)).collect::<Result<_, _>>().map(TypeKind::Enum),
            Rule::outputs => {
                let file = part()?;
                let text = literal::string(file.as_str(), range(&file).0)?;
                Ok(TypeKind::Outputs(Spanned::new(text, self.span(range(&file)))))
            }
            _ => Err(missing("a type")),
        }
    }
}

/// Refuses the bare names of types that need something after them, and names other languages use.
fn complete(name: &str, at: (usize, usize)) -> Result<(), Fault> {
    let (message, help) = match name {
        "list" => ("`list` needs the type of its items", "list<string>, or list<any>"),
        "map" => ("`map` needs the type of its values", "map<string>, or map<any>; keys are always strings"),
        "enum" => ("`enum` needs its members", "enum(open, closed)"),
        "outputs" => ("`outputs` needs the name of a graph file", "outputs('child.yaml')"),
        _ => return Ok(()),
    };
    Err(Fault::syntax(at, message).help(help))
}

fn bound(pair: &Pair<Rule>) -> Result<i64, Fault> {
    let (start, end) = range(pair);
    let text = pair.as_str();
    let digits = text.trim_start_matches('-');
    match literal::number(digits, digits.len() < text.len(), end - digits.len())? {
        Literal::Int(value) => Ok(value),
        _ => Err(Fault::syntax((start, end), format!("`{text}` is not an integer"))),
    }
}

fn count(pair: &Pair<Rule>) -> Result<u64, Fault> {
    match literal::number(pair.as_str(), false, range(pair).0)? {
        Literal::Int(value) => Ok(value.unsigned_abs()),
        _ => Err(Fault::syntax(range(pair), format!("`{}` is not an integer", pair.as_str()))),
    }
}
