//! Limits of the depth of expressions.

/// An expression nests this deep at most, with the lets and texts written out that it names: each level takes stack
/// where it is evaluated.
pub const MAX_LEVELS: u32 = 256;

/// Rendering a text takes as much stack as so many levels of an expression.
pub const LEVELS_OF_A_TEXT: u32 = 64;

/// Finding the let that a text names takes as much stack as so many levels.
pub const LEVELS_TO_A_VARIABLE: u32 = 4;
