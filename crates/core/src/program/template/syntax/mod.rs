//! Templates as trees, for those who judge what a template does with its values.
//!
//! Only texts that the engine accepts are read: what could not be read otherwise is [`TemplateExprKind::Unknown`], of which
//! nothing is known. Chains stay flat, so that a tree is no deeper than the brackets of its text.

mod blocks;
mod expression;
mod slices;
mod tree;

pub(crate) use self::blocks::pieces;
pub(crate) use self::slices::sliced_variables;
pub(crate) use self::tree::{
    Argument, StepKind, TemplateExpr, TemplateExprKind, TemplatePiece, TemplateStep, Word,
};
