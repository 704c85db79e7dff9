//! From text to a spanned [`tree`], for both syntaxes; expressions and statements as an [`ast`].

pub mod ast;
pub mod expr;
pub mod tree;
