//! The registration of own functions: names and types that the language can have.

use super::typing::{is_known_call, unusable_word};
use crate::program::function::{Functions, OwnFunction, TypePattern};
use crate::syntax::is_identifier;
use crate::value::Str;

/// The most parameters of a function.
const MAX_PARAMETERS: usize = 64;

/// The deepest nesting of a type.
const MAX_NESTING: usize = 16;

/// The reason for which a function is not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// The name is none that an expression could call.
    #[error(
        "`{}` cannot be the name of a function: use a letter or `_`, then letters, digits and `_`, 64 characters at most",
        beginning(.0)
    )]
    Name(Str),
    /// The name means something else in the language.
    #[error("`{0}` is a word of the language and cannot be the name of a function; choose another name")]
    Word(Str),
    /// The language has a function of that name.
    #[error("`{0}` is a built-in function; choose another name")]
    BuiltIn(Str),
    /// There is a function of that name.
    #[error("the function `{0}` is registered twice; register one version of it")]
    Twice(Str),
    /// A type is none that the language has for values.
    #[error("`{name}` cannot have the type `{ty}` in its signature; {cure}")]
    Type {
        /// The function.
        name: Str,
        /// The type.
        ty: String,
        /// The types that it can have.
        cure: &'static str,
    },
    /// It has too many parameters.
    #[error("`{name}` has {found} parameters; a function has {MAX_PARAMETERS} at most: take a list or a map")]
    Parameters {
        /// The function.
        name: Str,
        /// The number of its parameters.
        found: usize,
    },
    /// There are too many functions.
    #[error("`{0}` is one function too many; {max} can be registered", max = Functions::MAX_OWN)]
    TooMany(Str),
}

/// A name that may be long.
fn beginning(name: &str) -> String {
    name.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect()
}

/// The longest part of a name that is shown.
const MAX_SHOWN: usize = 80;

impl Functions {
    /// Adds a function of whoever embeds the library. Graphs call it as `name(a, b)`; its arguments are checked like those of
    /// built-in functions.
    ///
    /// # Errors
    /// The name is no name, a word of the language, a built-in function, or there already; a type is none that values have.
    pub fn register(mut self, function: OwnFunction) -> Result<Self, FunctionError> {
        let name = Str::from(function.name());
        if !is_identifier(&name) {
            return Err(FunctionError::Name(name));
        }
        if unusable_word(&name) {
            return Err(FunctionError::Word(name));
        }
        if is_known_call(&name) {
            return Err(FunctionError::BuiltIn(name));
        }
        if self.own(&name).is_some() {
            return Err(FunctionError::Twice(name));
        }
        let found = function.types().count() - 1;
        if found > MAX_PARAMETERS {
            return Err(FunctionError::Parameters { name, found });
        }
        if let Some((ty, cure)) = function.types().find_map(|ty| Some((ty, fault(ty, 0)?))) {
            return Err(FunctionError::Type { name, ty: ty.to_string(), cure });
        }
        if self.own_count() >= Self::MAX_OWN {
            return Err(FunctionError::TooMany(name));
        }
        self.push(function);
        Ok(self)
    }
}

/// The cure of a type that values do not have.
fn fault(ty: TypePattern, depth: usize) -> Option<&'static str> {
    match ty {
        _ if depth > MAX_NESTING => Some("types nest 16 deep at most: take `any` inside"),
        TypePattern::T => Some("take `any` where the type may differ"),
        TypePattern::TypeName => Some("the name of a type is a string"),
        TypePattern::OrNull(TypePattern::OrNull(_)) => Some("it is nullable already"),
        TypePattern::List(inner) | TypePattern::Map(inner) | TypePattern::OrNull(inner) => {
            fault(*inner, depth + 1)
        }
        _ => None,
    }
}
