//! The parts of a template.

use std::ops::Range;

/// A word with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// The offset in the template, in bytes.
    pub(crate) start: usize,
}

impl Word<'_> {
    pub(crate) const fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// An expression with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateExpr<'t> {
    pub(crate) kind: TemplateExprKind<'t>,
    /// Its bytes in the template.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplateExprKind<'t> {
    /// `none`
    None,
    /// A number, `true`, `false`.
    Scalar,
    /// A text in quotes, without them.
    Text(&'t str),
    Name(&'t str),
    /// `base.step[step]|step is step`
    Steps(Box<TemplateExpr<'t>>, Vec<TemplateStep<'t>>),
    Not(Box<TemplateExpr<'t>>),
    Negative(Box<TemplateExpr<'t>>),
    /// `a and b and c`
    And(Vec<TemplateExpr<'t>>),
    /// `a or b or c`
    Or(Vec<TemplateExpr<'t>>),
    /// A first operand, and further ones each with the operator before it: `+`, `~`, `==`, `in`, `not in`, …
    Operators(Box<TemplateExpr<'t>>, Vec<(&'t str, TemplateExpr<'t>)>),
    /// `then if condition else otherwise`
    If {
        condition: Box<TemplateExpr<'t>>,
        then: Box<TemplateExpr<'t>>,
        otherwise: Option<Box<TemplateExpr<'t>>>,
    },
    /// Lists, tuples.
    List(Vec<TemplateExpr<'t>>),
    Map(Vec<(TemplateExpr<'t>, TemplateExpr<'t>)>),
    Unknown,
}

/// An operation on a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateStep<'t> {
    pub(crate) kind: StepKind<'t>,
    /// The bytes up to its end, from the start of the whole expression.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StepKind<'t> {
    Field(Word<'t>),
    Item(TemplateExpr<'t>),
    Slice(Vec<TemplateExpr<'t>>),
    Call(Vec<Argument<'t>>),
    Filter(Word<'t>, Vec<Argument<'t>>),
    /// `is name(…)`; the flag is true for `is not`.
    Test(Word<'t>, Vec<Argument<'t>>, bool),
}

/// An argument, with its name if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument<'t> {
    pub(crate) name: Option<&'t str>,
    pub(crate) value: TemplateExpr<'t>,
}

/// A piece of a template. Text between tags is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePiece<'t> {
    /// `{{ … }}`
    Print(TemplateExpr<'t>),
    /// `{% if %}`, `{% elif %}`; then `{% else %}`.
    If(Vec<(TemplateExpr<'t>, Vec<TemplatePiece<'t>>)>, Vec<TemplatePiece<'t>>),
    For {
        names: Vec<Word<'t>>,
        list: TemplateExpr<'t>,
        filter: Option<TemplateExpr<'t>>,
        body: Vec<TemplatePiece<'t>>,
        otherwise: Vec<TemplatePiece<'t>>,
    },
    /// `{% set names = value %}`
    Set(Vec<Word<'t>>, TemplateExpr<'t>),
    /// `{% set name %}…{% endset %}`
    SetBlock(Vec<Word<'t>>, Vec<TemplateStep<'t>>, Vec<TemplatePiece<'t>>),
    /// `{% with a = b, c = d %}`
    With(Vec<(Vec<Word<'t>>, TemplateExpr<'t>)>, Vec<TemplatePiece<'t>>),
    Macro {
        name: Word<'t>,
        names: Vec<Word<'t>>,
        /// The defaults of the last names.
        defaults: Vec<TemplateExpr<'t>>,
        body: Vec<TemplatePiece<'t>>,
    },
    /// `{% call(names) f() %}…{% endcall %}`
    CallBlock(Vec<Word<'t>>, TemplateExpr<'t>, Vec<TemplatePiece<'t>>),
    /// `{% filter … %}…{% endfilter %}`
    FilterBlock(Vec<TemplateStep<'t>>, Vec<TemplatePiece<'t>>),
    Include(TemplateExpr<'t>),
    /// `{% import %}`, `{% from … import %}`: the names that it brings.
    Import(TemplateExpr<'t>, Vec<Word<'t>>),
    Extends(TemplateExpr<'t>),
    Block(Word<'t>, Vec<TemplatePiece<'t>>),
    /// `{% do %}`, `{% autoescape %}`.
    Other(Vec<TemplateExpr<'t>>, Vec<TemplatePiece<'t>>),
}

impl TemplateExpr<'_> {
    /// Calls `seen` for each expression directly inside this one; for a base with steps see [`TemplateStep::parts`].
    pub(crate) fn parts<'e>(&'e self, seen: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            TemplateExprKind::None
            | TemplateExprKind::Scalar
            | TemplateExprKind::Text(_)
            | TemplateExprKind::Name(_)
            | TemplateExprKind::Unknown => {}
            TemplateExprKind::Steps(inner, _)
            | TemplateExprKind::Not(inner)
            | TemplateExprKind::Negative(inner) => seen(inner),
            TemplateExprKind::And(parts) | TemplateExprKind::Or(parts) | TemplateExprKind::List(parts) => {
                parts.iter().for_each(seen);
            }
            TemplateExprKind::Operators(first, further) => {
                seen(first);
                for (_, operand) in further {
                    seen(operand);
                }
            }
            TemplateExprKind::If { condition, then, otherwise } => {
                seen(condition);
                seen(then);
                if let Some(otherwise) = otherwise {
                    seen(otherwise);
                }
            }
            TemplateExprKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                seen(key);
                seen(value);
            }),
        }
    }
}

impl<'t> TemplateStep<'t> {
    /// Calls `seen` for each expression in the step.
    pub(crate) fn parts<'e>(&'e self, seen: &mut dyn FnMut(&'e TemplateExpr<'t>)) {
        match &self.kind {
            StepKind::Field(_) => {}
            StepKind::Item(key) => seen(key),
            StepKind::Slice(parts) => parts.iter().for_each(seen),
            StepKind::Call(arguments) | StepKind::Filter(_, arguments) | StepKind::Test(_, arguments, _) => {
                for argument in arguments {
                    seen(&argument.value);
                }
            }
        }
    }
}

impl<'t> TemplatePiece<'t> {
    /// Calls `seen` with the names that the piece itself binds.
    pub(crate) fn binds(&self, seen: &mut dyn FnMut(&[Word<'t>])) {
        match self {
            Self::Set(names, _)
            | Self::SetBlock(names, ..)
            | Self::Import(_, names)
            | Self::For { names, .. }
            | Self::CallBlock(names, ..) => seen(names),
            Self::With(all, _) => all.iter().for_each(|(names, _)| seen(names)),
            Self::Macro { name, names, .. } => {
                seen(std::slice::from_ref(name));
                seen(names);
            }
            _ => {}
        }
    }

    /// Calls `seen` for each expression of its own tags.
    pub(crate) fn exprs<'p>(&'p self, seen: &mut dyn FnMut(&'p TemplateExpr<'t>)) {
        match self {
            Self::Print(expr)
            | Self::Set(_, expr)
            | Self::Include(expr)
            | Self::Import(expr, _)
            | Self::Extends(expr)
            | Self::CallBlock(_, expr, _) => seen(expr),
            Self::If(arms, _) => arms.iter().for_each(|(condition, _)| seen(condition)),
            Self::For { list, filter, .. } => std::iter::once(list).chain(filter).for_each(seen),
            Self::With(bound, _) => bound.iter().for_each(|(_, value)| seen(value)),
            Self::Macro { defaults: exprs, .. } | Self::Other(exprs, _) => exprs.iter().for_each(seen),
            Self::SetBlock(..) | Self::FilterBlock(..) | Self::Block(..) => {}
        }
    }

    /// The filters of its own tag.
    pub(crate) fn filters(&self) -> &[TemplateStep<'t>] {
        match self {
            Self::SetBlock(_, filters, _) | Self::FilterBlock(filters, _) => filters,
            _ => &[],
        }
    }

    /// Calls `seen` for each of its bodies.
    pub(crate) fn bodies<'p>(&'p self, seen: &mut dyn FnMut(&'p [Self])) {
        match self {
            Self::If(arms, otherwise) => {
                for (_, body) in arms {
                    seen(body);
                }
                seen(otherwise);
            }
            Self::For { body, otherwise, .. } => {
                seen(body);
                seen(otherwise);
            }
            Self::SetBlock(.., body)
            | Self::With(_, body)
            | Self::Macro { body, .. }
            | Self::CallBlock(.., body)
            | Self::FilterBlock(_, body)
            | Self::Block(_, body)
            | Self::Other(_, body) => seen(body),
            Self::Print(_) | Self::Set(..) | Self::Include(_) | Self::Import(..) | Self::Extends(_) => {}
        }
    }
}
