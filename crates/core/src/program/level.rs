//! Limits of the depth of expressions and statements.

/// An expression nests this deep at most, with the lets and texts written out that it names: each level takes stack
/// where it is evaluated.
pub const MAX_LEVELS: u32 = 256;

/// Lets and texts that are evaluated one in another, at most.
pub const MAX_NESTED_LETS: u32 = 64;

/// Lists of statements that run one in another, at most: the blocks and actions of a list.
pub const MAX_NESTED_LISTS: u32 = 128;

/// Rendering a text takes as much stack as so many levels of an expression.
pub const LEVELS_OF_A_TEXT: u32 = 64;

/// Finding the let that a text names takes as much stack as so many levels.
pub const LEVELS_TO_A_VARIABLE: u32 = 4;
